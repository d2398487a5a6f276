/** When somebody waits for what is still to be done on a cluster. */
import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Inventory } from '../../api/kinds/index.ts'
import { inventoryName } from '../../deliver/plan/unitnames.ts'
import { hasReachedQuiescence } from './quiescence.ts'

const REF = { kind: 'Module', namespace: 'platform', name: 'web' }
const CLUSTER = { namespace: 'platform', name: 'c1' }
const RECORD = { kind: 'Module', name: 'web', uid: 'u', revision: 'r2', bundle: 'b2', values: 'v2' }
const DELIVERED = {
  metadata: { name: inventoryName(REF, 'c1'), namespace: 'platform' },
  spec: { admitted: { revision: 'r2', bundle: 'b2', values: 'v2', serial: 3 }, intents: [], hooks: [] },
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
function atRest(
  records: readonly object[],
  inventories: readonly Stored<Inventory>[],
  theirs: readonly object[] = [],
): boolean {
  const foreign = { metadata: { namespace: 'platform', name: 'ops.c1' }, spec: { syncs: theirs } }
  const caches = {
    assemblages: { store: { get: () => ({ spec: { syncs: records } }) } },
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
    expect(atRest([RECORD], [inventory()])).toBe(true)
  })

  it('when nothing is assigned to it', () => {
    expect(atRest([], [])).toBe(true)
  })

  it('with what was given up there, and with what a ClusterResourceSet has applied', () => {
    const released = inventory({ spec: { admitted: undefined, released: { at: '' } } })
    const set = inventory({ spec: { admitted: undefined, set: {} }, status: { state: undefined } })
    expect([atRest([], [released]), atRest([], [set])]).toEqual([true, true])
  })
})

describe('somebody waits for a cluster', () => {
  const cases: readonly (readonly [string, readonly object[], readonly Stored<Inventory>[]])[] = [
    ['nothing of it is there', [RECORD], []],
    ['nothing of it is admitted', [RECORD], [inventory({ spec: { admitted: undefined } })]],
    ['another revision is assigned', [{ ...RECORD, revision: 'r3' }], [inventory()]],
    ['its bindings are others', [{ ...RECORD, values: 'v3' }], [inventory()]],
    ['it is to leave', [{ ...RECORD, removal: { cause: 'Relabelled' } }], [inventory()]],
    ['its Inventory is to go', [], [inventory({ metadata: { deletionTimestamp: 't' } })]],
    ['it is under way', [RECORD], [inventory({ status: { state: 'Delivering' } })]],
    ['it has failed', [RECORD], [inventory({ status: { state: 'Failed' } })]],
    ['what is said is about an earlier admission', [RECORD], [inventory({ status: { admittedSerial: 2 } })]],
    ['a write was announced', [RECORD], [inventory({ spec: { intents: [{ nonce: 'n' }] } })]],
    ['a hook runs', [RECORD], [inventory({ spec: { hooks: [{ state: 'Running' }] } })]],
    [
      'a set could not apply something',
      [],
      [inventory({ spec: { admitted: undefined, set: {} }, status: { state: 'Failed' } })],
    ],
  ]
  it.each(cases)('where %s', (_, records, inventories) => {
    expect(atRest(records, inventories)).toBe(false)
  })

  it('where somebody else assigns something', () => {
    expect(atRest([], [], [{ kind: 'App', name: 'x', revision: 'r1', bundle: 'b1' }])).toBe(false)
  })
})
