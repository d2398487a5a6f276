/** Charts over the network: which version is meant, and its files. Each question is a job of its own; what hosts ask for is kept. */

import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import { canonicalJson, sha256Hex } from '@lockstep/kube/object'
import type { Account } from '../../api/account.ts'
import type { HelmSource } from '../../api/kinds/index.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { readSourceSecret, type SecretReaders, secretRef } from '../intake/sourcesecret.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { OciChart } from '../oci/ocichart.ts'
import { ArchiveCache } from './archivecache.ts'
import { identityProblem, unpackChartArchive } from './chartarchive.ts'
import { type ChartAccess, chartCredentialsOf, chartTlsOf } from './chartcredentials.ts'
import { ChartHttp } from './charthttp.ts'
import { type ChartRepository, ociName, parseChartRepository } from './chartrepository.ts'
import { isExact, nearestVersions, pickChartVersion } from './chartversion.ts'
import { HostThrottle } from './hostthrottle.ts'
import { digestOfEntry, download, RepositoryIndex } from './repositoryindex.ts'
import type { ResolvedChart } from './resolvedchart.ts'

export interface ChartClientOptions {
  /** What is on this machine is reached without TLS. */
  readonly isLocal: boolean
  /** Where archives are kept. */
  readonly root: () => Promise<Result<string, SourceFailure>>
  /** Namespaces of one scope share archives and indexes. */
  readonly scopeOf: (namespace: string) => string
}

export interface ChartRequestScope {
  readonly namespace: string
  readonly serviceAccountName?: string | undefined
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Ends its requests. */
  readonly signal?: AbortSignal
}

type ChartPromise<T> = Promise<Result<T, SourceFailure>>

/** What one job works with. */
interface ChartJob {
  readonly helm: HelmSource
  readonly repository: ChartRepository
  readonly http: ChartHttp
  readonly cache: ArchiveCache
  /** Digest of who asks; empty: anybody. */
  readonly owner: string
}

/** Indexes that are remembered: more repositories than that are read anew each time. */
const MAX_INDEXES = 64

export class ChartClient {
  private readonly env: Env
  private readonly hub: SecretReaders
  private readonly o: ChartClientOptions
  private readonly hosts: HostThrottle
  private readonly indexes = new Map<string, RepositoryIndex>()

  constructor(env: Env, hub: SecretReaders, options: ChartClientOptions) {
    this.env = env
    this.hub = hub
    this.o = options
    this.hosts = new HostThrottle(env.clock)
  }

  pick(helm: HelmSource, asking: ChartRequestScope): ChartPromise<ResolvedChart> {
    return this.during(helm, asking, async (job) => {
      const picked = await (job.repository.kind === 'oci' ? this.pickTag(job) : this.pickEntry(job))
      if (!picked.ok || helm.digest === undefined || picked.value.digest === helm.digest) return picked
      const { version, digest: found } = picked.value
      const place = placeOf(helm)
      return err(fault('RefMoved', { place, kind: 'version', name: version, found, pinned: helm.digest }))
    })
  }

  tree(helm: HelmSource, picked: ResolvedChart, asking: ChartRequestScope): ChartPromise<SourceTree> {
    return this.during(helm, asking, async (job) => {
      const bytes = await (job.repository.kind === 'oci'
        ? ociBytes(job, picked)
        : this.indexBytes(job, picked))
      return bytes.ok ? treeOf(helm, picked, bytes.value) : bytes
    })
  }

  private async during<T>(
    helm: HelmSource,
    asking: ChartRequestScope,
    work: (job: ChartJob) => ChartPromise<T>,
  ): ChartPromise<T> {
    const tls = helm.certSecretRef !== undefined
    const repository = parseChartRepository(helm.repository, { local: this.o.isLocal, tls })
    if (!repository.ok)
      return err(fault('InvalidSpec', { field: 'spec.source.helm.repository', problem: repository.error }))
    const access = await this.access(helm, repository.value, {
      namespace: asking.namespace,
      name: asking.serviceAccountName,
    })
    if (!access.ok) return access
    const root = await this.o.root()
    if (!root.ok) return root
    const { owner } = access.value
    const http = new ChartHttp({
      env: this.env,
      by: { namespace: asking.namespace },
      hosts: this.hosts,
      access: access.value.access,
      local: this.o.isLocal,
      timeoutMs: asking.timeoutMs,
      signal: asking.signal,
      intervalMs: asking.intervalMs,
      origin: repository.value.origin,
      what: placeOf(helm),
    })
    try {
      const cache = new ArchiveCache(this.env, root.value, owner)
      return await work({ helm, repository: repository.value, http, cache, owner })
    } finally {
      await http.close()
    }
  }

  private async access(
    helm: HelmSource,
    repository: ChartRepository,
    account: Account,
  ): ChartPromise<{ readonly access: ChartAccess; readonly owner: string }> {
    let access: ChartAccess = {}
    const uids: string[] = []
    for (const field of ['secretRef', 'certSecretRef'] as const) {
      const ref = helm[field]
      if (!ref) continue
      const place = `spec.source.helm.${field}`
      const secret = await readSourceSecret(this.hub, { account, name: ref.name }, place)
      if (!secret.ok) return secret
      const read =
        field === 'secretRef' ? chartCredentialsOf(repository, secret.value) : tlsIn(chartTlsOf(secret.value))
      if (!read.ok) {
        const facts = { field: place, because: 'Secret', error: read.error } as const
        return err(fault('SourceAuthFailed', facts, true, [secretRef(secret.value)]))
      }
      access = { ...access, ...read.value }
      uids.push(`${field} ${secret.value.metadata.uid}`)
    }
    const scope = this.o.scopeOf(account.namespace)
    const isShared = uids.length === 0 && scope === ''
    const owner = isShared ? '' : sha256Hex(canonicalJson([account.namespace, ...uids])).slice(0, 32)
    return ok({ access, owner })
  }

