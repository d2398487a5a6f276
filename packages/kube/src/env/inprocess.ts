/**
 * Our client talking to a handler in the same process: no socket, same meaning. Used in simulation and for the
 * embedded API of `lockstep demo`.
 */
import { linesOf, MAX_BODY, piecesOf, textOf } from './bodybudget.ts'
import type { Clock } from './env.ts'
import type {
  Connection,
  Handler,
  NetFailure,
  NetRequest,
  NetResponse,
  ServerRequest,
  ServerResponse,
} from './net.ts'
import { StreamBroken } from './net.ts'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import { joinedHeaders } from './sentheaders.ts'

const encoder = new TextEncoder()

/** What may happen to a request on its way; the simulator's faults. Absent = nothing. */
export interface InProcessWire {
  /** Clock for the time limits of bodies; absent: no time limit. */
  readonly clock?: Clock
  /** Before the server sees it. A failure here means that nothing happened. */
  before?(request: NetRequest): Promise<NetFailure | undefined>
  /** After the server acted. A failure here means that the answer is lost. */
  after?(request: NetRequest, response: ServerResponse): Promise<NetFailure | undefined>
}

export function connectInProcess(handler: Handler, wire: InProcessWire = {}): Connection {
  /** What is in flight; a set, since one signal with a listener for each of thousands would warn and leak. */
  const open = new Set<Aborted>()
  let closed = false
  return {
    async request(request) {
      if (closed) return err({ phase: 'connect', detail: 'the connection is closed' })
      const aborted = track(open, request.signal)
      const sent = await exchange(handler, wire, request, aborted.signal)
      if (!sent.ok || !isStream(sent.value.body)) aborted.release()
      return sent.ok ? ok(netResponse(sent.value, aborted, wire.clock)) : sent
    },
    async close(when) {
      closed = true
      const all = [...open]
      if (when === 'idle') await Promise.all(all.map((a) => a.ended))
      else for (const a of all) a.abort()
    },
  }
}

interface Aborted {
  readonly signal: AbortSignal
  /** Resolves when nothing is in flight any more. */
  readonly ended: Promise<void>
  abort(): void
  release(): void
}

function track(open: Set<Aborted>, signal: AbortSignal | undefined): Aborted {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  let end = (): void => {}
  const aborted: Aborted = {
    signal: controller.signal,
    ended: new Promise((resolve) => {
      end = resolve
    }),
    abort,
    release() {
      open.delete(aborted)
      signal?.removeEventListener('abort', abort)
      end()
    },
  }
  open.add(aborted)
  return aborted
}

async function exchange(
  handler: Handler,
  wire: InProcessWire,
  request: NetRequest,
  signal: AbortSignal,
): Promise<Result<ServerResponse, NetFailure>> {
  const early = await wire.before?.(request)
  if (early) return err(early)
  if (signal.aborted) return err(abortedFailure)
  const response = await handler(serverRequest(request, signal))
  const late = await wire.after?.(request, response)
  if (late) return err(late)
  if (response.cut === 'unsent') return err(RESET)
  return signal.aborted ? err(abortedFailure) : ok(response)
}

const isStream = (body: ServerResponse['body']): body is AsyncIterable<string> =>
  typeof body !== 'string' && !(body instanceof Uint8Array)

const RESET: NetFailure = { phase: 'receive', detail: 'read ECONNRESET' }

const abortedFailure: NetFailure = { phase: 'aborted', detail: 'aborted' }

function serverRequest(request: NetRequest, signal: AbortSignal): ServerRequest {
  return {
    method: request.method,
    url: request.path,
    headers: joinedHeaders(request.headers),
    signal,
    async body(limit) {
      const bytes = encoder.encode(request.body ?? '')
      return bytes.length > limit ? err('too-large') : ok(bytes)
    },
  }
}

function netResponse(response: ServerResponse, aborted: Aborted, clock: Clock | undefined): NetResponse {
  const { body } = response
  const pieces = () => {
    const texts = isStream(body) ? body : one(body)
    return asBytes(response.cut === 'half' ? broken(texts) : texts, aborted)
  }
  const source = () => ({ pieces: pieces(), cancel: () => aborted.abort(), ...(clock ? { clock } : {}) })
  return {
    status: response.status,
    headers: response.headers,
    async text(limit = MAX_BODY): Promise<Result<string, NetFailure>> {
      // A complete text needs neither time nor a copy.
      if (typeof body === 'string' && response.cut === undefined && body.length <= limit) return ok(body)
      return textOf(source(), limit)
    },
    boundedPieces: (held) => piecesOf(source(), MAX_BODY, held),
    pieces,
    lines: () => linesOf(source()),
  }
}

async function* one<T>(body: T): AsyncIterable<T> {
  yield body
}

/** The first half of what comes first, and no more. */
async function* broken(pieces: AsyncIterable<string | Uint8Array>): AsyncIterable<string | Uint8Array> {
  for await (const piece of pieces) {
    yield piece.slice(0, piece.length / 2)
    break
  }
  throw new StreamBroken(RESET)
}

/** As bytes; ends with `StreamBroken` when the signal fires, and then returns the source's iterator. */
async function* asBytes(
  pieces: AsyncIterable<string | Uint8Array>,
  { signal, release }: Aborted,
): AsyncIterable<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const broken = new Promise<'broken'>((resolve) => {
    if (signal.aborted) resolve('broken')
    else signal.addEventListener('abort', () => resolve('broken'), { once: true })
  })
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), broken])
      if (step === 'broken') throw new StreamBroken(abortedFailure)
      if (step.done) return
      yield typeof step.value === 'string' ? encoder.encode(step.value) : step.value
    }
  } finally {
    release()
    iterator.return?.()?.catch(() => {})
  }
}
