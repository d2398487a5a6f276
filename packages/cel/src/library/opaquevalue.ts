import type { CelValue, OpaqueValue } from '../value/celvalue.ts'
import { LIBRARY_TYPES } from './parsesignature.ts'

/** A value of a library. Functions of the library find what they put in with `dataOf`. */
export function opaqueValue<T>(
  type: string,
  data: T,
  same: (a: T, b: T) => boolean,
  size?: number,
): OpaqueValue {
  const value: OpaqueValue = {
    kind: 'foreign',
    type: LIBRARY_TYPES[type]!.name,
    data,
    same: (other) => same(data, other as T),
  }
  return size === undefined ? value : { ...value, size }
}

/** What is in it; the signature of the function has made sure that it is of this type. */
export const dataOf = <T>(v: CelValue): T => (v as OpaqueValue).data as T
