import { err, ok, type Result } from '@lockstep/kube/env'
import { checkExpression } from '../check/checkexpression.ts'
import { childrenOf, literalProblems } from '../check/literalproblems.ts'
import type { CostRange } from '../cost/costrange.ts'
import { estimated } from '../cost/estimate.ts'
import { type ExecutionPlan, planned } from '../run/executionplan.ts'
import type { CelExpr } from '../syntax/celexpr.ts'
import { type CelProblem, problemsIn } from '../syntax/celproblem.ts'
import { parseExpression } from '../syntax/parseexpression.ts'
import { type CelType, typeText } from '../type/celtype.ts'
import { type CelValue, isFailure } from '../value/celvalue.ts'
import type { Declared } from './celschema.ts'

/** The names an expression may use. Sizes of paths that begin nowhere are looked up in `self`. */
export type Declarations = Readonly<Record<string, Declared>>

/** What is left for a series of evaluations; each takes from it. */
export interface CelBudget {
  left: number
}

/** Why there is no value: the expression failed, it cost more than one call may, or the series has spent its budget. */
export interface CelFailure {
  readonly kind: 'error' | 'call' | 'budget'
  readonly message: string
}

export interface CelProgram {
  /** The type of its value, as messages write it. */
  readonly type: string
  readonly result: CelType
  /** The variables that it reads. */
  readonly reads: ReadonlySet<string>
  /** Least and most that it costs on values of the declared sizes. */
  readonly estimate: () => CostRange
  readonly evaluate: (
    bindings: Readonly<Record<string, CelValue>>,
    budget: CelBudget,
  ) => Result<CelValue, CelFailure>
}

/** The limits of kube-apiserver, in its units. */
export const PER_CALL_LIMIT = 1_000_000
const BUDGET = 10_000_000

export const freshBudget = (): CelBudget => ({ left: BUDGET })

/**
 * Parses, checks and plans an expression; the program can be evaluated many times. A problem of a constant that cannot be
 * converted has no place in the text: its line is 0.
 */
export function compile(text: string, declarations: Declarations): Result<CelProgram, readonly CelProblem[]> {
  const { expr, found } = parseExpression(text)
  if (!expr) return err(problemsIn(text, found))
  const variables = new Map(Object.entries(declarations).map(([name, d]) => [name, d.type]))
  const checked = checkExpression(expr, variables)
  if (checked.found.length > 0) return err(problemsIn(text, checked.found))
  const wrong = literalProblems(expr, checked)
  if (wrong.length > 0) return err(problemsIn(text, wrong))
  const plan = planned(expr, checked, variables.keys())
  if (plan.broken !== undefined) return err([{ line: 0, column: 0, message: plan.broken }])
  return ok({
    type: typeText(checked.types.get(expr.id)!),
    result: checked.types.get(expr.id)!,
    reads: identsOf(expr),
    estimate: () => estimated(expr, checked, (path) => sizeIn(declarations, path)),
    evaluate: (bindings, budget) => evaluate(plan, bindings, budget),
  })
}

function identsOf(e: CelExpr, into = new Set<string>()): ReadonlySet<string> {
  if (e.kind === 'ident') into.add(e.name)
  for (const child of childrenOf(e)) identsOf(child, into)
  return into
}

function evaluate(
  plan: ExecutionPlan,
  bindings: Readonly<Record<string, CelValue>>,
  budget: CelBudget,
): Result<CelValue, CelFailure> {
  const slots: (CelValue | undefined)[] = new Array(plan.slots)
  for (const [name, slot] of plan.variables)
    slots[slot] = Object.hasOwn(bindings, name) ? bindings[name] : undefined
  const limit = Math.min(PER_CALL_LIMIT, budget.left)
  const meter = { spent: 0, work: 0, limit }
  const value = plan.step.run({ slots, meter })
  budget.left -= meter.spent
  if (meter.spent > PER_CALL_LIMIT)
    return err({ kind: 'call', message: 'operation cancelled: actual cost limit exceeded' })
  if (meter.spent > limit)
    return err({
      kind: 'budget',
      message: 'validation failed due to running out of cost budget, no further validation rules will be run',
    })
  return isFailure(value) ? err({ kind: 'error', message: value.message }) : ok(value)
}

/** What a schema says of the size at a path. */
function sizeIn(declarations: Declarations, path: readonly string[]): CostRange | undefined {
  let here: Declared | undefined = declarations[path[0]!] ?? declarations.self
  for (const name of path.slice(1)) {
    if (name === '@items' || name === '@values') here = here?.element
    else if (name === '@keys') here = here?.key
    else here = here?.fields?.get(name)
  }
  return here && { min: 0n, max: BigInt(here.max) }
}
