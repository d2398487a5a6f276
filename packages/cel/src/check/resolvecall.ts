import type { Overload } from '../library/overload.ts'
import { overloadsOf } from '../library/registry.ts'
import type { CallExpr, CelExpr } from '../syntax/celexpr.ts'
import { BOOL, type CelType, DYN, ERROR, isDyn, sameType, typeText } from '../type/celtype.ts'
import { allAssignable, assignable, substituted } from './assignable.ts'
import { complain, freshType, type TypeChecker } from './typechecker.ts'

/** Picks all overloads that agree with the arguments, and the type of the call. */
export function resolveCall(
  c: TypeChecker,
  e: CallExpr,
  fn: string,
  args: readonly CelExpr[],
  member: boolean,
): CelType {
  if (fn === '_&&_' || fn === '_||_') return logicalCall(c, args)
  const types = args.map((a) => c.types.get(a.id)!)
  const chosen: Overload[] = []
  let result: CelType | undefined
  for (const overload of overloadsOf(fn)!) {
    if (overload.member !== member) continue
    const { params, result: given } = instantiated(c, overload)
    const mapping = allAssignable(c.mapping, types, params)
    if (!mapping) continue
    c.mapping = mapping
    chosen.push(overload)
    const type = substituted(c.mapping, given, false)
    if (!result) result = type
    else if (!isDyn(result) && !sameType(type, result)) result = DYN
  }
  if (!result) {
    complain(c, e, `found no matching overload for '${fn}' applied to '${signature(c, types, member)}'`)
    return ERROR
  }
  c.overloads.set(e.id, chosen)
  return result
}

function logicalCall(c: TypeChecker, args: readonly CelExpr[]): CelType {
  let wrong = false
  for (const arg of args) {
    const type = c.types.get(arg.id)!
    const mapping = assignable(c.mapping, type, BOOL)
    if (mapping) c.mapping = mapping
    else {
      complain(c, arg, `expected type 'bool' but found '${typeText(type)}'`)
      wrong = true
    }
  }
  return wrong ? ERROR : BOOL
}

/** The overload with parameters of its own for this one call. */
function instantiated(
  c: TypeChecker,
  o: Overload,
): { readonly params: readonly CelType[]; readonly result: CelType } {
  if (o.typeParams.length === 0) return o
  const names = new Map(o.typeParams.map((name) => [name, freshType(c)]))
  return {
    params: o.params.map((p) => substituted(names, p, false)),
    result: substituted(names, o.result, false),
  }
}

function signature(c: TypeChecker, types: readonly CelType[], member: boolean): string {
  const texts = types.map((t) => typeText(substituted(c.mapping, t, true)))
  return member ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`
}
