import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../test/arbitrary/decision.ts'
import { units } from '../../test/arbitrary/unit.ts'
import type { SyncRecord } from '../api/kinds/assemblage.ts'
import type { InventorySpec } from '../api/kinds/inventory.ts'
import type { EdgeEvidence } from '../core/gate/gate.ts'
import { identityOf } from '../object/object.ts'
import { admittedSpec, recordedSpec } from './admission.ts'
import { entriesOf, type UnitInput } from './evaluate.ts'

const records = fc.record<SyncRecord>({
  kind: fc.constant('Module'),
  name: fc.constant('web'),
  uid: fc.constant('m'),
  revision: fc.constantFrom('v1:r', 'v1:r2'),
  bundle: fc.constantFrom('v1:b', 'v1:b2'),
  release: fc.constantFrom(undefined, 'r1'),
  gate: fc.constant('Open'),
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

function admit(input: UnitInput, record: SyncRecord, read: readonly EdgeEvidence[]): InventorySpec {
  let nonces = 0
  return admittedSpec({
    spec: input.inventory.spec,
    record,
    gateDigest: 'v1:g2',
    evidence: read,
    creates: input.desired.objects.filter((d) => d !== undefined),
    nonce: () => `n${nonces++}`,
  })
}

describe('an admission, whatever was there before', () => {
  it('counts one up, announces every create once, and explains what the old bundle had', () => {
    decidesAlike(
      fc.tuple(units, records, evidence),
      ([input, record, read]) => admit(input, record, read),
      ([input, record, read], { admitted, intents, causes, objects }) => {
        const before = input.inventory.spec
        expect(admitted).toMatchObject({ serial: 2, revision: record.revision, bundle: record.bundle })
        expect(admitted!.contentSerial).toBe(record.bundle === before.admitted!.bundle ? 1 : 2)
        expect(admitted!.evidence?.length ?? 0).toBe(read.length)
        expect(objects).toBe(before.objects)
        const announced = new Set((intents ?? []).map(identityOf))
        expect(announced.size).toBe(intents?.length ?? 0)
        expect([...input.desired.byId.keys()].filter((id) => !announced.has(id))).toEqual([])
        expect((intents ?? []).slice(0, before.intents!.length)).toEqual(before.intents)
        if (record.bundle !== before.admitted!.bundle)
          expect(causes).toEqual([{ cause: 'RemovedFromBundle', from: 'v1:b', to: 'v1:b2' }])
      },
    )
  })
})

describe('what a pass writes down, whatever it did', () => {
  it('is all that is applied, in one order, and the intents that may still come true', () => {
    decidesAlike(
      fc.tuple(units, fc.boolean(), fc.nat()),
      ([input, hasLeftovers]) => {
        const { spec } = input.inventory
        return recordedSpec(spec, [...entriesOf(input).values()], hasLeftovers, spec.intents!.slice(0, 1))
      },
      ([input, hasLeftovers, n], recorded) => {
        const { spec } = input.inventory
        const entries = [...entriesOf(input).values()]
        const served = spec.intents!.slice(0, 1)
        sameAnswer(recorded, recordedSpec(spec, shuffled(entries, n), hasLeftovers, served))
        expect(new Set(recorded.objects ?? [])).toEqual(new Set(entries))
        expect(recorded.intents ?? []).toEqual(spec.intents!.slice(1))
        expect(recorded.causes).toEqual(hasLeftovers ? spec.causes : undefined)
        expect(recorded.admitted).toEqual(spec.admitted)
      },
    )
  })
})
