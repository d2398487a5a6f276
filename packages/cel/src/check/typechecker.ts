import type { Overload } from '../library/overload.ts'
import type { CelExpr } from '../syntax/celexpr.ts'
import type { FoundAt } from '../syntax/celproblem.ts'
import { type CelType, param } from '../type/celtype.ts'
import type { TypeMapping } from './assignable.ts'

/** What checking knows: the type of each node, what each call may mean, which names are functions of a namespace. */
export interface CheckedExpression {
  readonly types: ReadonlyMap<number, CelType>
  readonly overloads: ReadonlyMap<number, readonly Overload[]>
  /** Calls whose target is no value but the beginning of the function's name: `ip.isCanonical(x)`. */
  readonly qualified: ReadonlyMap<number, string>
  /** Names that are types: `int`, `net.IP`. */
  readonly constants: ReadonlyMap<number, string>
  readonly found: readonly FoundAt[]
}

/** State of checking one expression. Variables of macros hide those declared before. */
export interface TypeChecker {
  readonly variables: Map<string, CelType>
  readonly types: Map<number, CelType>
  readonly overloads: Map<number, readonly Overload[]>
  readonly qualified: Map<number, string>
  readonly constants: Map<number, string>
  readonly found: FoundAt[]
  mapping: TypeMapping
  fresh: number
}

export const complain = (c: TypeChecker, e: CelExpr, message: string): void => {
  c.found.push({ at: e.at, message })
}

export const freshType = (c: TypeChecker): CelType => param(`_var${c.fresh++}`)
