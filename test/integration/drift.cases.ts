/** What others do to what is delivered, and to what was there before. */
import { expect } from 'vitest'
import {
  ANY,
  deploymentKind,
  established,
  READ,
  value,
  WRITE,
} from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at, bytesToBase64, type JsonValue, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Kind, type Stored } from '../../packages/kube/src/object/kind.ts'
import { config, deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'

/** Somebody changes an object on the cluster. */
const edit = async (
  c: Corner,
  kind: Kind,
  name: string,
  manager: string,
  patch: JsonValue,
): Promise<Stored> =>
  value(await c.c1.patch(kind, { namespace: c.namespace, name }, patch, { ...ANY, manager }))

const see = async (c: Corner, kind: Kind, name: string): Promise<Stored> =>
  value(await c.c1.get(kind, { namespace: c.namespace, name }, READ))

const managers = (o: Stored): string[] => (o.metadata.managedFields ?? []).map((f) => f.manager ?? '')
const replicas = (o: KubeObject | undefined) => at(o, 'spec', 'replicas')
const reasonIn = (c: Corner, module: string, reason: string) =>
  c.untilInventory(module, reason, (i) => i.status?.blockers?.some((b) => b.reason === reason) === true)

const replicasIgnored = {
  apply: { ignore: [{ target: { kind: 'Deployment' }, paths: ['/spec/replicas'] }] },
}

const repaired: readonly FleetCase[] = [
  {
    name: 'a field that somebody edits is put right, and who it was is said; what is not ours stays',
    async run(c) {
      await c.release('base', 1, [config('web', c.namespace, { mode: 'safe' })])
      await c.untilReady('base')
      await edit(c, configMapKind, 'web', 'somebody', { data: { more: 'mine' } })
      await edit(c, configMapKind, 'web', 'kubectl-edit', { data: { mode: 'fast' } })
      const live = await c.until(c.c1, configMapKind, 'web', 'repaired', (o) => o?.data?.mode === 'safe')
      expect(live.data).toEqual({ mode: 'safe', more: 'mine' })
      const { status } = await c.untilInventory('base', 'told', (i) => i.status?.lastDrift !== undefined)
      expect(status?.lastDrift?.message).toBe(`ConfigMap ${c.namespace}/web (.data.mode by "kubectl-edit")`)
      await c.untilReady('base')
    },
  },
  {
    name: 'managedFields that somebody wipes: one more apply, and what a later version leaves out still goes',
    async run(c) {
      await c.release('base', 1, [config('web', c.namespace, { a: '1', b: '1' })])
      await c.untilReady('base')
      await edit(c, configMapKind, 'web', 'somebody', { metadata: { managedFields: [{}] } } as never)
      const wiped = await c.until(
        c.c1,
        configMapKind,
        'web',
        'ours again',
        (o) => o !== undefined && managers(o).includes('lockstep'),
      )
      await c.untilInventory('base', 'told', (i) => i.status?.lastDrift?.message.includes('web') === true)
      await c.release('base', 2, [config('web', c.namespace, { a: '2' })])
      await c.untilReady('base')
      const after = await see(c, configMapKind, 'web')
      expect([after.data, after.metadata.uid]).toEqual([{ a: '2' }, wiped.metadata.uid])
      expect(managers(after)).toEqual(['lockstep'])
    },
  },
  {
    name: 'drift: Observe says what others changed, in unit and module, and leaves it',
    async run(c) {
      await c.release('base', 1, [config('web', c.namespace, { mode: 'safe' })], {
        apply: { drift: 'Observe' },
      })
      await c.untilReady('base')
      await edit(c, configMapKind, 'web', 'kubectl-edit', { data: { mode: 'fast' } })
      const says = `1 object: ConfigMap ${c.namespace}/web (.data.mode by "kubectl-edit")`
      await c.untilInventory('base', 'told', (i) => condition(i, 'DriftDetected')?.message === says)
      const m = await c.untilModule('base', 'told', (o) => condition(o, 'DriftDetected') !== undefined)
      expect(condition(m, 'DriftDetected')?.message).toBe(`c1: ${says}`)
      expect((await see(c, configMapKind, 'web')).data).toEqual({ mode: 'fast' })
      await edit(c, configMapKind, 'web', 'kubectl-edit', { data: { mode: 'safe' } })
      await c.release('base', 2, [config('web', c.namespace, { mode: 'safer' })])
      await c.untilModule('base', 'over', (o) => condition(o, 'DriftDetected') === undefined)
      expect((await see(c, configMapKind, 'web')).data).toEqual({ mode: 'safer' })
    },
  },
  {
    name: 'drift of a Secret: no value of it is in any status',
    async run(c) {
      const secretOf = (v: string) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'door', namespace: c.namespace },
        data: { key: bytesToBase64(new TextEncoder().encode(v)) },
      })
      await c.release('base', 1, [secretOf('open-sesame')], { apply: { drift: 'Observe' } })
      await c.untilReady('base')
      const changed = secretOf('let-me-in').data
      await edit(c, secretKind, 'door', 'kubectl-edit', { data: changed })
      const i = await c.untilInventory('base', 'told', (x) => condition(x, 'DriftDetected') !== undefined)
      expect(condition(i, 'DriftDetected')?.message).toContain('(.data.key by "kubectl-edit")')
      const m = await c.untilModule('base', 'told', (o) => condition(o, 'DriftDetected') !== undefined)
      for (const secret of ['open-sesame', 'let-me-in', secretOf('open-sesame').data.key, changed.key])
        expect(JSON.stringify([i, m])).not.toContain(secret)
    },
  },
]

