import type { Checked } from '../check/typechecker.ts'
import type { CelType } from '../type/celtype.ts'
import type { Expr } from '../syntax/celexpr.ts'
import { type Range, UNKNOWN } from './costrange.ts'

/** What an estimate knows of an argument: where in the schema it comes from, its type and its size. */
export interface Argument {
  readonly path: readonly string[]
  readonly type: CelType
  readonly expr?: Expr
  readonly size?: Range
}

/** The estimated cost of a call, and how large its result is. */
export interface Estimate {
  readonly cost: Range
  readonly size?: Range
}

/** How large the elements of an expression are that is a list or a map. */
export interface EntrySize {
  readonly list: boolean
  readonly key: Range
  readonly value: Range
}

/** The size that a schema gives to a path; undefined where it says nothing. */
export type SizeOfPath = (path: readonly string[]) => Range | undefined

/** A variable of a macro. */
export interface Local {
  readonly path: readonly string[]
  readonly size?: Range
  readonly entries?: EntrySize
}

/** State of one estimate: what is known of the nodes that were visited, and of the variables of macros. */
export interface Estimator {
  readonly checked: Checked
  readonly sizes: SizeOfPath
  readonly paths: Map<number, readonly string[]>
  readonly known: Map<number, Range>
  readonly entries: Map<number, EntrySize>
  readonly locals: Map<string, Local>
}

export function entriesOf(s: Estimator, e: Expr): EntrySize | undefined {
  return s.entries.get(e.id) ?? (e.kind === 'ident' ? s.locals.get(e.name)?.entries : undefined)
}

export const sizeOr = (a: Argument | undefined, sizes: SizeOfPath): Range =>
  a?.size ?? (a && a.path.length > 0 ? sizes(a.path) : undefined) ?? UNKNOWN
