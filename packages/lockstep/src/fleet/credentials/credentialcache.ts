/** The present access of one source, shared by all connections of a thread. */
import type { Endpoint, Env, NetFailure, Provenance, Result } from '@lockstep/kube/env'
import { ok } from '@lockstep/kube/env'
import { type JsonValue, jsonEqual } from '@lockstep/kube/object'
import type { CredentialSource, DirectSource } from './credentialsource.ts'
import { ExecReader } from './execreader.ts'
import { FilesReader } from './filesreader.ts'
import { KubeconfigReader } from './kubeconfigreader.ts'
import type { CredentialRefusal, ReaderOptions, SourceReader } from './sourcereader.ts'

export interface CredentialOptions {
  readonly by: Provenance
  /** A person sits there, and programs may ask. Default: false. */
  readonly hasTerminal?: boolean
}

export class CredentialCache {
  /** Resolves when the source names another server, with a text for people. */
  readonly moved: Promise<string>
  private readonly env: Env
  private readonly reader: SourceReader
  private held: Endpoint | undefined
  private problem: string | undefined
  private renewal:
    | { readonly refused: Endpoint; readonly done: Promise<Result<Endpoint, NetFailure>> }
    | undefined
  /** The last read: one follows the other. */
  private turn: Promise<unknown> = Promise.resolve()

  constructor(env: Env, source: CredentialSource, { by, hasTerminal = false }: CredentialOptions) {
    let moved: (problem: string) => void = () => {}
    this.moved = new Promise((resolve) => {
      moved = resolve
    })
    this.env = env
    this.reader = readerOf(env, source, { by, hasTerminal, moved })
  }

  /** The present access; the same object as long as it is the same. Fails when nothing was ever read. */
  get(): Promise<Result<Endpoint, NetFailure>> {
    return this.inTurn(() => this.read())
  }

  /**
   * After the server refused an access: read at once, unless that has happened in the meantime. Once for all requests that
   * were refused with it before the answer: a source may be a program that takes seconds.
   */
  renew(refused: Endpoint, refusal: CredentialRefusal): Promise<Result<Endpoint, NetFailure>> {
    if (this.renewal?.refused === refused) return this.renewal.done
    const done = this.inTurn(async () => {
      try {
        // The source may have another one already, which its reader got for itself.
        if (this.held === refused) await this.read()
        return this.held && this.held !== refused ? ok(this.held) : await this.read(refusal)
      } finally {
        this.renewal = undefined
      }
    })
    this.renewal = { refused, done }
    return done
  }

  private async read(refusal?: CredentialRefusal): Promise<Result<Endpoint, NetFailure>> {
    const read = await this.reader.read(refusal)
    if (!read.ok) return read
    const { endpoint, problem } = read.value
    this.report(problem)
    if (!this.held || !isSame(this.held, endpoint)) this.held = endpoint
    return ok(this.held)
  }

  /** A problem is logged when it begins and when it ends. */
  private report(problem: string | undefined): void {
    if (problem === this.problem) return
    const { log } = this.env
    if (problem !== undefined)
      log.warn('the credential keeps its last value', { reason: 'CredentialUnreadable', err: problem })
    else log.info('the credential can be read again', { reason: 'CredentialRead' })
    this.problem = problem
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work, work)
    this.turn = done
    return done
  }
}

const isSame = (a: Endpoint, b: Endpoint): boolean =>
  a === b || jsonEqual(a as unknown as JsonValue, b as unknown as JsonValue)

function readerOf(env: Env, source: CredentialSource, o: ReaderOptions): SourceReader {
  const direct = (s: DirectSource): SourceReader => {
    if (s.type === 'Exec') return new ExecReader(env, s, o)
    return s.type === 'Files' ? new FilesReader(env, s) : { read: async () => ok({ endpoint: s.endpoint }) }
  }
  return source.type === 'Kubeconfig' ? new KubeconfigReader(env, source, o, direct) : direct(source)
}
