import { createSecureContext, rootCertificates } from 'node:tls'
import type { Dispatcher, Pool, ProxyAgent } from 'undici'
import { withAbort } from '../abort.ts'
import { BodyBudget, linesOf, MAX_BODY, piecesOf, textOf } from '../bodybudget.ts'
import { hostOf, hostRefusal, refusedHost, unknownHere } from '../hostrefusal.ts'
import {
  type Connection,
  type Endpoint,
  type NetFailure,
  type NetRequest,
  type NetResponse,
  REQUEST_TIMEOUT_MS,
  StreamBroken,
} from '../net.ts'
import type { Provenance } from '../provenance.ts'
import { err, ok, type Result } from '../result.ts'
import { sentHeaders } from '../sentheaders.ts'
import { nodeClock } from './nodeclock.ts'
import { checkedLookup, HostRefused, nodeResolve } from './noderesolve.ts'

/** Memory of all bodies of this process. */
const bodies = new BodyBudget()

/** Milliseconds until a connection is open. */
const CONNECT_MS = 10_000

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
  let isClosed = false
  return {
    async request(request) {
      // An address is not looked up.
      const refused = hostRefusal(by, host, port, [host])
      if (refused) return err(refusedHost(refused))
      if (target.proxy !== undefined && by !== 'operator') {
        // The proxy gets a name, and resolves it again.
        const found = await nodeResolve(host, port, by)
        if (!found.ok) return err(unknownHere(found.error))
      }
      if (isClosed) return err({ phase: 'connect', detail: 'the connection is closed' })
      pools ??= poolsOf(url.origin, optionsOf, target.proxy)
      const opened = await pools
      if (!opened.ok) return opened
      const { short, long } = opened.value
      const isWatch = /[?&]watch=(true|1)(&|$)/.test(request.path)
      const path = prefix + request.path
      return send(isWatch ? long : short, { ...request, path, headers: sentHeaders(target, request.headers) })
    },
    async close(when) {
      isClosed = true
      const opened = await pools
      const both = opened?.ok ? [opened.value.short, opened.value.long] : []
      await Promise.all(both.map((pool) => (when === 'idle' ? pool.close() : pool.destroy())))
    },
  }
}

/** A dispatcher for one server. */
interface ServerPool {
  request(options: PoolRequest): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
  destroy(): Promise<void>
}

type PoolRequest = Omit<Dispatcher.RequestOptions, 'origin'>

interface Pools {
  readonly short: ServerPool
  readonly long: ServerPool
}

/** The package is loaded with the first request: who asks nobody starts without it. Fails if a certificate is none. */
async function poolsOf(
  origin: string,
  optionsOf: () => Pool.Options,
  proxy: string | undefined,
): Promise<Result<Pools, NetFailure>> {
  // As a bundle has it, where a CommonJS module has no names.
  const { Pool, ProxyAgent } = (await import('undici')).default
  const open = (o: Pool.Options): ServerPool =>
    proxy === undefined
      ? new Pool(origin, o)
      : through(new ProxyAgent(proxyOptions(proxy, origin.startsWith('https:'), o)), origin)
  try {
    const options = optionsOf()
    return ok({ short: open({ ...options, connections: 16 }), long: open(options) })
  } catch (e) {
    return err(failureOf(e))
  }
}

/** `isTls`: through a tunnel. Without TLS the proxy makes the request itself: many allow tunnels to port 443 alone. */
const proxyOptions = (
  uri: string,
  isTls: boolean,
  { connect, ...options }: Pool.Options,
): ProxyAgent.Options => ({
  ...options,
  uri,
  proxyTunnel: isTls,
  requestTls: connect as NonNullable<ProxyAgent.Options['requestTls']>,
  proxyTls: { timeout: CONNECT_MS },
})

const through = (agent: ProxyAgent, origin: string): ServerPool => ({
  request: (options) => agent.request({ ...options, origin }),
  close: () => agent.close(),
  destroy: () => agent.destroy(),
})

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

async function send(pool: ServerPool, request: NetRequest) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), request.timeoutMs ?? REQUEST_TIMEOUT_MS)
  const aborted = withAbort([request.signal, late.signal])
  try {
    const response = await pool.request({
      method: request.method as Dispatcher.HttpMethod,
      path: request.path,
      headers: request.headers as Record<string, string | string[]>,
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
  UND_ERR_CLOSED: 'connect',
}

/** What was certainly not sent is told apart from what perhaps was. */
function failureOf(e: unknown): NetFailure {
  if (e instanceof HostRefused) return refusedHost(e.refusal)
  const code = (e as { code?: string }).code ?? ''
  const isTls = /^ERR_(TLS|SSL|OSSL)/.test(code) || /CERT|SELF_SIGNED|UNABLE_TO/.test(code)
  // A record of an open connection is damaged: the request may have arrived. An alert is of the handshake.
  const isDamaged = /BAD_RECORD_MAC|DECRYPTION_FAILED|BAD_DECRYPT/.test(code) && !code.includes('ALERT')
  const phase = NEVER_SENT[code] ?? (isTls && !isDamaged ? 'tls' : isProxyRefusal(e) ? 'connect' : 'receive')
  return { phase, detail: detailOf(e) }
}

/** The proxy opened no tunnel: undici has no code for that. */
const isProxyRefusal = (e: unknown): boolean => /^Proxy response \(/.test((e as Error).message ?? '')

function detailOf(e: unknown): string {
  const { message, code } = e as { message?: string; code?: string }
  // Node lists the names of the certificate, which the server has written.
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate is for another host'
  return message || code || String(e)
}
