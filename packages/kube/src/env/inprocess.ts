/**
 * Our client talking to a handler in the same process: no socket, same meaning. Used in simulation and for the
 * embedded API of `lockstep demo`.
 */
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

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What may happen to a request on its way; the simulator's faults. Absent = nothing. */
export interface InProcessWire {
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
      return sent.ok ? ok(netResponse(sent.value, aborted)) : sent
    },
    async close() {
      closed = true
      for (const a of [...open]) a.abort()
    },
  }
}

interface Aborted {
  readonly signal: AbortSignal
  abort(): void
  release(): void
}

function track(open: Set<Aborted>, signal: AbortSignal | undefined): Aborted {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  const aborted: Aborted = {
    signal: controller.signal,
    abort,
    release() {
      open.delete(aborted)
      signal?.removeEventListener('abort', abort)
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
    headers: request.headers,
    signal,
    async body(limit) {
      const bytes = encoder.encode(request.body ?? '')
      return bytes.length > limit ? err('too-large') : ok(bytes)
    },
  }
}

function netResponse(response: ServerResponse, aborted: Aborted): NetResponse {
  const { signal } = aborted
  const { body } = response
  return {
    status: response.status,
    headers: response.headers,
    async text(): Promise<Result<string, NetFailure>> {
      if (response.cut === 'half') return err(RESET)
      if (typeof body === 'string') return ok(body)
      if (body instanceof Uint8Array) return ok(decoder.decode(body))
      let all = ''
      for await (const piece of body) all += piece
      aborted.release()
      return ok(all)
    },
    pieces() {
      const texts = isStream(body) ? body : one(body)
      return piecesOf(response.cut === 'half' ? broken(texts) : texts, signal, aborted.release)
    },
    lines() {
      if (typeof body === 'string') return linesOf(one(body), signal)
      if (body instanceof Uint8Array) return linesOf(one(decoder.decode(body)), signal)
      return linesOf(body, signal, aborted.release)
    },
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

/** As bytes; ends with `StreamBroken` when the signal fires. */
async function* piecesOf(
  pieces: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
  release: () => void,
): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of pieces) {
      if (signal.aborted) throw new StreamBroken(abortedFailure)
      yield typeof piece === 'string' ? encoder.encode(piece) : piece
    }
  } finally {
    release()
  }
}

/** Cuts pieces into lines; ends with `StreamBroken` when the signal fires, and then returns the source's iterator. */
async function* linesOf(
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
  release = () => {},
): AsyncIterable<string> {
  const iterator = pieces[Symbol.asyncIterator]()
  const broken = new Promise<'broken'>((resolve) => {
    if (signal.aborted) resolve('broken')
    else signal.addEventListener('abort', () => resolve('broken'), { once: true })
  })
  let rest = ''
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), broken])
      if (step === 'broken') throw new StreamBroken(abortedFailure)
      if (step.done) break
      const parts = (rest + step.value).split('\n')
      rest = parts.pop() ?? ''
      yield* parts
    }
    if (rest !== '') yield rest
  } finally {
    release()
    iterator.return?.()?.catch(() => {})
  }
}
