import type { FieldError } from '../schema/schematypes.ts'
import type { ApiFailure, StatusSubject } from './apifailure.ts'
import { subjectText } from './apifailure.ts'

const REASONS: Readonly<Record<FieldError['type'], string>> = {
  Required: 'FieldValueRequired',
  Invalid: 'FieldValueInvalid',
  Unsupported: 'FieldValueNotSupported',
  Duplicate: 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
  TooLong: 'FieldValueTooLong',
  TooMany: 'FieldValueTooMany',
  TypeInvalid: 'FieldValueTypeInvalid',
  NotFound: 'FieldValueNotFound',
  Internal: 'InternalError',
}

/**
 * 422. Equal findings are told once in the message and each in the causes
 * (apimachinery pkg/api/errors NewInvalid, pkg/util/errors aggregate).
 */
export function invalid(kind: StatusSubject, name: string, errors: readonly FieldError[]): ApiFailure {
  const texts = [...new Set(errors.map((e) => `${e.field}: ${e.message}`))]
  const what = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return {
    code: 422,
    reason: 'Invalid',
    message: `${subjectText(kind)} "${name}" is invalid: ${what}`,
    details: {
      name: name || undefined,
      group: kind.group || undefined,
      kind: kind.name,
      causes: errors.map((e) => ({ reason: REASONS[e.type], message: e.message, field: e.field })),
    },
  }
}

/** Options of a request that do not fit: `DeleteOptions.meta.k8s.io "" is invalid: …`. */
export const invalidOptions = (kind: string, errors: readonly FieldError[]): ApiFailure =>
  invalid({ group: 'meta.k8s.io', name: kind }, '', errors)

/** The detail of every refusal to change what is fixed (apimachinery pkg/api/validation). */
export const IMMUTABLE = 'field is immutable'
