import { isString, member } from './json.ts'

/** A label selector as the API writes it (meta/v1 LabelSelector). */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelRequirement[]
}

export interface LabelRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

export type LabelMap = Readonly<Record<string, string>> | undefined

/** `{}` matches all; an absent selector is the caller's question. `NotIn` also matches objects without the label, as in Kubernetes. */
export function matchesSelector(selector: LabelSelector, labels: LabelMap): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    if (labelOf(labels, key) !== value) return false
  return (selector.matchExpressions ?? []).every((r) => matchesRequirement(r, labels))
}

/** Own labels only: `constructor` is a proper label, and every object of JavaScript seems to have it. */
const labelOf = (labels: LabelMap, key: string): string | undefined => {
  const value = member(labels, key)
  return isString(value) ? value : undefined
}

function matchesRequirement(r: LabelRequirement, labels: LabelMap): boolean {
  const value = labelOf(labels, r.key)
  switch (r.operator) {
    case 'In':
      return value !== undefined && (r.values ?? []).includes(value)
    case 'NotIn':
      return value === undefined || !(r.values ?? []).includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
  }
}
