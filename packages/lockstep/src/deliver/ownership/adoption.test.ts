import { describe, expect, it } from 'vitest'
import type {
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
} from '../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { applySettings } from '../../api/kinds/module/spec.ts'
import { adoptionOf, adoptionText, previousToolOf, stillActive } from './adoption.ts'

const entry = (manager: string, fieldsV1: JsonObject, more: Partial<ManagedFieldsEntry> = {}) =>
  ({ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more }) as const

const object = (metadata: ObjectMeta): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'web',
    namespace: 'app',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '',
    ...metadata,
  },
})

const flux = (group: string) => ({ [`${group}/name`]: 'apps', [`${group}/namespace`]: 'flux-system' })

const OWNED: readonly [string, ObjectMeta, string | undefined, string | undefined][] = [
  ['nobody', {}, undefined, undefined],
  [
    'kubectl',
    { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
    undefined,
    undefined,
  ],
  [
    'Kustomization',
    { labels: flux('kustomize.toolkit.fluxcd.io') },
    'Flux Kustomization flux-system/apps',
    'kustomize-controller',
  ],
  [
    'HelmRelease, although Helm marks it too',
    {
      labels: flux('helm.toolkit.fluxcd.io'),
      annotations: { 'meta.helm.sh/release-name': 'apps', 'meta.helm.sh/release-namespace': 'x' },
    },
    'Flux HelmRelease flux-system/apps',
    'helm-controller',
  ],
  [
    'Argo CD by tracking id',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'web:/ConfigMap:app/web' } },
    'Argo CD Application web',
    'argocd-controller',
  ],
  [
    'Argo CD by tracking id of another namespace',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'team_web_1:/ConfigMap:app/web' } },
    'Argo CD Application team/web_1',
    'argocd-controller',
  ],
  [
    'Argo CD by label, where it has written',
    {
      labels: { 'app.kubernetes.io/instance': 'web' },
      managedFields: [entry('argocd-controller', {})],
    },
    'Argo CD Application web',
    'argocd-controller',
  ],
  [
    'the label alone, as charts set it',
    { labels: { 'app.kubernetes.io/instance': 'web' } },
    undefined,
    undefined,
  ],
  [
    'Helm',
    { annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'app' } },
    'Helm release app/shop',
    'helm',
  ],
  ['kapp', { labels: { 'kapp.k14s.io/app': '17' } }, 'kapp app 17', 'kapp'],
  [
    'a controller',
    { ownerReferences: [{ apiVersion: 'a/v1', kind: 'App', name: 'x', uid: 'u', controller: true }] },
    'App x',
    undefined,
  ],
]

it.each(OWNED)('whose it is: %s', (_, metadata, text, manager) => {
  const former = previousToolOf(object(metadata))
  expect([former?.text, former?.manager]).toEqual([text, manager])
})

describe('whether it may be taken over', () => {
  const kustomized = object({ labels: flux('kustomize.toolkit.fluxcd.io') })
  const decide = (o: KubeObject, apply: object) => {
    const found = adoptionOf(o, applySettings.parse(apply))
    return found.type === 'refused' ? adoptionText(o, found.refusal) : found.type
  }
  it.each([
    ['nobody', object({}), {}, 'take'],
    ['nobody', object({}), { adopt: 'Never' }, /exists, and spec\.apply\.adopt is Never/],
    ['Flux', kustomized, {}, /belongs to Flux Kustomization flux-system\/apps; suspend that/],
    ['Flux', kustomized, { adopt: 'Never' }, /exists and belongs to Flux/],
    ['Flux', kustomized, { adopt: 'Listed' }, 'ask'],
    [
      'Flux',
      kustomized,
      { adopt: 'Listed', adoptFrom: ['helm'] },
      /add kustomize-controller to spec\.apply\.adoptFrom/,
    ],
    ['Helm', object({ annotations: { 'meta.helm.sh/release-name': 'a' } }), { adopt: 'Listed' }, 'take'],
    ['a controller', object(OWNED.at(-1)![1]), { adopt: 'Listed' }, /is controlled by App x/],
  ] as const)('from %s: %j', (_, o, apply, says) => {
    expect(decide(o, apply)).toMatch(says)
  })

  const owner = (namespace: string, spec: JsonObject, status: JsonObject = {}): KubeObject =>
    ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', namespace }, spec, status }) as KubeObject
  const active = (o: KubeObject, ...owners: KubeObject[]) => {
    const found = stillActive(o, previousToolOf(o)!, owners)
    return found && adoptionText(o, found)
  }
  it('from Flux only while it is suspended, or gone', () => {
    const its = (spec: JsonObject) => owner('flux-system', spec)
    expect(active(kustomized, its({}))).toContain('flux suspend kustomization apps -n flux-system')
    expect(active(kustomized, its({ suspend: true }))).toBeUndefined()
    expect(active(kustomized)).toBeUndefined()
    const released = object({ labels: flux('helm.toolkit.fluxcd.io') })
    expect(active(released, its({ suspend: false }))).toContain(
      'flux suspend helmrelease apps -n flux-system',
    )
  })

  const AUTOMATED = { syncPolicy: { automated: {} } }
  const tracked = object({ annotations: { 'argocd.argoproj.io/tracking-id': 'web:' } })
  it('from Argo CD only without automated sync', () => {
    expect(active(tracked, owner('gitops', AUTOMATED))).toBe(
      'ConfigMap app/web belongs to Argo CD Application gitops/web, which syncs automatically; argocd app set web --sync-policy none',
    )
    for (const syncPolicy of [{}, { automated: null }, { automated: { enabled: false } }])
      expect(active(tracked, owner('gitops', { syncPolicy }))).toBeUndefined()
    expect(active(tracked)).toBeUndefined()
  })
  it('from the one of several Argo CDs whose Application says that it has the object, or from all of that name', () => {
    const has = { resources: [{ version: 'v1', kind: 'ConfigMap', namespace: 'app', name: 'web' }] }
    const other = { resources: [{ version: 'v1', kind: 'ConfigMap', namespace: 'app', name: 'web2' }] }
    const [on, off] = [AUTOMATED, {}]
    expect(active(tracked, owner('a', on, other), owner('b', off, has))).toBeUndefined()
    expect(active(tracked, owner('a', off, other), owner('b', on, has))).toContain('Application b/web')
    expect(active(tracked, owner('a', off), owner('b', on))).toContain('Application b/web')
    expect(active(tracked, owner('a', off, other), owner('b', off))).toBeUndefined()
  })
})
