/** Errors as people and programs get them: one shape for all commands. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { err, type Result, unreachable } from '@lockstep/kube/env'
import { encodeJson, refText } from '@lockstep/kube/object'
import { type ErrorCode, type ErrorLocation, type PublicError, publicError } from '../../api/errors.ts'
import { cut, fit, type Terminal } from './terminal/index.ts'

export interface CliFailure extends PublicError {
  /** What happened to everything else. */
  readonly aftermath?: string
  /** Further errors, printed first. */
  readonly before?: readonly CliFailure[]
}

/** How a command ends: an exit code, or a failure that has one. */
export type CommandResult = Result<number, CliFailure>

export const INTERRUPTED = 130

export function failed(
  code: ErrorCode,
  values: Readonly<Record<string, string>>,
  place: ErrorLocation = {},
  aftermath?: string,
): { readonly ok: false; readonly error: CliFailure } {
  const base = publicError(code, values, place)
  return err(aftermath === undefined ? base : { ...base, aftermath })
}

/** What a request ended with, for people. */
export function requestFailure(
  e: RequestError,
  server: string,
): { readonly ok: false; readonly error: CliFailure } {
  const ref = refText(e.ref)
  const problem = requestErrorText(e)
  switch (e.kind) {
    case 'NotFound':
      return failed('E_NOT_FOUND', { kind: e.ref.kind, name: e.ref.name, namespace: e.ref.namespace ?? '' })
    case 'KindUnknown':
      return e.ref.group === 'lockstep.dev'
        ? failed('E_NOT_INSTALLED', { server })
        : failed('E_SERVER', { server, problem: `does not serve ${e.ref.kind}` })
    case 'AlreadyExists':
      return failed('E_ALREADY_EXISTS', { ref })
    case 'Unauthorized':
      return failed('E_UNAUTHORIZED', { server })
    case 'Forbidden':
      return failed('E_FORBIDDEN', { problem: e.message })
    case 'Conflict':
      return failed('E_CONFLICT', {
        ref,
        problem: e.managers.map((m) => `${m.field} belongs to "${m.manager}"`).join(', '),
      })
    case 'Invalid':
    case 'FenceLost':
    case 'TooLarge':
      return failed('E_REFUSED', { ref, problem, suggestion: 'correct the object as the server requires' })
    case 'Unreachable':
      return failed('E_UNREACHABLE', {
        server,
        problem: e.detail,
        suggestion:
          'check whether it runs; lockstep up serves a fleet on this machine; --context chooses another hub',
      })
    case 'Deadline':
      return failed('E_TIMEOUT', {
        problem: `${server} did not answer in time`,
        suggestion: 'set a longer --request-timeout',
      })
    case 'Malformed':
    case 'Expired':
    case 'Throttled':
    case 'Aborted':
    case 'Server':
      return failed('E_SERVER', { server, problem })
    default:
      return unreachable(e)
  }
}

/** The error on standard error: in words, or the same facts as JSON. */
export function printFailure(t: Terminal, e: CliFailure, asJson: boolean): void {
  for (const other of e.before ?? []) {
    if (asJson) printFailure(t, other, true)
    else printFacts(t, other)
  }
  if (asJson) {
    const { exit: _exit, excerpt: _excerpt, before: _before, aftermath, ...facts } = e
    t.talk(encodeJson({ ...facts, ...(aftermath ? { aftermath } : {}) }))
    return
  }
  printFacts(t, e)
  sentence(t, `${e.aftermath ? `${e.aftermath} ` : ''}${t.paint('dim', `[${e.code}] exit ${e.exit}`)}`)
}

function printFacts(t: Terminal, e: CliFailure): void {
  sentence(t, `${t.paint('red', 'error:')} ${e.message}`)
  if (e.excerpt)
    for (const line of e.excerpt.split('\n')) t.talk(t.look.wraps ? cut(line, t.look.width) : line)
  if (e.hint) sentence(t, `${t.paint('cyan', 'hint:')} ${e.hint}`)
}

const sentence = (t: Terminal, text: string): void => t.talk(fit(t.look, text))
