import type { Env } from '../env/env.ts'
import { type Connection, type NetFailure, type NetResponse, StreamBroken } from '../env/net.ts'
import { err, ok } from '../env/result.ts'
import type { RequestScope } from '../env/watchcount.ts'
import { encodeJson } from '../object/encode.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import type { Key, ObjectReference } from '../object/objectref.ts'
import { utf8Length } from '../object/utf8.ts'
import type { ClientCall, KubeResult } from './client.ts'
import { type Decoded, decodeObject } from './decode.ts'
import type { AnswerFault } from './jsonscanner.ts'
import type { ListDecoder, PageHead } from './listdecoder.ts'
import type { RequestError, Verb } from './requesterror.ts'
import { ServerClock } from './serverclock.ts'
import { statusErrorFromResponse } from './statuserror.ts'

/** One request on its way: enough to name it in an error and in the meters. */
export interface Sent {
  readonly verb: Verb
  readonly kind: Pick<Kind, 'group' | 'kind'>
  readonly key: Partial<Key>
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  readonly call: ClientCall
  readonly isDryRun?: boolean | undefined
}

/** Bytes of the answer to what failed. */
const MAX_ERROR_BODY = 64 * 1024

/** `configmaps`, `modules/status`; `namespaces` is a resource of its own where nothing follows its name. */
function resourceOf(path: string): string {
  const [, root, ...rest] = path.split('?')[0]!.split('/')
  const names = rest.slice(root === 'apis' ? 2 : 1)
  const [resource = '', , part] = names[0] === 'namespaces' && names[2] !== undefined ? names.slice(2) : names
  return part === undefined ? resource : `${resource}/${part}`
}

const WRITES: ReadonlySet<Verb> = new Set(['create', 'apply', 'patch', 'update', 'delete'])

/** Whose client it is. */
export interface ClientName {
  /** For messages. */
  readonly cluster: string
  readonly scope: RequestScope
  /** The program in audit and traces. */
  readonly agent: string
}

/** The shared lower half of all verbs: sends, counts, and turns failures into the closed union. */
export class ClientWire {
  readonly cluster: string
  readonly clock: ServerClock
  private readonly env: Env
  private readonly connection: Connection
  private readonly agent: string
  private readonly scope: RequestScope

  constructor(env: Env, { cluster, scope, agent }: ClientName, connection: Connection) {
    this.env = env
    this.cluster = cluster
    this.clock = new ServerClock(env.clock)
    this.connection = connection
    this.agent = agent
    this.scope = scope
  }

  refOf(s: Sent): ObjectReference {
    return {
      group: s.kind.group,
      kind: s.kind.kind,
      ...(s.key.namespace ? { namespace: s.key.namespace } : {}),
      name: s.key.name ?? '',
    }
  }

  /** The open answer; a status of 400 and above is an error already. */
  async open(s: Sent): Promise<KubeResult<NetResponse>> {
    const payload = s.body === undefined ? undefined : encodeJson(s.body)
    if (payload !== undefined)
      this.env.meters.count('lockstep_client_sent_bytes_total', this.labels(s), utf8Length(payload))
    const askedAt = this.env.clock.steady()
    const sent = await this.connection.request({
      method: s.method,
      path: s.path,
      headers: {
        accept: s.accept ?? 'application/json',
        'user-agent': this.agent,
        ...(s.body === undefined ? {} : { 'content-type': s.contentType ?? 'application/json' }),
      },
      ...(payload === undefined ? {} : { body: payload }),
      ...(s.call.signal ? { signal: s.call.signal } : {}),
    })
    this.answered(s, sent.ok ? codeLabel(sent.value.status) : '<error>', askedAt)
    if (!sent.ok) return err(this.netError(s, sent.error))
    // A failure may be a proxy's, and so the time that it says.
    if (sent.value.status < 500) this.clock.heard(sent.value.headers.date, askedAt)
    const { status, headers } = sent.value
    if (status < 400) return sent
    const body = await sent.value.text(MAX_ERROR_BODY)
    const context = { cluster: this.cluster, verb: s.verb, ref: this.refOf(s) }
    return err(statusErrorFromResponse(context, status, headers, body.ok ? body.value : ''))
  }

  /** A JSON answer, decoded. */
  async json<T>(s: Sent, decode: (text: string) => Decoded<T>): Promise<KubeResult<T>> {
    const response = await this.openJson(s)
    if (!response.ok) return response
    const body = await this.body(s, response.value)
    if (!body.ok) return body
    const decoded = decode(body.value)
    return decoded.ok ? decoded : err(this.malformed(s, decoded.error))
  }

  /** One object, requested by name or written. */
  object<T extends KubeObject>(s: Sent & { readonly kind: Kind<T> }): Promise<KubeResult<Stored<T>>> {
    return this.json(s, (text) => decodeObject(text, s))
  }

