/**
 * What lies outside the hub: which commit a reference is now, and the files of a commit. References that can move are asked
 * again at the module's interval; everything is asked once for all who want it, with the same credentials.
 */
import { type Secret, secretKind } from '../api/kinds/foreign.ts'
import type { KustomizeRender } from '../api/kinds/render.ts'
import type { GitSource } from '../api/kinds/source.ts'
import type { Env } from '../env/env.ts'
import { err, ok, type Result } from '../env/result.ts'
import { backoffMs } from '../kube/backoff.ts'
import type { KubeClient } from '../kube/client.ts'
import { kubeErrorText } from '../kube/error.ts'
import { canonicalJson, sha256Hex } from '../object/object.ts'
import { fault, type SourceFailure } from './failure.ts'
import { isManifestFile } from './files.ts'
import { GitCommand } from './git/command.ts'
import { type GitCredentials, gitCredentials } from './git/credentials.ts'
import { resolvePath, rootOf } from './git/listing.ts'
import type { Picked } from './git/ref.ts'
import { GitRepository } from './git/repository.ts'
import { readTree } from './git/tree.ts'
import { type GitUrl, parseGitUrl } from './git/url.ts'
import { chartKey, gatherChart, type InCheckout } from './helm/gather.ts'
import type { ChartQuestion, Templated } from './helm/question.ts'
import { templateChart } from './helm/template.ts'
import { IGNORE_FILE, withoutIgnored } from './ignore.ts'
import { Jobs } from './jobs.ts'
import { kustomizeBuild } from './kustomize/build.ts'
import { gatherTree } from './kustomize/gather.ts'
import type { KustomizeBuild } from './outside.ts'
import type { Tree } from './tree.ts'

/** Where credentials are. */
export type SecretReader = Pick<KubeClient, 'list'>

/** What is known of something outside. */
export type Look<T> =
  | { readonly state: 'Working'; readonly againInMs?: number }
  /** `againInMs`: milliseconds until it is asked for again. */
  | { readonly state: 'Known'; readonly value: T; readonly againInMs?: number }
  | { readonly state: 'Failed'; readonly failure: SourceFailure; readonly againInMs?: number }

export interface UpstreamOptions {
  /** Where repositories are kept between requests; what is in it can be removed at any time. Absent: a private directory. */
  readonly cacheDir: string | undefined
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
  /** Another text than before: it is asked for at once, and what was known before does not count. */
  readonly trigger: string
}

interface Known<T> {
  readonly result: Result<T, SourceFailure>
  /** When it was asked for. */
  readonly at: number
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
  private readonly hub: SecretReader
  private readonly options: UpstreamOptions
  private readonly commits = new Map<string, Known<Picked>>()
  private readonly trees = new Map<string, Known<Tree>>()
  private readonly askers = new Map<string, { readonly trigger: string; readonly since: number }>()
  private readonly builds = new Map<string, Known<string>>()
  private readonly charts = new Map<string, Known<Templated>>()
  private readonly jobs: Jobs
  private privateDir: ReturnType<Env['files']['tempDir']> | undefined
  /** One fetch at a time into one repository on disk. */
  private readonly locks = new Map<string, Promise<unknown>>()

  constructor(env: Env, hub: SecretReader, options: UpstreamOptions, wake: (who: string) => void) {
    this.env = env
    this.hub = hub
    this.options = options
    this.jobs = new Jobs(AT_ONCE, wake)
  }

  get idle(): boolean {
    return this.jobs.idle
  }

  /** Whoever asked is gone. */
  forget(who: string): void {
    this.askers.delete(who)
  }

  /** The commit that the reference is now. */
  commit(git: GitSource, asking: Asking): Look<Picked> {
    const key = keyOf(git, asking.namespace, git.ref)
    const isFixed =
      git.ref.commit !== undefined &&
      git.ref.branch === undefined &&
      git.ref.tag === undefined &&
      git.ref.name === undefined
    return this.look(this.commits, key, asking, isFixed, () =>
      this.inRepository(git, asking, (repository) => repository.resolve(git.ref)),
    )
  }

  /** The files below the path of a commit that manifests are made of. */
  tree(git: GitSource, picked: Picked, asking: Asking): Look<Tree> {
    const key = keyOf(git, asking.namespace, { commit: picked.commit, path: git.path })
    const read = async (repository: GitRepository): Promise<Result<Tree, SourceFailure>> => {
      const path = rootOf(git.path)
      if (!path.ok) return err(fault('InvalidSpec', `spec.source.git.path: ${path.error}`))
      const there = await repository.ensureCommit(picked)
      return there.ok ? readTree(repository, { picked, path: path.value, wants: isWanted }) : there
    }
    const found = this.look(this.trees, key, asking, true, () => this.inRepository(git, asking, read))
    forgetOldest(this.trees)
    return found
  }

