/**
 * What lies outside the hub: which commit a reference is now, and the files of a commit. References that can move are asked
 * again at the module's interval; everything is asked once for all who want it, with the same credentials.
 */

import { type AllowedHost, type Env, err, ok, type Result } from '@lockstep/kube/env'
import { canonicalJson, type JsonObject, sha256Hex } from '@lockstep/kube/object'
import type { Account } from '../../api/account.ts'
import type { GitSource, HelmSource, KustomizeRender } from '../../api/kinds/index.ts'
import { belowRoot } from '../git/belowroot.ts'
import { type GitCredentials, gitCredentials } from '../git/gitcredentials.ts'
import { GitMirror } from '../git/gitmirror.ts'
import type { ResolvedRef } from '../git/gitref.ts'
import { GitRunner } from '../git/gitrunner.ts'
import { type GitUrl, parseGitUrl } from '../git/giturl.ts'
import { resolvePath, rootOf } from '../git/lstree.ts'
import { readTree, readTrees } from '../git/readtree.ts'
import { TreeBatch } from '../git/treebatch.ts'
import { chartKey, gatherChart, type InCheckout } from '../helm/gatherchart.ts'
import { templateChart } from '../helm/templatechart.ts'
import type { TemplateRequest, TemplateResult } from '../helm/templaterequest.ts'
import { ChartClient } from '../helmrepository/chartclient.ts'
import { isExact } from '../helmrepository/chartversion.ts'
import type { ResolvedChart } from '../helmrepository/resolvedchart.ts'
import { gatherTree } from '../kustomize/gathertree.ts'
import { kustomizeBuild } from '../kustomize/kustomizebuild.ts'
import { CacheRoot } from './cacheroot.ts'
import { IGNORE_FILE, withoutIgnored } from './ignorefile.ts'
import { isManifestFile } from './renderfiles.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'
import type { BuiltTree, KustomizeBuild } from './sourcefetcher.ts'
import { type FetchResult, type FetchState, type Requester, SourcePoller } from './sourcepoller.ts'
import { readSourceSecret, type SecretReaders, secretRef } from './sourcesecret.ts'
import type { SourceTree } from './sourcetree.ts'

export interface UpstreamOptions {
  /** Where repositories are kept between requests; what is in it can be removed at any time. Absent, or not to be written: a private directory. */
  readonly cacheDir: string | undefined
  /** Folder below which `file://` repositories are, and charts from this machine come without TLS. Absent: neither is taken. */
  readonly sourceRoot?: string | undefined
  /** As the network has them. What one namespace alone may fetch is not shared with others. */
  readonly allowHosts?: readonly AllowedHost[] | undefined
}

/** Trees kept in memory until they are rendered. */
const MAX_TREES = 16
/** More of them are kept as long as they are small together. */
const MOST_SMALL_TREES = 1024
const SMALL_TREES_BYTES = 16 * 1024 * 1024

/** What modules are made of outside the hub, as controllers ask for it. */
export type UpstreamSources = Pick<Upstreams, keyof Upstreams>

export class Upstreams {
  private readonly env: Env
  private readonly hub: SecretReaders
  private readonly options: UpstreamOptions
  private readonly commits = new Map<string, FetchState<ResolvedRef>>()
  private readonly trees = new Map<string, FetchState<SourceTree>>()
  private readonly builds = new Map<string, FetchState<BuiltTree>>()
  private readonly charts = new Map<string, FetchState<TemplateResult>>()
  private readonly picked = new Map<string, FetchState<ResolvedChart>>()
  private readonly packed: ChartClient
  private readonly polling: SourcePoller
  private readonly cache: CacheRoot
  private readonly batch = new TreeBatch()
  /** One fetch at a time into one repository on disk. */
  private readonly locks = new Map<string, Promise<unknown>>()

