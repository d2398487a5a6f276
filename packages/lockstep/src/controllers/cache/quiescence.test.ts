/** When somebody waits for what is still to be done on a cluster. */
import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Inventory } from '../../api/kinds/index.ts'
import { inventoryName } from '../../deliver/plan/unitnames.ts'
import { hasReachedQuiescence } from './quiescence.ts'

const REF = { kind: 'Module', namespace: 'platform', name: 'web' }
const CLUSTER = { namespace: 'platform', name: 'c1' }
const ASSIGNED = { uid: 'u', revision: 'r2', bundle: 'b2', values: 'v2', serial: 1 }
const DELIVERED = {
  metadata: { name: inventoryName(REF, 'c1'), namespace: 'platform' },
  spec: {
    assigned: ASSIGNED,
    admitted: { revision: 'r2', bundle: 'b2', values: 'v2', serial: 3 },
    intents: [],
    hooks: [],
  },
  status: { state: 'Ready', admittedSerial: 3 },
}

type Patch = { [part in 'metadata' | 'spec' | 'status']?: object }
const inventory = (patch: Patch = {}) =>
  ({
    metadata: { ...DELIVERED.metadata, ...patch.metadata },
    spec: { ...DELIVERED.spec, ...patch.spec },
    status: { ...DELIVERED.status, ...patch.status },
  }) as unknown as Stored<Inventory>

/** `theirs`: records that somebody else keeps in an assemblage of his own. */
function atRest(inventories: readonly Stored<Inventory>[], theirs: readonly object[] = []): boolean {
  const foreign = { metadata: { namespace: 'platform', name: 'ops.c1' }, spec: { syncs: theirs } }
  const caches = {
    foreign: { store: { by: () => [foreign] } },
    inventories: {
      store: {
        get: ({ name }: { name: string }) => inventories.find((i) => i.metadata.name === name),
        by: () => inventories,
      },
    },
  }
  return hasReachedQuiescence(caches as unknown as Parameters<typeof hasReachedQuiescence>[0], CLUSTER)
}

describe('a cluster is at rest', () => {
  it('when all that is assigned to it was delivered', () => {
    expect(atRest([inventory()])).toBe(true)
  })

  it('when nothing is assigned to it', () => {
    expect(atRest([])).toBe(true)
  })

  it('with what was given up there, and with what a ClusterResourceSet has applied', () => {
    const released = inventory({ spec: { assigned: undefined, admitted: undefined, released: { at: '' } } })
    const set = inventory({
      spec: { assigned: undefined, admitted: undefined, set: {} },
      status: { state: undefined },
    })
    expect([atRest([released]), atRest([set])]).toEqual([true, true])
  })
})

describe('somebody waits for a cluster', () => {
  const released = { admitted: undefined, released: { at: '' } }
  const cases: readonly (readonly [string, Patch])[] = [
    ['nothing of it is admitted', { spec: { admitted: undefined } }],
    ['it was orphaned, and is assigned again', { spec: released }],
    ['another revision is assigned', { spec: { assigned: { ...ASSIGNED, revision: 'r3' } } }],
    ['its bindings are others', { spec: { assigned: { ...ASSIGNED, values: 'v3' } } }],
    ['it is to leave', { spec: { assigned: { ...ASSIGNED, removal: { cause: 'Relabelled' } } } }],
    ['its Inventory is to go', { metadata: { deletionTimestamp: 't' } }],
    ['it is under way', { status: { state: 'Delivering' } }],
    ['it has failed', { status: { state: 'Failed' } }],
    ['what is said is about an earlier admission', { status: { admittedSerial: 2 } }],
    ['a write was announced', { spec: { intents: [{ nonce: 'n' }] } }],
    ['a hook runs', { spec: { hooks: [{ state: 'Running' }] } }],
    [
      'a set could not apply something',
      { spec: { admitted: undefined, set: {} }, status: { state: 'Failed' } },
    ],
  ]
  it.each(cases)('where %s', (_, patch) => {
    expect(atRest([inventory(patch)])).toBe(false)
  })

  it('where somebody else assigns something', () => {
    expect(atRest([], [{ kind: 'App', name: 'x', revision: 'r1', bundle: 'b1' }])).toBe(false)
  })
})
