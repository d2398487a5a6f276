import type { CheckedExpression } from '../check/typechecker.ts'
import type { CelExpr } from '../syntax/celexpr.ts'
import type { CelType } from '../type/celtype.ts'
import { type CostRange, UNKNOWN } from './costrange.ts'

/** What an estimate knows of an argument: where in the schema it comes from, its type and its size. */
export interface Argument {
  readonly path: readonly string[]
  readonly type: CelType
  readonly expr?: CelExpr
  readonly size?: CostRange
}

/** The estimated cost of a call, and how large its result is. */
export interface Estimate {
  readonly cost: CostRange
  readonly size?: CostRange
}

/** How large the elements of an expression are that is a list or a map. */
export interface EntrySize {
  readonly list: boolean
  readonly key: CostRange
  readonly value: CostRange
}

/** The size that a schema gives to a path; undefined where it says nothing. */
export type SizeOfPath = (path: readonly string[]) => CostRange | undefined

/** A variable of a macro. */
export interface Local {
  readonly path: readonly string[]
  readonly size?: CostRange
  readonly entries?: EntrySize
}

/** State of one estimate: what is known of the nodes that were visited, and of the variables of macros. */
export interface CostEstimator {
  readonly checked: CheckedExpression
  readonly sizes: SizeOfPath
  readonly paths: Map<number, readonly string[]>
  readonly known: Map<number, CostRange>
  readonly entries: Map<number, EntrySize>
  readonly locals: Map<string, Local>
}

export function entriesOf(s: CostEstimator, e: CelExpr): EntrySize | undefined {
  return s.entries.get(e.id) ?? (e.kind === 'ident' ? s.locals.get(e.name)?.entries : undefined)
}

export const sizeOr = (a: Argument | undefined, sizes: SizeOfPath): CostRange =>
  a?.size ?? (a && a.path.length > 0 ? sizes(a.path) : undefined) ?? UNKNOWN
