import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { inherited } from '../../test/arbitrary/json.ts'
import { type LabelRequirement, type LabelSelector, matchesSelector } from './selector.ts'

const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('env', 'tier') },
  { weight: 1, arbitrary: inherited },
)
const value = fc.constantFrom('prod', 'dev', '')
const labels = fc.option(fc.dictionary(key, value, { maxKeys: 3 }), { nil: undefined })
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const
const requirement: fc.Arbitrary<LabelRequirement> = fc.record(
  { key, operator: fc.constantFrom(...operators), values: fc.array(value, { maxLength: 2 }) },
  { requiredKeys: ['key', 'operator'] },
)
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  {
    matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
    matchExpressions: fc.array(requirement, { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

const OPPOSITE = { In: 'NotIn', NotIn: 'In', Exists: 'DoesNotExist', DoesNotExist: 'Exists' } as const

describe('selectors, whatever the labels', () => {
  it('see own labels only, each operator says the opposite of its opposite, and all parts have to match', () => {
    decidesAlike(
      fc.tuple(selector, labels),
      ([s, l]) => matchesSelector(s, l),
      ([s, l], matches) => {
        const byLabels = Object.entries(s.matchLabels ?? {}).map(([k, v]) => ({
          key: k,
          operator: 'In' as const,
          values: [v],
        }))
        const alone = [...byLabels, ...(s.matchExpressions ?? [])].map((r) => {
          const isMatch = matchesSelector({ matchExpressions: [r] }, l)
          const turned = { ...r, operator: OPPOSITE[r.operator] }
          expect(matchesSelector({ matchExpressions: [turned] }, l)).toBe(!isMatch)
          if (r.operator === 'Exists') expect(isMatch).toBe(l !== undefined && Object.hasOwn(l, r.key))
          return isMatch
        })
        expect(matches).toBe(alone.every(Boolean))
      },
    )
  })
})
