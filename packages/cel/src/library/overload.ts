import type { CelType } from '../type/celtype.ts'
import type { CelValue } from '../value/celvalue.ts'
import { parseSignature } from './parsesignature.ts'

/** One signature of a function with what it does. Failures among the arguments never get here. */
export interface Overload {
  readonly id: string
  readonly fn: string
  readonly member: boolean
  readonly params: readonly CelType[]
  readonly result: CelType
  readonly typeParams: readonly string[]
  readonly run: (...args: CelValue[]) => CelValue
}

/**
 * Defines an overload: `overload('string_find_string', 'string.find(string): string', …)` is a method,
 * `overload('is_ip', 'isIP(string): bool', …)` a function. Capital letters are type parameters.
 */
// biome-ignore lint/suspicious/noExplicitAny: the signature says of which type each argument is; it is checked before the call
export function overload(id: string, signature: string, run: (...args: any[]) => CelValue): Overload {
  return { id, ...parseSignature(signature), run }
}
