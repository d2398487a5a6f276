import { constantType, overloadsOf } from '../library/registry.ts'
import type { CallExpr, CelExpr, Fold, ListExpr, MapExpr, Select } from '../syntax/celexpr.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  isDyn,
  isDynOrError,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  typeText,
  UINT,
  unwrapped,
} from '../type/celtype.ts'
import { type CelValue, is } from '../value/celvalue.ts'
import { assignable, mostGeneral, substituted } from './assignable.ts'
import { resolveCall } from './resolvecall.ts'
import { type CheckedExpression, complain, freshType, type TypeChecker } from './typechecker.ts'

/** Gives each node its type, as cel-go's checker does: the first agreeing signatures win, dyn agrees with everything. */
export function checkExpression(expr: CelExpr, variables: ReadonlyMap<string, CelType>): CheckedExpression {
  const c: TypeChecker = {
    variables: new Map(variables),
    types: new Map(),
    overloads: new Map(),
    qualified: new Map(),
    constants: new Map(),
    found: [],
    mapping: new Map(),
    fresh: 0,
  }
  visit(c, expr)
  for (const [id, type] of c.types) c.types.set(id, substituted(c.mapping, type, true))
  return c
}

export function visit(c: TypeChecker, e: CelExpr): CelType {
  const type = typeOfExpr(c, e)
  c.types.set(e.id, type)
  return type
}

function typeOfExpr(c: TypeChecker, e: CelExpr): CelType {
  if (e.kind === 'literal') return literalType(e.value)
  if (e.kind === 'ident') return named(c, e, e.name) ?? undeclared(c, e, e.name)
  if (e.kind === 'select') return selected(c, e)
  if (e.kind === 'call') return called(c, e)
  if (e.kind === 'list') return listType(c, e)
  return e.kind === 'map' ? mapType(c, e) : foldType(c, e)
}

function literalType(v: CelValue): CelType {
  if (v === null) return NULL
  if (typeof v === 'bigint') return INT
  if (typeof v === 'number') return DOUBLE
  if (typeof v === 'boolean') return BOOL
  if (typeof v === 'string') return STRING
  return is(v, 'uint') ? UINT : BYTES
}

function named(c: TypeChecker, e: CelExpr, name: string): CelType | undefined {
  const variable = c.variables.get(name)
  if (variable) return variable
  const constant = constantType(name)
  if (constant) c.constants.set(e.id, name)
  return constant
}

function undeclared(c: TypeChecker, e: CelExpr, name: string): CelType {
  complain(c, e, `undeclared reference to '${name}' (in container '')`)
  return ERROR
}

/** `a.b.c` as a name; undefined where there is anything but names in it. */
export function qualifiedName(e: CelExpr): string | undefined {
  if (e.kind === 'ident') return e.name
  if (e.kind !== 'select' || e.test) return undefined
  const prefix = qualifiedName(e.operand)
  return prefix === undefined ? undefined : `${prefix}.${e.field}`
}

function selected(c: TypeChecker, e: Select): CelType {
  const name = qualifiedName(e)
  const known = name === undefined ? undefined : named(c, e, name)
  if (known && name !== undefined && c.variables.has(name)) c.qualified.set(e.id, name)
  if (known) return known
  const type = fieldType(c, e, e.operand, e.field, false)
  return e.test ? BOOL : substituted(c.mapping, type, false)
}

function fieldType(c: TypeChecker, e: CelExpr, operand: CelExpr, field: string, asked: boolean): CelType {
  const { type, optional } = unwrapped(substituted(c.mapping, visit(c, operand), false))
  const found = memberType(c, e, type, field)
  return optional || asked ? optionalOf(found) : found
}

function memberType(c: TypeChecker, e: CelExpr, type: CelType, field: string): CelType {
  if (type.kind === 'map') return type.params[1]!
  if (type.kind === 'struct') {
    const member = type.fields?.get(field)
    if (!member) complain(c, e, `undefined field '${field}'`)
    return member ?? ERROR
  }
  if (type.kind === 'param') agree(c, DYN, type)
  else if (!isDynOrError(type)) complain(c, e, `type '${typeText(type)}' does not support field selection`)
  return DYN
}

function agree(c: TypeChecker, to: CelType, from: CelType): boolean {
  const mapping = assignable(c.mapping, to, from)
  if (mapping) c.mapping = mapping
  return mapping !== undefined
}

