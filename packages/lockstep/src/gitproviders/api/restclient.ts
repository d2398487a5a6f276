/**
 * JSON over HTTP to a Git host: what all of them have in common. A request is sent within the deadline of its call, or not at
 * all; what has no whole answer may have been done.
 */
import {
  type Cancel,
  type Clock,
  type Connection,
  type Env,
  err,
  type NetFailure,
  type NetResponse,
  ok,
  type Provenance,
  type Result,
  withAbort,
} from '@lockstep/kube/env'
import { isArray, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { CallOptions, GitProviderFailure, GitProviderResult, RequestBudget } from '../gitprovider.ts'
import type { ProviderCredentials } from './credentials.ts'
import { errorMessageOf, parseAnswer, shortMessage } from './errormessage.ts'
import { budgetOfRateLimitHeaders, hasNextPage, isLimited, waitOf } from './ratelimitheaders.ts'

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Without a query, escaped. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export interface RestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: no body. */
  readonly json: JsonValue | undefined
  /** Of a refusal: what the host says. */
  readonly message: string
}

/** More than anybody has: a host that always has another page ends here. */
const MAX_PAGES = 1000

export class RestClient {
  readonly clock: Clock
  readonly headers: Readonly<Record<string, string>>
  readonly connection: Connection
  private readonly secrets: readonly string[]
  private last: RequestBudget | undefined

  constructor(
    env: Env,
    url: string,
    credentials: ProviderCredentials,
    by: Provenance,
    headers: Readonly<Record<string, string>> = { accept: 'application/json' },
  ) {
    this.clock = env.clock
    this.secrets = credentials.secrets
    this.headers = {
      authorization: credentials.authorization,
      ...headers,
      // GitHub refuses requests that do not say who asks (docs.github.com "User agent required").
      'user-agent': 'lockstep',
    }
    const { ca } = credentials
    this.connection = env.net.connect({ url, ...(ca === undefined ? {} : { tls: { ca } }) }, by)
  }

  /** One call of `GitProvider`: all its requests have one deadline. */
  during(o: CallOptions): RestCall {
    return new RestCall(this, o)
  }

  get budget(): RequestBudget | undefined {
    return this.last
  }

  saw(headers: Readonly<Record<string, string>>): void {
    this.last = budgetOfRateLimitHeaders(headers, this.clock.now()) ?? this.last
  }

  /** For messages: nothing of a credential, and short. */
  said(text: string): string {
    return shortMessage(text, this.secrets)
  }

  close(): Promise<void> {
    return this.connection.close()
  }
}

export class RestCall {
  private readonly api: RestClient
  private readonly o: CallOptions
  private readonly until: number

  constructor(api: RestClient, o: CallOptions) {
    this.api = api
    this.o = o
    this.until = api.clock.steady() + o.timeoutMs
  }

  /** Answers that mean the same everywhere are failures already: 401, limits, 5xx, redirects. Others are the caller's. */
  async send(r: RestRequest): Promise<GitProviderResult<RestResponse>> {
    const left = this.until - this.api.clock.steady()
    if (left <= 0 || this.o.signal?.aborted)
      return err(this.failure(r, 'Unreachable', 'no', { message: 'not sent: its time was over' }))
    const sent = await this.exchange(r, left)
    if (!sent.ok) return err(this.unreachable(r, sent.error))
    const { status, headers, text } = sent.value
    this.api.saw(headers)
    const json = text === '' ? undefined : parseAnswer(text)
    const isGood = status >= 200 && status < 300
    if (isGood && text !== '' && json === undefined)
      return err(
        this.failure(r, 'Unreachable', maybe(r), { status, message: 'the answer is incomplete JSON' }),
      )
    const answer = {
      status,
      headers,
      json,
      message: isGood ? '' : this.api.said(errorMessageOf(json, status)),
    }
    const failed = isGood ? undefined : this.common(r, answer)
    return failed ? err(failed) : ok(answer)
  }

  /** Elements of all pages; `most`: of so many that there are at least as many, if there are. */
  async pages(
    path: string,
    query: Readonly<Record<string, string>>,
    size: readonly [name: string, most: number],
    most = Number.POSITIVE_INFINITY,
  ): Promise<
    GitProviderResult<{ readonly items: readonly JsonValue[] } | { readonly refused: RestResponse }>
  > {
    const items: JsonValue[] = []
    for (let page = 1; page <= MAX_PAGES; page++) {
      const asked = { ...query, [size[0]]: String(size[1]), page: String(page) }
      const answer = await this.send({ method: 'GET', path, query: asked })
      if (!answer.ok) return answer
      if (answer.value.status !== 200) return ok({ refused: answer.value })
      const found = answer.value.json
      if (!isArray(found))
        return err(
          this.failure({ method: 'GET', path }, 'Unexpected', 'no', { message: 'the answer is not a list' }),
        )
      items.push(...found)
      const isLast = items.length >= most || !hasNextPage(answer.value.headers, found.length, size[1])
      if (isLast) return ok({ items })
    }
    const message = `more than ${MAX_PAGES} pages`
    return err(this.failure({ method: 'GET', path }, 'Unexpected', 'no', { message }))
  }

