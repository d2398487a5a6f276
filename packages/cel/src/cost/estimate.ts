import type { CheckedExpression } from '../check/typechecker.ts'
import {
  ACCUMULATOR,
  type CallExpr,
  type CelExpr,
  type Fold,
  type ListExpr,
  type MapExpr,
  type Select,
} from '../syntax/celexpr.ts'
import type { CelType } from '../type/celtype.ts'
import { codePoints } from '../value/utf8text.ts'
import { callEstimate } from './callestimate.ts'
import { type Argument, type CostEstimator, entriesOf, type Local, type SizeOfPath } from './costestimator.ts'
import { type CostRange, fixed, MOST, ONE, plus, times, UNKNOWN, union, ZERO } from './costrange.ts'

const LIST_COST = fixed(10n)
const MAP_COST = fixed(30n)
const NOTHING_YET: CostRange = { min: MOST, max: 0n }

/**
 * The least and the most that an expression costs on objects of a schema, by kube-apiserver's rules: it refuses rules by
 * this number, so what looks odd here (paths that begin nowhere count as the object itself) is what it does.
 */
export function estimated(expr: CelExpr, checked: CheckedExpression, sizes: SizeOfPath): CostRange {
  return costOf(
    { checked, sizes, paths: new Map(), known: new Map(), entries: new Map(), locals: new Map() },
    expr,
  )
}

export function costOf(s: CostEstimator, e: CelExpr): CostRange {
  if (e.kind === 'literal') return ZERO
  if (e.kind === 'ident') {
    s.paths.set(e.id, s.locals.get(e.name)?.path ?? [e.name])
    return ONE
  }
  if (e.kind === 'select') return selectCost(s, e)
  if (e.kind === 'call') return callCost(s, e)
  if (e.kind === 'list') return listCost(s, e)
  if (e.kind === 'map') return mapCost(s, e)
  return isBinding(e) ? bindingCost(s, e) : foldCost(s, e)
}

const typeOf = (s: CostEstimator, e: CelExpr): CelType => s.checked.types.get(e.id)!

const pathOf = (s: CostEstimator, e: CelExpr): readonly string[] =>
  (e.kind === 'ident' ? s.locals.get(e.name)?.path : undefined) ?? s.paths.get(e.id) ?? []

/** A name of a type that is spelled with dots is one name. */
function selectCost(s: CostEstimator, e: Select): CostRange {
  const constant = s.checked.constants.get(e.id)
  if (constant !== undefined) {
    s.paths.set(e.id, [constant])
    return ONE
  }
  const operand = costOf(s, e.operand)
  if (e.test) return operand
  s.paths.set(e.id, [...pathOf(s, e.operand), e.field])
  const { kind } = typeOf(s, e.operand) ?? { kind: 'error' }
  return ['map', 'struct', 'param'].includes(kind) ? plus(operand, ONE) : operand
}

function callCost(s: CostEstimator, e: CallExpr): CostRange {
  const qualified = s.checked.qualified.get(e.id)
  if (e.fn === 'dyn' && !e.target) return dynCost(s, e)
  const costs = e.args.map((a) => costOf(s, a))
  const args = e.args.map((a) => argument(s, a))
  const ids = overloadIds(s, e)
  if (ids.length === 0) return ZERO
  const method = qualified === undefined && e.target
  const target = method ? costOf(s, e.target!) : ZERO
  const receiver = method ? argument(s, e.target!) : undefined
  let cost = NOTHING_YET
  let size: CostRange | undefined
  for (const id of ids) {
    const one = callEstimate(
      s,
      e,
      qualified ?? e.fn,
      { id, args, sizes: s.sizes, ...(receiver && { target: receiver }) },
      costs,
    )
    cost = union(cost, one.cost)
    if (one.size) size = size ? union(size, one.size) : one.size
    if (id === 'index_list' || id === 'index_map') {
      size = entriesOf(s, e.args[0]!)?.value
      s.paths.set(e.id, [...pathOf(s, e.args[0]!), id === 'index_list' ? '@items' : '@values'])
    }
    size ??= sizeOf(s, e)
  }
  if (size) s.known.set(e.id, size)
  return plus(target, cost)
}

function overloadIds(s: CostEstimator, e: CallExpr): readonly string[] {
  if (e.fn === '_&&_') return ['logical_and']
  if (e.fn === '_||_') return ['logical_or']
  if (e.fn === '_?._') return ['select_optional_field']
  return (s.checked.overloads.get(e.id) ?? []).map((o) => o.id)
}

/** `dyn` only hides a type: what it hides keeps its size. */
function dynCost(s: CostEstimator, e: CallExpr): CostRange {
  const cost = costOf(s, e.args[0]!)
  copySizes(s, e, e.args[0]!)
  return plus(ONE, cost)
}

function copySizes(s: CostEstimator, to: CelExpr, from: CelExpr): void {
  const size = sizeOf(s, from)
  const entries = entriesOf(s, from)
  if (size) s.known.set(to.id, size)
  if (entries) s.entries.set(to.id, entries)
}

function argument(s: CostEstimator, e: CelExpr): Argument {
  const path = pathOf(s, e)
  const size = sizeOf(s, e)
  return { path: path[0] === ACCUMULATOR ? [] : path, type: typeOf(s, e), expr: e, ...(size && { size }) }
}