const ignored: readonly FleetCase[] = [
  {
    name: 'an ignored field that another looks after stays as it is, also when the rest changes',
    async run(c) {
      await c.release('base', 1, [deployment('web', c.namespace, 'web:v1')], replicasIgnored)
      await c.untilReady('base')
      await edit(c, deploymentKind, 'web', 'hpa', { spec: { replicas: 3 } })
      await c.release('base', 2, [deployment('web', c.namespace, 'web:v2')], replicasIgnored)
      await c.untilReady('base')
      const live = await see(c, deploymentKind, 'web')
      expect(replicas(live)).toBe(3)
      expect(at(live, 'spec', 'template', 'spec', 'containers', 0, 'image')).toBe('web:v2')
    },
  },
  {
    name: 'a rule that comes later: the field is given up with the value that it has, and taken back without the rule',
    async run(c) {
      const two = (image: string) => {
        const d = deployment('web', c.namespace, image)
        return { ...d, spec: { ...d.spec, replicas: 2 } }
      }
      await c.release('base', 1, [two('web:v1')])
      await c.untilReady('base')
      await c.release('base', 2, [two('web:v1')], replicasIgnored)
      await c.untilReady('base')
      const given = await see(c, deploymentKind, 'web')
      const ours = given.metadata.managedFields?.find((f) => f.manager === 'lockstep')
      expect([replicas(given), at(ours?.fieldsV1, 'f:spec', 'f:replicas')]).toEqual([2, undefined])
      await edit(c, deploymentKind, 'web', 'hpa', { spec: { replicas: 3 } })
      await c.release('base', 3, [two('web:v3')], replicasIgnored)
      await c.untilReady('base')
      expect(replicas(await see(c, deploymentKind, 'web'))).toBe(3)
      await c.release('base', 4, [two('web:v3')], { apply: { ignore: [] } })
      await c.until(c.c1, deploymentKind, 'web', 'taken back', (o) => replicas(o) === 2)
    },
  },
  {
    name: 'what an ignored manager owns is left to it, whatever it takes',
    async run(c) {
      const apply = { ignore: [{ managers: ['tuner'] }] }
      await c.release('base', 1, [config('web', c.namespace, { a: '1', b: '1' })], { apply })
      await c.untilReady('base')
      await edit(c, configMapKind, 'web', 'tuner', { data: { a: 'tuned' } })
      await edit(c, configMapKind, 'web', 'somebody', { data: { b: 'edited' } })
      await c.until(c.c1, configMapKind, 'web', 'repaired', (o) => o?.data?.b === '1')
      expect((await see(c, configMapKind, 'web')).data).toEqual({ a: 'tuned', b: '1' })
      await c.release('base', 2, [config('web', c.namespace, { a: '2', b: '2' })], { apply })
      await c.untilReady('base')
      expect((await see(c, configMapKind, 'web')).data).toEqual({ a: 'tuned', b: '2' })
    },
  },
]

