/** A fleet as decisions see it, in memory: what is put here is all that is known, and nothing is written anywhere else. */

import { type ObjectIndexes, ObjectStore, type ReadOnlyStore } from '@lockstep/kube/cache'
import type { ControllerRevision } from '@lockstep/kube/kinds'
import type { KubeObject, Stored, StoredMeta } from '@lockstep/kube/object'
import { blocked, storedBlocker } from '../../api/blocker.ts'
import type {
  Approval,
  DisruptionBudget,
  ExternalAssemblage,
  Hold,
  Inventory,
  Module,
  RemoteAssemblage,
} from '../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION } from '../../api/labels.ts'
import type { ObjectObservation } from '../../decisions/gate/index.ts'
import { type DependencyObjectRef, type ModuleRef, moduleEdges } from '../../decisions/graph/index.ts'
import type { ClusterState } from '../../decisions/rollout/index.ts'
import {
  type ClusterCondition,
  type ClusterView,
  clusterConditionOf,
  clusterRef,
  type FleetReader,
  HUB_CLUSTER,
  hubView,
  type SessionReader,
} from '../../fleet/clusters/index.ts'
import { CACHED_KINDS, type HubCaches, lookupsOf, type RevisionRecord } from '../cache/index.ts'

/** What is known of a namespace: lists of its hub. */
export interface FleetObjects {
  readonly namespace: string
  readonly modules: readonly Stored<Module>[]
  readonly revisions: readonly Stored<ControllerRevision>[]
  readonly inventories: readonly Stored<Inventory>[]
  readonly assemblages: readonly Stored<RemoteAssemblage>[]
  readonly holds: readonly Stored<Hold>[]
  readonly approvals: readonly Stored<Approval>[]
  readonly disruptionBudgets: readonly Stored<DisruptionBudget>[]
  readonly clusters: readonly ClusterView[]
  /** Assemblages of other tools; absent: none is read. */
  readonly foreign?: readonly Stored<ExternalAssemblage>[]
  /** ClusterResourceSets, and the labels of their definition; absent: none is read. */
  readonly sets?: HubCaches['sets']
}

/** An object as its cluster shows it. */
export type ClusterObjects = (ref: DependencyObjectRef, cluster: string) => ObjectObservation

/** One kind of objects. */
class Shelf<T extends KubeObject, P> {
  readonly store: ObjectStore<T, P>
  private readonly version: () => string

  constructor(
    cached: { readonly project: (o: Stored<T>) => P | undefined; readonly indexes: ObjectIndexes<P> },
    version: () => string,
    all: readonly Stored<T>[],
  ) {
    this.store = new ObjectStore(cached.project, cached.indexes)
    this.version = version
    this.store.replace(
      all.map((o) => this.store.listed(o)),
      '0',
      0,
    )
  }

  put(object: Stored<T>): void {
    const metadata = { ...object.metadata, resourceVersion: this.version() }
    this.store.event('MODIFIED', { ...object, metadata }, 0)
  }

  drop(object: Stored<T>): void {
    const metadata = { ...object.metadata, resourceVersion: this.version() }
    this.store.event('DELETED', { ...object, metadata }, 0)
  }
}

/** Above any that a server has given so far. */
const FIRST_VERSION = 10 ** 15

export class FleetCopy implements HubCaches {
  readonly namespace: string
  readonly modules: Shelf<Module, Stored<Module>>
  readonly bootstrapModules: Shelf<Module, Stored<Module>>
  readonly assemblages: Shelf<RemoteAssemblage, Stored<RemoteAssemblage>>
  readonly inventories: Shelf<Inventory, Stored<Inventory>>
  readonly holds: Shelf<Hold, Stored<Hold>>
  readonly approvals: Shelf<Approval, Stored<Approval>>
  readonly disruptionBudgets: Shelf<DisruptionBudget, Stored<DisruptionBudget>>
  readonly revisions: Shelf<ControllerRevision, RevisionRecord>
  readonly shards: { readonly store: ReadOnlyStore<Stored> }
  readonly fleet: FleetReader
  readonly own: HubCaches['own']
  readonly foreign?: Shelf<ExternalAssemblage, Stored<ExternalAssemblage>>
  readonly sets?: NonNullable<HubCaches['sets']>
  readonly module: HubCaches['module']
  readonly published: HubCaches['published']
  readonly unit: HubCaches['unit']
  readonly admission: HubCaches['admission']
  readonly assignment: HubCaches['assignment']
  private versions = FIRST_VERSION

