import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inherited } from '../../../../test/arbitrary/arbitraryjson.ts'
import { decidesAlike } from '../../../../test/arbitrary/decision.ts'
import { type LabelMap, type LabelRequirement, type LabelSelector, matchesSelector } from './labelselector.ts'

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

/** Each part of a selector as one of its own. */
const partsOf = (s: LabelSelector): readonly LabelRequirement[] => [
  ...Object.entries(s.matchLabels ?? {}).map(([k, v]) => ({
    key: k,
    operator: 'In' as const,
    values: [v],
  })),
  ...(s.matchExpressions ?? []),
]

const matches = (r: LabelRequirement, l: LabelMap): boolean => matchesSelector({ matchExpressions: [r] }, l)

it('selectors decide, whatever the labels', () => {
  decidesAlike(fc.tuple(selector, labels), ([s, l]) => matchesSelector(s, l), {
    'all parts have to match': ([s, l], found) => {
      expect(found).toBe(partsOf(s).every((r) => matches(r, l)))
    },
    'each operator says the opposite of its opposite': ([s, l]) => {
      for (const r of partsOf(s))
        expect(matches({ ...r, operator: OPPOSITE[r.operator] }, l)).toBe(!matches(r, l))
    },
    'only own labels exist': ([s, l]) => {
      for (const { key: k } of partsOf(s))
        expect(matches({ key: k, operator: 'Exists' }, l)).toBe(l !== undefined && Object.hasOwn(l, k))
    },
  })
})
