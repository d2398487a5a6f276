/**
 * Requests to chart repositories. Credentials go to the repository's own host alone, wherever a redirect leads; a host that
 * asks to wait is left alone; an answer is whole within its deadline and its size, or it is none.
 */
import {
  type Cancel,
  type Connection,
  type Env,
  err,
  type NetFailure,
  type NetResponse,
  ok,
  type Provenance,
  type Result,
  StreamBroken,
  withAbort,
} from '@lockstep/kube/env'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { ChartAccess } from './chartcredentials.ts'
import { addressProblem, shownUrl } from './chartrepository.ts'
import type { HostBackoff, HostThrottle } from './hostthrottle.ts'

export interface ChartHttpRequest {
  readonly url: URL
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  readonly authorization?: string | undefined
  /** Which origins may see `authorization`. */
  readonly trusted: readonly string[]
}

export interface ChartHttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The whole body. More bytes than the limit: `SourceTooLarge`. */
  bytes(limit: number): Promise<Result<Uint8Array, SourceFailure>>
  pieces(): AsyncIterable<Uint8Array>
  /** 401, 403, 5xx and whatever else was not asked for. */
  refusal(): SourceFailure
}

export interface ChartHttpOptions {
  readonly env: Env
  /** The namespace of the Module. */
  readonly by: Provenance
  readonly hosts: HostThrottle
  readonly access: ChartAccess
  /** Where client certificates are shown. */
  readonly origin: string
  /** What messages begin with: `helm https://charts.example.com`. */
  readonly what: string
  /** Of one request, with its body. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly intervalMs: number
  /** `http://` to this machine is taken. */
  readonly local: boolean
}

/** What came, or where it is. */
type HttpStep<T> = { readonly value: T } | { readonly to: URL }

type ReadResponse<T> = (answer: ChartHttpResponse) => Promise<Result<T, SourceFailure>>

const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Those of one job. */
export class ChartHttp {
  readonly access: ChartAccess
  private readonly o: ChartHttpOptions
  private readonly connections = new Map<string, Connection>()

  constructor(o: ChartHttpOptions) {
    this.o = o
    this.access = o.access
  }

