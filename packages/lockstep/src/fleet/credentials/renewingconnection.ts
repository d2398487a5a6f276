/** Connections to API servers: the credential of each request is the present one of its source. */
import {
  type Connection,
  type Endpoint,
  type Env,
  err,
  type NetFailure,
  type NetRequest,
  type NetResponse,
  type Provenance,
  REQUEST_TIMEOUT_MS,
  type Result,
  sentHeaders,
  supervise,
} from '@lockstep/kube/env'
import { type JsonValue, jsonEqual } from '@lockstep/kube/object'
import { CredentialCache } from './credentialcache.ts'
import type { CredentialSource } from './credentialsource.ts'
import type { CredentialRefusal } from './sourcereader.ts'

const TOO_LATE: NetFailure = { phase: 'connect', detail: 'the credential came too late' }
const CLOSED: NetFailure = { phase: 'connect', detail: 'the connection is closed' }
const ABORTED: NetFailure = { phase: 'aborted', detail: 'aborted' }
/** Bytes of an unread answer. */
const MAX_REFUSAL = 64 * 1024

type Answer = Result<NetResponse, NetFailure>

/** A connection for one source. Values are never read again. */
export const connectSource = (env: Env, source: CredentialSource, by: Provenance): Connection =>
  source.type === 'Static'
    ? env.net.connect(source.endpoint, by)
    : renewingConnection(env, new CredentialCache(env, source, { by }), by)

/** Holder of the present access. */
type RenewedCredential = Pick<CredentialCache, 'get' | 'renew'>

/** A connection whose credential is read again; others may share `credential`. */
export const renewingConnection = (env: Env, credential: RenewedCredential, by: Provenance): Connection =>
  new RenewingConnection(env, credential, by)

interface OpenPool {
  readonly endpoint: Endpoint
  readonly connection: Connection
}

class RenewingConnection implements Connection {
  private readonly env: Env
  private readonly credential: RenewedCredential
  private readonly by: Provenance
  private pool: OpenPool | undefined
  /** Pools that finish their last requests. */
  private readonly retired = new Set<Connection>()
  private isClosed = false

  constructor(env: Env, credential: RenewedCredential, by: Provenance) {
    this.env = env
    this.credential = credential
    this.by = by
  }

  async request(request: NetRequest): Promise<Answer> {
    const { clock } = this.env
    const last = clock.steady() + (request.timeoutMs ?? REQUEST_TIMEOUT_MS)
    // All of it counts: who asks for a write relies on when it can arrive at the latest.
    const inTime = async (endpoint: Endpoint): Promise<Answer> => {
      const timeoutMs = last - clock.steady()
      if (timeoutMs <= 0) return err(TOO_LATE)
      if (this.isClosed) return err(CLOSED)
      const headers = sentHeaders(endpoint, request.headers)
      return this.connectionFor(endpoint).request({ ...request, headers, timeoutMs })
    }
    const held = await this.within(this.credential.get(), last, request.signal)
    if (!held.ok) return held
    const answer = await inTime(held.value)
    const refusal = refusalOf(answer)
    if (refusal === undefined) return answer
    const fresh = await this.within(this.credential.renew(held.value, refusal), last, request.signal)
    if (!fresh.ok || fresh.value === held.value) return answer
    // An unread body occupies its connection.
    if (answer.ok) await answer.value.text(MAX_REFUSAL)
    return inTime(fresh.value)
  }

  /** The credential of a request, no later than it may take: a run that others wait for continues. */
  private within(
    work: Promise<Result<Endpoint, NetFailure>>,
    last: number,
    signal: AbortSignal | undefined,
  ): Promise<Result<Endpoint, NetFailure>> {
    return new Promise((resolve, reject) => {
      const abort = (): void => finish(err(ABORTED))
      const cancel = this.env.clock.at(last, () => finish(err(TOO_LATE)))
      const release = (): void => {
        cancel()
        signal?.removeEventListener('abort', abort)
      }
      const finish = (result: Result<Endpoint, NetFailure>): void => {
        release()
        resolve(result)
      }
      supervise(this.env, () => work.then(resolve, reject).finally(release))
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  async close(when?: 'idle'): Promise<void> {
    this.isClosed = true
    const all = [...this.retired, ...(this.pool ? [this.pool.connection] : [])]
    await Promise.all(all.map((connection) => connection.close(when)))
  }

  /** A token goes with each request; only other certificates or another way need connections of their own. */
  private connectionFor(endpoint: Endpoint): Connection {
    const { pool } = this
    if (pool && (pool.endpoint === endpoint || isSameWay(pool.endpoint, endpoint))) {
      this.pool = { endpoint, connection: pool.connection }
      return pool.connection
    }
    const { headers: _headers, impersonate: _impersonate, ...bare } = endpoint
    const connection = this.env.net.connect(bare, this.by)
    this.pool = { endpoint, connection }
    if (pool) this.retire(pool.connection)
    return connection
  }

  private retire(connection: Connection): void {
    this.retired.add(connection)
    supervise(this.env, async () => {
      await connection.close('idle')
      this.retired.delete(connection)
    })
  }
}

/** In both cases nothing was done: another credential may be taken. */
function refusalOf(answer: Answer): CredentialRefusal | undefined {
  if (answer.ok) return answer.value.status === 401 ? 'Unauthorized' : undefined
  return answer.error.phase === 'tls' ? 'Tls' : undefined
}

const isSameWay = (a: Endpoint, b: Endpoint): boolean =>
  a.url === b.url && a.proxy === b.proxy && jsonEqual(tlsOf(a), tlsOf(b))

const tlsOf = ({ tls }: Endpoint): JsonValue => (tls ?? {}) as JsonValue