  constructor(env: Env, hub: SecretReaders, options: UpstreamOptions, wake: (who: string) => void) {
    this.env = env
    this.hub = hub
    this.options = options
    this.polling = new SourcePoller(env, wake)
    this.cache = new CacheRoot(env, options.cacheDir)
    this.packed = new ChartClient(env, hub, {
      isLocal: options.sourceRoot !== undefined,
      root: () => this.cacheRoot(),
      scopeOf: (namespace) => this.scopeOf(namespace),
    })
  }

  get idle(): boolean {
    return this.polling.idle
  }

  /** Whoever asked is gone. */
  forget(who: string): void {
    this.polling.forget(who)
  }

  /** The commit that the reference is now. */
  commit(git: GitSource, asking: Requester): FetchResult<ResolvedRef> {
    const key = keyOf(git, this.scoped(asking), git.ref)
    const isFixed =
      git.ref.commit !== undefined &&
      git.ref.branch === undefined &&
      git.ref.tag === undefined &&
      git.ref.name === undefined
    return this.look(this.commits, key, asking, isFixed, (signal) =>
      this.inRepository(git, { ...asking, signal }, (repository) => repository.resolve(git.ref)),
    )
  }

  /** The files below the path of a commit that manifests are made of. */
  tree(git: GitSource, picked: ResolvedRef, asking: Requester): FetchResult<SourceTree> {
    const { commit } = picked
    const key = keyOf(git, this.scoped(asking), { commit, path: git.path })
    const path = rootOf(git.path)
    const work = async (signal: AbortSignal): Promise<Result<SourceTree, SourceFailure>> => {
      if (!path.ok) return err(fault('InvalidSpec', { field: 'spec.source.git.path', problem: path.error }))
      return this.inRepository(git, { ...asking, signal }, async (repository) => {
        // Another module has read it while this one waited for its turn.
        const known = this.batch.take(of, path.value)
        if (known) return known
        const there = await repository.ensureCommit(picked)
        if (!there.ok) return there
        return this.batch.read(of, path.value, (paths) =>
          readTrees(repository, { picked, paths, wants: isWanted }),
        )
      })
    }
    const of = keyOf(git, this.scoped(asking), { commit })
    if (path.ok && !this.trees.has(key)) this.batch.want(of, path.value)
    const found = this.look(this.trees, key, asking, true, work)
    forgetOldestTrees(this.trees)
    return found
  }

