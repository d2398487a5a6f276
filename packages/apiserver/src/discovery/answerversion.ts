import type { ServerResponse } from '@lockstep/kube/env'
import { encodeJson } from '@lockstep/kube/object'
import { headersFor, textAnswer } from '../render/jsonanswer.ts'

export const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.4+lockstep',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'any',
} as const

export const answerVersion = (): ServerResponse => ({
  status: 200,
  headers: headersFor('application/json'),
  body: encodeJson(VERSION),
})

const CHECKS = ['ping', 'log', 'store'] as const

/** `ok`, or with `?verbose` a line for each check (apiserver pkg/server/healthz). */
export function answerHealth(path: string, query: URLSearchParams): ServerResponse {
  const excluded = new Set(query.getAll('exclude'))
  if (!query.has('verbose')) return textAnswer(200, 'ok')
  const lines = CHECKS.map((c) => (excluded.has(c) ? `[+]${c} excluded: ok` : `[+]${c} ok`))
  return textAnswer(200, `${lines.join('\n')}\n${path.slice(1)} check passed\n`)
}
