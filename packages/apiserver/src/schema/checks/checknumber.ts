import type { JsonValue } from '@lockstep/kube/object'
import { formatOf } from '../checktype.ts'
import { invalid } from '../invalidfield.ts'
import type { Schema } from '../schematypes.ts'
import type { ValidationOutcome } from '../validationoutcome.ts'

const INT32 = 2 ** 31
const INT64 = 2n ** 63n

/** Ranges and multiples (kube-openapi `validate/values.go`), texts included. */
export function checkNumber(s: Schema, path: string, value: number | bigint, out: ValidationOutcome): void {
  out.matches++
  checkWidth(s, path, value, out)
  const say = (what: string): void =>
    out.add(invalid(path, printable(value), `${path} in body should be ${what}`))
  if (s.multipleOf !== undefined && !isMultiple(value, s.multipleOf)) say(`a multiple of ${s.multipleOf}`)
  if (s.minimum !== undefined) {
    if (s.exclusiveMinimum && value <= s.minimum) say(`greater than ${s.minimum}`)
    else if (!s.exclusiveMinimum && value < s.minimum) say(`greater than or equal to ${s.minimum}`)
  }
  if (s.maximum !== undefined) {
    if (s.exclusiveMaximum && value >= s.maximum) say(`less than ${s.maximum}`)
    else if (!s.exclusiveMaximum && value > s.maximum) say(`less than or equal to ${s.maximum}`)
  }
}

/** An integer must be whole and fit its format. The finding has no path of its own: the original loses it. */
function checkWidth(s: Schema, path: string, value: number | bigint, out: ValidationOutcome): void {
  if (s.type !== 'integer') return
  const format = formatOf(s)
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  const fits =
    isWhole &&
    (format === 'int32' ? value >= -INT32 && value < INT32 : BigInt(value) >= -INT64 && BigInt(value) < INT64)
  if (fits) return
  const type = format ? `integer with format ${format}` : 'integer (default format)'
  out.add(invalid('<nil>', '', `Checked value must be of type ${type} in ${path}`))
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (factor <= 0) return false
  if (typeof value === 'bigint') return Number.isInteger(factor) && value % BigInt(factor) === 0n
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0
  return Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor)
}

const printable = (v: number | bigint): JsonValue => v