  /** A page of a list, whose items go to the decoder as they arrive. */
  async page<T extends KubeObject>(s: Sent, decoder: ListDecoder<T>): Promise<KubeResult<PageHead>> {
    const response = await this.openJson(s)
    if (!response.ok) return response
    try {
      for await (const piece of response.value.boundedPieces(() => decoder.held)) {
        this.received(s, piece.length)
        const fault = decoder.push(piece)
        if (fault) return err(this.malformed(s, fault))
      }
    } catch (e) {
      if (!(e instanceof StreamBroken)) throw e
      return err(this.netError(s, e.failure))
    }
    const head = decoder.end()
    return head.ok ? ok(head.value) : err(this.malformed(s, head.error))
  }

  async text(s: Sent): Promise<KubeResult<string>> {
    const response = await this.open(s)
    return response.ok ? this.body(s, response.value) : response
  }

  /** The open answer, if its head announces JSON: a proxy may answer instead of the server. */
  async openJson(s: Sent): Promise<KubeResult<NetResponse>> {
    const response = await this.open(s)
    if (!response.ok) return response
    const problem = headFault(response.value)
    if (problem === undefined) return response
    // An unread body occupies its connection.
    await response.value.text(MAX_ERROR_BODY)
    return err(this.malformed(s, { problem, isTooLong: false }))
  }

  malformed(s: Sent, fault: AnswerFault): RequestError {
    return { ...this.base(s), kind: 'Malformed', ...fault }
  }

  netError(s: Sent, failure: NetFailure): RequestError {
    const neverSent = failure.phase === 'dns' || failure.phase === 'connect' || failure.phase === 'tls'
    const base = { ...this.base(s), ...(neverSent ? { wrote: 'no' as const } : {}) }
    if (failure.phase === 'deadline') return { ...base, kind: 'Deadline' }
    if (failure.phase === 'aborted') return { ...base, kind: 'Aborted' }
    if (failure.phase === 'limit')
      return { ...base, kind: 'Malformed', problem: failure.detail, isTooLong: true }
    const { phase, detail, refused } = failure
    return { ...base, kind: 'Unreachable', phase, detail, ...(refused ? { refused } : {}) }
  }

  close(): Promise<void> {
    return this.connection.close()
  }

  private async body(s: Sent, response: NetResponse): Promise<KubeResult<string>> {
    const body = await response.text()
    if (!body.ok) return err(this.netError(s, body.error))
    this.received(s, utf8Length(body.value))
    return body
  }

  /** Counts a watch from its request to its end. Returns functions for its answer, each event, and its end. */
  watching(): { readonly opened: () => void; readonly heard: () => void; readonly ended: () => void } {
    const { scope } = this
    const { clock, meters } = this.env
    const { watches } = meters
    let open: ReturnType<typeof watches.opened> | undefined
    watches.add(scope, 'Opening', 1)
    return {
      opened() {
        watches.add(scope, 'Opening', -1)
        watches.add(scope, 'Open', 1)
        open = watches.opened(scope, clock.steady())
      },
      heard: () => open?.heard(clock.steady()),
      ended() {
        watches.add(scope, open ? 'Open' : 'Opening', -1)
        open?.end()
      },
    }
  }

  private answered(s: Sent, code: string, askedAt: number): void {
    const { clock, meters } = this.env
    const { scope, verb, cluster, resource, why } = this.labels(s)
    meters.count('lockstep_client_requests_total', { scope, verb, code, cluster, resource, why })
    const seconds = (clock.steady() - askedAt) / 1000
    meters.observe('lockstep_client_request_duration_seconds', { scope, verb }, seconds)
  }

  private received(s: Sent, bytes: number): void {
    this.env.meters.count('lockstep_client_received_bytes_total', this.labels(s), bytes)
  }

  private labels({ verb, path, call }: Sent) {
    const { scope, cluster } = this
    return { scope, verb, cluster, resource: resourceOf(path), why: call.purpose }
  }

  /** Common fields of the errors of a request that the server may have executed. */
  private base(s: Sent) {
    const wrote = WRITES.has(s.verb) && !s.isDryRun ? ('maybe' as const) : ('no' as const)
    return { cluster: this.cluster, verb: s.verb, ref: this.refOf(s), wrote }
  }
}

/** Problem of a head that does not announce JSON. */
function headFault({ status, headers }: NetResponse): string | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') return `${status} in a content encoding that was not requested`
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,40}(?=\s*(;|$))/.exec(headers['content-type'] ?? '')?.[0]
  if (type?.toLowerCase() === 'application/json') return undefined
  return `${status} ${type ?? 'without a type'} where JSON was expected (a login page or proxy?)`
}

/** Codes that Kubernetes sends. */
const CODES: ReadonlySet<number> = new Set([
  200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504,
])

/** A server chooses its codes: others than usual ones are counted by class, so that it creates no metrics. */
const codeLabel = (status: number): string =>
  CODES.has(status) ? `${status}` : `${Math.floor(status / 100)}xx`
