/** Matchers of a kapp Config, over one object (`pkg/kapp/config/resource_matchers.go`). */
import {
  at,
  isCustomGroup,
  isObject,
  isString,
  type JsonValue,
  type KubeObject,
  parseApiVersion,
} from '@lockstep/kube/object'
import { manifestValues } from '../manifestvalues.ts'

type KappMatcher = (spec: JsonValue, o: KubeObject) => boolean

const isCustom = ({ apiVersion }: KubeObject): boolean => isCustomGroup(parseApiVersion(apiVersion).group)

/** Looked for in this order: a matcher is its first known member. */
const MATCHERS: readonly (readonly [name: string, match: KappMatcher])[] = [
  ['allMatcher', () => true],
  ['anyMatcher', (m, o) => manifestValues(at(m, 'matchers')).some((x) => kappMatches(x, o))],
  ['andMatcher', (m, o) => manifestValues(at(m, 'matchers')).every((x) => kappMatches(x, o))],
  ['notMatcher', (m, o) => !kappMatches(at(m, 'matcher') ?? null, o)],
  [
    'kindNamespaceNameMatcher',
    (m, { kind, metadata }) =>
      at(m, 'kind') === kind &&
      (at(m, 'namespace') ?? '') === (metadata.namespace ?? '') &&
      at(m, 'name') === metadata.name,
  ],
  [
    'apiGroupKindMatcher',
    (m, o) => at(m, 'apiGroup') === parseApiVersion(o.apiVersion).group && at(m, 'kind') === o.kind,
  ],
  ['apiVersionKindMatcher', (m, o) => at(m, 'apiVersion') === o.apiVersion && at(m, 'kind') === o.kind],
  [
    'hasAnnotationMatcher',
    (m, o) =>
      manifestValues(at(m, 'keys')).every(
        (k) => isString(k) && at(o, 'metadata', 'annotations', k) !== undefined,
      ),
  ],
  [
    'hasNamespaceMatcher',
    (m, { metadata }) => {
      const names = manifestValues(at(m, 'names'))
      return metadata.namespace !== undefined && (names.length === 0 || names.includes(metadata.namespace))
    },
  ],
  ['customResourceMatcher', (_, o) => isCustom(o)],
  ['emptyFieldMatcher', (m, o) => isEmptyAt(o, manifestValues(at(m, 'path')))],
]

export const MATCHER_NAMES = MATCHERS.map(([name]) => name).join(', ')

const known = (m: JsonValue) => MATCHERS.find(([name]) => at(m, name) !== undefined && at(m, name) !== null)

/** Whether a matcher, and all inside it, is one that we know. */
export function isMatcher(m: JsonValue): boolean {
  const found = known(m)
  if (!found) return false
  const inner = at(m, found[0], 'matcher')
  return [...manifestValues(at(m, found[0], 'matchers')), ...(isObject(inner) ? [inner] : [])].every(
    isMatcher,
  )
}

export function kappMatches(m: JsonValue, o: KubeObject): boolean {
  const found = known(m)
  return found?.[1](at(m, found[0])!, o) === true
}

/** Steps as kapp writes them: a key, or an index of a list that may be every one of them. */
function isEmptyAt(value: unknown, path: readonly JsonValue[]): boolean {
  const [step, ...rest] = path
  if (step === undefined) return value === undefined || value === null || value === ''
  if (isString(step)) return isEmptyAt(at(value, step), rest)
  if (at(step, 'allIndexes') === true)
    return manifestValues(value as JsonValue).every((v) => isEmptyAt(v, rest))
  const index = at(step, 'index')
  return isEmptyAt(typeof index === 'number' ? at(value, index) : undefined, rest)
}
