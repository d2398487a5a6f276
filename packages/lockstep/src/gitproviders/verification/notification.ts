/**
 * One notification of a promotion: a CloudEvent in binary mode (CloudEvents 1.0, HTTP binding 3.1). Whoever takes it may get it
 * twice, always with the same id and the same body.
 */
import { createHmac } from 'node:crypto'
import { type Env, err, type NetFailure, type NetResponse, ok, type Result } from '@lockstep/kube/env'
import { parseRemote } from '../api/address.ts'
import { errorMessageOf, parseAnswer, shortMessage } from '../api/errormessage.ts'
import { isLimited, waitOf } from '../api/ratelimitheaders.ts'
import type { GitProviderFailure, GitProviderResult } from '../gitprovider.ts'

export interface PromotionNotification {
  readonly id: string
  readonly source: string
  readonly type: string
  /** RFC 3339; of the promotion, so that it is the same in all deliveries. */
  readonly time: string
  /** JSON. */
  readonly body: string
}

export interface NotificationReceiver {
  /** Namespace of the Promotion. */
  readonly namespace: string
  readonly url: string
  /** The body is signed with it. */
  readonly key?: Uint8Array | undefined
  readonly ca?: string | undefined
  /** Milliseconds. */
  readonly timeoutMs: number
}

/** https, or http to this machine; without credentials. The problem is for people. */
export function receiverProblem(url: string): string | undefined {
  // A receiver may have a query, other than a repository.
  const parsedUrl = parseRemote(url.replace(/\?.*$/, ''))
  return parsedUrl.ok ? undefined : parsedUrl.error
}

export async function sendNotification(
  { net, clock }: Pick<Env, 'net' | 'clock'>,
  { namespace, url, key, ca, timeoutMs }: NotificationReceiver,
  notice: PromotionNotification,
): Promise<GitProviderResult<void>> {
  const { origin, pathname, search } = new URL(url)
  const request = `POST ${pathname}`
  const connection = net.connect({ url: origin, ...(ca === undefined ? {} : { tls: { ca } }) }, { namespace })
  try {
    const sent = await connection.request({
      method: 'POST',
      path: pathname + search,
      headers: headersOf(notice, key),
      body: notice.body,
      timeoutMs,
    })
    const answer = sent.ok ? await answerOf(sent.value) : sent
    if (!answer.ok) return err(unanswered(request, answer.error))
    return classified(request, answer.value, clock.now())
  } finally {
    await connection.close()
  }
}

const headersOf = ({ id, source, type, time, body }: PromotionNotification, key: Uint8Array | undefined) => ({
  'content-type': 'application/json',
  'user-agent': 'lockstep',
  'ce-specversion': '1.0',
  'ce-id': id,
  'ce-source': source,
  'ce-type': type,
  'ce-time': time,
  'idempotency-key': id,
  ...(key ? { 'x-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` } : {}),
})

interface ReceiverAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly message: string
}

/** Its status counts, also where the rest of the answer is lost. */
async function answerOf(response: NetResponse): Promise<Result<ReceiverAnswer, NetFailure>> {
  const { status, headers } = response
  const text = await response.text()
  const message = text.ok
    ? shortMessage(errorMessageOf(parseAnswer(text.value), status), [])
    : `answers ${status}`
  return ok({ status, headers, message })
}

function unanswered(request: string, { phase, detail, refused }: NetFailure): GitProviderFailure {
  if (refused) return { kind: 'HostRefused', wrote: 'no', request, message: detail, refused }
  const isUnsent = phase === 'dns' || phase === 'connect' || phase === 'tls'
  return { kind: 'Unreachable', wrote: isUnsent ? 'no' : 'maybe', request, message: shortMessage(detail, []) }
}

/** Who does not say for how long. */
const LEAST_WAIT_MS = 60_000

/** 2xx: taken. 429, 408, 425, 5xx: later. All else is no for ever, but for credentials, which somebody may put right. */
function classified(request: string, a: ReceiverAnswer, now: number): GitProviderResult<void> {
  const { status, headers, message } = a
  if (status >= 200 && status < 300) return ok(undefined)
  const failure = (kind: GitProviderFailure['kind'], more: Partial<GitProviderFailure> = {}) =>
    err({ kind, wrote: 'no' as const, request, status, message, ...more })
  if (isLimited(a)) return failure('RateLimited', { retryAfterMs: waitOf(headers, now) ?? LEAST_WAIT_MS })
  if (status === 401 || status === 403) return failure('CredentialsRejected')
  if (status >= 500 || status === 408 || status === 425) {
    const said = headers['retry-after'] === undefined ? undefined : waitOf(headers, now)
    return failure('Server', { wrote: 'maybe', ...(said === undefined ? {} : { retryAfterMs: said }) })
  }
  return failure('Refused')
}
