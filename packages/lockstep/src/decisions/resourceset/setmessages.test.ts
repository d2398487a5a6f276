/** What a Module says, in the words of the ClusterResourceSet that it is of; each text is made by whoever says it. */
import { describe, expect, it } from 'vitest'
import type { RequestError } from '../../../../kube/src/client/requesterror.ts'
import { blocked, summarized } from '../../api/blocker.ts'
import { type AdoptSettings, adoptionOf, adoptionText } from '../../deliver/ownership/adoption.ts'
import { ownedText } from '../../deliver/ownership/foreignunit.ts'
import type { DesiredObject } from '../../deliver/plan/desiredstate.ts'
import { recreateDecisionOf } from '../../deliver/write/recreate.ts'
import { refusal } from '../../deliver/write/refusals.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { toSetMessage } from './setmessages.ts'

const WORDS = {
  module: 'crs-own',
  setOfModule: (name: string) => (name.startsWith('crs-') ? name.slice('crs-'.length) : undefined),
}
const inWords = (text: string) => toSetMessage(text, WORDS)
const REF = { group: 'apps', kind: 'Deployment', namespace: 'kube-system', name: 'x' }
const owned = (unit: string, ...from: readonly string[]) =>
  inWords(
    ownedText(
      REF,
      { unit, inventory: 'theirs' },
      {
        namespace: 'default',
        takeOverFrom: from.map((name) => ({ kind: 'Module' as const, name })),
      },
    ),
  )

describe('a unit that depends on one of the set', () => {
  const waiting = (...clusters: readonly string[]): string => {
    const on = clusters.map((cluster) => ({
      cluster,
      blocker: blocked('DependentsRemain', [{ kind: 'Unit', name: 'crs-crs2', cluster }], {
        module: 'crs-own',
      }),
    }))
    return inWords(summarized(on)[0]!.message)
  }

  it.each([
    [['c1'], 'ClusterResourceSet crs2 on c1 relies on this one'],
    [['c1', 'c2'], 'ClusterResourceSet crs2 on 2 clusters (c1, c2) relies on this one'],
  ])('on %j', (clusters, says) => {
    expect(waiting(...clusters)).toContain(says)
  })
})

describe('an object of another unit', () => {
  it.each([
    [
      'm.default.crs-crs1',
      'Deployment kube-system/x is owned by ClusterResourceSet default/crs1; delete it or set lockstep.dev/take-over-from: crs1',
    ],
    [
      's.default.crs1',
      'Deployment kube-system/x is owned by ClusterResourceSet default/crs1; delete it or set lockstep.dev/take-over-from: crs1',
    ],
    [
      'm.default.web',
      'Deployment kube-system/x belongs to Module default/web; take it out of one of the two',
    ],
    [
      'b.default.web',
      'Deployment kube-system/x belongs to BootstrapModule default/web; take it out of one of the two',
    ],
    [
      'm.other.crs-crs1',
      'Deployment kube-system/x belongs to Module other/crs-crs1; take it out of one of the two',
    ],
  ])('%s', (unit, text) => expect(owned(unit)).toBe(text))

  it('that has taken it from this one', () => {
    expect(owned('m.default.crs-crs1', 'crs-crs1')).toBe(
      'Deployment kube-system/x is owned by ClusterResourceSet default/crs1, which has taken it from this one; take it out of one of the two',
    )
  })
})

describe('an object that is there already', () => {
  const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } }
  const adoptionRefusal = (metadata: object, settings: AdoptSettings): string => {
    const object = { ...CONFIG, metadata: { ...CONFIG.metadata, ...metadata } }
    const found = adoptionOf(object, settings)
    return found.type === 'refused' ? inWords(adoptionText(object, found.refusal)) : found.type
  }
  const HELM = {
    annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'app' },
  }
  const OWNER = { kind: 'Widget', name: 'w', apiVersion: 'example.com/v1', uid: 'u', controller: true }

  it.each<[string, object, AdoptSettings, string]>([
    [
      "nobody's, existing: Fail",
      {},
      { adopt: 'Never', adoptFrom: [] },
      'ConfigMap default/x exists, and lockstep.dev/existing is Fail: set Take, or delete it',
    ],
    [
      'of a tool that nothing is taken from',
      HELM,
      { adopt: 'Listed', adoptFrom: [] },
      'ConfigMap default/x belongs to Helm release app/web: take it out of that, or out of this ClusterResourceSet',
    ],
    [
      'of a controller',
      { ownerReferences: [OWNER] },
      { adopt: 'Listed', adoptFrom: [] },
      'ConfigMap default/x is controlled by Widget w; remove it from this ClusterResourceSet, or delete Widget w',
    ],
  ])('%s', (_, metadata, settings, text) => expect(adoptionRefusal(metadata, settings)).toBe(text))
})

it('a field that cannot change: by its path, and with what helps', () => {
  const error: RequestError = {
    kind: 'Invalid',
    cluster: 'c1',
    verb: 'apply',
    wrote: 'no',
    message: '',
    ref: REF,
    causes: [{ field: 'spec.selector', message: 'Invalid value: {"a": "b"}: field is immutable' }],
  }
  const next = recreateDecisionOf({ ref: REF, content: 'new' } as DesiredObject, {
    live: { object: {} } as LiveObject,
    entry: undefined,
    intent: undefined,
    inventoryUid: 'i',
    allowed: false,
    on: {
      kind: 'Object',
      name: 'x',
      namespace: 'kube-system',
      object: { apiVersion: 'apps/v1', kind: 'Deployment' },
    },
    error: String(refusal(error, { ref: REF }).facts?.error),
  })
  expect(next.type === 'refused' && inWords(next.blocker.message)).toBe(
    'Deployment kube-system/x: .spec.selector is immutable; set lockstep.dev/replace-immutable: "true" or rename it',
  )
})

it('several lines, each for itself', () => {
  const line = ownedText(
    REF,
    { unit: 'm.default.crs-b', inventory: 'i' },
    { namespace: 'default', takeOverFrom: [] },
  )
  expect(inWords(`${line}\n${line}`).split('\n')).toEqual([
    owned('m.default.crs-b'),
    owned('m.default.crs-b'),
  ])
})