  /** `nowMs`: the time on the hub. `objects`: absent, edges to objects and gates of stages count as open. */
  constructor(o: FleetObjects, nowMs: () => number, objects?: ClusterObjects) {
    const next = () => String(this.versions++)
    const of = (kind: Module['kind']) =>
      o.modules.filter((m) => m.kind === kind).map((m) => (objects ? m : withoutGates(m)))
    this.namespace = o.namespace
    this.own = {
      get serverTime() {
        return { nowMs: nowMs(), errorMs: 0, ageMs: 0, epoch: 0 }
      },
    }
    this.modules = new Shelf(CACHED_KINDS.modules, next, of('Module'))
    this.bootstrapModules = new Shelf(CACHED_KINDS.bootstrapModules, next, of('BootstrapModule'))
    this.assemblages = new Shelf(CACHED_KINDS.assemblages, next, o.assemblages)
    this.inventories = new Shelf(CACHED_KINDS.inventories, next, o.inventories)
    this.holds = new Shelf(CACHED_KINDS.holds, next, o.holds)
    this.approvals = new Shelf(CACHED_KINDS.approvals, next, o.approvals)
    this.disruptionBudgets = new Shelf(CACHED_KINDS.disruptionBudgets, next, o.disruptionBudgets)
    const { indexes, project } = CACHED_KINDS.revisions
    const projected = objects ? project : (r: Stored<ControllerRevision>) => withoutObjects(project(r))
    this.revisions = new Shelf({ indexes, project: projected }, next, o.revisions)
    this.shards = new Shelf(CACHED_KINDS.shards, next, [...this.revisions.store.all()].map(shardOf))
    this.fleet = new CopiedClusters(o.namespace, o.clusters, this.assemblages.store, objects)
    if (o.foreign) this.foreign = new Shelf(CACHED_KINDS.foreign, next, o.foreign)
    if (o.sets) this.sets = o.sets
    const lookups = lookupsOf(this)
    this.module = lookups.module
    this.published = lookups.published
    this.unit = lookups.unit
    this.admission = lookups.admission
    this.assignment = lookups.assignment
  }

  shelfOf({ kind }: Pick<ModuleRef, 'kind'>): Shelf<Module, Stored<Module>> {
    return kind === 'Module' ? this.modules : this.bootstrapModules
  }

  /** By kind and name. */
  allModules(): Stored<Module>[] {
    const all = [...this.modules.store.all(), ...this.bootstrapModules.store.all()]
    const key = (m: Stored<Module>): string => `${m.kind}/${m.metadata.name}`
    return all.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }
}

function withoutGates(module: Stored<Module>): Stored<Module> {
  const { stages } = module.spec.rollout
  if (!stages?.some((s) => s.gates)) return module
  const rollout = { ...module.spec.rollout, stages: stages.map(({ gates: _, ...s }) => s) }
  return { ...module, spec: { ...module.spec, rollout } }
}

/** Objects that edges name are nobody's to foresee: a plan names them, and goes on as if they were ready. */
const withoutObjects = (r: RevisionRecord | undefined): RevisionRecord | undefined =>
  r && { ...r, edges: moduleEdges(r.edges) }

/** What was published is kept as long as the history has it: what of that is lost shows when it is needed. */
const shardOf = ({ namespace, name, bundle, stored }: RevisionRecord): Stored => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...stored, namespace, name, annotations: { [BUNDLE_DIGEST_ANNOTATION]: bundle } } as StoredMeta,
})

