/** Messages to the author of a ClusterResourceSet, from the facts of what its Module waits for. */
import { describe, expect, it } from 'vitest'
import type { RequestError } from '../../../../kube/src/client/requesterror.ts'
import { blocked, type NewBlocker, summarized } from '../../api/blocker.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import { type AdoptSettings, adoptionBlocker, adoptionOf } from '../../deliver/ownership/adoption.ts'
import { ownedBlocker } from '../../deliver/ownership/foreignunit.ts'
import type { DesiredObject } from '../../deliver/plan/desiredstate.ts'
import { recreateDecisionOf } from '../../deliver/write/recreate.ts'
import { refusal } from '../../deliver/write/refusals.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { setMessage } from './setmessages.ts'

const WORDS = {
  namespace: 'default',
  module: 'crs-own',
  setOfModule: (name: string) => (name.startsWith('crs-') ? name.slice('crs-'.length) : undefined),
}
const inWords = (blocker: NewBlocker) => setMessage(blocker, WORDS)
const REF = { group: 'apps', kind: 'Deployment', namespace: 'kube-system', name: 'x' }
const objectOn: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'x',
  namespace: 'kube-system',
  cluster: 'c1',
  object: { apiVersion: 'apps/v1', kind: 'Deployment' },
}
const owned = (unit: string, ...from: readonly string[]) =>
  inWords(
    ownedBlocker(
      objectOn,
      { unit, inventory: 'other' },
      {
        namespace: 'default',
        takeOverFrom: from.map((name) => ({ kind: 'Module' as const, name })),
      },
    ),
  )

describe('a unit that depends on one of the set', () => {
  const waiting = (name: string, ...clusters: readonly string[]): string => {
    const on = clusters.map((cluster) => ({
      cluster,
      blocker: blocked('DependentsRemain', [{ kind: 'Unit', name, cluster }], { module: 'crs-own' }),
    }))
    return inWords(summarized(on)[0]!)
  }
  const CHANGE = 'to be removed; delete it, or change its lockstep.dev/depends-on'

  it.each([
    [['c1'], `waiting for dependent ClusterResourceSet crs2 on c1 ${CHANGE}`],
    [['c1', 'c2'], `waiting for dependent ClusterResourceSet crs2 on 2 clusters (c1, c2) ${CHANGE}`],
  ])('on %j', (clusters, message) => expect(waiting('crs-crs2', ...clusters)).toBe(message))

  it('that is of a Module keeps its name', () => {
    expect(waiting('web', 'c1')).toBe(
      'waiting for dependent web on c1 to be removed: it depends on crs-own; delete it or the dependency',
    )
  })
})

describe('an object of another unit', () => {
  it.each([
    [
      'm.default.crs-crs1',
      'belongs to ClusterResourceSet default/crs1; delete it, or set lockstep.dev/take-over-from: crs1',
    ],
    [
      's.default.crs1',
      'belongs to ClusterResourceSet default/crs1; delete it, or set lockstep.dev/take-over-from: crs1',
    ],
    ['m.default.web', 'belongs to Module default/web; remove it from one of the two'],
    ['b.default.web', 'belongs to BootstrapModule default/web; remove it from one of the two'],
    ['m.other.crs-crs1', 'belongs to Module other/crs-crs1; remove it from one of the two'],
  ])('%s', (unit, text) => expect(owned(unit)).toBe(`Deployment kube-system/x ${text}`))

  it('that has taken it from this one', () => {
    expect(owned('m.default.crs-crs1', 'crs-crs1')).toBe(
      'Deployment kube-system/x belongs to ClusterResourceSet default/crs1, which took it; remove it from one of the two',
    )
  })
})

describe('an object that exists already', () => {
  const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } }
  const on: WaitRefOf<'Object'> = {
    kind: 'Object',
    name: 'x',
    namespace: 'default',
    cluster: 'c1',
    object: { apiVersion: 'v1', kind: 'ConfigMap' },
  }
  const adoptionRefusal = (metadata: object, settings: AdoptSettings): string => {
    const object = { ...CONFIG, metadata: { ...CONFIG.metadata, ...metadata } }
    const found = adoptionOf(object, settings)
    return found.type === 'refused' ? inWords(adoptionBlocker(on, found.refusal)) : found.type
  }
  const HELM = {
    annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'app' },
  }
  const OWNER = { kind: 'Widget', name: 'w', apiVersion: 'example.com/v1', uid: 'u', controller: true }

  it.each<[string, object, AdoptSettings, string]>([
    [
      'unmanaged, existing: Fail',
      {},
      { adopt: 'Never', adoptFrom: [] },
      'ConfigMap default/x exists, and lockstep.dev/existing is Fail; delete it, or set Take',
    ],
    [
      'of a tool that nothing is taken from',
      HELM,
      { adopt: 'Listed', adoptFrom: [] },
      'ConfigMap default/x belongs to Helm release app/web; remove it from one of the two',
    ],
    [
      'of a controller',
      { ownerReferences: [OWNER] },
      { adopt: 'Listed', adoptFrom: [] },
      'ConfigMap default/x is controlled by Widget w; remove it from the sources, or delete Widget w',
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
    keeper: undefined,
    on: objectOn,
    error: String(refusal(error, { ref: REF }).facts?.error),
  })
  expect(next.type === 'refused' && inWords(next.blocker)).toBe(
    'Deployment kube-system/x: .spec.selector is immutable; set lockstep.dev/replace-immutable: "true" or rename it',
  )
})

it('a field of the Module is the field of the set', () => {
  const empty = (field: string) =>
    inWords(blocked('EmptyRender', [], { field, object: 'ConfigMap default/a' }))
  const ends =
    'ConfigMap default/a has no objects and lockstep.dev/allow-empty is not "true"; the deployed objects stay'
  expect(empty('spec.source.resources[0]')).toBe(`spec.resources[0]: ${ends}`)
  expect(empty('spec.source')).toBe(`spec.source: ${ends}`)
})

it('the stored message is given where a newer controller wrote the facts', () => {
  const later = { reason: 'FromTheFuture', on: [objectOn], facts: { a: 1 }, message: 'later' }
  expect(setMessage(later, WORDS)).toBe('later')
  expect(setMessage({ reason: 'OwnedByAnother', message: 'old' }, WORDS)).toBe('old')
})
