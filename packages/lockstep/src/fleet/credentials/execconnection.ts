/** A connection whose credential comes from a program: asked before the first request, when it expires, and when it is refused. */
import {
  type Connection,
  type Endpoint,
  type Env,
  err,
  hostOf,
  type NetFailure,
  type NetRequest,
  type NetResponse,
  ok,
  type Provenance,
  REQUEST_TIMEOUT_MS,
  type Result,
} from '@lockstep/kube/env'
import { type ExecCredential, runExecPlugin } from './execplugin.ts'
import type { ExecProvider } from './provider.ts'

/** Asked again so long before it expires: a request that begins now ends before that. */
const EARLY_MS = 30_000

const TOO_LATE: NetFailure = { phase: 'connect', detail: 'the credential came too late' }

/** A credential in use. A token goes with each request; another certificate needs connections of its own. */
interface HeldCredential {
  readonly credential: ExecCredential
  readonly connection: Connection
}

export function execConnection(
  env: Env,
  endpoint: Endpoint,
  provider: ExecProvider,
  by: Provenance,
): Connection {
  return new ExecConnection(env, endpoint, provider, by)
}

class ExecConnection implements Connection {
  private readonly env: Env
  private readonly endpoint: Endpoint
  private readonly provider: ExecProvider
  private readonly by: Provenance
  private held: HeldCredential | undefined
  /** Not used any more. */
  private refused: HeldCredential | undefined
  private asking: Promise<Result<HeldCredential, NetFailure>> | undefined
  private isClosed = false

  constructor(env: Env, endpoint: Endpoint, provider: ExecProvider, by: Provenance) {
    this.env = env
    this.endpoint = endpoint
    this.provider = provider
    this.by = by
  }

  async request(request: NetRequest): Promise<Result<NetResponse, NetFailure>> {
    const { clock } = this.env
    const last = clock.steady() + (request.timeoutMs ?? REQUEST_TIMEOUT_MS)
    // All of it counts: who asks for a write relies on when it can arrive at the latest.
    const inTime = async (held: HeldCredential): Promise<Result<NetResponse, NetFailure>> => {
      const timeoutMs = last - clock.steady()
      return timeoutMs > 0 ? send(held, { ...request, timeoutMs }) : err(TOO_LATE)
    }
    const held = await this.current()
    if (!held.ok) return held
    const answer = await inTime(held.value)
    // Refused, nothing was done: another credential may be taken.
    if (!answer.ok || answer.value.status !== 401) return answer
    this.refused = held.value
    const fresh = await this.current()
    if (!fresh.ok || sameCredential(fresh.value.credential, held.value.credential)) return answer
    await answer.value.text()
    return inTime(fresh.value)
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.held?.connection.close()
  }

  private async current(): Promise<Result<HeldCredential, NetFailure>> {
    const { held } = this
    const expires = held?.credential.expiresAt
    if (held && held !== this.refused && (expires === undefined || this.env.clock.now() < expires - EARLY_MS))
      return ok(held)
    this.asking ??= this.ask(held).finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  private async ask(before: HeldCredential | undefined): Promise<Result<HeldCredential, NetFailure>> {
    // A program is not asked for a credential that goes nowhere.
    const { host, port } = hostOf(this.endpoint)
    const there = await this.env.net.resolve(host, port, this.by)
    if (!there.ok) return there
    const got = await runExecPlugin(this.env, this.provider, this.endpoint)
    if (!got.ok) return err({ phase: 'connect', detail: got.error })
    const credential = got.value
    const isSame = before && before.credential.cert === credential.cert
    const connection = isSame
      ? before.connection
      : this.env.net.connect(this.withCertificate(credential), this.by)
    if (before && !isSame) void before.connection.close()
    const held = { credential, connection }
    this.held = held
    if (this.isClosed) await connection.close()
    return ok(held)
  }

  private withCertificate({ cert, key }: ExecCredential): Endpoint {
    if (cert === undefined || key === undefined) return this.endpoint
    return { ...this.endpoint, tls: { ...this.endpoint.tls, cert, key } }
  }
}

const sameCredential = (a: ExecCredential, b: ExecCredential): boolean =>
  a.token === b.token && a.cert === b.cert

function send({ credential, connection }: HeldCredential, request: NetRequest) {
  if (credential.token === undefined) return connection.request(request)
  const headers = { ...request.headers, authorization: `Bearer ${credential.token}` }
  return connection.request({ ...request, headers })
}
