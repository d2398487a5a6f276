/** `spec.clusterSelector`: what it selects nothing by, and what is wrong with it. Pure. */
import type { ClusterResourceSet } from '../../api/kinds/index.ts'

type ClusterSelector = ClusterResourceSet['spec']['clusterSelector']

/** An empty selector matches nothing, as to Cluster API, though to others it matches everything; nor does a broken one. */
export const selectsNothing = (selector: ClusterSelector): boolean => {
  const { matchLabels = {}, matchExpressions = [] } = selector
  const isEmpty = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0
  return isEmpty || clusterSelectorProblem(selector) !== undefined
}

const NAME = /^(?:[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const VALUE = /^(?:[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

/** What no server can look for (`LabelSelectorAsSelector` of apimachinery), where it is and what to write; undefined: nothing. */
export function clusterSelectorProblem({
  matchLabels = {},
  matchExpressions = [],
}: ClusterSelector): string | undefined {
  for (const [key, value] of Object.entries(matchLabels)) {
    const problem = labelProblem(key, [value])
    if (problem !== undefined) return `spec.clusterSelector.matchLabels: ${problem}`
  }
  for (const [i, { key, operator, values = [] }] of matchExpressions.entries()) {
    const problem = operatorProblem(operator, values.length) ?? labelProblem(key, values)
    if (problem !== undefined) return `spec.clusterSelector.matchExpressions[${i}]: ${problem}`
  }
  return undefined
}

function operatorProblem(operator: string, values: number): string | undefined {
  if (operator === 'In' || operator === 'NotIn')
    return values === 0 ? `${operator} needs at least one value` : undefined
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return values > 0 ? `${operator} takes no values` : undefined
  return `operator "${operator}" is none of In, NotIn, Exists, DoesNotExist`
}

function labelProblem(key: string, values: readonly string[]): string | undefined {
  if (!NAME.test(key)) return `"${key}" is not a label key`
  const bad = values.find((v) => !VALUE.test(v))
  return bad === undefined ? undefined : `"${bad}" is not a label value`
}
