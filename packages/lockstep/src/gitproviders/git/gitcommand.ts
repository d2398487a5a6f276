/** Commands of git that belong to one call of a repository, and what became of them. */
import { type Env, err, ok, type Provenance, type Result } from '@lockstep/kube/env'
import type { GitCredentials, GitFailure, GitRun, GitRunner, GitUrl } from '../../sources/git/index.ts'
import type { CallOptions } from '../gitprovider.ts'
import type { RepoFailure, RepoResult } from '../gitrepository.ts'
import { failureOfGitMessages } from './gitmessages.ts'

export interface GitCommandOptions {
  readonly by: Provenance
  readonly env: Env
  readonly url: GitUrl
  readonly credentials: GitCredentials
  /** What no message may hold. */
  readonly secrets: readonly string[]
  /** Made here, and removed by `close`. */
  readonly dir: string
}

/** All commands of one call have one deadline. */
export class GitCommands {
  private readonly o: GitCommandOptions
  private readonly git: GitRunner
  private readonly request: string
  private readonly options: CallOptions
  private readonly until: number
  private readonly writes: boolean

  constructor(o: GitCommandOptions, git: GitRunner, request: string, options: CallOptions, writes: boolean) {
    this.o = o
    this.git = git
    this.request = request
    this.options = options
    this.until = o.env.clock.steady() + options.timeoutMs
    this.writes = writes
  }

  async run(args: readonly string[], o: GitRun = {}): Promise<RepoResult<Uint8Array>> {
    const done = await this.attempt(args, o)
    if (!done.ok) return done
    return done.value.code === 0 ? ok(done.value.stdout) : this.failed(done.value, o)
  }

  /** Also for commands whose exit code is an answer. */
  async attempt(args: readonly string[], o: GitRun = {}) {
    const left = Math.ceil(this.until - this.o.env.clock.steady())
    const { signal, timeoutMs } = this.options
    if (left <= 0 || signal?.aborted)
      return this.refused('Unreachable', `not sent: its ${timeoutMs / 1000} s were over`)
    const done = await this.git.attempt(args, { ...o, timeoutMs: left, ...(signal ? { signal } : {}) })
    if (done.ok) return done
    // A command may have had less than the whole call.
    return this.failedBy(done.error.kind === 'TimedOut' ? { ...done.error, ms: timeoutMs } : done.error, o)
  }

  failed(
    ended: { readonly code: number; readonly stderr: string },
    o: Pick<GitRun, 'offline'> = {},
  ): Result<never, RepoFailure> {
    return this.failedBy({ kind: 'Exit', code: ended.code, stderr: ended.stderr }, o)
  }

  failedBy(failure: GitFailure, { offline }: Pick<GitRun, 'offline'> = {}): Result<never, RepoFailure> {
    const { url, secrets } = this.o
    return err(
      failureOfGitMessages(failure, { request: this.request, writes: this.writes, offline, url, secrets }),
    )
  }

  refused(kind: RepoFailure['kind'], message: string): Result<never, RepoFailure> {
    return err({ kind, wrote: 'no', request: this.request, message })
  }
}
