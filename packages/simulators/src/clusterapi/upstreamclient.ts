/** Requests as the manager's clients make them: counted, limited to a rate, held where a test wants it, none after its death. */
import { type Connection, type Env, type NetRequest, sleep } from '@lockstep/kube/env'
import { at, encodeJson, type JsonObject, type JsonValue, parseJson } from '@lockstep/kube/object'

/** Requests a second, and at once. */
export interface Rate {
  readonly qps: number
  readonly burst: number
}

/** One request of the process, in the order in which they were made. */
export interface UpstreamRequest {
  /** `''`: the hub; else `namespace/name` of the Cluster. */
  readonly cluster: string
  readonly method: string
  readonly path: string
  readonly body?: JsonValue
}

/** The process: while it lives, and what it has asked for. */
export interface Process {
  readonly env: Env
  readonly requests: UpstreamRequest[]
  readonly requestMs: number
  readonly hold: (request: UpstreamRequest) => Promise<void> | undefined
  /** It is over: nothing follows from anything any more. */
  readonly isDead: () => boolean
  /** What is open to servers, to be closed at the end. */
  readonly open: Connection[]
}

/** What the API server has refused, or the network lost. */
export class RequestFailed extends Error {
  readonly status: number
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export const isReason = (e: unknown, reason: string): boolean =>
  e instanceof RequestFailed && e.reason === reason

/** A dead process goes on with nothing. */
const never = (): Promise<never> => new Promise(() => {})

const MERGE_PATCH = 'application/merge-patch+json'
/** `/manager` is the binary: its name becomes the field manager of all writes. */
const AGENT = 'manager/v1 cluster-api-controller-manager'

export class UpstreamClient {
  readonly life: Process
  readonly cluster: string
  private readonly connection: Connection
  private readonly limit: ClientRateLimit

  constructor(life: Process, cluster: string, connection: Connection, limit: ClientRateLimit) {
    this.life = life
    this.cluster = cluster
    this.connection = connection
    life.open.push(connection)
    this.limit = limit
  }

  get(path: string): Promise<JsonObject> {
    return this.ask('GET', path)
  }

  create(path: string, body: JsonObject): Promise<JsonObject> {
    return this.ask('POST', path, body)
  }

  patch(path: string, body: JsonObject): Promise<JsonObject> {
    return this.ask('PATCH', path, body)
  }

  async delete(path: string): Promise<void> {
    const apiVersion = /^\/apis\/([^/]+\/[^/]+)\//.exec(path)?.[1] ?? 'v1'
    await this.ask('DELETE', path, { apiVersion, kind: 'DeleteOptions' })
  }

  /** Requests of leader election, caches, discovery and probes: not what a run consists of, so not recorded. */
  async aside(method: string, path: string, body?: JsonObject, accept?: string): Promise<JsonObject> {
    return this.answer(await this.send(request(method, path, body, accept)))
  }

  /** The lines of a watch; ends when the stream does. */
  async watch(path: string, accept: string, line: (event: JsonObject) => void): Promise<void> {
    const sent = await this.send(request('GET', path, undefined, accept))
    if (sent.status !== 200) return
    for await (const text of sent.lines()) {
      if (this.life.isDead()) return
      if (text !== '') line(parseJson(text) as JsonObject)
    }
  }

  private async ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const { life } = this
    const record: UpstreamRequest = { cluster: this.cluster, method, path, ...(body ? { body } : {}) }
    await this.limit.wait()
    if (life.isDead()) return never()
    await life.hold(record)
    if (life.isDead()) return never()
    await this.way()
    life.requests.push(record)
    const sent = await this.send(request(method, path, body))
    // Watches are told before the answer is there.
    await this.way()
    return this.answer(sent)
  }

  /** One way of two. */
  private async way(): Promise<void> {
    const { env, requestMs, isDead } = this.life
    await sleep(env.clock, requestMs / 2)
    if (isDead()) return never()
  }

  private async send(r: NetRequest) {
    const sent = await this.connection.request(r)
    if (this.life.isDead()) return never()
    if (!sent.ok) throw new RequestFailed(0, '', sent.error.detail)
    return sent.value
  }

  private async answer(response: {
    readonly status: number
    readonly text: () => Promise<
      | { readonly ok: true; readonly value: string }
      | { readonly ok: false; readonly error: { detail: string } }
    >
  }): Promise<JsonObject> {
    const text = await response.text()
    if (this.life.isDead()) return never()
    if (!text.ok) throw new RequestFailed(0, '', text.error.detail)
    if (response.status < 400) return parseJson(text.value) as JsonObject
    // What is no resource is refused in plain text.
    const body = text.value.startsWith('{') ? parseJson(text.value) : { message: text.value }
    throw new RequestFailed(response.status, String(at(body, 'reason')), String(at(body, 'message')))
  }
}

function request(method: string, path: string, body?: JsonObject, accept = 'application/json'): NetRequest {
  const type = method === 'PATCH' ? MERGE_PATCH : 'application/json'
  return {
    method,
    path,
    headers: { 'user-agent': AGENT, accept, ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: encodeJson(body) } : {}),
  }
}

/** client-go's token bucket: `burst` at once, then `qps` a second. */
export class ClientRateLimit {
  private readonly env: Env
  private readonly qps: number
  private readonly burst: number
  /** When the bucket would be full, if all tokens taken so far are counted. */
  private fullAt = 0

  constructor(env: Env, { qps, burst }: Rate) {
    this.env = env
    this.qps = qps
    this.burst = burst
  }

  async wait(): Promise<void> {
    const now = this.env.clock.steady()
    this.fullAt = Math.max(now, this.fullAt) + 1000 / this.qps
    const ms = this.fullAt - now - (this.burst * 1000) / this.qps
    if (ms > 0) await sleep(this.env.clock, ms)
  }
}
