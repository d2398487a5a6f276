/** An instant query of Prometheus (prometheus.io "HTTP API", Instant queries). */

import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import { sampleOf } from '../../decisions/promotion/index.ts'
import { parseRemote } from '../api/address.ts'
import { parseAnswer, shortMessage } from '../api/errormessage.ts'

export interface PrometheusTarget {
  /** Namespace of the Promotion. */
  readonly namespace: string
  readonly url: string
  readonly authorization?: string | undefined
  readonly ca?: string | undefined
}

const TIMEOUT_MS = 10_000

/**
 * https, or http to this machine, or http where no credentials go along: within a cluster Prometheus seldom has a certificate.
 * The problem is for people.
 */
export function metricProblem(url: string, withSecret: boolean): string | undefined {
  const asked = withSecret ? url : url.replace(/^http:/, 'https:')
  const remote = parseRemote(`${asked.replace(/\/+$/, '')}/-`)
  return remote.ok ? undefined : remote.error
}

/** The value of its one sample; the problem is for people. */
export async function queryPrometheus(
  { net }: Pick<Env, 'net'>,
  { namespace, url, authorization, ca }: PrometheusTarget,
  query: string,
): Promise<Result<number, string>> {
  const secrets = authorization === undefined ? [] : [authorization]
  const { origin, pathname } = new URL(url)
  const path = `${pathname.replace(/\/+$/, '')}/api/v1/query`
  const connection = net.connect({ url: origin, ...(ca === undefined ? {} : { tls: { ca } }) }, { namespace })
  try {
    const sent = await connection.request({
      method: 'GET',
      path: `${path}?${new URLSearchParams({ query })}`,
      timeoutMs: TIMEOUT_MS,
      headers: {
        accept: 'application/json',
        'user-agent': 'lockstep',
        ...(authorization === undefined ? {} : { authorization }),
      },
    })
    const problem = (what: string) => err(shortMessage(`GET ${origin}${path}: ${what}`, secrets))
    if (!sent.ok) return problem(sent.error.detail)
    const text = await sent.value.text()
    if (!text.ok) return problem(text.error.detail)
    const value = sampleOf(parseAnswer(text.value))
    if (typeof value === 'number' && sent.value.status === 200) return ok(value)
    return problem(`${sent.value.status} ${typeof value === 'string' ? value : ''}`.trim())
  } finally {
    await connection.close()
  }
}
