import { goJson, goQuote } from '@lockstep/kube/fields'
import type { JsonValue } from '@lockstep/kube/object'
import type { FieldError } from './schematypes.ts'

/**
 * Constructors of field errors; texts as `k8s.io/apimachinery/pkg/util/validation/field` words them.
 * `<nil>` is the path of a finding that has no field of its own.
 */

const printed = (v: JsonValue | undefined): string => {
  if (v === undefined) return 'null'
  return typeof v === 'string' ? goQuote(v) : goJson(v)
}

const withDetail = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`)

export const required = (field: string, detail = ''): FieldError => ({
  field,
  type: 'Required',
  message: withDetail('Required value', detail),
})

export const forbidden = (field: string, detail: string): FieldError => ({
  field,
  type: 'Forbidden',
  message: withDetail('Forbidden', detail),
})

export const invalid = (field: string, value: JsonValue | undefined, detail: string): FieldError => ({
  field,
  type: 'Invalid',
  message: withDetail(`Invalid value: ${printed(value)}`, detail),
})

export const typeInvalid = (field: string, value: JsonValue, detail: string): FieldError => ({
  field,
  type: 'TypeInvalid',
  message: withDetail(`Invalid value: ${printed(value)}`, detail),
})

export const duplicate = (field: string, value: JsonValue): FieldError => ({
  field,
  type: 'Duplicate',
  message: `Duplicate value: ${printed(value)}`,
})

export const notSupported = (
  field: string,
  value: JsonValue | undefined,
  values: readonly string[],
): FieldError => ({
  field,
  type: 'Unsupported',
  message: withDetail(
    `Unsupported value: ${printed(value)}`,
    values.length === 0 ? '' : `supported values: ${values.map(goQuote).join(', ')}`,
  ),
})

export const tooLong = (field: string, max: number): FieldError => ({
  field,
  type: 'TooLong',
  message: `Too long: may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`,
})

export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  field,
  type: 'TooMany',
  message: `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
})

/** A finding about a value that is not shown. */
export const withoutValue = (type: 'Invalid' | 'Duplicate', field: string, detail = ''): FieldError => ({
  field,
  type,
  message: withDetail(`${type} value`, detail),
})

export const internalError = (field: string, detail: string): FieldError => ({
  field,
  type: 'Internal',
  message: withDetail('Internal error', detail),
})
