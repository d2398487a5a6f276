import type { JsonValue } from '../../../../kube/src/object/index.ts'

/** An object of one definition whose `spec.KEY` has this schema; what a write of it is answered. */
export interface RuleCase {
  readonly name: string
  readonly schema: object
  readonly value: JsonValue
  /** Stored before the schema had any limits. */
  readonly old?: JsonValue
  /** `reason field: message` of each cause, with KEY for the case's own; none: accepted. */
  readonly causes?: readonly string[]
  readonly warning?: string
}

export const text = (more: object = {}): object => ({ type: 'string', maxLength: 64, ...more })
export const int = (more: object = {}): object => ({ type: 'integer', ...more })
export const rules = (...all: (string | object)[]): object => ({
  'x-kubernetes-validations': all.map((r) => (typeof r === 'string' ? { rule: r } : r)),
})
export const object = (properties: object, ...all: (string | object)[]): object => ({
  type: 'object',
  properties,
  ...(all.length > 0 ? rules(...all) : {}),
})
export const list = (items: object, ...all: (string | object)[]): object => ({
  type: 'array',
  maxItems: 16,
  items,
  ...(all.length > 0 ? rules(...all) : {}),
})
export const keyed = (items: object, ...all: (string | object)[]): object => ({
  ...list({ ...items, required: ['k'] }, ...all),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
})
export const map = (values: object, ...all: (string | object)[]): object => ({
  type: 'object',
  maxProperties: 16,
  additionalProperties: values,
  ...(all.length > 0 ? rules(...all) : {}),
})

export const NOT_CHECKED =
  'FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
export const bad = (field: string, rest: string, reason = 'FieldValueInvalid'): string =>
  `${reason} ${field}: ${rest}`
