import type { CheckedExpression } from '../check/typechecker.ts'
import { compiledPattern } from '../library/regexfunctions.ts'
import { ACCUMULATOR, type CallExpr, type CelExpr, type Fold, type Select } from '../syntax/celexpr.ts'
import { type CelValue, failure, isFailure, list } from '../value/celvalue.ts'
import { attributeOf, attributeStep, choice, pathFrom, testStep } from './attributestep.ts'
import { callStep, isKnown } from './callstep.ts'
import { constantStep, type EvaluationStep } from './evaluationstep.ts'
import { alternativeStep, appendStep, foldStep, growingMap, insertStep } from './foldstep.ts'
import { listStep, mapStep } from './liststep.ts'
import { goingOnStep, logicStep } from './logicstep.ts'
import { membershipStep } from './membershipstep.ts'
import type { EvaluationContext } from './meter.ts'

/** A planned expression: its steps, how many slots it needs, and which of them its variables fill. */
export interface ExecutionPlan {
  readonly step: EvaluationStep
  readonly slots: number
  readonly variables: ReadonlyMap<string, number>
  /** What makes it impossible to run: a constant that cannot be converted. */
  readonly broken?: string
}

interface Planner {
  readonly checked: CheckedExpression
  readonly scope: Map<string, number>
  slots: number
  broken?: string
}

/** Functions that are evaluated at once when their argument is a constant. */
const CONVERSIONS = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '))

export function planned(expr: CelExpr, checked: CheckedExpression, names: Iterable<string>): ExecutionPlan {
  const scope = new Map([...names].map((name, i): [string, number] => [name, i]))
  const variables = new Map(scope)
  const p: Planner = { checked, scope, slots: scope.size }
  const step = plan(p, expr)
  return { step, slots: p.slots, variables, ...(p.broken !== undefined && { broken: p.broken }) }
}

function plan(p: Planner, e: CelExpr): EvaluationStep {
  const constant = p.checked.constants.get(e.id)
  if (constant !== undefined) return constantStep({ kind: 'type', name: constant })
  if (e.kind === 'literal') return constantStep(e.value)
  if (e.kind === 'ident') return variable(p, e.name)
  if (e.kind === 'select') {
    const name = p.checked.qualified.get(e.id)
    return name === undefined ? selection(p, e) : variable(p, name)
  }
  if (e.kind === 'call') return call(p, e)
  if (e.kind === 'fold') return fold(p, e)
  if (e.kind === 'list')
    return listStep(e.elements.map((x) => ({ step: plan(p, x.value), optional: x.optional })))
  return mapStep(
    e.entries.map((x) => ({ key: plan(p, x.key), value: plan(p, x.value), optional: x.optional })),
  )
}

function variable(p: Planner, name: string): EvaluationStep {
  const slot = p.scope.get(name)!
  const unbound = failure(`no such attribute(s): ${name}`)
  return attributeStep(
    pathFrom((c: EvaluationContext) => c.slots[slot] ?? (c.slots[slot] === null ? null : unbound)),
  )
}

function selection(p: Planner, e: Select): EvaluationStep {
  const key = (): CelValue => e.field
  const path = attributeOf(plan(p, e.operand)).qualify({ key, optional: false, test: e.test })
  return e.test ? testStep(path) : attributeStep(path)
}

function call(p: Planner, e: CallExpr): EvaluationStep {
  const qualified = p.checked.qualified.get(e.id)
  if (e.fn === '_+_' && growsList(e)) return appendStep(plan(p, e.args[0]!), plan(p, e.args[1]!))
  const operands = qualified === undefined && e.target ? [e.target, ...e.args] : e.args
  const args = operands.map((a) => plan(p, a))
  return operator(p, e, args) ?? func(p, e, qualified ?? e.fn, operands, args)
}

