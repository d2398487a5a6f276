/** What was so of sets, sources and clusters, and when: out of commits alone. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import { at, type KubeObject } from '../../../packages/kube/src/object/index.ts'
import type { ClusterResourceSet } from '../../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import {
  CAPI_PAUSED,
  type ResourceSetSourceRef,
  SET,
  type SetMode,
} from '../../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { hashOf, idOf, type RandomSource } from './sourcecontent.ts'

/** What was so, one after the other. */
export class Past<T> {
  private readonly all: { readonly at: number; readonly value: T }[] = []

  put(at: number, value: T): void {
    this.all.push({ at, value })
  }

  get now(): T | undefined {
    return this.all.at(-1)?.value
  }

  /** All that was so at some time from then on. */
  since(from: number): T[] {
    return this.all
      .filter((_, i) => (this.all[i + 1]?.at ?? Number.POSITIVE_INFINITY) > from)
      .map((x) => x.value)
  }
}

export interface SetFact {
  readonly uid: string
  readonly mode: SetMode
  readonly isManaged: boolean
  /** By its user. */
  readonly isPaused: boolean
  /** Cluster API leaves it alone. */
  readonly isHeldOff: boolean
  readonly isDeleting: boolean
  readonly prunes: boolean
  readonly deletes: boolean
  readonly reapply: string | undefined
  readonly settings: Readonly<Record<string, string>>
  readonly refs: readonly ResourceSetSourceRef[]
}

export interface ClusterFact {
  readonly isSelected: boolean
  readonly isPaused: boolean
  readonly isDeleting: boolean
}

export const SETS = 'clusterresourcesets.addons.cluster.x-k8s.io'
const CLUSTERS = 'clusters.cluster.x-k8s.io'

/** One content that a source has had. */
export interface RecordedSource {
  readonly source: string
  readonly objects: readonly KubeObject[]
}

export class RecordedFacts {
  readonly sets = new Map<string, Past<SetFact | undefined>>()
  readonly clusters = new Map<string, Past<ClusterFact | undefined>>()
  /** Hashes of sources, by name; undefined: it is not there. */
  readonly hashes = new Map<string, Past<string | undefined>>()
  readonly contents = new Map<string, RecordedSource>()
  /** Which source an object is from, by `idOf`; also of one that has left it. */
  readonly sourceOf = new Map<string, RandomSource>()
  private readonly clock: () => number
  private readonly isOwn: boolean

  constructor(clock: () => number, isOwn: boolean) {
    this.clock = clock
    this.isOwn = isOwn
  }

  get now(): number {
    return this.clock()
  }

  /** What its text means; told before it is written. */
  learn(source: RandomSource): void {
    const objects = source.manifests()
    this.contents.set(hashOf(source.data()), { source: source.name, objects })
    for (const o of objects) this.sourceOf.set(idOf(o), source)
  }

  see(c: CommitRecord): void {
    if (c.cluster !== 'hub') return
    const name = c.key.slice(c.key.indexOf('/') + 1)
    if (c.resource === SETS) this.put(this.sets, name, c.next && this.setFact(c.next as ClusterResourceSet))
    if (c.resource === CLUSTERS) this.put(this.clusters, name, c.next && clusterFact(c.next))
    if (c.resource === 'configmaps' || c.resource === 'secrets')
      this.put(this.hashes, name, c.next && hashOfObject(c.next))
  }

  private put<T>(into: Map<string, Past<T>>, name: string, value: T): void {
    const past = into.get(name) ?? new Past<T>()
    into.set(name, past)
    past.put(this.clock(), value)
  }

  private setFact({ metadata, spec }: ClusterResourceSet): SetFact {
    const { annotations: settings = {}, uid = '' } = metadata
    return {
      uid,
      mode: (settings[SET.mode] ?? spec.strategy ?? 'ApplyOnce') as SetMode,
      isManaged: this.isOwn ? settings[SET.managed] !== 'false' : settings[SET.managed] === 'true',
      isPaused: (settings[SET.paused] ?? 'false') !== 'false',
      isHeldOff: this.isOwn || Object.hasOwn(settings, CAPI_PAUSED),
      isDeleting: metadata.deletionTimestamp !== undefined,
      prunes: settings[SET.prune] === 'true',
      deletes: settings[SET.deletionPolicy] === 'Delete',
      reapply: settings[SET.reapply],
      settings,
      refs: spec.resources ?? [],
    }
  }
}

const clusterFact = (o: KubeObject): ClusterFact => ({
  isSelected: o.metadata.labels?.env === 'prod',
  isPaused: at(o, 'spec', 'paused') === true,
  isDeleting: o.metadata.deletionTimestamp !== undefined,
})

function hashOfObject(o: KubeObject): string {
  const data = (at(o, 'data') ?? {}) as Record<string, string>
  const texts = Object.entries(data).map(([k, v]) => [k, o.kind === 'Secret' ? atob(v) : v])
  return hashOf(Object.fromEntries(texts))
}
