import { type CelBudget, type CelProgram, freshBudget } from '@lockstep/cel/program'
import type { CelValue } from '@lockstep/cel/value'
import { err, ok, type Result } from '@lockstep/kube/env'
import { type KubeObject, utf8Length } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import type { PolicyBindings } from './policybindings.ts'
import { bindingsFor } from './policybindings.ts'
import type { Review } from './review.ts'
import type { CompiledPart, PolicyValidation, ValidatingPolicy } from './validatingpolicy.ts'

/** A finding of a policy: why a write should not be made. */
export interface Denial {
  readonly message: string
  readonly reason: string
  /** Whatever the binding says should be done: the policy itself does not work. */
  readonly always?: boolean
}

const LONGEST_MESSAGE = 5 * 1024

/** Evaluates a policy for one parameter; texts of apiserver pkg/admission/plugin/policy/validating. */
export function evaluatePolicy(
  r: Review,
  shown: ServedKind,
  policy: ValidatingPolicy,
  params: KubeObject | undefined,
): readonly Denial[] {
  const budget = freshBudget()
  const bindings = bindingsFor(r, shown, policy, params, budget)
  const broken = (message: string, always = false): Denial[] =>
    policy.ignoresFailures ? [] : [{ message, reason: 'Invalid', ...(always && { always }) }]
  const conditions = holds(policy, bindings, budget)
  if (!conditions.ok) return broken(conditions.error)
  if (!conditions.value) return []
  const denials: Denial[] = []
  for (const v of policy.validations) {
    const result = valued(v.program, v.expression, bindings, budget)
    if (!result.ok) denials.push(...broken(result.error))
    else if (result.value !== true) denials.push({ message: said(v, bindings, budget), reason: v.reason })
  }
  for (const a of policy.annotations) {
    const result = valued(a.program, a.expression, bindings, budget)
    if (!result.ok) denials.push(...broken(result.error, true))
  }
  return denials
}

/** Whether all conditions are true. One that is false decides, whatever is wrong with others. */
function holds(
  policy: ValidatingPolicy,
  bindings: PolicyBindings,
  budget: CelBudget,
): Result<boolean, string> {
  const wrong: string[] = []
  for (const c of policy.conditions) {
    const result = valued(c.program, c.expression, bindings, budget)
    if (!result.ok) wrong.push(result.error)
    else if (result.value === false) return ok(false)
  }
  if (wrong.length === 0) return ok(true)
  return err(wrong.length === 1 ? wrong[0]! : `[${wrong.join(', ')}]`)
}

function valued(
  program: CompiledPart,
  expression: string,
  bindings: PolicyBindings,
  budget: CelBudget,
): Result<CelValue, string> {
  if (!program.ok) return err(`compilation error: ${program.error}`)
  const result = program.value.evaluate(bindings, budget)
  if (result.ok) return result
  const { kind, message } = result.error
  return err(kind === 'budget' ? message : `expression '${expression}' resulted in error: ${message}`)
}

/** The text of a refusal: computed, written, or the expression itself. */
function said(v: PolicyValidation, bindings: PolicyBindings, budget: CelBudget): string {
  const computed = v.messageProgram?.ok ? textOf(v.messageProgram.value, bindings, budget) : undefined
  return computed ?? (v.message.trim() || `failed expression: ${v.expression.trim()}`)
}

function textOf(program: CelProgram, bindings: PolicyBindings, budget: CelBudget): string | undefined {
  const result = program.evaluate(bindings, budget)
  if (!result.ok || typeof result.value !== 'string') return undefined
  const text = result.value.trim()
  return text === '' || text.includes('\n') || utf8Length(text) > LONGEST_MESSAGE ? undefined : text
}
