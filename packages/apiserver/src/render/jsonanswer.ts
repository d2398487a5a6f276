import type { ServerResponse } from '@lockstep/kube/env'
import { encodeJson } from '@lockstep/kube/object'
import yaml from 'js-yaml'
import type { ApiFailure } from '../status/apifailure.ts'
import { statusOf } from '../status/apifailure.ts'

const NO_CACHE = 'no-cache, private'

/** Headers of every answer; warnings as RFC 7234 writes them (apiserver pkg/warning). */
export function headersFor(contentType: string, warnings: readonly string[] = []): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': contentType, 'cache-control': NO_CACHE }
  if (warnings.length > 0) headers.warning = warnings.map(warningText).join(', ')
  return headers
}

const warningText = (text: string): string =>
  `299 - "${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n]+/g, ' ')}"`

export function jsonAnswer(
  status: number,
  text: string,
  format: 'json' | 'yaml' = 'json',
  warnings: readonly string[] = [],
): ServerResponse {
  if (format === 'json') return { status, headers: headersFor('application/json', warnings), body: text }
  const body = yaml.dump(JSON.parse(text), { noRefs: true, lineWidth: -1 })
  return { status, headers: headersFor('application/yaml', warnings), body }
}

export function failureAnswer(f: ApiFailure, warnings: readonly string[] = []): ServerResponse {
  if (f.plain)
    return {
      status: f.code,
      headers: { ...headersFor('text/plain; charset=utf-8'), 'x-content-type-options': 'nosniff' },
      body: f.message,
    }
  const retry = f.details?.retryAfterSeconds
  const answer = jsonAnswer(f.code, encodeJson(statusOf(f)), 'json', warnings)
  return retry === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': String(retry) } }
}

export const textAnswer = (status: number, text: string): ServerResponse => ({
  status,
  headers: headersFor('text/plain; charset=utf-8'),
  body: text,
})
