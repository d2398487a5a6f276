/** What a `readyExpr` asks, as far as its text says it. */
import { childrenOf } from '@lockstep/cel/check'
import { anything, compile } from '@lockstep/cel/program'
import { type CelExpr, parseExpression } from '@lockstep/cel/syntax'

export interface ExpressionRequirements {
  /** It is no expression: Flux stalls the unit. */
  readonly problem?: string
  /** Compares something that the spec of the dependency carries. */
  readonly bound: boolean
  /** Compares the generation with the one that Flux has finished. */
  readonly observed: boolean
  readonly labels: boolean
  /** `filter(…).all(…)`: true where there is nothing. */
  readonly allOfFiltered: boolean
}

export function expressionRequirements(expression: string): ExpressionRequirements {
  const compiled = compile(expression, { self: anything, dep: anything })
  const { expr } = parseExpression(expression)
  const nothing = { bound: false, observed: false, labels: false, allOfFiltered: false }
  if (!compiled.ok || !expr) {
    const first = compiled.ok ? undefined : compiled.error[0]
    return {
      ...nothing,
      problem: first ? `${first.line}:${first.column}: ${first.message}` : 'no expression',
    }
  }
  return {
    bound: always(expr, (e) => some(e, isSpecOfDep) && some(e, isComparison)),
    observed: always(expr, (e) => isComparison(e) && some(e, isObserved) && some(e, isGeneration)),
    labels: some(expr, isLabel),
    allOfFiltered: some(expr, isAllOfFiltered),
  }
}

/** Whether every way to `true` leads through something that `holds`. */
function always(e: CelExpr, holds: (e: CelExpr) => boolean): boolean {
  if (e.kind === 'call' && e.fn === '_&&_') return e.args.some((a) => always(a, holds))
  if (e.kind === 'call' && e.fn === '_||_') return e.args.every((a) => always(a, holds))
  if (e.kind === 'call' && e.fn === '_?_:_')
    return always(e.args[0]!, holds) || e.args.slice(1).every((a) => always(a, holds))
  return holds(e)
}

function some(e: CelExpr, is: (e: CelExpr) => boolean): boolean {
  return is(e) || childrenOf(e).some((child) => some(child, is))
}

const COMPARING = ['_==_', '_>=_', '@in', 'startsWith', 'endsWith', 'contains', 'matches']
const isComparison = (e: CelExpr): boolean => e.kind === 'call' && COMPARING.includes(e.fn)

/** The fields that lead to a value: `dep.spec.path` is `dep`, `spec`, `path`. A test of presence is no value. */
function chain(e: CelExpr): string[] {
  if (e.kind === 'ident') return [e.name]
  if (e.kind === 'select' && !e.test) return [...chain(e.operand), e.field]
  if (e.kind === 'call' && (e.fn === '_[_]' || e.fn === '_?._' || e.fn === '_[?_]')) {
    const key = e.args[1]
    return [...chain(e.args[0]!), key?.kind === 'literal' ? String(key.value) : '*']
  }
  return ['*']
}

const starts = (e: CelExpr, ...path: readonly string[]): boolean => {
  const found = chain(e)
  return found.length >= path.length && path.every((step, i) => found[i] === step)
}

const isSpecOfDep = (e: CelExpr): boolean => starts(e, 'dep', 'spec') && chain(e).length > 2
const isObserved = (e: CelExpr): boolean => starts(e, 'dep', 'status', 'observedGeneration')
const isGeneration = (e: CelExpr): boolean => starts(e, 'dep', 'metadata', 'generation')
const isLabel = (e: CelExpr): boolean =>
  starts(e, 'dep', 'metadata', 'labels') || starts(e, 'dep', 'metadata', 'annotations')

/** Both macros are loops: the outer one begins with true, the inner one collects a list. */
const isAllOfFiltered = (e: CelExpr): boolean =>
  e.kind === 'fold' &&
  e.init.kind === 'literal' &&
  e.init.value === true &&
  e.range.kind === 'fold' &&
  e.range.init.kind === 'list'
