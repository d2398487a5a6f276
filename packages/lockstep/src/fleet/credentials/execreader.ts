import {
  type Endpoint,
  type Env,
  err,
  hostOf,
  type NetFailure,
  ok,
  type Result,
  supervise,
} from '@lockstep/kube/env'
import { credentialExpiry } from './credentialexpiry.ts'
import type { ExecSource } from './credentialsource.ts'
import { type ExecCredential, runExecPlugin } from './execplugin.ts'
import { FilesReader } from './filesreader.ts'
import {
  type CredentialRefusal,
  noCredential,
  type ReaderOptions,
  type SourceReader,
  type SourceReading,
} from './sourcereader.ts'

/** Milliseconds before the end of a credential: a request that begins then ends before that. */
const EARLY_MS = 30_000
/** Part of the life of a credential that is so short that it would be early at once. */
const EARLY_PART = 1 / 3
/** Milliseconds between two runs while the last credential is valid: the program fails, or returns the same one. */
const PAUSE_MS = 5000

interface HeldCredential {
  readonly credential: ExecCredential
  /** Wall-clock milliseconds; undefined: until it is refused. */
  readonly expiresAt: number | undefined
  readonly dueAt: number
}

/**
 * Runs a program before its credential expires, and when the credential is refused. Programs take seconds: while the last
 * credential is valid, no request waits for the next one.
 */
export class ExecReader implements SourceReader {
  private readonly env: Env
  private readonly source: ExecSource
  private readonly o: Pick<ReaderOptions, 'by' | 'hasTerminal'>
  private readonly server: FilesReader
  private held: HeldCredential | undefined
  private ranAt = Number.NEGATIVE_INFINITY
  private problem: string | undefined
  private running: Promise<NetFailure | undefined> | undefined

  constructor(env: Env, source: ExecSource, o: Pick<ReaderOptions, 'by' | 'hasTerminal'>) {
    this.env = env
    this.source = source
    this.o = o
    this.server = new FilesReader(env, source)
  }

  async read(refusal?: CredentialRefusal): Promise<Result<SourceReading, NetFailure>> {
    const server = await this.server.read(refusal)
    if (!server.ok) return server
    const { endpoint, problem } = server.value
    // Without a certificate of its program, a failure of TLS says nothing of the credential.
    const isRefused =
      refusal === 'Unauthorized' || (refusal === 'Tls' && this.held?.credential.cert !== undefined)
    if (isRefused || !this.isValid()) {
      const failure = await this.run(endpoint)
      if (failure) return err(failure)
    } else if (this.isDue()) supervise(this.env, () => this.run(endpoint))
    const both = this.problem ?? problem
    return ok({
      endpoint: withCredential(endpoint, this.held!.credential),
      ...(both === undefined ? {} : { problem: both }),
    })
  }

  private isDue(): boolean {
    const { clock } = this.env
    const dueAt = this.held?.dueAt ?? Number.NEGATIVE_INFINITY
    return clock.now() >= dueAt && clock.steady() >= this.ranAt + PAUSE_MS
  }

  private isValid(): boolean {
    const expiresAt = this.held?.expiresAt
    return this.held !== undefined && (expiresAt === undefined || this.env.clock.now() < expiresAt)
  }

  /** One run at a time, also of several waiting requests. */
  private run(endpoint: Endpoint): Promise<NetFailure | undefined> {
    this.running ??= this.start(endpoint).finally(() => {
      this.running = undefined
    })
    return this.running
  }

  private async start(endpoint: Endpoint): Promise<NetFailure | undefined> {
    const failure = await this.renew(endpoint)
    this.ranAt = this.env.clock.steady()
    this.problem = failure?.detail
    return failure
  }

  private async renew(endpoint: Endpoint): Promise<NetFailure | undefined> {
    const { by } = this.o
    if (by !== 'operator') {
      // A program is not asked for a credential that goes nowhere.
      const { host, port } = hostOf(endpoint)
      const resolved = await this.env.net.resolve(host, port, by)
      if (!resolved.ok) return resolved.error
    }
    const got = await runExecPlugin(this.env, this.source.program, endpoint, this.o.hasTerminal)
    if (!got.ok) return noCredential(got.error)
    const ends = [got.value.expiresAt, credentialExpiry(withCredential({ url: endpoint.url }, got.value))]
    const known = ends.filter((t) => t !== undefined)
    this.held = heldFor(got.value, known.length === 0 ? undefined : Math.min(...known), this.env.clock.now())
    return undefined
  }
}

function heldFor(credential: ExecCredential, expiresAt: number | undefined, now: number): HeldCredential {
  if (expiresAt === undefined) return { credential, expiresAt, dueAt: Number.POSITIVE_INFINITY }
  const early = Math.min(EARLY_MS, (expiresAt - now) * EARLY_PART)
  return { credential, expiresAt, dueAt: expiresAt - early }
}

function withCredential(endpoint: Endpoint, { token, cert, key }: ExecCredential): Endpoint {
  return {
    ...endpoint,
    ...(token === undefined ? {} : { headers: { ...endpoint.headers, authorization: `Bearer ${token}` } }),
    ...(cert === undefined || key === undefined ? {} : { tls: { ...endpoint.tls, cert, key } }),
  }
}
