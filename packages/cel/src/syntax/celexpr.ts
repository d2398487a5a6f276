import type { CelValue } from '../value/celvalue.ts'

/** An expression after its macros are expanded. `id` names the node in tables beside the tree, `at` is an offset of the text. */
export type CelExpr = Literal | Ident | Select | CallExpr | ListExpr | MapExpr | Fold

interface ExprNode {
  readonly id: number
  readonly at: number
}

export interface Literal extends ExprNode {
  readonly kind: 'literal'
  readonly value: CelValue
}

export interface Ident extends ExprNode {
  readonly kind: 'ident'
  readonly name: string
}

/** `operand.field`; as a test it is what `has()` asks. */
export interface Select extends ExprNode {
  readonly kind: 'select'
  readonly operand: CelExpr
  readonly field: string
  readonly test: boolean
}

/** A function, a method where there is a target, or an operator (`_+_`). */
export interface CallExpr extends ExprNode {
  readonly kind: 'call'
  readonly fn: string
  readonly target?: CelExpr
  readonly args: readonly CelExpr[]
}

export interface ListExpr extends ExprNode {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: CelExpr; readonly optional: boolean }[]
}

export interface MapExpr extends ExprNode {
  readonly kind: 'map'
  readonly entries: readonly { readonly key: CelExpr; readonly value: CelExpr; readonly optional: boolean }[]
}

/** A loop over a range: what all comprehension macros become. */
export interface Fold extends ExprNode {
  readonly kind: 'fold'
  readonly range: CelExpr
  readonly variable: string
  readonly second?: string
  readonly accumulator: string
  readonly init: CelExpr
  readonly condition: CelExpr
  readonly step: CelExpr
  readonly result: CelExpr
}

/** The accumulator of macros; no name that an expression can spell. */
export const ACCUMULATOR = '@result'

/** A node as it is written down, before it has its number. */
type Unnumbered<T> = T extends ExprNode ? Omit<T, 'id'> : never

/** Numbers nodes in the order in which they are made. */
export type Make = (node: Unnumbered<CelExpr>) => CelExpr

export function numbering(): Make {
  let next = 1
  return (node) => ({ ...node, id: next++ }) as CelExpr
}
