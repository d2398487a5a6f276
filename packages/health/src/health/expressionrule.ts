/** Health by a user's expressions (`spec.health.expressions`). Pure. */

import type { CelProblem } from '@lockstep/cel/syntax'
import { at, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { degraded, type Health, healthy, progressing } from '../state/healthstate.ts'
import { type CompiledExpression, compileHealth, compileReady } from './compiledexpression.ts'
import { staleHealth } from './generichealth.ts'
import type { HealthExpression, HealthText } from './healthexpression.ts'

const FIELDS = ['inProgress', 'failed', 'current'] as const
type SelectorField = (typeof FIELDS)[number]

/** One entry, compiled. A field whose expression is no good says why instead. */
export interface ExpressionRule {
  readonly entry: HealthExpression
  readonly group: string
  /** `spec.health.expressions[2]`. */
  readonly path: string
  readonly expressions: Readonly<Partial<Record<SelectorField, CompiledExpression | readonly CelProblem[]>>>
  /** It looks at what a ConfigMap holds, which is not kept otherwise. */
  readonly needsData: boolean
  /** What it said of objects as they are: looked at often, they change seldom, and an expression may be dear. */
  readonly seen: WeakMap<KubeObject, Health>
}

/** Entries as they stand in a spec; compiled once for each spec. */
type HealthEntries = readonly HealthExpression[]

const known = new WeakMap<HealthEntries, readonly ExpressionRule[]>()

/** All entries of a spec, compiled when first asked for. */
export function expressionRules(entries: HealthEntries | undefined): readonly ExpressionRule[] {
  if (!entries || entries.length === 0) return []
  let found = known.get(entries)
  if (!found) {
    found = entries.map((entry, i) => compiledRule(entry, `spec.health.expressions[${i}]`))
    known.set(entries, found)
  }
  return found
}

/** Health that an annotation, or what a tool reads from its bundle, gives to one object. */
export interface TextRule {
  readonly rule: ExpressionRule
  /** What waits for the object may go on. */
  readonly unblocks: (o: KubeObject) => boolean
}

const knownTexts = new WeakMap<HealthText, TextRule>()

export function textRule(text: HealthText, { apiVersion, kind }: KubeObject): TextRule {
  let found = knownTexts.get(text)
  if (!found) {
    const { unblocks, ...expressions } = text
    const rule = compiledRule(
      { apiVersion, kind, ...expressions, minCount: 1, settleSeconds: 0 },
      'kapp waitRules',
    )
    const compiled = unblocks === undefined ? undefined : compileReady(unblocks)
    found = { rule, unblocks: (o) => compiled?.ok === true && compiled.value.evaluate(o) === true }
    knownTexts.set(text, found)
  }
  return found
}

function compiledRule(entry: HealthExpression, path: string): ExpressionRule {
  const expressions: { [F in SelectorField]?: CompiledExpression | readonly CelProblem[] } = {}
  for (const field of FIELDS) {
    const text = entry[field]
    if (text === undefined) continue
    const compiled = compileHealth(text)
    expressions[field] = compiled.ok ? compiled.value : compiled.error
  }
  return {
    entry,
    group: parseApiVersion(entry.apiVersion).group,
    path,
    expressions,
    needsData: FIELDS.some((f) => /\b(binaryData|data)\b/.test(entry[f] ?? '')),
    seen: new WeakMap(),
  }
}

/** What is wrong with the entries before anything is evaluated: `spec.health.expressions[2].current`, `1:8: undefined …`. */
export function expressionProblems(
  entries: HealthEntries | undefined,
): { readonly field: string; readonly problem: string }[] {
  return expressionRules(entries).flatMap((rule) =>
    FIELDS.flatMap((field) => {
      const found = rule.expressions[field]
      return Array.isArray(found)
        ? [{ field: `${rule.path}.${field}`, problem: problemText(found as readonly CelProblem[]) }]
        : []
    }),
  )
}

/** With the first place, as `line:column`, where there is one. */
export function problemText(problems: readonly CelProblem[]): string {
  return problems.map((p) => (p.line > 0 ? `${p.line}:${p.column}: ${p.message}` : p.message)).join('; ')
}

/** The rule that decides about an object: the most specific one, of equal ones the first. */
export function ruleFor(rules: readonly ExpressionRule[], o: KubeObject): ExpressionRule | undefined {
  let best: ExpressionRule | undefined
  for (const rule of rules)
    if (selects(rule, o) && (best === undefined || weightOf(rule.entry) > weightOf(best.entry))) best = rule
  return best
}

/** Whether an object is one that the entry is about. */
export function selects({ entry, group }: ExpressionRule, o: KubeObject): boolean {
  if (parseApiVersion(o.apiVersion).group !== group) return false
  if (entry.kind !== undefined && entry.kind !== o.kind) return false
  if (entry.name !== undefined && entry.name !== o.metadata.name) return false
  if (entry.namespace !== undefined && entry.namespace !== o.metadata.namespace) return false
  return Object.entries(entry.labels ?? {}).every(([k, v]) => at(o.metadata.labels, k) === v)
}

const weightOf = (e: HealthExpression): number =>
  (e.name === undefined ? 0 : 8) +
  (e.labels === undefined ? 0 : 4) +
  (e.namespace === undefined ? 0 : 2) +
  (e.kind === undefined ? 0 : 1)

/**
 * What an entry says of an object that exists and is not being deleted: a status of an older generation says nothing;
 * then `inProgress`, `failed`, `current`. What cannot be evaluated is Unknown, and says in which field and why.
 */
export function evaluateExpression(rule: ExpressionRule, o: KubeObject): Health {
  let health = rule.seen.get(o)
  if (!health) {
    health = { ...evaluated(rule, o), rule: rule.path }
    rule.seen.set(o, health)
  }
  return health
}

function evaluated(rule: ExpressionRule, o: KubeObject): Health {
  const stale = staleHealth(o)
  if (stale) return stale
  for (const field of FIELDS) {
    const expression = rule.expressions[field]
    if (expression === undefined) continue
    const where = `${rule.path}.${field}`
    if (!('evaluate' in expression))
      return { state: 'Unknown', message: `${where}: ${problemText(expression)}` }
    const verdict = expression.evaluate(o)
    if (typeof verdict === 'object')
      return {
        state: 'Unknown',
        message: `${where}${verdict.type === 'error' ? ':' : ''} ${verdict.message}`,
      }
    if (field === 'current') return verdict ? healthy : progressing(`${where} is false`)
    if (verdict) return field === 'failed' ? degraded(`${where} is true`) : progressing(`${where} is true`)
  }
  return progressing(`${rule.path} says nothing`)
}

/**
 * The health of all that an entry selects: none, or fewer than asked for, is not ready, so that nothing is waved through
 * by a selector that finds nothing. The first object that is not ready speaks for all.
 */
export function selectionHealth(rule: ExpressionRule, objects: readonly KubeObject[]): Health {
  const { kind = 'object', minCount } = rule.entry
  const found = objects.filter((o) => selects(rule, o))
  if (found.length < minCount) return progressing(`${found.length} of at least ${minCount} ${kind}s`)
  for (const o of found) {
    const health: Health =
      o.metadata.deletionTimestamp === undefined
        ? evaluateExpression(rule, o)
        : progressing('is being deleted')
    if (health.state !== 'Healthy')
      return { ...health, message: `${o.kind} ${o.metadata.name}: ${health.message}` }
  }
  return healthy
}
