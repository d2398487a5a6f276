import fc from 'fast-check'
import { expect, it } from 'vitest'
import { units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import { identityOf } from '../../../../kube/src/object/index.ts'
import type { Assignment } from '../../api/kinds/inventory/assignment.ts'
import type { InventoryObject, InventorySpec } from '../../api/kinds/inventory/spec.ts'
import type { EdgeEvidence } from '../../decisions/gate/observation.ts'
import { entriesOf } from '../state/evaluate.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { admittedSpec, recordedSpec } from './admission.ts'

const records = fc.record<Assignment>({
  uid: fc.constant('m'),
  revision: fc.constantFrom('v1:r', 'v1:r2'),
  bundle: fc.constantFrom('v1:b', 'v1:b2'),
  release: fc.constantFrom(undefined, 'r1'),
  stage: fc.constant('all'),
  serial: fc.constant(1),
})

const evidence = fc.array(
  fc.record<EdgeEvidence>({
    edge: fc.constant('a'),
    uid: fc.constant('u'),
    resourceVersion: fc.constant('7'),
    gateDigest: fc.constant('v1:a'),
    release: fc.constantFrom(undefined, 'r1'),
  }),
  { maxLength: 1 },
)

function admit(input: UnitInput, record: Assignment, read: readonly EdgeEvidence[]): InventorySpec {
  let nonces = 0
  return admittedSpec({
    spec: input.inventory.spec,
    record,
    gateDigest: 'v1:g2',
    evidence: read,
    creates: input.desired.objects.filter((d) => d !== undefined),
    changes: new Set(input.desired.byId.keys()),
    nonce: () => `n${nonces++}`,
    isDelivered: input.inventory.status?.revision !== undefined,
    isOlder: record.revision === 'v1:r',
    hasDeleteHooks: input.desired.preDelete.length > 0,
  })
}

/** What a pass over this unit would write down. */
function recorded(
  input: UnitInput,
  entries: readonly InventoryObject[],
  hasLeftovers: boolean,
): InventorySpec {
  const { spec } = input.inventory
  return recordedSpec(spec, entries, hasLeftovers, spec.intents!.slice(0, 1))
}

it('what is admitted and what a pass writes down follow from what was there, whatever that was', () => {
  decidesAlike(
    fc.tuple(units, records, evidence, fc.boolean(), fc.nat()),
    ([input, record, read, hasLeftovers]) => ({
      spec: admit(input, record, read),
      written: recorded(input, [...entriesOf(input).values()], hasLeftovers),
    }),
    {
      'an admission counts one up, and keeps what was read and what is applied': (
        [input, record, read],
        { spec: { admitted, objects } },
      ) => {
        const before = input.inventory.spec
        expect(admitted).toMatchObject({ serial: 2, revision: record.revision, bundle: record.bundle })
        expect(admitted!.contentSerial).toBe(record.bundle === before.admitted!.bundle ? 1 : 2)
        expect(admitted!.evidence?.length ?? 0).toBe(read.length)
        const isNew = record.bundle !== before.admitted!.bundle
        expect(objects?.map(({ changing, ...o }) => o)).toEqual(
          before.objects?.map(({ changing, ...o }) => o),
        )
        for (const [i, o] of (objects ?? []).entries()) {
          const isChanged = isNew && input.desired.byId.has(identityOf(o))
          expect(o.changing === true).toBe(isChanged || before.objects![i]!.changing === true)
        }
      },
      'it announces every create once': ([input], { spec: { intents } }) => {
        const before = input.inventory.spec.intents!
        const announced = new Set((intents ?? []).map(identityOf))
        expect(announced.size).toBe(intents?.length ?? 0)
        expect([...input.desired.byId.keys()].filter((id) => !announced.has(id))).toEqual([])
        expect((intents ?? []).slice(0, before.length)).toEqual(before)
      },
      'it says why what the old bundle had will go': ([input, record], { spec: { causes } }) => {
        if (record.bundle !== input.inventory.spec.admitted!.bundle)
          expect(causes).toEqual([{ cause: 'RemovedFromBundle', from: 'v1:b', to: 'v1:b2' }])
      },
      'a pass writes down all that is applied, in one order': ([input, , , hasLeftovers, n], { written }) => {
        const entries = [...entriesOf(input).values()]
        sameAnswer(written, recorded(input, shuffled(entries, n), hasLeftovers))
        expect(written.objects?.length ?? 0).toBe(entries.length)
        expect(entries.filter((o) => !written.objects!.includes(o))).toEqual([])
      },
      'and the intents and causes that are still needed': ([input, , , hasLeftovers], { written }) => {
        const { spec } = input.inventory
        expect(written.intents ?? []).toEqual(spec.intents!.slice(1))
        expect(written.causes).toEqual(hasLeftovers ? spec.causes : undefined)
        expect(written.admitted).toBe(spec.admitted)
      },
    },
  )
})
