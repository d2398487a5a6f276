import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hostile, inherited } from '../../../../../test/arbitrary/arbitraryjson.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import type { JsonObject } from '../../../../kube/src/object/index.ts'
import { gateDigestOf, revisionOf } from './revision.ts'

const content = fc.oneof(fc.constantFrom('source', 'release', 'dependsOn', 'apply', 'health'), inherited)
const policy = fc.constantFrom('rollout', 'targets', 'attempt')
const specs = fc.array(fc.tuple(content, hostile), { maxLength: 6 })
const policies = fc.array(fc.tuple(policy, hostile), { maxLength: 3 })
const inputs = fc.array(fc.constantFrom({ path: 'source.inline', digest: 'v1:a' }), { maxLength: 2 })

const specOf = (...members: readonly (readonly [string, unknown])[]): JsonObject =>
  Object.fromEntries(members) as JsonObject

const digest = fc.constantFrom('any', 'absent', 'v1:a', 'v1:b')
const edges = fc.uniqueArray(fc.record({ id: fc.string({ maxLength: 3 }), digest }), {
  selector: (e) => e.id,
  maxLength: 5,
})

it('revisions stand for content, whatever it is', () => {
  decidesAlike(
    fc.tuple(specs, policies, inputs, fc.nat()),
    ([spec, , resolved]) => revisionOf('Module', specOf(...spec), resolved),
    {
      'the same content in any order, under any policy, is the same revision': (
        [spec, how, resolved, n],
        revision,
      ) => {
        const unique = Object.entries(specOf(...spec))
        sameAnswer(revision, revisionOf('Module', specOf(...shuffled(unique, n), ...how), resolved))
        expect(revision).toMatch(/^v1:[0-9a-f]{64}$/)
      },
      'another kind, or one member more, is another': ([spec, , resolved], revision) => {
        expect(revisionOf('BootstrapModule', specOf(...spec), resolved)).not.toBe(revision)
        expect(revisionOf('Module', specOf(...spec, ['added', 1]), resolved)).not.toBe(revision)
      },
    },
  )
})

it('gate digests stand for revision, attempt and edges', () => {
  decidesAlike(
    fc.tuple(edges, fc.nat(3), fc.nat()),
    ([list, attempt]) => gateDigestOf('v1:r', attempt, list),
    {
      'in any order': ([list, attempt, n], found) => {
        sameAnswer(found, gateDigestOf('v1:r', attempt, shuffled(list, n)))
      },
      'another attempt, or one edge more, is another': ([list, attempt], found) => {
        expect(gateDigestOf('v1:r', attempt + 1, list)).not.toBe(found)
        expect(gateDigestOf('v1:r', attempt, [...list, { id: 'another', digest: 'any' }])).not.toBe(found)
      },
    },
  )
})