  /** What kustomize makes of the directory and of what it refers to. */
  kustomized(git: GitSource, picked: Picked, build: KustomizeBuild, asking: Asking): Look<string> {
    const question = { commit: picked.commit, path: git.path, build: build as never }
    const work = async (repository: GitRepository): Promise<Result<string, SourceFailure>> => {
      const root = rootOf(git.path)
      if (!root.ok) return err(fault('InvalidSpec', `spec.source.git.path: ${root.error}`))
      const more = componentsOf(build.render, root.value)
      if (!more.ok) return more
      const there = await repository.ensureCommit(picked)
      if (!there.ok) return there
      const tree = await gatherTree(root.value, more.value, (path) =>
        readTree(repository, { picked, path, wants: () => true }),
      )
      if (!tree.ok) return tree
      return kustomizeBuild(this.env, withoutIgnored(tree.value, build.ignore), root.value, build.render)
    }
    const found = this.look(this.builds, keyOf(git, asking.namespace, question), asking, true, () =>
      this.inRepository(git, asking, work),
    )
    forgetOldest(this.builds)
    return found
  }

  /** What Helm makes of a chart. */
  templated(question: ChartQuestion, asking: Asking): Look<Templated> {
    const inCheckout: InCheckout = ({ git, picked }, work) =>
      this.inRepository(git, asking, async (repository) => {
        const there = await repository.ensureCommit(picked)
        return there.ok ? work(repository) : there
      })
    const found = this.look(this.charts, chartKey(question, asking), asking, true, async () => {
      const chart = await gatherChart(question, inCheckout)
      return chart.ok ? templateChart(this.env, chart.value) : chart
    })
    forgetOldest(this.charts)
    return found
  }

  private look<T>(
    known: Map<string, Known<T>>,
    key: string,
    asking: Asking,
    isFixed: boolean,
    work: () => Promise<Result<T, SourceFailure>>,
  ): Look<T> {
    const last = known.get(key)
    const since = this.askedSince(asking)
    const dueInMs = last ? this.dueInMs(last, since, isFixed) : 0
    if (dueInMs <= 0) this.ask(known, key, asking, work)
    const again = Number.isFinite(dueInMs) && dueInMs > 0 ? { againInMs: dueInMs } : {}
    // An answer from before the question was put may be the old one.
    if (!last || (last.at < since && !(isFixed && last.result.ok))) return { state: 'Working', ...again }
    return last.result.ok
      ? { state: 'Known', value: last.result.value, ...again }
      : { state: 'Failed', failure: last.result.error, ...again }
  }

  private ask<T>(
    known: Map<string, Known<T>>,
    key: string,
    asking: Asking,
    work: () => Promise<Result<T, SourceFailure>>,
  ): void {
    const failed = known.get(key)?.failures ?? 0
    this.jobs.run(key, asking.who, async () => {
      const at = this.env.clock.steady()
      const result = await work()
      const failures = result.ok ? 0 : failed + 1
      const waitMs = result.ok ? asking.intervalMs : this.retryMs(result.error, failures, asking.intervalMs)
      known.set(key, { result, at, failures, waitMs })
    })
  }

  /** When this asker first came with this trigger. */
  private askedSince({ who, trigger }: Asking): number {
    const known = this.askers.get(who)
    if (known?.trigger === trigger) return known.since
    const since = this.env.clock.steady()
    this.askers.set(who, { trigger, since })
    return since
  }

  /** Milliseconds until it is asked for again; 0 and below: now. What cannot move is asked for once. */
  private dueInMs<T>(last: Known<T>, since: number, isFixed: boolean): number {
    const age = this.env.clock.steady() - last.at
    if (isFixed && last.result.ok) return Number.POSITIVE_INFINITY
    return (last.at >= since ? last.waitMs : Math.min(TRIGGER_MS, last.waitMs)) - age
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
    const root = await this.cacheRoot()
    if (!root.ok) return root
    const dir = `${root.value}/git/${sha256Hex(canonicalJson([git.url, credentials.value.of])).slice(0, 32)}`
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

  private async cacheRoot(): Promise<Result<string, SourceFailure>> {
    const { cacheDir } = this.options
    if (cacheDir !== undefined) return ok(cacheDir)
    this.privateDir ??= this.env.files.tempDir('lockstep-sources-')
    const made = await this.privateDir
    return made.ok ? made : err(fault('SourceUnreachable', made.error.message, true))
  }

  /** Removes what only this process used. */
  async close(): Promise<void> {
    const made = await this.privateDir
    if (made?.ok) await this.env.files.removeTree(made.value)
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

function forgetOldest(known: Map<string, unknown>): void {
  for (const key of known.keys()) {
    if (known.size <= MAX_TREES) return
    known.delete(key)
  }
}

function componentsOf(render: KustomizeRender, root: string): Result<string[], SourceFailure> {
  const out: string[] = []
  for (const [i, component] of (render.components ?? []).entries()) {
    const path = resolvePath(root, component)
    if (path === undefined)
      return err(
        fault(
          'PathEscapes',
          `spec.render.kustomize.components[${i}]: ${component} leads out of the repository`,
        ),
      )
    out.push(path)
  }
  return ok(out)
}

const isWanted = (path: string): boolean =>
  isManifestFile(path) || path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`)

/** Modules with the same URL, credentials and question share the answer. */
const keyOf = (git: GitSource, namespace: string, question: unknown): string =>
  canonicalJson([git.url, git.secretRef ? `${namespace}/${git.secretRef.name}` : '', question as never])