function listCost(s: CostEstimator, e: ListExpr): CostRange {
  let cost = LIST_COST
  let value: CostRange = e.elements.length === 0 ? ZERO : NOTHING_YET
  for (const element of e.elements) {
    cost = plus(cost, costOf(s, element.value))
    value = union(value, sizeOf(s, element.value) ?? UNKNOWN)
  }
  s.entries.set(e.id, { list: true, key: ONE, value })
  return cost
}

function mapCost(s: CostEstimator, e: MapExpr): CostRange {
  let cost = MAP_COST
  let [key, value]: CostRange[] = e.entries.length === 0 ? [ZERO, ZERO] : [NOTHING_YET, NOTHING_YET]
  for (const entry of e.entries) {
    cost = plus(plus(cost, costOf(s, entry.key)), costOf(s, entry.value))
    key = union(key!, sizeOf(s, entry.key) ?? UNKNOWN)
    value = union(value!, sizeOf(s, entry.value) ?? UNKNOWN)
  }
  s.entries.set(e.id, { list: false, key: key!, value: value! })
  return cost
}

/** What `optMap` makes: a name for a value, no loop. */
function isBinding(e: Fold): boolean {
  const never = e.condition.kind === 'literal' && e.condition.value === false
  return never && e.range.kind === 'list' && e.range.elements.length === 0 && e.accumulator !== ACCUMULATOR
}

function withLocals<T>(s: CostEstimator, locals: readonly (readonly [string, Local])[], body: () => T): T {
  const hidden = locals.map(([name]) => [name, s.locals.get(name)] as const)
  for (const [name, local] of locals) s.locals.set(name, local)
  const result = body()
  for (const [name, before] of hidden.toReversed()) {
    if (before) s.locals.set(name, before)
    else s.locals.delete(name)
  }
  return result
}

function localOf(s: CostEstimator, e: CelExpr): Local {
  const size = sizeOf(s, e)
  const entries = entriesOf(s, e)
  return { path: pathOf(s, e), ...(size && { size }), ...(entries && { entries }) }
}

function bindingCost(s: CostEstimator, e: Fold): CostRange {
  const before = plus(costOf(s, e.range), costOf(s, e.init))
  const cost = withLocals(s, [[e.accumulator, localOf(s, e.init)]], () => {
    const result = costOf(s, e.result)
    copySizes(s, e, e.result)
    return result
  })
  return plus(before, cost)
}

function foldCost(s: CostEstimator, e: Fold): CostRange {
  const before = plus(costOf(s, e.range), costOf(s, e.init))
  return withLocals(s, [[e.accumulator, localOf(s, e.init)]], () => {
    const [condition, step] = withLocals(s, iterators(s, e), () => [
      costOf(s, e.condition),
      costOf(s, e.step),
    ])
    const result = costOf(s, e.result)
    const count = sizeOf(s, e.range) ?? UNKNOWN
    if (e.init.kind === 'literal') s.known.set(e.id, sizeOf(s, e.init) ?? UNKNOWN)
    else {
      s.known.set(e.id, count)
      const made = entriesOf(s, e.step)
      if (made) s.entries.set(e.id, made)
    }
    return plus(plus(before, result), times(count, plus(condition!, step!)))
  })
}

function iterators(s: CostEstimator, e: Fold): (readonly [string, Local])[] {
  const entries = entriesOf(s, e.range)
  const path = pathOf(s, e.range)
  const isList = entries?.list ?? typeOf(s, e.range).kind === 'list'
  const local = (part: string, size: CostRange | undefined): Local => ({
    path: [...path, part],
    ...(size && { size }),
  })
  const value = local(isList ? '@items' : '@values', entries?.value)
  if (e.second === undefined) return [[e.variable, isList ? value : local('@keys', entries?.key)]]
  return [
    [e.variable, local(isList ? '@indices' : '@keys', entries?.key)],
    [e.second, value],
  ]
}

/** What is known of the size of a node: computed, written down, from the schema, from its type, from its variable. */
export function sizeOf(s: CostEstimator, e: CelExpr): CostRange | undefined {
  const known = s.known.get(e.id) ?? literalSize(e)
  if (known) return known
  const path = pathOf(s, e)
  const declared = path.length > 0 ? s.sizes(path) : undefined
  if (declared) {
    s.known.set(e.id, declared)
    return declared
  }
  if (isScalar(typeOf(s, e))) return ONE
  return e.kind === 'ident' ? s.locals.get(e.name)?.size : undefined
}

function literalSize(e: CelExpr): CostRange | undefined {
  if (e.kind === 'list') return fixed(BigInt(e.elements.length))
  if (e.kind === 'map') return fixed(BigInt(e.entries.length))
  if (e.kind !== 'literal') return undefined
  if (typeof e.value === 'string') return fixed(BigInt(codePoints(e.value)))
  return e.value instanceof Uint8Array ? fixed(BigInt(e.value.length)) : ONE
}

function isScalar(t: CelType | undefined): boolean {
  if (t === undefined) return false
  if (t.kind === 'opaque' && t.name === 'optional_type') return isScalar(t.params[0])
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(t.kind)
}