  private async pickTag({ helm, repository, http }: ChartJob): ChartPromise<ResolvedChart> {
    const oci = ociOf(http, repository, helm)
    if (!oci.ok) return oci
    const wanted = helm.version
    const versions = isExact(wanted) ? ok([wanted]) : await oci.value.versions()
    if (!versions.ok) return versions
    const version = pickChartVersion(wanted, versions.value)
    if (version === undefined) return err(notFound(helm, versions.value))
    const digest = await oci.value.digestOf(version)
    if (!digest.ok) return digest
    if (digest.value !== undefined) return ok({ version, digest: digest.value })
    const others = isExact(wanted) ? await oci.value.versions() : versions
    return err(others.ok ? notFound(helm, others.value) : others.error)
  }

  private async pickEntry(job: ChartJob): ChartPromise<ResolvedChart> {
    const { helm, repository, http } = job
    const entries = await this.indexOf(job).versions(http, repository, helm.chart)
    if (!entries.ok) return entries
    const versions = entries.value.map((e) => e.version)
    const version = pickChartVersion(helm.version, versions)
    if (version === undefined) return err(notFound(helm, versions))
    const entry = entries.value.find((e) => e.version === version)!
    const digest = digestOfEntry(entry)
    if (!digest.ok) {
      const facts = { because: 'Invalid', name: `version ${version}`, error: digest.error } as const
      return err(fault('ArchiveRefused', { place: placeOf(helm), ...facts }))
    }
    const { urls } = entry
    if (digest.value !== undefined) return ok({ version, digest: digest.value, urls })
    // Without a digest in the index, it is that of what comes.
    const bytes = await this.downloaded(job, urls)
    return bytes.ok ? ok({ version, digest: bytes.value.digest, urls }) : bytes
  }

  private async indexBytes(
    job: ChartJob,
    { version, digest, urls = [] }: ResolvedChart,
  ): ChartPromise<Uint8Array> {
    const kept = await job.cache.read(digest)
    if (kept) return ok(kept)
    const got = await this.downloaded(job, urls)
    if (!got.ok) return got
    if (got.value.digest === digest) return ok(got.value.bytes)
    const place = placeOf(job.helm)
    const digests = { expected: digest, found: got.value.digest }
    return err(fault('ArchiveRefused', { place, because: 'Digest', name: `version ${version}`, ...digests }))
  }

  private async downloaded(
    { helm, repository, http, cache }: ChartJob,
    urls: readonly string[],
  ): ChartPromise<{ readonly bytes: Uint8Array; readonly digest: string }> {
    const o = { passCredentials: helm.passCredentials ?? false, local: this.o.isLocal }
    const bytes = await download(http, repository, urls, o)
    if (!bytes.ok) return bytes
    const digest = `sha256:${sha256Hex(bytes.value)}`
    await cache.write(digest, bytes.value)
    return ok({ bytes: bytes.value, digest })
  }

  private indexOf({ repository, owner }: ChartJob): RepositoryIndex {
    const key = `${owner} ${repository.text}`
    const index = this.indexes.get(key) ?? new RepositoryIndex()
    // The one that was used last is forgotten last.
    this.indexes.delete(key)
    this.indexes.set(key, index)
    for (const oldest of this.indexes.keys()) {
      if (this.indexes.size <= MAX_INDEXES) break
      this.indexes.delete(oldest)
    }
    return index
  }
}

async function ociBytes(
  { helm, repository, http, cache }: ChartJob,
  picked: ResolvedChart,
): ChartPromise<Uint8Array> {
  const oci = ociOf(http, repository, helm)
  if (!oci.ok) return oci
  const layer = await oci.value.layerOf(picked.digest)
  if (!layer.ok) return layer
  const kept = await cache.read(layer.value.digest)
  if (kept) return ok(kept)
  const bytes = await oci.value.blob(layer.value)
  if (bytes.ok) await cache.write(layer.value.digest, bytes.value)
  return bytes
}

function treeOf(
  helm: HelmSource,
  picked: ResolvedChart,
  bytes: Uint8Array,
): Result<SourceTree, SourceFailure> {
  const tree = unpackChartArchive(bytes)
  const problem = tree.ok ? identityProblem(tree.value, helm.chart, picked.version) : tree.error
  if (!tree.ok || problem !== undefined)
    return err(
      fault('ArchiveRefused', {
        place: placeOf(helm),
        because: 'Invalid',
        name: `chart ${helm.chart} ${picked.version}`,
        error: problem ?? '',
      }),
    )
  return tree
}

function ociOf(
  http: ChartHttp,
  repository: ChartRepository,
  helm: HelmSource,
): Result<OciChart, SourceFailure> {
  const name = ociName(repository, helm.chart)
  return name.ok
    ? ok(new OciChart(http, repository.origin, name.value))
    : err(fault('InvalidSpec', { field: 'spec.source.helm.chart', problem: name.error }))
}

const tlsIn = (tls: ReturnType<typeof chartTlsOf>): Result<ChartAccess, string> =>
  tls.ok ? ok({ tls: tls.value }) : tls

/** For messages. */
const placeOf = ({ repository }: HelmSource): string => `helm ${repository}`

function notFound(helm: HelmSource, versions: readonly string[]): SourceFailure {
  const of = { place: placeOf(helm), name: helm.chart }
  if (versions.length === 0) return fault('RefNotFound', { ...of, because: 'NoVersions' })
  const because = isExact(helm.version) ? 'NoVersion' : 'NoVersionInRange'
  const nearest = nearestVersions(helm.version, versions)
  return fault('RefNotFound', { ...of, because, range: helm.version, nearest })
}
