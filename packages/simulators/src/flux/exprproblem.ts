/** Expressions of Flux (pkg/runtime/cel): `readyExpr` of an edge, `healthCheckExprs` of an object. */

import {
  anything,
  type CelProgram,
  compile,
  type Declarations,
  fromJson,
  PER_CALL_LIMIT,
} from '@lockstep/cel/program'
import { type CelProblem, renderProblems } from '@lockstep/cel/syntax'
import type { CelValue } from '@lockstep/cel/value'
import { err, ok, type Result } from '@lockstep/kube/env'
import { isObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import type { HealthCheckExpr } from './fluxkind.ts'

/** `terminal`: it cannot become right by itself, so it is not tried again. */
export interface ExprProblem {
  readonly terminal: boolean
  readonly message: string
}

/** Whether a dependency is ready by its edge's expression over `self`, the dependant, and `dep`. */
export function evaluateReady(text: string, self: KubeObject, dep: KubeObject): Result<boolean, ExprProblem> {
  const program = compile(text, { self: anything, dep: anything })
  if (!program.ok) return terminal(dep, parseProblem(text, program.error))
  const { type } = program.value
  if (type !== 'bool') return terminal(dep, `CEL expression output type mismatch: expected bool, got ${type}`)
  const done = run(program.value, text, { self: value(self), dep: value(dep) })
  return done.ok ? done : err({ terminal: false, message: done.error })
}

const terminal = (dep: KubeObject, message: string): Result<boolean, ExprProblem> =>
  err({ terminal: true, message: `failed to evaluate dependency ${dep.metadata.name}: ${message}` })

const parseProblem = (text: string, problems: readonly CelProblem[]): string =>
  `failed to parse the CEL expression '${text}': ${renderProblems(text, problems)}`

const value = (o: KubeObject): CelValue => fromJson(o as unknown as JsonValue)

function run(
  program: CelProgram,
  text: string,
  bindings: Readonly<Record<string, CelValue>>,
): Result<boolean, string> {
  const result = program.evaluate(bindings, { left: PER_CALL_LIMIT })
  if (!result.ok) return err(`failed to evaluate the CEL expression '${text}': ${result.error.message}`)
  return typeof result.value === 'boolean'
    ? ok(result.value)
    : err(`failed to evaluate CEL expression as boolean: '${text}'`)
}

const FIELDS = ['inProgress', 'failed', 'current'] as const
const TITLES = { inProgress: 'InProgress', failed: 'Failed', current: 'Current' } as const

/** Why rules of health cannot be used. They are only parsed: which members an object has, its kind knows. */
export function healthRulesProblem(rules: readonly HealthCheckExpr[]): string | undefined {
  const seen = new Set<string>()
  for (const [i, rule] of rules.entries()) {
    const key = kindKey(rule.apiVersion, rule.kind)
    if (seen.has(key)) return `duplicate custom health check for GroupKind ${key} at healthchecks[${i}]`
    seen.add(key)
    for (const field of ['current', 'failed', 'inProgress'] as const) {
      const problems = rule[field] === undefined ? [] : syntaxProblems(rule[field])
      if (problems.length > 0)
        return `failed to create custom status evaluator for healthchecks[${i}]: failed to parse the expression ${TITLES[field]}: ${parseProblem(rule[field]!, problems)}`
    }
  }
  return undefined
}

function syntaxProblems(text: string): readonly CelProblem[] {
  const compiled = compile(text, {})
  return compiled.ok ? [] : compiled.error.filter((p) => p.message.startsWith('Syntax error'))
}

const kindKey = (apiVersion: string, kind: string | undefined): string =>
  [kind, apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '']
    .filter(Boolean)
    .join('.')

export type RuleStatus = 'InProgress' | 'Failed' | 'Current'

/** What the rules say of an object: of its kind, else of its group; undefined: nothing. */
export function ruleStatus(
  rules: readonly HealthCheckExpr[],
  o: KubeObject,
): Result<RuleStatus, string> | undefined {
  const rule =
    rules.find((r) => kindKey(r.apiVersion, r.kind) === kindKey(o.apiVersion, o.kind)) ??
    rules.find((r) => r.kind === undefined && kindKey(r.apiVersion, '') === kindKey(o.apiVersion, ''))
  if (!rule) return undefined
  const observed = (o.status as { readonly observedGeneration?: unknown } | undefined)?.observedGeneration
  if (typeof observed === 'number' && observed !== o.metadata.generation) return ok('InProgress')
  const members = Object.entries(o).filter(([, v]) => v !== undefined && (isObject(v) || v !== null))
  const declarations: Declarations = Object.fromEntries(members.map(([name]) => [name, anything]))
  const bindings = Object.fromEntries(members.map(([name, v]) => [name, fromJson(v as JsonValue)]))
  for (const field of FIELDS) {
    const text = rule[field]
    if (text === undefined) continue
    const program = compile(text, declarations)
    if (!program.ok) return err(parseProblem(text, program.error))
    const holds = run(program.value, text, bindings)
    if (!holds.ok) return holds
    if (holds.value) return ok(TITLES[field])
  }
  return ok('InProgress')
}