function mustBe(c: TypeChecker, e: CelExpr, type: CelType): void {
  const found = c.types.get(e.id)!
  if (!agree(c, type, found))
    complain(c, e, `expected type '${typeText(type)}' but found '${typeText(found)}'`)
}

function called(c: TypeChecker, e: CallExpr): CelType {
  if (e.fn === '_?._') {
    const field = e.args[1]!
    const type = fieldType(c, e, e.args[0]!, field.kind === 'literal' ? String(field.value) : '', true)
    c.types.set(field.id, STRING)
    return substituted(c.mapping, type, false)
  }
  for (const arg of e.args) visit(c, arg)
  const prefix = e.target && qualifiedName(e.target)
  if (prefix !== undefined && overloadsOf(`${prefix}.${e.fn}`)) {
    c.qualified.set(e.id, `${prefix}.${e.fn}`)
    return resolveCall(c, e, `${prefix}.${e.fn}`, e.args, false)
  }
  if (e.target) visit(c, e.target)
  if (!overloadsOf(e.fn)) return ofAuthorizer(c, e) ? ERROR : undeclared(c, e, e.fn)
  return resolveCall(c, e, e.fn, e.target ? [e.target, ...e.args] : e.args, e.target !== undefined)
}

const AUTHORIZER = new Set(
  'allowed check error errored fieldSelector group labelSelector name namespace path reason resource serviceAccount subresource'.split(
    ' ',
  ),
)

/** Whether the call hangs on an `authorizer`, which is not declared: that is said once, and not again at each method. */
const ofAuthorizer = (c: TypeChecker, e: CallExpr): boolean =>
  e.target !== undefined && AUTHORIZER.has(e.fn) && c.types.get(e.target.id)?.kind === 'error'

/** The type of what stands for an optional element; it must be an optional. */
function elementType(c: TypeChecker, e: CelExpr, asked: boolean): CelType {
  const type = visit(c, e)
  if (!asked) return type
  const inner = unwrapped(type)
  if (!inner.optional && !isDyn(inner.type))
    complain(c, e, `expected type '${typeText(optionalOf(inner.type))}' but found '${typeText(inner.type)}'`)
  return inner.type
}

function joined(c: TypeChecker, previous: CelType | undefined, current: CelType): CelType {
  if (!previous) return current
  return agree(c, previous, current) ? mostGeneral(previous, current) : DYN
}

function listType(c: TypeChecker, e: ListExpr): CelType {
  let item: CelType | undefined
  for (const { value, optional } of e.elements) item = joined(c, item, elementType(c, value, optional))
  return listOf(item ?? freshType(c))
}

function mapType(c: TypeChecker, e: MapExpr): CelType {
  let key: CelType | undefined
  let value: CelType | undefined
  for (const entry of e.entries) {
    key = joined(c, key, visit(c, entry.key))
    value = joined(c, value, elementType(c, entry.value, entry.optional))
  }
  return mapOf(key ?? freshType(c), value ?? freshType(c))
}

function foldType(c: TypeChecker, e: Fold): CelType {
  visit(c, e.range)
  const accumulated = visit(c, e.init)
  const range = substituted(c.mapping, c.types.get(e.range.id)!, false)
  const outer = new Map(c.variables)
  c.variables.set(e.accumulator, accumulated)
  const { first, second } = elementTypes(c, e, range)
  const inner = new Map(c.variables)
  c.variables.set(e.variable, first)
  if (e.second !== undefined) c.variables.set(e.second, second)
  visit(c, e.condition)
  mustBe(c, e.condition, BOOL)
  visit(c, e.step)
  mustBe(c, e.step, accumulated)
  restore(c, inner)
  const result = visit(c, e.result)
  restore(c, outer)
  return substituted(c.mapping, result, false)
}

function restore(c: TypeChecker, variables: ReadonlyMap<string, CelType>): void {
  c.variables.clear()
  for (const [name, type] of variables) c.variables.set(name, type)
}

function elementTypes(
  c: TypeChecker,
  e: Fold,
  range: CelType,
): { readonly first: CelType; readonly second: CelType } {
  const two = e.second !== undefined
  if (range.kind === 'list') return { first: two ? INT : range.params[0]!, second: range.params[0]! }
  if (range.kind === 'map') return { first: range.params[0]!, second: range.params[1]! }
  if (range.kind === 'param' || isDynOrError(range)) {
    agree(c, DYN, range)
    return { first: DYN, second: DYN }
  }
  const message = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
  complain(c, e.range, message)
  return { first: ERROR, second: ERROR }
}
