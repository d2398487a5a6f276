/**
 * One look a minute at what is open in a repository, for all promotions of one credential that wait there: one list, and one
 * `ls-remote`. All of them come again when it is a minute old, and have the next one together.
 */
import { type Clock, err, ok, type Result } from '@lockstep/kube/env'
import { Ancestry } from '../ancestry.ts'
import type { CallOptions, GitProvider, GitProviderFailure, GitProviderResult, Pull } from '../gitprovider.ts'
import type { CommitId, GitRepository, RepoFailure } from '../gitrepository.ts'
import type { RequestPace } from './requestpace.ts'

const EVERY_MS = 60_000
/** Who asks at the same moment as one who was told that nobody answers is told the same. */
const FAILED_MS = 5000
/** Hosts look after the first question whether something can be merged; what they do not know then waits for somebody. */
const MOST_ASKED = 3
/** Elements of a page. */
const PAGE = 100
/** Branches of ours, whatever they are of. */
const OURS = 'lockstep/'

export interface RepositorySnapshot {
  /** Open ones, onto whichever branch. */
  readonly pulls: readonly Pull[]
  /** Of bases that are asked about, and of all of ours. */
  readonly heads: ReadonlyMap<string, CommitId>
  /** When it was asked for, by the steady clock. */
  readonly atMs: number
  /** Milliseconds until there is another one. */
  readonly againMs: number
}

type SnapshotFailure = GitProviderFailure | RepoFailure
type SnapshotContent = Omit<RepositorySnapshot, 'againMs'>

/** What is asked with: the same place and the same credential, whoever asks. */
export interface SnapshotRequest {
  readonly host: GitProvider
  readonly repository: GitRepository
  readonly base: string
}

export class RepositorySnapshots {
  private readonly clock: Clock
  private readonly pace: RequestPace
  /** Of the repository, for turns. */
  private readonly name: string
  private readonly bases = new Set<string>()
  /** Of what was made on its branches. */
  readonly ancestry = new Ancestry()
  /** When somebody looked last, by the steady clock. */
  usedAtMs: number
  private seen: SnapshotContent | undefined
  private failed: { readonly error: SnapshotFailure; readonly atMs: number } | undefined
  private asking: Promise<Result<RepositorySnapshot, SnapshotFailure>> | undefined
  /** By number: of which head and base it was asked, and how often. */
  private readonly asked = new Map<number, { readonly of: string; times: number; value: Pull['mergeable'] }>()

  constructor(clock: Clock, pace: RequestPace, name: string) {
    this.clock = clock
    this.pace = pace
    this.name = name
    this.usedAtMs = clock.steady()
  }

  async look(from: SnapshotRequest, o: CallOptions): Promise<Result<RepositorySnapshot, SnapshotFailure>> {
    const now = this.clock.steady()
    this.usedAtMs = now
    const isNew = !this.bases.has(from.base)
    this.bases.add(from.base)
    const { seen, failed } = this
    if (seen && !isNew && seen.atMs + EVERY_MS > now)
      return ok({ ...seen, againMs: seen.atMs + EVERY_MS - now })
    if (failed && failed.atMs + FAILED_MS > now) return err(failed.error)
    if (this.asking && !isNew) return this.asking
    const asking = this.ask(from, o).finally(() => {
      if (this.asking === asking) this.asking = undefined
    })
    this.asking = asking
    return asking
  }

  /**
   * Whether one that waits for people could be merged. Some hosts do not say it in lists: it is asked for where its head or its
   * base has become another.
   */
  async mergeable(
    pull: Pull,
    baseHead: CommitId,
    ask: () => Promise<GitProviderResult<Pull>>,
  ): Promise<GitProviderResult<Pull['mergeable']>> {
    const of = `${pull.headCommit} ${baseHead}`
    const known = this.asked.get(pull.number)
    const before = known?.of === of ? known : undefined
    const isKnown = before && (before.value !== 'Unknown' || before.times >= MOST_ASKED)
    // What cannot be asked now is asked the next time; until then nothing follows from it.
    if (isKnown || !this.mayAsk(pull)) return ok(before?.value ?? 'Unknown')
    const read = await ask()
    if (!read.ok) return read
    this.asked.set(pull.number, { of, times: (before?.times ?? 0) + 1, value: read.value.mergeable })
    return ok(read.value.mergeable)
  }

  /** One more request may be sent that looks at this one; they take turns. */
  mayAsk({ number }: Pick<Pull, 'number'>): boolean {
    return this.pace.take(`${this.name}#${number}`) === 0
  }

  private async ask(
    { host, repository }: SnapshotRequest,
    o: CallOptions,
  ): Promise<Result<RepositorySnapshot, SnapshotFailure>> {
    const atMs = this.clock.steady()
    const pages = Math.max(1, Math.ceil((this.seen?.pulls.length ?? 0) / PAGE))
    const waitMs = this.pace.take(this.name, pages)
    // Nobody has to know: it is only later.
    if (waitMs > 0 && this.seen) return ok({ ...this.seen, againMs: waitMs })
    const failed = (error: SnapshotFailure): Result<RepositorySnapshot, SnapshotFailure> => {
      this.failed = { error, atMs: this.clock.steady() }
      return err(error)
    }
    const pulls = await host.openPulls(o)
    if (!pulls.ok) return failed(pulls.error)
    const heads = await repository.branches([...this.bases, OURS], o)
    if (!heads.ok) return failed(heads.error)
    const seen = { pulls: pulls.value, heads: heads.value, atMs }
    if (!this.seen || this.seen.atMs <= atMs) this.seen = seen
    this.failed = undefined
    const open = new Set(pulls.value.map((p) => p.number))
    for (const number of this.asked.keys()) if (!open.has(number)) this.asked.delete(number)
    return ok({ ...seen, againMs: Math.max(1, atMs + EVERY_MS - this.clock.steady()) })
  }
}
