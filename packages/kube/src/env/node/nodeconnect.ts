import { createSecureContext, rootCertificates } from 'node:tls'
import type { Dispatcher, Pool } from 'undici'
import { withAbort } from '../abort.ts'
import { BodyBudget, linesOf, MAX_BODY, piecesOf, textOf } from '../bodybudget.ts'
import { hostOf, hostRefusal, refusedHost } from '../hostrefusal.ts'
import type { Connection, Endpoint, NetFailure, NetRequest, NetResponse } from '../net.ts'
import { REQUEST_TIMEOUT_MS, StreamBroken } from '../net.ts'
import type { Provenance } from '../provenance.ts'
import { err, ok, type Result } from '../result.ts'
import { nodeClock } from './nodeclock.ts'
import { checkedLookup, HostRefused } from './noderesolve.ts'

const CONNECT_MS = 10_000

/** Memory of all bodies of this process. */
const bodies = new BodyBudget()

/** A pool of HTTP/1.1 connections by undici. Requests and watches have pools of their own: watches never use up the places of writes. */
export function nodeConnect(target: Endpoint, by: Provenance): Connection {
  const url = new URL(target.url)
  const { host, port } = hostOf(target)
  const prefix = url.pathname.replace(/\/$/, '')
  const lookup = by === 'operator' ? {} : { lookup: checkedLookup(port, by) }
  const optionsOf = (): Pool.Options => ({
    connect: { ...(url.protocol === 'https:' ? tlsOptions(target) : { timeout: CONNECT_MS }), ...lookup },
    pipelining: 1,
    keepAliveTimeout: 60_000,
    bodyTimeout: 0,
    headersTimeout: 0,
  })
  let pools: Promise<Result<Pools, NetFailure>> | undefined
  return {
    async request(request) {
      // An address is not looked up.
      const refused = hostRefusal(by, host, port, [host])
      if (refused) return err(refusedHost(refused))
      pools ??= poolsOf(url.origin, optionsOf)
      const opened = await pools
      if (!opened.ok) return opened
      const isWatch = /[?&]watch=(true|1)(&|$)/.test(request.path)
      return send(isWatch ? opened.value.long : opened.value.short, request, prefix, target.headers ?? {})
    },
    async close() {
      const opened = await pools
      if (opened?.ok) await Promise.all([opened.value.short.destroy(), opened.value.long.destroy()])
    },
  }
}

interface Pools {
  readonly short: Pool
  readonly long: Pool
}

/** The package is loaded with the first request: who asks nobody starts without it. Fails if a certificate is none. */
async function poolsOf(origin: string, optionsOf: () => Pool.Options): Promise<Result<Pools, NetFailure>> {
  // As a bundle has it, where a CommonJS module has no names.
  const { Pool } = (await import('undici')).default
  try {
    const options = optionsOf()
    return ok({ short: new Pool(origin, { ...options, connections: 16 }), long: new Pool(origin, options) })
  } catch (e) {
    return err(failureOf(e))
  }
}

/** Certificates are parsed once for all connections of an endpoint: each parse costs milliseconds, and memory of its own. */
function tlsOptions({ tls }: Endpoint): Record<string, unknown> {
  const secureContext = createSecureContext({
    ...(tls?.ca ? { ca: tls.ca } : tls?.extraCa ? { ca: [...rootCertificates, tls.extraCa] } : {}),
    ...(tls?.cert ? { cert: tls.cert } : {}),
    ...(tls?.key ? { key: tls.key } : {}),
  })
  return {
    timeout: CONNECT_MS,
    secureContext,
    ...(tls?.serverName ? { servername: tls.serverName } : {}),
    ...(tls?.insecure ? { rejectUnauthorized: false } : {}),
  }
}

async function send(
  pool: Pool,
  request: NetRequest,
  prefix: string,
  headers: Readonly<Record<string, string>>,
) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), request.timeoutMs ?? REQUEST_TIMEOUT_MS)
  const aborted = withAbort([request.signal, late.signal])
  try {
    const response = await pool.request({
      method: request.method as Dispatcher.HttpMethod,
      path: prefix + request.path,
      headers: { ...headers, ...request.headers },
      body: request.body ?? null,
      signal: aborted.signal,
      // The options of a DELETE are in its body; undici would end the connection after it.
      reset: false,
    })
    return ok(over(response, request.signal, aborted.release))
  } catch (e) {
    aborted.release()
    if (late.signal.aborted)
      return err<NetFailure>({
        phase: 'deadline',
        detail: `no answer within ${(request.timeoutMs ?? REQUEST_TIMEOUT_MS) / 1000}s`,
      })
    if (request.signal?.aborted) return err<NetFailure>({ phase: 'aborted', detail: 'aborted' })
    return err(failureOf(e))
  } finally {
    clearTimeout(timer)
  }
}

function over(
  response: Dispatcher.ResponseData,
  signal: AbortSignal | undefined,
  release: () => void,
): NetResponse {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  async function* pieces(): AsyncIterable<Uint8Array> {
    try {
      for await (const piece of response.body) yield piece as Uint8Array
    } catch (e) {
      throw new StreamBroken(bodyFailure(e, signal))
    } finally {
      release()
    }
  }
  const source = () => ({
    pieces: pieces(),
    cancel: () => void response.body.destroy(),
    clock: nodeClock,
    budget: bodies,
  })
  return {
    status: response.statusCode,
    headers,
    text: (limit = MAX_BODY) => textOf(source(), limit),
    boundedPieces: (held) => piecesOf(source(), MAX_BODY, held),
    pieces,
    lines: () => linesOf(source()),
  }
}

function bodyFailure(e: unknown, signal: AbortSignal | undefined): NetFailure {
  return signal?.aborted ? { phase: 'aborted', detail: 'aborted' } : { phase: 'receive', detail: detailOf(e) }
}

const NEVER_SENT: Readonly<Record<string, NetFailure['phase']>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  ETIMEDOUT: 'connect',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
}

/** What was certainly not sent is told apart from what perhaps was. */
function failureOf(e: unknown): NetFailure {
  if (e instanceof HostRefused) return refusedHost(e.refusal)
  const code = (e as { code?: string }).code ?? ''
  const isTls =
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_OSSL') ||
    code.startsWith('ERR_SSL') ||
    /CERT|SELF_SIGNED|UNABLE_TO/.test(code)
  return { phase: NEVER_SENT[code] ?? (isTls ? 'tls' : 'receive'), detail: detailOf(e) }
}

function detailOf(e: unknown): string {
  const { message, code } = e as { message?: string; code?: string }
  // Node lists the names of the certificate, which the server has written.
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate is for another host'
  return message || code || String(e)
}
