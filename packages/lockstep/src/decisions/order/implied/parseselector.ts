/** Label selectors in manifests, which nobody has validated yet. */
import {
  at,
  isObject,
  isString,
  type JsonValue,
  type LabelMap,
  type LabelSelector,
} from '@lockstep/kube/object'
import { manifestValues } from '../manifestvalues.ts'

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/** Undefined where it is none: the server will say what is wrong with it. */
export function parseSelector(v: JsonValue | undefined): LabelSelector | undefined {
  if (!isObject(v)) return undefined
  const labels = labelsOf(v.matchLabels)
  const matchExpressions = manifestValues(v.matchExpressions).map((e) => {
    const [key, operator] = [at(e, 'key'), OPERATORS.find((o) => o === at(e, 'operator'))]
    return isString(key) && operator
      ? { key, operator, values: manifestValues(at(e, 'values')).filter(isString) }
      : undefined
  })
  if (labels === null || matchExpressions.includes(undefined)) return undefined
  return {
    matchLabels: labels ?? {},
    matchExpressions: matchExpressions.filter((e) => e !== undefined),
  }
}

/** Null where it is not a map of texts. */
export function labelsOf(v: JsonValue | undefined): LabelMap | null {
  if (v === undefined || v === null) return undefined
  return isObject(v) && Object.values(v).every(isString) ? (v as LabelMap) : null
}
