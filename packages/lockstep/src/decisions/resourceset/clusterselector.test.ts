import { describe, expect, it } from 'vitest'
import { clusterSelectorProblem, selectsNothing } from './clusterselector.ts'

describe('a selector', () => {
  it.each([
    [{}, undefined, true],
    [{ matchLabels: {} }, undefined, true],
    [{ matchLabels: { env: 'prod', 'a.b/c': '' } }, undefined, false],
    [{ matchExpressions: [{ key: 'env', operator: 'Exists' }] }, undefined, false],
    [
      { matchExpressions: [{ key: 'env', operator: 'Foo' }] },
      'spec.clusterSelector.matchExpressions[0]: operator "Foo" is none of In, NotIn, Exists, DoesNotExist',
      true,
    ],
    [
      { matchLabels: { a: '1' }, matchExpressions: [{ key: 'env', operator: 'NotIn', values: [] }] },
      'spec.clusterSelector.matchExpressions[0]: NotIn needs at least one value',
      true,
    ],
    [
      { matchExpressions: [{ key: 'env', operator: 'Exists', values: ['x'] }] },
      'spec.clusterSelector.matchExpressions[0]: Exists takes no values',
      true,
    ],
    [{ matchLabels: { 'a b': '1' } }, 'spec.clusterSelector.matchLabels: "a b" is not a label key', true],
    [{ matchLabels: { a: 'x y' } }, 'spec.clusterSelector.matchLabels: "x y" is not a label value', true],
  ])('%j', (selector, problem, isNothing) => {
    expect(clusterSelectorProblem(selector as never)).toBe(problem)
    expect(selectsNothing(selector as never)).toBe(isNothing)
  })
})