  failure(
    r: Pick<RestRequest, 'method' | 'path'>,
    kind: GitProviderFailure['kind'],
    wrote: GitProviderFailure['wrote'],
    o: { readonly status?: number; readonly message: string; readonly retryAfterMs?: number },
  ): GitProviderFailure {
    return { kind, wrote, request: `${r.method} ${decodeURIComponent(r.path)}`, ...o }
  }

  /** A refusal: nothing was done. */
  refused(
    r: Pick<RestRequest, 'method' | 'path'>,
    kind: GitProviderFailure['kind'],
    a: RestResponse,
  ): GitProviderFailure {
    return this.failure(r, kind, 'no', { status: a.status, message: a.message })
  }

  private async exchange(r: RestRequest, left: number): Promise<Result<WholeResponse, NetFailure>> {
    const late = new AbortController()
    const cancel: Cancel = this.api.clock.at(this.until, () => late.abort())
    const aborted = withAbort([this.o.signal, late.signal])
    const gaveUp = (): NetFailure =>
      late.signal.aborted
        ? { phase: 'deadline', detail: `no answer within ${this.o.timeoutMs / 1000} s` }
        : { phase: 'aborted', detail: 'canceled before an answer' }
    const over = new Promise<Result<WholeResponse, NetFailure>>((resolve) =>
      aborted.signal.addEventListener('abort', () => resolve(err(gaveUp())), { once: true }),
    )
    try {
      return await Promise.race([this.whole(r, left, aborted.signal), over])
    } finally {
      cancel()
      aborted.release()
    }
  }

  private async whole(
    r: RestRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Result<WholeResponse, NetFailure>> {
    const query = r.query ? `?${new URLSearchParams(r.query)}` : ''
    const sent = await this.api.connection.request({
      method: r.method,
      path: r.path + query,
      headers: { ...this.api.headers, ...(r.body ? { 'content-type': 'application/json' } : {}) },
      ...(r.body ? { body: JSON.stringify(r.body) } : {}),
      signal,
      // Our own clock ends it, in our own words.
      timeoutMs: timeoutMs + 1000,
    })
    return sent.ok ? wholeOf(sent.value) : sent
  }

  private unreachable(r: RestRequest, f: NetFailure): GitProviderFailure {
    if (f.refused)
      return { ...this.failure(r, 'HostRefused', 'no', { message: f.detail }), refused: f.refused }
    const wasSent = f.phase !== 'dns' && f.phase !== 'connect' && f.phase !== 'tls'
    const message = this.api.said(
      f.phase === 'tls' ? `${f.detail}; put the CA into the Secret as ca.crt` : f.detail,
    )
    return this.failure(r, 'Unreachable', wasSent ? maybe(r) : 'no', { message })
  }

  private common(r: RestRequest, a: RestResponse): GitProviderFailure | undefined {
    const { status, message } = a
    if (isLimited(a)) {
      const retryAfterMs = waitOf(a.headers, this.api.clock.now())
      return this.failure(r, 'RateLimited', 'no', { status, message, ...waits(retryAfterMs) })
    }
    if (status === 401) return this.refused(r, 'CredentialsRejected', a)
    if (status >= 500 || status === 408 || status === 425) {
      const said =
        a.headers['retry-after'] === undefined ? undefined : waitOf(a.headers, this.api.clock.now())
      return this.failure(r, 'Server', maybe(r), { status, message, ...waits(said) })
    }
    if (status >= 300 && status < 400) {
      const text = 'answers with a redirect, which is not followed; write the URL that the repository has now'
      return this.failure(r, 'Unexpected', 'no', { status, message: text })
    }
    return undefined
  }
}

interface WholeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

async function wholeOf(response: NetResponse): Promise<Result<WholeResponse, NetFailure>> {
  const text = await response.text()
  return text.ok ? ok({ status: response.status, headers: response.headers, text: text.value }) : text
}

/** Where it is said. */
const waits = (retryAfterMs: number | undefined) => (retryAfterMs === undefined ? {} : { retryAfterMs })

const maybe = (r: RestRequest): GitProviderFailure['wrote'] => (r.method === 'GET' ? 'no' : 'maybe')
