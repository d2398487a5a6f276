/**
 * What lies outside the hub: which commit a reference is now, and the files of a commit. References that can move are asked
 * again at the module's interval; everything is asked once for all who want it, with the same credentials.
 */
import { type Secret, secretKind } from '../api/kinds/foreign.ts'
import type { GitSource } from '../api/kinds/source.ts'
import type { Env } from '../env/env.ts'
import { err, ok, type Result } from '../env/result.ts'
import { backoffMs } from '../kube/backoff.ts'
import type { KubeClient } from '../kube/client.ts'
import { kubeErrorText } from '../kube/error.ts'
import { canonicalJson, sha256Hex } from '../object/object.ts'
import { fault, type SourceFailure } from './failure.ts'
import { GitCommand } from './git/command.ts'
import { type GitCredentials, gitCredentials } from './git/credentials.ts'
import { rootOf } from './git/listing.ts'
import type { Picked } from './git/ref.ts'
import { GitRepository } from './git/repository.ts'
import { readTree } from './git/tree.ts'
import { type GitUrl, parseGitUrl } from './git/url.ts'
import { Jobs } from './jobs.ts'
import type { Tree } from './tree.ts'

/** What is known of something outside. */
export type Look<T> =
  | { readonly state: 'Working' }
  | {
      readonly state: 'Known'
      readonly value: T /** Milliseconds until it is asked for again. */
      readonly againInMs?: number
    }
  | { readonly state: 'Failed'; readonly failure: SourceFailure; readonly againInMs: number }

export interface UpstreamOptions {
  /** Where repositories are kept between requests; what is in it can be removed at any time. */
  readonly cacheDir: string
  /** `file://` URLs are taken. */
  readonly files: boolean
}

/** Who asks, and how often what can move is asked for. */
export interface Asking {
  /** Woken when there is news. */
  readonly who: string
  readonly namespace: string
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Another text than before: it is asked for at once. */
  readonly trigger: string
}

interface Known<T> {
  readonly result: Result<T, SourceFailure>
  readonly at: number
  readonly trigger: string
  readonly failures: number
  readonly waitMs: number
}

/** Trees kept in memory until they are rendered. */
const MAX_TREES = 16
/** Triggers closer together than this are one. */
const TRIGGER_MS = 5000
const AT_ONCE = 8

export class Upstreams {
  private readonly env: Env
  private readonly hub: KubeClient
  private readonly options: UpstreamOptions
  private readonly commits = new Map<string, Known<Picked>>()
  private readonly trees = new Map<string, Known<Tree>>()
  private readonly jobs: Jobs<void>
  /** One fetch at a time into one repository on disk. */
  private readonly locks = new Map<string, Promise<unknown>>()

  constructor(env: Env, hub: KubeClient, options: UpstreamOptions, wake: (who: string) => void) {
    this.env = env
    this.hub = hub
    this.options = options
    this.jobs = new Jobs(AT_ONCE, wake)
  }

  get idle(): boolean {
    return this.jobs.idle
  }

  /** The commit that the reference is now. */
  commit(git: GitSource, asking: Asking): Look<Picked> {
    const key = keyOf(git, asking.namespace, git.ref)
    const isFixed =
      git.ref.commit !== undefined &&
      git.ref.branch === undefined &&
      git.ref.tag === undefined &&
      git.ref.name === undefined
    return this.look(this.commits, key, asking, isFixed, (repository) => repository.resolve(git.ref), git)
  }

  /** The files below the path of a commit, of which `wants` are read. */
  tree(git: GitSource, picked: Picked, wants: (path: string) => boolean, asking: Asking): Look<Tree> {
    const key = keyOf(git, asking.namespace, { commit: picked.commit, path: git.path })
    const read = async (repository: GitRepository): Promise<Result<Tree, SourceFailure>> => {
      const path = rootOf(git.path)
      if (!path.ok) return err(fault('InvalidSpec', `spec.source.git.path: ${path.error}`))
      const there = await repository.ensureCommit(picked)
      return there.ok ? readTree(repository, { picked, path: path.value, wants }) : there
    }
    const found = this.look(this.trees, key, asking, true, read, git)
    for (const old of this.trees.keys())
      if (this.trees.size > MAX_TREES && old !== key) this.trees.delete(old)
    return found
  }