  /** What kustomize makes of the directory and of what it refers to. */
  kustomized(
    git: GitSource,
    picked: ResolvedRef,
    build: KustomizeBuild,
    asking: Requester,
  ): FetchResult<BuiltTree> {
    const question = { commit: picked.commit, path: git.path, build: build as never }
    const work = async (repository: GitMirror): Promise<Result<BuiltTree, SourceFailure>> => {
      const root = rootOf(git.path)
      if (!root.ok) return err(fault('InvalidSpec', { field: 'spec.source.git.path', problem: root.error }))
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
    const found = this.look(this.builds, keyOf(git, this.scoped(asking), question), asking, true, (signal) =>
      this.inRepository(git, { ...asking, signal }, work),
    )
    forgetOldest(this.builds)
    return found
  }

  /** What Helm makes of a chart. */
  templated(question: TemplateRequest, asking: Requester): FetchResult<TemplateResult> {
    const inCheckout =
      (signal: AbortSignal): InCheckout =>
      ({ git, picked }, work) =>
        this.inRepository(git, { ...asking, signal }, async (repository) => {
          const there = await repository.ensureCommit(picked)
          return there.ok ? work(repository) : there
        })
    const found = this.look(
      this.charts,
      chartKey(question, asking, this.scopeOf(asking.namespace)),
      asking,
      true,
      async (signal) => {
        const chart = await gatherChart(question, inCheckout(signal))
        return chart.ok ? templateChart(this.env, chart.value) : chart
      },
    )
    forgetOldest(this.charts)
    return found
  }

  /** The version of a chart that is meant now. */
  chart(helm: HelmSource, asking: Requester): FetchResult<ResolvedChart> {
    const { chart, version, digest } = helm
    const again = digest !== undefined ? 'Never' : isExact(version) ? 'Triggered' : 'Always'
    const key = packedKey(helm, this.scoped(asking), { chart, version, digest: digest ?? '' })
    const work = (signal: AbortSignal) => this.packed.pick(helm, { ...asking, signal })
    return this.polling.look({ type: 'helm', known: this.picked, key, again, work }, asking)
  }

  /** The files of that version. */
  chartTree(helm: HelmSource, picked: ResolvedChart, asking: Requester): FetchResult<SourceTree> {
    const { version, digest } = picked
    const key = packedKey(helm, this.scoped(asking), { chart: helm.chart, version, digest })
    const work = (signal: AbortSignal) => this.packed.tree(helm, picked, { ...asking, signal })
    const found = this.polling.look({ type: 'helm', known: this.trees, key, again: 'Never', work }, asking)
    forgetOldestTrees(this.trees)
    return found
  }

  /** Namespaces with an `--allow-host` of their own share nothing; empty: all others. */
  private scopeOf(namespace: string): string {
    return (this.options.allowHosts ?? []).some((a) => a.namespace === namespace) ? namespace : ''
  }

  private scoped(asking: Requester): RequestScope {
    return { account: accountOfRequest(asking), scope: this.scopeOf(asking.namespace) }
  }

  private look<T>(
    known: Map<string, FetchState<T>>,
    key: string,
    asking: Requester,
    isFixed: boolean,
    work: (signal: AbortSignal) => Promise<Result<T, SourceFailure>>,
  ): FetchResult<T> {
    return this.polling.look({ type: 'git', known, key, again: isFixed ? 'Never' : 'Always', work }, asking)
  }

  private async inRepository<T>(
    git: GitSource,
    asking: Requester & { readonly signal: AbortSignal },
    work: (repository: GitMirror) => Promise<Result<T, SourceFailure>>,
  ): Promise<Result<T, SourceFailure>> {
    const url = await this.gitUrl(git.url)
    if (!url.ok) return url
    const credentials = await this.credentials(url.value, git, accountOfRequest(asking))
    if (!credentials.ok) return credentials
    const root = await this.cacheRoot()
    if (!root.ok) return root
    const dir = `${root.value}/git/${sha256Hex(canonicalJson([git.url, credentials.value.of, this.scopeOf(asking.namespace)])).slice(0, 32)}`
    return this.locked(dir, async () => {
      const command = await GitRunner.open(this.env, {
        url: url.value,
        credentials: credentials.value.credentials,
        by: { namespace: asking.namespace },
        timeoutMs: asking.timeoutMs,
        signal: asking.signal,
      })
      if (!command.ok) return err(unreachable(command.error))
      try {
        return await work(new GitMirror(this.env, url.value, dir, command.value))
      } finally {
        await command.value.close()
      }
    })
  }

  private async gitUrl(text: string): Promise<Result<GitUrl, SourceFailure>> {
    const { sourceRoot } = this.options
    const url = parseGitUrl(text, sourceRoot !== undefined)
    if (!url.ok) return err(fault('InvalidSpec', { field: 'spec.source.git.url', problem: url.error }))
    return url.value.scheme === 'file' && sourceRoot !== undefined
      ? belowRoot(this.env.files, url.value, sourceRoot)
      : url
  }

  private async cacheRoot(): Promise<Result<string, SourceFailure>> {
    const root = await this.cache.path()
    return root.ok ? root : err(unreachable(`no folder for fetched files: ${root.error.message}`))
  }

  /** Removes what only this process used. */
  close(): Promise<void> {
    return this.cache.close()
  }

  private async credentials(
    url: GitUrl,
    git: GitSource,
    account: Account,
  ): Promise<Result<{ credentials: GitCredentials; of: string }, SourceFailure>> {
    if (git.secretRef === undefined) {
      if (url.scheme !== 'ssh') return ok({ credentials: { type: 'none' }, of: '' })
      return err(
        fault('InvalidSpec', {
          field: 'spec.source.git.secretRef',
          problem: 'an ssh:// URL requires a Secret with identity and known_hosts',
        }),
      )
    }
    const { name } = git.secretRef
    const { namespace } = account
    const secret = await readSourceSecret(this.hub, { account, name }, 'spec.source.git.secretRef')
    if (!secret.ok) return secret
    const read = gitCredentials(url, secret.value)
    if (!read.ok) {
      const facts = { field: 'spec.source.git.secretRef', because: 'Secret', error: read.error } as const
      return err(fault('SourceAuthFailed', facts, true, [secretRef(secret.value)]))
    }
    return ok({ credentials: read.value, of: `${namespace}/${secret.value.metadata.uid}` })
  }

  private locked<T>(dir: string, work: () => Promise<T>): Promise<T> {
    const before: Promise<unknown> = this.locks.get(dir) ?? Promise.resolve()
    const mine: Promise<T> = before.then(work, work).finally(() => {
      if (this.locks.get(dir) === mine) this.locks.delete(dir)
    })
    this.locks.set(dir, mine)
    return mine
  }
}

const accountOfRequest = ({ namespace, serviceAccountName }: Requester): Account => ({
  namespace,
  name: serviceAccountName,
})

const unreachable = (error: string): SourceFailure =>
  fault('SourceUnreachable', { because: 'Error', error }, true)

function forgetOldest(known: Map<string, unknown>): void {
  for (const key of known.keys()) {
    if (known.size <= MAX_TREES) return
    known.delete(key)
  }
}

/** Trees that are read together are rendered one after another: small ones stay until then. */
function forgetOldestTrees(known: Map<string, FetchState<SourceTree>>): void {
  if (known.size <= MAX_TREES) return
  let bytes = 0
  for (const { result } of known.values()) bytes += result.ok ? sizeOf(result.value) : 0
  for (const [key, { result }] of known) {
    if (known.size <= MAX_TREES || (known.size <= MOST_SMALL_TREES && bytes <= SMALL_TREES_BYTES)) return
    bytes -= result.ok ? sizeOf(result.value) : 0
    known.delete(key)
  }
}

const sizes = new WeakMap<SourceTree, number>()

function sizeOf(tree: SourceTree): number {
  const size = sizes.get(tree) ?? tree.files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  sizes.set(tree, size)
  return size
}

function componentsOf(render: KustomizeRender, root: string): Result<string[], SourceFailure> {
  const out: string[] = []
  for (const [i, component] of (render.components ?? []).entries()) {
    const path = resolvePath(root, component)
    if (path === undefined)
      return err(
        fault('PathEscapes', {
          field: `spec.render.kustomize.components[${i}]`,
          because: 'Outside',
          path: component,
        }),
      )
    out.push(path)
  }
  return ok(out)
}

const isWanted = (path: string): boolean =>
  isManifestFile(path) || path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`)

interface RequestScope {
  readonly account: Account
  readonly scope: string
}

/** Modules with the same URL, credentials and question share the answer. */
const keyOf = (git: GitSource, { account, scope }: RequestScope, question: unknown): string =>
  canonicalJson([git.url, git.secretRef ? secretKey(account, git.secretRef) : '', scope, question as never])

/** An account without the right to read a Secret gets no answer that was fetched with it. */
const secretKey = ({ namespace, name = '' }: Account, secret: { readonly name: string }): string =>
  `${namespace}/${secret.name} ${name}`

const packedKey = (
  { repository, secretRef, certSecretRef, passCredentials = false }: HelmSource,
  { account, scope }: RequestScope,
  question: JsonObject,
): string => {
  const secrets = [secretRef, certSecretRef].map((ref) => (ref ? secretKey(account, ref) : ''))
  return canonicalJson(['helm', repository, ...secrets, scope, passCredentials, question])
}
