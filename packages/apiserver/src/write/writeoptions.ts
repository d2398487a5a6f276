import { err, ok, type Result } from '@lockstep/kube/env'
import type { User } from '../auth/user.ts'
import { invalid as invalidValue, notSupported, required, tooLong } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { invalidOptions } from '../status/invalid.ts'

export type FieldValidationMode = 'Strict' | 'Warn' | 'Ignore'

/** What a write is told besides its object. */
export interface ServerWriteOptions {
  readonly manager: string
  /** The user agent; none of what this process writes itself. */
  readonly agent?: string | undefined
  /** Who writes: rights and policies are about them. */
  readonly user: User
  readonly dryRun: boolean
  readonly validation: FieldValidationMode
  readonly force: boolean
  readonly subresource?: 'status' | 'scale' | 'finalize'
  /** Adds a `Warning:` header. */
  readonly warn: (text: string) => void
}

/** What policies are told of a write besides its objects. */
export const reviewBy = ({ manager, user, dryRun, subresource, warn }: ServerWriteOptions) =>
  ({ manager, user, dryRun, subresource: subresource ?? '', warn }) as const

export const DEFAULT_MANAGER = 'unknown'

/** The manager of a client that names none: its user agent up to the first slash (apiserver `managerOrUserAgent`). */
export function managerOf(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager
  const name = userAgent.split('/')[0] ?? ''
  const printable = [...name].filter((c) => c >= ' ' && c <= '~').join('')
  return printable === '' ? DEFAULT_MANAGER : printable.slice(0, 128)
}

export interface WriteQuery {
  readonly fieldManager: string
  readonly dryRun: readonly string[]
  readonly fieldValidation: string
  readonly force: boolean | undefined
}

/** Checks of CreateOptions, UpdateOptions and PatchOptions (apimachinery pkg/apis/meta/v1/validation). */
export function checkWriteQuery(
  kind: string,
  q: WriteQuery,
  isApply: boolean,
): Result<undefined, ApiFailure> {
  const errors: FieldError[] = []
  if (isApply && q.fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'))
  if (kind === 'PatchOptions' && !isApply && q.force !== undefined)
    errors.push({
      field: 'force',
      type: 'Forbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
    })
  errors.push(...managerFindings(q.fieldManager), ...dryRunFindings(q.dryRun))
  if (!['', 'Strict', 'Warn', 'Ignore'].includes(q.fieldValidation))
    errors.push(notSupported('fieldValidation', q.fieldValidation, ['', 'Ignore', 'Strict', 'Warn']))
  return errors.length > 0 ? err(invalidOptions(kind, errors)) : ok(undefined)
}

export function dryRunFindings(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((d) => d === 'All')) return []
  return [notSupported('dryRun', [...dryRun], ['All'])]
}

function managerFindings(manager: string): FieldError[] {
  if (new TextEncoder().encode(manager).length > 128) return [tooLong('fieldManager', 128)]
  const at = [...manager].findIndex(
    (c) => c < ' ' || c === '\u007f' || (c > '~' && !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(c)),
  )
  if (at < 0) return []
  const bad = [...manager][at]!
  const code = bad.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return [
    invalidValue(
      'fieldManager',
      manager,
      `should only contain printable characters: invalid character U+${code} (at position ${at})`,
    ),
  ]
}