/** Only macros can name the accumulator, and only a macro that began with an empty list adds a list to it. */
const growsList = ({ args: [left, right] }: CallExpr): boolean =>
  left?.kind === 'ident' && left.name === ACCUMULATOR && right?.kind === 'list'

function operator(p: Planner, e: CallExpr, args: readonly EvaluationStep[]): EvaluationStep | undefined {
  const [a, b, c] = args
  if (e.fn === '_&&_' || e.fn === '_||_') return logicStep(e.fn === '_||_', a!, b!)
  if (e.fn === '_?_:_') return attributeStep(choice(a!, attributeOf(b!), attributeOf(c!)))
  if (e.fn === '_[_]') return index(a!, b!, false)
  if (e.fn === '_[?_]' || e.fn === '_?._') return index(a!, b!, true)
  if (e.fn === '@not_strictly_false') return goingOnStep(a!)
  if (e.fn === 'cel.@mapInsert') return insertStep(args)
  if (e.target && (e.fn === 'or' || e.fn === 'orValue')) return alternativeStep(e.fn === 'orValue', a!, b!)
  if (e.fn !== '@in' || !b!.constant) return undefined
  const ids = p.checked.overloads.get(e.id)!.map((o) => o.id)
  return ids.length === 1 && ids[0] === 'in_list' ? membershipStep(a!, b!.constant.value) : undefined
}

/** A key that is an attribute itself is read without the charge for reading, one that is computed is computed first. */
function index(operand: EvaluationStep, key: EvaluationStep, optional: boolean): EvaluationStep {
  const read = key.attribute?.resolve ?? key.run
  return attributeStep(attributeOf(operand).qualify({ key: read, optional, test: false }))
}

function func(
  p: Planner,
  e: CallExpr,
  fn: string,
  operands: readonly CelExpr[],
  args: readonly EvaluationStep[],
): EvaluationStep {
  const chosen = p.checked.overloads.get(e.id)!
  const known = operands.every((o) => isKnown(p.checked.types.get(o.id)!))
  const step = callStep(
    fn,
    chosen,
    args,
    known || chosen.every((o) => o.params.every((t) => t.kind === 'param')),
  )
  const pattern = fn === 'find' || fn === 'findAll' ? args[1]?.constant?.value : undefined
  if (typeof pattern === 'string') {
    const compiled = compiledPattern(pattern)
    if (typeof compiled === 'string') p.broken ??= compiled
  }
  if (!CONVERSIONS.has(fn) || args.length !== 1 || !args[0]!.constant) return step
  const value = step.run({ slots: [], meter: { spent: 0, work: 0, limit: Infinity } })
  if (isFailure(value)) p.broken ??= value.message
  return constantStep(value)
}

function fold(p: Planner, e: Fold): EvaluationStep {
  const range = plan(p, e.range)
  const init = fresh(e.init) ?? plan(p, e.init)
  const outer = new Map(p.scope)
  const accumulator = slot(p, e.accumulator)
  const inner = new Map(p.scope)
  const first = slot(p, e.variable)
  const second = e.second === undefined ? undefined : slot(p, e.second)
  const condition = plan(p, e.condition)
  const step = plan(p, e.step)
  restore(p, inner)
  const result = plan(p, e.result)
  restore(p, outer)
  return foldStep({
    range,
    variable: first,
    ...(second !== undefined && { second }),
    accumulator,
    init,
    condition,
    step,
    result,
  })
}

/** What a loop fills is made anew each time it begins. */
function fresh(init: CelExpr): EvaluationStep | undefined {
  if (init.kind === 'list' && init.elements.length === 0) return { run: () => list([]) }
  return init.kind === 'map' && init.entries.length === 0 ? { run: growingMap } : undefined
}

function slot(p: Planner, name: string): number {
  p.scope.set(name, p.slots)
  return p.slots++
}

function restore(p: Planner, scope: ReadonlyMap<string, number>): void {
  p.scope.clear()
  for (const [name, at] of scope) p.scope.set(name, at)
}