const FLUX = 'kustomize.toolkit.fluxcd.io'
const kustomizationKind = defineKind({
  group: FLUX,
  version: 'v1',
  kind: 'Kustomization',
  plural: 'kustomizations',
  namespaced: true,
})

/** Flux's Kustomizations as a cluster knows them, as far as it matters here. */
const fluxDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `kustomizations.${FLUX}` },
  spec: {
    group: FLUX,
    scope: 'Namespaced',
    names: {
      kind: 'Kustomization',
      plural: 'kustomizations',
      singular: 'kustomization',
      listKind: 'KustomizationList',
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { suspend: { type: 'boolean' } } } },
          },
        },
      },
    ],
  },
}

/** As a client-side `kubectl apply` leaves it. */
async function clientSideApplied(c: Corner, o: KubeObject): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(o) }
  const body = { ...o, metadata: { ...o.metadata, annotations } }
  const kind = o.kind === 'Deployment' ? deploymentKind : configMapKind
  value(await c.c1.create(kind, body, { ...WRITE, manager: 'kubectl-client-side-apply' }))
}

const adopted: readonly FleetCase[] = [
  {
    name: 'what kubectl applied is taken over: what the manifest lacks goes, what others have set stays',
    async run(c) {
      const d = deployment('web', c.namespace, 'web:v1')
      const old = { ...d, spec: { ...d.spec, minReadySeconds: 5, revisionHistoryLimit: 3 } }
      await clientSideApplied(c, old)
      await edit(c, deploymentKind, 'web', 'somebody', { spec: { progressDeadlineSeconds: 99 } })
      await c.release('base', 1, [{ ...d, spec: { ...d.spec, revisionHistoryLimit: 3 } }])
      await c.untilReady('base')
      const live = await see(c, deploymentKind, 'web')
      expect(live).toMatchObject({ spec: { revisionHistoryLimit: 3, progressDeadlineSeconds: 99 } })
      expect(at(live, 'spec', 'minReadySeconds') ?? 0).toBe(0)
      expect(managers(live)).not.toContain('kubectl-client-side-apply')
      expect(live.metadata.annotations).not.toHaveProperty('kubectl.kubernetes.io/last-applied-configuration')
    },
  },
  {
    name: 'adopt: Never leaves what is there as it is, and says so; the rest is delivered',
    async run(c) {
      await clientSideApplied(c, config('theirs', c.namespace, { a: 'theirs' }))
      const before = await see(c, configMapKind, 'theirs')
      const objects = [config('theirs', c.namespace, { a: 'ours' }), config('beside', c.namespace, {})]
      await c.release('base', 1, objects, { apply: { adopt: 'Never' } })
      const i = await reasonIn(c, 'base', 'AdoptionRefused')
      expect(i.status?.blockers?.[0]?.message).toBe(
        `ConfigMap ${c.namespace}/theirs exists, and spec.apply.adopt is Never; run lockstep adopt, or delete it`,
      )
      await c.until(c.c1, configMapKind, 'beside', 'there', (o) => o !== undefined)
      expect(await see(c, configMapKind, 'theirs')).toEqual(before)
    },
  },
  {
    name: 'what Helm installed is refused with the name of its release, and taken over if it is listed',
    async run(c) {
      const theirs = {
        ...config('web', c.namespace, { a: '1', old: '1' }),
        metadata: {
          name: 'web',
          namespace: c.namespace,
          labels: { 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: {
            'meta.helm.sh/release-name': 'shop',
            'meta.helm.sh/release-namespace': c.namespace,
          },
        },
      }
      value(await c.c1.create(configMapKind, theirs, { ...WRITE, manager: 'helm' }))
      await c.release('base', 1, [config('web', c.namespace, { a: '1' })])
      const refused = await reasonIn(c, 'base', 'AdoptionRefused')
      expect(refused.status?.blockers?.[0]?.message).toContain(
        `ConfigMap ${c.namespace}/web belongs to Helm release ${c.namespace}/shop`,
      )
      await c.release('base', 2, [config('web', c.namespace, { a: '2' })], { apply: { adopt: 'Listed' } })
      await c.untilReady('base')
      const live = await see(c, configMapKind, 'web')
      expect(live.data).toEqual({ a: '2' })
      expect(Object.keys(live.metadata.annotations ?? {})).toEqual(['lockstep.dev/inventory'])
      expect(Object.keys(live.metadata.labels ?? {})).toEqual(['lockstep.dev/unit'])
    },
  },
  {
    name: 'what Flux delivers is refused until its Kustomization is suspended',
    async run(c) {
      value(await c.c1.apply(crdKind, fluxDefinition as never, { ...ANY, force: true }))
      await established(c.c1, fluxDefinition.metadata.name)
      const apps = {
        apiVersion: `${FLUX}/v1`,
        kind: 'Kustomization',
        metadata: { name: 'apps', namespace: c.namespace },
        spec: { suspend: false },
      }
      value(await c.c1.create(kustomizationKind, apps, WRITE))
      const labels = { [`${FLUX}/name`]: 'apps', [`${FLUX}/namespace`]: c.namespace }
      const theirs = config('web', c.namespace, { a: 'theirs', gone: '1' })
      const body = { ...theirs, metadata: { ...theirs.metadata, labels } }
      value(await c.c1.apply(configMapKind, body, { ...ANY, manager: 'kustomize-controller' }))
      const before = await see(c, configMapKind, 'web')
      const listed = { apply: { adopt: 'Listed' } }
      await c.release('base', 1, [config('web', c.namespace, { a: '1' })], listed)
      const refused = await reasonIn(c, 'base', 'AdoptionRefused')
      expect(refused.status?.blockers?.[0]?.message).toBe(
        `ConfigMap ${c.namespace}/web belongs to Flux Kustomization ${c.namespace}/apps, which is not suspended; flux suspend kustomization apps -n ${c.namespace}`,
      )
      expect(await see(c, configMapKind, 'web')).toEqual(before)
      await edit(c, kustomizationKind, 'apps', 'flux', { spec: { suspend: true } })
      await c.release('base', 2, [config('web', c.namespace, { a: '2' })], listed)
      await c.untilReady('base')
      const live = await see(c, configMapKind, 'web')
      expect([live.data, Object.keys(live.metadata.labels ?? {})]).toEqual([
        { a: '2' },
        ['lockstep.dev/unit'],
      ])
      expect(managers(live)).toEqual(['lockstep'])
    },
  },
  {
    name: 'what a controller made is not taken over',
    async run(c) {
      await c.release('one', 1, [config('parent', c.namespace, {})])
      await c.untilReady('one')
      const { uid } = (await see(c, configMapKind, 'parent')).metadata
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid, controller: true }
      const child = config('child', c.namespace, { a: '1' })
      const metadata = { ...child.metadata, ownerReferences: [owner] }
      value(await c.c1.create(configMapKind, { ...child, metadata }, WRITE))
      await c.release('two', 1, [config('child', c.namespace, { a: '2' })], { apply: { adopt: 'Listed' } })
      const refused = await reasonIn(c, 'two', 'AdoptionRefused')
      expect(refused.status?.blockers?.[0]?.message).toContain('is controlled by ConfigMap parent')
      expect((await see(c, configMapKind, 'child')).data).toEqual({ a: '1' })
    },
  },
]

export const driftCases: readonly FleetCase[] = [...repaired, ...ignored, ...adopted]