  /** `read` sees every answer but redirects, 429 and 503. */
  async ask<T>(asked: ChartHttpRequest, read: ReadResponse<T>): Promise<Result<T, SourceFailure>> {
    let { url } = asked
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const problem = addressProblem(url, this.o.local)
      if (problem !== undefined)
        return err(
          redirects === 0
            ? fault('SourceUnreachable', { place: this.place(url), because: 'Error', error: problem })
            : fault('RedirectRefused', {
                place: this.place(asked.url),
                because: 'Target',
                to: shownUrl(url),
                error: problem,
              }),
        )
      const done = await this.o.hosts.turn(url.host, () => this.once(url, asked, read))
      if (!done.ok) return done
      if ('value' in done.value) return ok(done.value.value)
      url = done.value.to
    }
    const place = this.place(asked.url)
    return err(fault('RedirectRefused', { place, because: 'TooMany', limit: MAX_REDIRECTS }))
  }

  async close(): Promise<void> {
    await Promise.all([...this.connections.values()].map((c) => c.close()))
  }

  /** The place of a request in messages. */
  place(url: URL): string {
    return `${this.o.what}: ${shownUrl(url)}`
  }

  private async once<T>(
    url: URL,
    asked: ChartHttpRequest,
    read: ReadResponse<T>,
  ): Promise<Result<HttpStep<T>, SourceFailure>> {
    const pause = this.o.hosts.pauseOf(url.host)
    if (pause) return err(this.limited(url, pause))
    return this.inTime<HttpStep<T>>(url, async (signal) => {
      const isTrusted = asked.trusted.includes(url.origin)
      const sent = await this.connection(url).request({
        method: asked.method ?? 'GET',
        path: url.pathname + url.search,
        headers: {
          'user-agent': 'lockstep',
          ...asked.headers,
          ...(isTrusted && asked.authorization !== undefined ? { authorization: asked.authorization } : {}),
        },
        signal,
        // Our own clock ends it, in our own words.
        timeoutMs: this.o.timeoutMs + 1000,
      })
      if (!sent.ok) return err(this.unreachable(url, sent.error))
      const { status, headers } = sent.value
      if (status === 429 || status === 503) {
        await discard(sent.value)
        return err(this.limited(url, this.o.hosts.refused(url.host, headers, this.o.intervalMs)))
      }
      this.o.hosts.answered(url.host)
      const { location = '' } = headers
      if (REDIRECTS.has(status) && URL.canParse(location, url.href)) {
        await discard(sent.value)
        return ok({ to: new URL(location, url.href) })
      }
      const found = await read(this.answer(url, sent.value, isTrusted))
      await discard(sent.value)
      return found.ok ? ok({ value: found.value }) : found
    })
  }

  private async inTime<T>(
    url: URL,
    work: (signal: AbortSignal) => Promise<Result<T, SourceFailure>>,
  ): Promise<Result<T, SourceFailure>> {
    const { env, timeoutMs, signal: stopping } = this.o
    const late = new AbortController()
    const aborted = withAbort([stopping, late.signal])
    let cancel: Cancel = () => {}
    const over = new Promise<Result<T, SourceFailure>>((resolve) => {
      cancel = env.clock.at(env.clock.steady() + timeoutMs, () => {
        late.abort()
        const facts = { because: 'Timeout', seconds: timeoutMs / 1000 } as const
        resolve(err(fault('SourceUnreachable', { place: this.place(url), ...facts }, true)))
      })
    })
    try {
      return await Promise.race([this.unbroken(url, () => work(aborted.signal)), over])
    } finally {
      cancel()
      aborted.release()
    }
  }

  private async unbroken<T>(
    url: URL,
    work: () => Promise<Result<T, SourceFailure>>,
  ): Promise<Result<T, SourceFailure>> {
    try {
      return await work()
    } catch (e) {
      if (!(e instanceof StreamBroken)) throw e
      return err(this.unreachable(url, e.failure))
    }
  }

  private answer(url: URL, response: NetResponse, isTrusted: boolean): ChartHttpResponse {
    const { status, headers } = response
    return {
      status,
      headers,
      pieces: () => response.pieces(),
      bytes: async (limit) => {
        const all = await bytesOf(response, limit)
        return all
          ? ok(all)
          : err(fault('SourceTooLarge', { place: this.place(url), limit: sizeText(limit) }))
      },
      refusal: () => this.refusal(url, status, isTrusted),
    }
  }

  private refusal(url: URL, status: number, isTrusted: boolean): SourceFailure {
    const { name: credential } = this.o.access
    const place = this.place(url)
    if (status !== 401 && status !== 403)
      return fault('SourceUnreachable', { place, because: 'Status', status }, status >= 500 || status === 408)
    if (credential === undefined)
      return fault('SourceAuthFailed', { place, because: 'NoCredentials', status })
    return fault('SourceAuthFailed', {
      place,
      because: isTrusted ? 'Rejected' : 'NotSent',
      status,
      credential,
    })
  }

  private limited({ host }: URL, { ms, wait, until }: HostBackoff): SourceFailure {
    return { ...fault('SourceRateLimited', { host, wait, until }, true), retryAfterMs: ms }
  }

  private unreachable(url: URL, { phase, detail: error, refused }: NetFailure): SourceFailure {
    if (refused) return fault('HostRefused', refused, true)
    const place = this.place(url)
    return phase === 'tls'
      ? fault('SourceUnreachable', { place, because: 'Certificate', name: 'certSecretRef', error })
      : fault('SourceUnreachable', { place, because: 'Error', error }, true)
  }

  private connection(url: URL): Connection {
    const known = this.connections.get(url.origin)
    if (known) return known
    const { ca, cert, key } = this.o.access.tls ?? {}
    const isOwn = url.origin === this.o.origin
    const tls = {
      ...(ca === undefined ? {} : { extraCa: ca }),
      ...(isOwn && cert !== undefined && key !== undefined ? { cert, key } : {}),
    }
    const made = this.o.env.net.connect({ url: url.origin, tls }, this.o.by)
    this.connections.set(url.origin, made)
    return made
  }
}

const sizeText = (bytes: number): string => `${bytes / 1_048_576} MiB`

/** Undefined: it has more. */
async function bytesOf(response: NetResponse, limit: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.pieces()) {
    size += piece.length
    if (size > limit) return undefined
    pieces.push(piece)
  }
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** What nobody reads would keep its connection; of what was read, nothing is left. */
async function discard(response: NetResponse): Promise<void> {
  try {
    for await (const _ of response.pieces()) break
  } catch (e) {
    if (!(e instanceof StreamBroken)) throw e
  }
}
