import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type ServerResponse as NodeResponse,
  type Server,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Log } from '../env.ts'
import type {
  ClientCertificate,
  Handler,
  Listening,
  ListenOptions,
  NetFailure,
  ServerRequest,
  ServerResponse,
} from '../net.ts'
import { err, ok, type Result } from '../result.ts'

/** An exception of a handler is a bug, which `log` gets: it fails its own request alone. */
export async function nodeListener(
  log: Log,
  options: ListenOptions,
  handler: Handler,
): Promise<Result<Listening, NetFailure>> {
  const underWay = new Set<Promise<void>>()
  const listener = (request: IncomingMessage, response: NodeResponse): void => {
    const answered = answer(request, response, handler)
      .catch((e: unknown) => fail(log, response, e))
      .finally(() => underWay.delete(answered))
    underWay.add(answered)
  }
  const limits = limitsOf(options)
  const server: Server = options.tls
    ? createTlsServer(
        {
          ...limits,
          cert: options.tls.cert,
          key: options.tls.key,
          ...(options.tls.clientCa
            ? { ca: options.tls.clientCa, requestCert: true, rejectUnauthorized: false }
            : {}),
        },
        listener,
      )
    : createServer(limits, listener)
  server.keepAliveTimeout = 90_000
  try {
    server.listen(options.port, options.host)
    await once(server, 'listening')
  } catch (e) {
    return err({ phase: 'connect', detail: (e as Error).message })
  }
  const { port } = server.address() as AddressInfo
  return ok({
    url: `${options.tls ? 'https' : 'http'}://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      // Their clients are gone, but what they work on must not be taken away below them.
      await Promise.all(underWay)
    },
  })
}

/** Node looks at what is late in an interval of its own, which is longer than such limits. */
function limitsOf({ limits }: ListenOptions) {
  if (!limits) return { requestTimeout: 0 }
  const { headerBytes, requestMs } = limits
  return {
    maxHeaderSize: headerBytes,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1000, requestMs),
  }
}

async function answer(request: IncomingMessage, response: NodeResponse, handler: Handler): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  response.on('error', () => gone.abort())
  const result = await handler(serverRequest(request, gone.signal))
  if (gone.signal.aborted) return
  if (result.cut) return reset(response, result)
  response.writeHead(result.status, result.headers)
  const { body } = result
  if (typeof body === 'string' || body instanceof Uint8Array) {
    response.end(body)
    return
  }
  response.flushHeaders()
  await stream(body, response, gone.signal)
}

function fail(log: Log, response: NodeResponse, e: unknown): void {
  const { message, stack = '' } = e instanceof Error ? e : new Error(String(e))
  log.error('bug in the answer to a request', { reason: 'InternalError', err: message, stack })
  if (response.headersSent) return void response.socket?.destroy()
  response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('internal error\n')
}

/** The peer is promised the whole body, has half of it, and no more. */
function reset(response: NodeResponse, { status, headers, body, cut }: ServerResponse): void {
  const { socket } = response
  if (cut === 'unsent' || !(typeof body === 'string' || body instanceof Uint8Array))
    return void socket?.destroy()
  const bytes = Buffer.from(body as string)
  response.writeHead(status, { ...headers, 'content-length': bytes.length })
  response.write(bytes.subarray(0, bytes.length >> 1), () => socket?.destroy())
}

/** Writes piece by piece, waits while the peer is slow, and lets go of the source when the peer has gone. */
async function stream(body: AsyncIterable<string>, response: NodeResponse, gone: AbortSignal): Promise<void> {
  const iterator = body[Symbol.asyncIterator]()
  const left = new Promise<undefined>((resolve) =>
    gone.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), left])
      if (!step || step.done || gone.aborted) break
      if (!response.write(step.value))
        await Promise.race([once(response, 'drain').catch(() => undefined), left])
    }
  } finally {
    iterator.return?.()?.catch(() => {})
    response.end()
  }
}

/** What a certificate of another authority says does not count; its bearer is as anybody without one. */
function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { CN, O } = socket.getPeerCertificate().subject ?? {}
  const commonName = listed(CN)[0]
  return commonName === undefined ? undefined : { commonName, organizations: listed(O) }
}

/** A part of a name may occur once or several times. */
const listed = (part: string | string[] | undefined): string[] => (part === undefined ? [] : [part].flat())

function serverRequest(request: IncomingMessage, signal: AbortSignal): ServerRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const certificate = certificateOf(request.socket)
  const peer = request.socket.remoteAddress
  return {
    ...(certificate && { certificate }),
    ...(peer === undefined ? {} : { peer }),
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers,
    signal,
    async body(limit) {
      const pieces: Uint8Array[] = []
      let size = 0
      try {
        for await (const piece of request) {
          size += (piece as Uint8Array).length
          // What is too long is read to its end all the same, up to a bound, so that the peer sees the answer.
          if (size > limit * 4) return err('too-large')
          if (size <= limit) pieces.push(piece as Uint8Array)
        }
      } catch {
        return err('broken')
      }
      return size > limit ? err('too-large') : ok(Buffer.concat(pieces))
    },
  }
}
