/**
 * HTTP as both sides of Lockstep see it: our client on one side, the embedded API on the other.
 * One shape for sockets and for calls inside the process, so that neither side knows which it has.
 */
import type { HostRefusal, Provenance } from './provenance.ts'
import type { Result } from './result.ts'

export interface Net {
  /** A pool of connections to one server. Opens nothing until the first request. Each connection of a tenant is checked. */
  connect(target: Endpoint, by: Provenance): Connection
  /**
   * Addresses of a host, for programs that connect by themselves; a tenant's are checked. Empty: a host of `--allow-host` that has
   * none here, as one that only a proxy knows. `host`: without brackets.
   */
  resolve(host: string, port: number, by: Provenance): Promise<Result<readonly string[], NetFailure>>
  /** Serves on a free port when `port` is 0; resolves once it accepts connections. */
  listen(options: ListenOptions, handler: Handler): Promise<Result<Listening, NetFailure>>
  /** The way of `connect`, for programs that connect by themselves. */
  readonly egress: Egress
}

export interface Egress {
  /** URL of the proxy for a URL; undefined: direct. */
  proxyFor(url: string): string | undefined
  /** Authorities that are trusted beside those of Node, in PEM. Empty: none. */
  readonly authorities: string
  /** Those of Node, in PEM: a program that gets further ones knows no others. */
  readonly roots: string
}

export interface Endpoint {
  /** `https://host:port/prefix`; the prefix is put before every path. */
  readonly url: string
  readonly tls?: TlsOptions
  /** Sent with every request, e.g. `authorization`. Never logged. */
  readonly headers?: Readonly<Record<string, string>>
  /** User that requests act as, unless a request names another one. */
  readonly impersonate?: ImpersonatedUser
  /** URL of an HTTP proxy that an operator allows. A tenant's host is checked here; the proxy resolves it again. */
  readonly proxy?: string
}

/** A user as `Impersonate-*` headers name it. */
export interface ImpersonatedUser {
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Headers of a request. A list is sent as one header for each value. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>

/** PEM texts. */
export interface TlsOptions {
  /** Nothing else is trusted then. */
  readonly ca?: string
  /** Trusted beside what is trusted anyhow. */
  readonly extraCa?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly insecure?: boolean
}

export interface Connection {
  request(request: NetRequest): Promise<Result<NetResponse, NetFailure>>
  /**
   * Ends all that is in flight with a failure of phase `receive`. `idle`: takes no further request, and resolves when those in
   * flight have ended.
   */
  close(when?: 'idle'): Promise<void>
}

/** Of a request that says nothing else, in milliseconds. What has no answer by then was given up, and nothing more of it is sent. */
export const REQUEST_TIMEOUT_MS = 30_000

export interface NetRequest {
  readonly method: string
  /** Path and query, already escaped. */
  readonly path: string
  readonly headers: RequestHeaders
  readonly body?: string
  /** Aborting fails the request, or ends the body that is being read. */
  readonly signal?: AbortSignal
  /** Milliseconds until the head of the response must be there; default `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number
}

export interface NetResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The whole body, of at most `limit` bytes; default `MAX_BODY`. A longer or slower body is a failure of phase `limit`. Only one of
   * `text`, `boundedPieces`, `lines` and `pieces`, once.
   */
  text(limit?: number): Promise<Result<string, NetFailure>>
  /**
   * Bytes as they arrive, within the limits of `text`. `held`: bytes that the caller keeps. A body that breaks, or is longer or slower,
   * ends with a thrown `StreamBroken`.
   */
  boundedPieces(held: () => number): AsyncIterable<Uint8Array>
  /** Bytes as they arrive; who stops asking takes no more of them. A broken stream ends with a thrown `StreamBroken`. */
  pieces(): AsyncIterable<Uint8Array>
  /** Line by line as they arrive, without the line ends. A broken stream, or an endless line, ends with a thrown `StreamBroken`. */
  lines(): AsyncIterable<string>
}

export interface NetFailure {
  /**
   * How far it came: up to `connect`, `tls` nothing was sent; from `send` on the server may have acted. `limit`: it answers more,
   * or more slowly, than is read.
   */
  readonly phase: 'dns' | 'connect' | 'tls' | 'send' | 'receive' | 'deadline' | 'aborted' | 'limit'
  readonly detail: string
  /** The host is not for tenants: nothing was sent, not even to open a connection. */
  readonly refused?: HostRefusal
}

/** The one exception that a stream may throw: iteration has no other way to report its end. */
export class StreamBroken extends Error {
  readonly failure: NetFailure
  constructor(failure: NetFailure) {
    super(`stream broken: ${failure.phase}: ${failure.detail}`)
    this.failure = failure
  }
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Plain HTTP if absent. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string }
  /** Of one request: what has more is answered with 431 or 408. Absent: as long as it takes. */
  readonly limits?: { readonly headerBytes: number; readonly requestMs: number }
}

export interface Listening {
  /** `http(s)://host:port` with the port in use. */
  readonly url: string
  /** Cuts all connections, and ends once nothing that was asked before is worked on any more. */
  close(): Promise<void>
}

export type Handler = (request: ServerRequest) => Promise<ServerResponse>

export interface ServerRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  /** Names in lower case; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The whole body. Fails when it is longer than `limit` bytes. */
  body(limit: number): Promise<Result<Uint8Array, 'too-large' | 'broken'>>
  /** Aborted when the peer has gone. */
  readonly signal: AbortSignal
  /** Of a client that showed a certificate of the listener's `clientCa`. */
  readonly certificate?: ClientCertificate
  /** Address of its socket, where it has one. */
  readonly peer?: string
}

/** Who a client certificate says it is. */
export interface ClientCertificate {
  readonly commonName: string
  readonly organizations: readonly string[]
}

export interface ServerResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream is flushed piece by piece; its iterator is returned when the peer goes. */
  readonly body: string | Uint8Array | AsyncIterable<string>
  /** For servers that misbehave on purpose: nothing is sent, or half of the body, and then the connection is reset. */
  readonly cut?: 'unsent' | 'half'
}
