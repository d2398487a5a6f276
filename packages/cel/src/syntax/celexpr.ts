import type { Value } from '../value/celvalue.ts'

/** An expression after its macros are expanded. `id` names the node in tables beside the tree, `at` is an offset of the text. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | Fold

interface Node {
  readonly id: number
  readonly at: number
}

export interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: Value
}

export interface Ident extends Node {
  readonly kind: 'ident'
  readonly name: string
}

/** `operand.field`; as a test it is what `has()` asks. */
export interface Select extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  readonly test: boolean
}

/** A function, a method where there is a target, or an operator (`_+_`). */
export interface Call extends Node {
  readonly kind: 'call'
  readonly fn: string
  readonly target?: Expr
  readonly args: readonly Expr[]
}

export interface ListExpr extends Node {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: Expr; readonly optional: boolean }[]
}

export interface MapExpr extends Node {
  readonly kind: 'map'
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[]
}

/** A loop over a range: what all comprehension macros become. */
export interface Fold extends Node {
  readonly kind: 'fold'
  readonly range: Expr
  readonly variable: string
  readonly second?: string
  readonly accumulator: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** The accumulator of macros; no name that an expression can spell. */
export const ACCUMULATOR = '@result'

/** A node as it is written down, before it has its number. */
type Unnumbered<T> = T extends Node ? Omit<T, 'id'> : never

/** Numbers nodes in the order in which they are made. */
export type Make = (node: Unnumbered<Expr>) => Expr

export function numbering(): Make {
  let next = 1
  return (node) => ({ ...node, id: next++ }) as Expr
}