  private look<T>(
    known: Map<string, Known<T>>,
    key: string,
    asking: Asking,
    isFixed: boolean,
    work: (repository: GitRepository) => Promise<Result<T, SourceFailure>>,
    git: GitSource,
  ): Look<T> {
    const now = this.env.clock.steady()
    const last = known.get(key)
    const age = last ? now - last.at : Number.POSITIVE_INFINITY
    const isTriggered = last !== undefined && last.trigger !== asking.trigger && age >= TRIGGER_MS
    const isStale = last === undefined || isTriggered || (age >= last.waitMs && !(isFixed && last.result.ok))
    if (isStale) {
      const done = (result: Result<T, SourceFailure>): void => {
        const failures = result.ok ? 0 : (last?.failures ?? 0) + 1
        const waitMs = result.ok ? asking.intervalMs : this.retryMs(result.error, failures, asking.intervalMs)
        known.set(key, { result, at: this.env.clock.steady(), trigger: asking.trigger, failures, waitMs })
      }
      this.jobs.run(
        `${isFixed} ${key}`,
        asking.who,
        async () => done(await this.inRepository(git, asking, work)),
        () => {},
      )
    }
    if (!last || (isTriggered && !last.result.ok)) return { state: 'Working' }
    const againInMs = Math.max(1, last.waitMs - age)
    if (!last.result.ok) return { state: 'Failed', failure: last.result.error, againInMs }
    return { state: 'Known', value: last.result.value, ...(isFixed ? {} : { againInMs }) }
  }

  /** What may end by itself is tried again soon, and ever more rarely; the rest at the interval. */
  private retryMs(failure: SourceFailure, failures: number, intervalMs: number): number {
    return failure.transient ? Math.min(intervalMs, backoffMs(failures - 1, this.env.random)) : intervalMs
  }

  private async inRepository<T>(
    git: GitSource,
    asking: Asking,
    work: (repository: GitRepository) => Promise<Result<T, SourceFailure>>,
  ): Promise<Result<T, SourceFailure>> {
    const url = parseGitUrl(git.url, this.options.files)
    if (!url.ok) return err(fault('InvalidSpec', `spec.source.git.url: ${url.error}`))
    const credentials = await this.credentials(url.value, git, asking.namespace)
    if (!credentials.ok) return credentials
    const dir = `${this.options.cacheDir}/git/${sha256Hex(canonicalJson([git.url, credentials.value.of])).slice(0, 32)}`
    return this.locked(dir, async () => {
      const command = await GitCommand.open(
        this.env,
        url.value,
        credentials.value.credentials,
        asking.timeoutMs,
      )
      if (!command.ok) return err(fault('SourceUnreachable', command.error, true))
      try {
        return await work(new GitRepository(this.env, url.value, dir, command.value))
      } finally {
        await command.value.close()
      }
    })
  }

  private async credentials(
    url: GitUrl,
    git: GitSource,
    namespace: string,
  ): Promise<Result<{ credentials: GitCredentials; of: string }, SourceFailure>> {
    if (git.secretRef === undefined) {
      if (url.scheme !== 'ssh') return ok({ credentials: { type: 'none' }, of: '' })
      return err(
        fault(
          'InvalidSpec',
          'spec.source.git.secretRef: an ssh:// URL needs a Secret with identity and known_hosts',
        ),
      )
    }
    const { name } = git.secretRef
    const found = await this.hub.list<Secret>(secretKind, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      why: 'sync',
    })
    if (!found.ok) return err(fault('HubUnreachable', kubeErrorText(found.error), true))
    const secret = found.value.items[0]
    if (!secret)
      return err(
        fault(
          'ResourceNotFound',
          `spec.source.git.secretRef: Secret ${namespace}/${name} does not exist`,
          true,
        ),
      )
    const read = gitCredentials(url, secret)
    if (!read.ok) return err(fault('SourceAuthFailed', `spec.source.git.secretRef: ${read.error}`, true))
    return ok({ credentials: read.value, of: `${namespace}/${secret.metadata.uid}` })
  }

  private locked<T>(dir: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.locks.get(dir) ?? Promise.resolve()).then(work, work)
    this.locks.set(dir, mine)
    void mine.finally(() => {
      if (this.locks.get(dir) === mine) this.locks.delete(dir)
    })
    return mine
  }
}

/** Modules with the same URL, credentials and question share the answer. */
const keyOf = (git: GitSource, namespace: string, question: unknown): string =>
  canonicalJson([git.url, git.secretRef ? `${namespace}/${git.secretRef.name}` : '', question as never])
