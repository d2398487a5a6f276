/** What a Git host says in a refusal, as one line that may be shown. Pure. */
import { at, isArray, isObject, isString, type JsonValue, printable } from '@lockstep/kube/object'

const MOST = 160

/** Undefined: no JSON, or half of it. */
export function parseAnswer(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** `message` (GitLab: also a list, or a list by field) and the messages in `errors`. */
export function errorMessageOf(json: JsonValue | undefined, status: number): string {
  const errors = at(json, 'errors')
  const more = isArray(errors) ? errors.map(errorText) : []
  const parts = [textOf(at(json, 'message') ?? at(json, 'error')), ...more].filter((t) => t !== '')
  return parts.length === 0 ? `answers ${status}` : parts.join(': ')
}

function textOf(v: JsonValue | undefined): string {
  if (isString(v)) return v
  if (isArray(v)) return v.map(textOf).join(', ')
  if (isObject(v))
    return Object.entries(v)
      .map(([field, problem]) => `${field} ${textOf(problem)}`)
      .join(', ')
  return ''
}

/** An element of GitHub's `errors`: `{resource, field, code}`, or a message of its own; elsewhere a text. */
function errorText(e: JsonValue): string {
  if (isString(e)) return e
  const message = at(e, 'message')
  if (isString(message)) return message
  const [field, code] = [at(e, 'field'), at(e, 'code')]
  return isString(field) && isString(code) ? `${field} ${code}` : ''
}

/** One line, without secrets, and not long. */
export function shortMessage(text: string, secrets: readonly string[]): string {
  let out = text
  for (const secret of secrets) if (secret !== '') out = out.replaceAll(secret, '***')
  out = printable(out.replace(/\s+/g, ' ').trim())
  return out.length > MOST ? `${out.slice(0, MOST)}…` : out
}