/** Clusters as their inventories and the controller's last word describe them; none is spoken to. */
class CopiedClusters implements FleetReader {
  private readonly byNamespace: ReadonlyMap<string, readonly ClusterView[]>
  private readonly assemblages: ReadOnlyStore<Stored<RemoteAssemblage>>
  private readonly objects: ClusterObjects | undefined

  constructor(
    namespace: string,
    views: readonly ClusterView[],
    assemblages: ReadOnlyStore<Stored<RemoteAssemblage>>,
    objects: ClusterObjects | undefined,
  ) {
    this.objects = objects
    const namespaces = new Set([namespace, ...views.map((v) => v.namespace)])
    this.byNamespace = new Map([...namespaces].map((name) => [name, clustersOf(name, views)]))
    this.assemblages = assemblages
  }

  view(namespace: string, name: string): ClusterView | undefined {
    return this.of(namespace).find((v) => v.name === name)
  }

  of(namespace: string): readonly ClusterView[] {
    return this.byNamespace.get(namespace) ?? []
  }

  connection(view: ClusterView): SessionReader | undefined {
    return this.session(view)
  }

  session(view: ClusterView): SessionReader | undefined {
    const { state } = this.condition(view)
    if (state !== 'Connected') return undefined
    const { objects } = this
    const selections = objects ? { get: (ref: DependencyObjectRef) => objects(ref, view.name) } : UNREAD
    return { ...IN_TOUCH, selections, uid: this.record(view)?.uid }
  }

  /** One that nobody has spoken to yet is expected to answer. */
  condition(view: ClusterView): ClusterCondition {
    const session = {
      state: 'Connected',
      uid: undefined,
      problem: undefined,
      problemSince: undefined,
      hostRefusal: undefined,
      rejected: false,
      refusesAnswer: false,
      refusedAnswer: undefined,
      muteWatch: undefined,
      hidden: false,
    } as const
    const early = clusterConditionOf({
      view,
      session:
        isReadable(view) || this.assemblageOf(view)?.status?.cluster === 'Connected' ? session : undefined,
      record: this.record(view),
      duplicateOf: undefined,
    })
    if (early.state !== 'Connected') return early
    const { cluster: state, blockers: [stored] = [] } = this.assemblageOf(view)?.status ?? {}
    if (!isTroubled(state)) return early
    const unknown = blocked('ClusterNotConnected', [clusterRef(view)], {})
    const blocker = stored ? storedBlocker(stored) : unknown
    return { state, reason: blocker.reason, message: blocker.message, blocker }
  }

  knownCondition(view: ClusterView): ClusterCondition {
    return this.condition(view)
  }

  record(view: ClusterView) {
    const known = this.assemblageOf(view)
    if (!known) return undefined
    const { clusterUid: uid, objectUid } = known.status ?? {}
    return { kind: known.spec.clusterRef.kind, uid, objectUid }
  }

  private assemblageOf({ namespace, name }: ClusterView): Stored<RemoteAssemblage> | undefined {
    return this.assemblages.get({ namespace, name })
  }
}

/** By name; the hub last. */
function clustersOf(namespace: string, views: readonly ClusterView[]): ClusterView[] {
  const own = views.filter((v) => v.namespace === namespace).sort((a, b) => (a.name < b.name ? -1 : 1))
  return own.some((v) => v.name === HUB_CLUSTER) ? own : [...own, hubView(namespace)]
}

const isReadable = ({ access, initialized }: ClusterView): boolean => access.type !== 'Missing' && initialized

type Troubled = Extract<ClusterState, 'Unreachable' | 'Connecting' | 'IdentityChanged' | 'Provisioning'>

const TROUBLED: ReadonlySet<string | undefined> = new Set<Troubled>([
  'Unreachable',
  'Connecting',
  'IdentityChanged',
  'Provisioning',
])

const isTroubled = (state: string | undefined): state is Troubled => TROUBLED.has(state)

const IN_TOUCH: Omit<SessionReader, 'uid' | 'selections'> = {
  state: 'Connected',
  wasJudged: () => true,
  hearing: { silence: undefined },
}

const UNREAD: SessionReader['selections'] = {
  get: () => ({ type: 'Unread', detail: 'a plan reads no objects of clusters' }),
}
