/**
 * How a release travels with a unit, and how its dependants read it.
 *
 * The digest is in the spec, so that the generation moves with it and an old `status.observedGeneration` does not answer
 * for it. It is the text of a health rule for a kind that exists nowhere: Flux compiles the rule, evaluates it for no
 * object, and applies nothing because of it.
 */

import {
  at,
  type Digest,
  isArray,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import { textAt } from '../flux/fluxmanifest.ts'

const GATE_KIND = 'ReleaseGate'

/** Always true: a rule that is never asked, and would not matter. */
const carried = (digest: Digest): string => `'${digest}' != ''`

const carrierOf = (digest: Digest): JsonObject => ({
  apiVersion: API_VERSION,
  kind: GATE_KIND,
  current: carried(digest),
})

const isCarrier = (rule: JsonValue): boolean =>
  textAt(rule, 'kind') === GATE_KIND && textAt(rule, 'apiVersion') === API_VERSION

/** A spec that says what it was released with. */
export function withCarrier(spec: JsonObject, digest: Digest): JsonObject {
  const rules = rulesOf(spec)
  const there = rules.findIndex(isCarrier)
  const carrier = carrierOf(digest)
  const all = there < 0 ? [...rules, carrier] : rules.map((r, i) => (i === there ? carrier : r))
  return { ...spec, healthCheckExprs: all }
}

/** As it was before: for its digest, which must not depend on itself. */
export function withoutCarrier(spec: JsonObject): JsonObject {
  const { healthCheckExprs: _, ...rest } = spec
  const rules = rulesOf(spec).filter((r) => !isCarrier(r))
  return rules.length === 0 ? rest : { ...rest, healthCheckExprs: rules }
}

function rulesOf(spec: JsonObject): JsonArray {
  const rules = at(spec, 'healthCheckExprs')
  return isArray(rules) ? rules : []
}

/**
 * What a dependant asks of `dep`: it carries this digest, Flux has finished with exactly that generation, and it is
 * ready. Each part is guarded: a field that is not there makes it false, not an error.
 */
const expressionFor = (digest: Digest): string =>
  [
    'has(dep.spec.healthCheckExprs)',
    `dep.spec.healthCheckExprs.exists(e, has(e.kind) && e.kind == '${GATE_KIND}' && e.apiVersion == '${API_VERSION}' && e.current == "${carried(digest)}")`,
    'has(dep.status)',
    'has(dep.status.observedGeneration)',
    'dep.metadata.generation == dep.status.observedGeneration',
    'has(dep.status.conditions)',
    "dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
  ].join(' && ')

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const SLOT = '\u0000'
const OURS = escaped(expressionFor(SLOT)).replaceAll(SLOT, 'v1:[0-9a-f]{64}')
const WHOLE = new RegExp(`^${OURS}$`)
const BESIDE = new RegExp(`^\\(([^]*?)\\n?\\) && \\(${OURS}\\)$`)

/** The expression of an edge, with what its author wrote there. A comment of theirs ends with its line. */
export function gatedExpr(written: string | undefined, digest: Digest): string {
  const theirs = ungatedExpr(written)
  const ours = expressionFor(digest)
  return theirs === undefined ? ours : `(${theirs}${theirs.includes('//') ? '\n' : ''}) && (${ours})`
}

/** What the author of an edge wrote, of an expression that may be ours already. */
export function ungatedExpr(written: string | undefined): string | undefined {
  if (written === undefined || WHOLE.test(written)) return undefined
  return BESIDE.exec(written)?.[1] ?? written
}
