import type { Env } from '../env/env.ts'
import type { Connection, NetFailure, NetResponse } from '../env/net.ts'
import { err, ok } from '../env/result.ts'
import { encodeJson, parseJson } from '../object/encode.ts'
import type { Kind } from '../object/kind.ts'
import type { Key, ObjectReference } from '../object/objectref.ts'
import { utf8Length } from '../object/utf8.ts'
import type { ClientCall, KubeResult } from './client.ts'
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
}

const WRITES: ReadonlySet<Verb> = new Set(['create', 'apply', 'patch', 'update', 'delete'])

/** The shared lower half of all verbs: sends, counts, and turns failures into the closed union. */
export class ClientWire {
  readonly cluster: string
  readonly clock: ServerClock
  private readonly env: Env
  private readonly connection: Connection
  private readonly agent: string

  constructor(env: Env, cluster: string, connection: Connection, agent: string) {
    this.env = env
    this.cluster = cluster
    this.clock = new ServerClock(env.clock)
    this.connection = connection
    this.agent = agent
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
    const labels = { cluster: this.cluster, verb: s.verb, why: s.call.purpose }
    this.env.meters.count('lockstep_client_requests_total', labels)
    const payload = s.body === undefined ? undefined : encodeJson(s.body)
    if (payload !== undefined)
      this.env.meters.count('lockstep_client_sent_bytes_total', labels, utf8Length(payload))
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
    if (!sent.ok) return err(this.netError(s, sent.error))
    // A failure may be a proxy's, and so the time that it says.
    if (sent.value.status < 500) this.clock.heard(sent.value.headers.date, askedAt)
    if (sent.value.status < 400) return sent
    const body = await sent.value.text()
    const context = { cluster: this.cluster, verb: s.verb, ref: this.refOf(s) }
    return err(
      statusErrorFromResponse(context, sent.value.status, sent.value.headers, body.ok ? body.value : ''),
    )
  }

  async json<T>(s: Sent): Promise<KubeResult<T>> {
    const body = await this.text(s)
    return body.ok ? ok(parseJson(body.value) as T) : body
  }

  async text(s: Sent): Promise<KubeResult<string>> {
    const response = await this.open(s)
    if (!response.ok) return response
    const body = await response.value.text()
    if (!body.ok) return err(this.netError(s, body.error))
    const labels = { cluster: this.cluster, verb: s.verb, why: s.call.purpose }
    this.env.meters.count('lockstep_client_received_bytes_total', labels, utf8Length(body.value))
    return ok(body.value)
  }

  netError(s: Sent, failure: NetFailure): RequestError {
    const neverSent = failure.phase === 'dns' || failure.phase === 'connect' || failure.phase === 'tls'
    const base = {
      cluster: this.cluster,
      verb: s.verb,
      ref: this.refOf(s),
      wrote: WRITES.has(s.verb) && !neverSent ? ('maybe' as const) : ('no' as const),
    }
    if (failure.phase === 'deadline') return { ...base, kind: 'Deadline' }
    if (failure.phase === 'aborted') return { ...base, kind: 'Aborted' }
    const { phase, detail, refused } = failure
    return { ...base, kind: 'Unreachable', phase, detail, ...(refused ? { refused } : {}) }
  }

  close(): Promise<void> {
    return this.connection.close()
  }
}
