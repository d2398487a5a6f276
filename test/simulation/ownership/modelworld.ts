/** Storage of the ownership model: a hub and clusters in memory. */
import type { RequestError } from '../../../packages/kube/src/client/requesterror.ts'
import { err, ok, type Result } from '../../../packages/kube/src/env/result.ts'
import {
  identityOf,
  type KubeObject,
  type ObjectReference,
  refText,
} from '../../../packages/kube/src/object/index.ts'
import type { Stored } from '../../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../../packages/lockstep/src/api/kinds/index.ts'
import {
  INVENTORY_ANNOTATION,
  NONCE_ANNOTATION,
  UNIT_LABEL,
} from '../../../packages/lockstep/src/api/labels.ts'
import { ClaimReader } from '../../../packages/lockstep/src/controllers/claims/claimreader.ts'
import { FleetCopy } from '../../../packages/lockstep/src/controllers/plan/fleetcopy.ts'
import type { UnitDeps, UnitScope } from '../../../packages/lockstep/src/controllers/unit/unitscope.ts'
import { emptyMemory, type UnitMemory } from '../../../packages/lockstep/src/deliver/state/unitmemory.ts'
import type { ClusterView } from '../../../packages/lockstep/src/fleet/clusters/cluster.ts'
import type { LiveObject } from '../../../packages/lockstep/src/fleet/connection/liveobject.ts'
import {
  DEFINITION_ID,
  isDefinedKind,
  type ModelMarks,
  modelObject,
  neededBy,
  PARTS,
  partsIn,
  RESOURCES,
  refOfPart,
} from './modelobject.ts'
import { ModelProcess } from './modelprocess.ts'

export const NAMESPACE = 'team'
const CREATED = '2026-01-01T00:00:00Z'

type Refused = RequestError & { readonly kind: 'NotFound' | 'FenceLost' | 'AlreadyExists' }
type Answer<T> = Result<T, Refused>
type Precondition = { readonly precondition: { readonly uid: string; readonly resourceVersion: string } }
type MarksPatch = {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string | null>>
    readonly annotations: Readonly<Record<string, string | null>>
  }
}

const WHERE = { cluster: '', verb: 'update', ref: refOfPart(PARTS[0]!), wrote: 'no' } as const
const refused = (kind: Refused['kind']) => err<Refused>({ ...WHERE, kind, message: kind } as Refused)

/** Calls of the judge, when a request is served. */
export interface RequestWitness {
  /** `holder`: uid of the Inventory that the deleted object names. */
  deleted(cluster: string, ref: ObjectReference, holder: string | undefined): void
  /** Something of the cluster or of its Inventories was written. */
  written(cluster: string): void
}

export class ModelCluster {
  readonly view: ClusterView
  readonly labels: { ring: string }
  readonly objects = new Map<string, LiveObject>()

  constructor(name: string, ring: string) {
    this.labels = { ring }
    this.view = {
      kind: 'Secret',
      namespace: NAMESPACE,
      name,
      standsIn: false,
      objectName: name,
      uid: name,
      labels: this.labels,
      annotations: {},
      properties: {},
      paused: undefined,
      deleting: false,
      initialized: true,
      access: { type: 'Unread', message: '' },
    }
  }
}

export class ModelWorld {
  readonly copy: FleetCopy
  readonly clusters: ReadonlyMap<string, ModelCluster>
  readonly deps: UnitDeps
  /** Modules whose spec is neither published nor refused. */
  readonly unsettled = new Set<string>()
  /** Requests that changed something. */
  changes = 0
  readonly process = new ModelProcess(() => this.memories.clear())
  steadyMs = 0
  witness: RequestWitness = { deleted: () => {}, written: () => {} }
  private readonly memories = new Map<string, UnitMemory>()
  private readonly sessions: ReadonlyMap<string, UnitScope['session']>
  private count = 0

  constructor(rings: readonly string[]) {
    const clusters = rings.map((ring, i) => new ModelCluster(`c${i + 1}`, ring))
    this.clusters = new Map(clusters.map((c) => [c.view.name, c]))
    const objects = {
      namespace: NAMESPACE,
      modules: [],
      revisions: [],
      inventories: [],
      assemblages: [],
      holds: [],
      approvals: [],
      disruptionBudgets: [],
      clusters: clusters.map((c) => c.view),
    }
    this.copy = new FleetCopy(objects, () => this.steadyMs)
    this.sessions = new Map(clusters.map((c) => [c.view.name, this.sessionOf(c)]))
    this.deps = this.depsOf()
  }

  uid(prefix: string): string {
    return `${prefix}-${++this.count}`
  }

  cluster(name: string): ModelCluster {
    return this.clusters.get(name)!
  }

  session(cluster: string): UnitScope['session'] {
    return this.sessions.get(cluster)!
  }

  /** Memory of this process about an Inventory. */
  memoryOf({ metadata: { uid } }: Stored<Inventory>): UnitMemory {
    const known = this.memories.get(uid) ?? emptyMemory(this.steadyMs)
    this.memories.set(uid, known)
    return known
  }

  /** Writes the hub as an API server does, without a fault. */
  putInventory(inventory: Stored<Inventory>): void {
    this.changes++
    this.copy.inventories.put(inventory)
    this.witness.written(inventory.spec.clusterRef.name)
  }

  inventories(cluster: string): Stored<Inventory>[] {
    return [...this.copy.inventories.store.by('cluster', `${NAMESPACE}/${cluster}`)]
  }

  private request<T>(cluster: string, what: string, serve: () => Answer<T>): Promise<Answer<T>> {
    return this.process.request(`${what} on ${cluster}`, () => this.served(cluster, what, serve))
  }

  private served<T>(cluster: string, what: string, serve: () => Answer<T>): Answer<T> {
    const answer = serve()
    this.process.trace.push(`${what} on ${cluster}: ${answer.ok ? 'ok' : answer.error.kind}`)
    if (answer.ok) {
      this.changes++
      this.witness.written(cluster)
    }
    return answer
  }

  /** Creates or applies an object of a unit. An update states the version that was seen. */
  apply(
    cluster: string,
    part: string,
    marks: ModelMarks,
    seen: LiveObject | undefined,
  ): Promise<Answer<LiveObject>> {
    const { objects } = this.cluster(cluster)
    const ref = refOfPart(part)
    const id = identityOf(ref)
    return this.request(cluster, `${marks.unit} applies ${part}`, () => {
      const live = objects.get(id)
      if (live?.resourceVersion !== seen?.resourceVersion) return refused('FenceLost')
      if (!isPlaceable(objects, part)) return refused('NotFound')
      return ok(this.store(objects, ref, live?.uid ?? this.uid('object'), marks))
    })
  }

  /** An object of a person, without marks. */
  createUnmanaged(cluster: string, part: string): void {
    this.store(this.cluster(cluster).objects, refOfPart(part), this.uid('existing'), undefined)
  }

  /** The API server drops the Inventory of a unit that has no objects. */
  dropInventory(inventory: Stored<Inventory>): Promise<Answer<true>> {
    return this.request(inventory.spec.clusterRef.name, `drop ${inventory.metadata.name}`, () => {
      const found = this.copy.inventories.store.get(inventory.metadata)
      if (found?.metadata.resourceVersion !== inventory.metadata.resourceVersion) return refused('FenceLost')
      this.copy.inventories.drop(inventory)
      return ok(true)
    })
  }

  private store(
    objects: Map<string, LiveObject>,
    ref: ObjectReference,
    uid: string,
    marks: ModelMarks | undefined,
  ): LiveObject {
    const made = modelObject(ref, { uid, resourceVersion: String(++this.count), marks })
    objects.set(identityOf(ref), made)
    return made
  }

  private updateInventory(sent: Stored<Inventory>): Promise<Answer<Stored<Inventory>>> {
    const { store } = this.copy.inventories
    return this.request(sent.spec.clusterRef.name, textOf('update', sent), () => {
      const found = store.get(sent.metadata)
      if (found?.metadata.uid !== sent.metadata.uid) return refused('NotFound')
      if (found.metadata.resourceVersion !== sent.metadata.resourceVersion) return refused('FenceLost')
      const { status } = found
      this.copy.inventories.put({ ...sent, ...(status === undefined ? {} : { status }) })
      return ok(store.get(sent.metadata)!)
    })
  }

  private createInventory(body: Inventory): Promise<Answer<Stored<Inventory>>> {
    const { store } = this.copy.inventories
    return this.request(body.spec.clusterRef.name, textOf('create', body), () => {
      const key = { namespace: NAMESPACE, name: body.metadata.name ?? '' }
      if (store.get(key)) return refused('AlreadyExists')
      const made = { uid: this.uid('inventory'), resourceVersion: '0', creationTimestamp: CREATED }
      this.copy.inventories.put({ ...body, metadata: { ...body.metadata, ...key, ...made } })
      return ok(store.get(key)!)
    })
  }

  private depsOf(): UnitDeps {
    const { copy } = this
    const sets = { all: () => [], get: () => undefined, labels: {} }
    const clock = { now: () => this.steadyMs, steady: () => this.steadyMs }
    const own = {
      get serverTime() {
        return copy.own.serverTime
      },
      update: (_: unknown, body: Stored<Inventory>) => this.updateInventory(body),
      create: (_: unknown, body: Inventory) => this.createInventory(body),
      get: async (_: unknown, key: { namespace: string; name: string }) => {
        const found = copy.approvals.store.get(key)
        return found ? ok(found) : refused('NotFound')
      },
    }
    const inventories = { store: copy.inventories.store, observeWrite: () => {} }
    const claimed = {
      reader: new ClaimReader({} as never),
      progress: { isUnsettled: (_: unknown, { name }: { name: string }) => this.unsettled.has(name) },
      sets: { of: () => undefined },
    }
    const quiet = () => {}
    return {
      hub: { ...copy, sets, own, inventories },
      fleet: copy.fleet,
      env: {
        clock,
        random: { uuid: () => this.uid('nonce'), next: () => 0.5 },
        log: { info: quiet, warn: quiet, debug: quiet },
        meters: { count: quiet, observe: quiet },
      },
      events: { record: quiet },
      content: { claims: claimed },
    } as unknown as UnitDeps
  }

  private sessionOf({ view: { name }, objects }: ModelCluster): UnitScope['session'] {
    const served = (group: string, kind: string) =>
      isDefinedKind({ group, kind }) && !objects.has(DEFINITION_ID)
        ? undefined
        : RESOURCES.find((r) => r.group === group && r.kind === kind)
    const get = (ref: ObjectReference) => {
      const live = objects.get(identityOf(ref))
      return live?.unit === undefined ? undefined : live
    }
    const store = { get, freshness: { state: 'Live' } }
    const noted = () => {}
    return {
      state: 'Connected',
      uid: undefined,
      resources: RESOURCES,
      served,
      objects: () => store,
      refusal: noted,
      use: noted,
      wrote: noted,
      client: {
        patch: (_: unknown, ref: ObjectReference, patch: MarksPatch, { precondition }: Precondition) =>
          this.changed(
            `marks ${patch.metadata.labels[UNIT_LABEL]} on ${refText(ref)}`,
            name,
            ref,
            precondition,
            (live) => this.store(objects, live.ref, live.uid, patchedMarks(live, patch)),
          ),
        delete: (_: unknown, ref: ObjectReference, { precondition }: Precondition) =>
          this.changed(`DELETE ${refText(ref)}`, name, ref, precondition, (live) => this.remove(name, live)),
        list: async ({ group, kind }: ObjectReference, { namespace }: { namespace?: string }) =>
          ok({ items: listed(objects, { group, kind, namespace }), metadata: { resourceVersion: '1' } }),
        get: async () => refused('NotFound'),
      },
    } as unknown as UnitScope['session']
  }

  private changed<T>(
    what: string,
    cluster: string,
    ref: ObjectReference,
    { uid, resourceVersion }: Precondition['precondition'],
    change: (live: LiveObject) => T,
  ): Promise<Answer<T>> {
    return this.request(cluster, what, () => {
      const live = this.cluster(cluster).objects.get(identityOf(ref))
      if (live?.uid !== uid) return refused('NotFound')
      return live.resourceVersion === resourceVersion ? ok(change(live)) : refused('FenceLost')
    })
  }

  /** With all that is in a Namespace, or of a kind. */
  private remove(cluster: string, { ref, inventory }: LiveObject): void {
    const { objects } = this.cluster(cluster)
    this.witness.deleted(cluster, ref, inventory)
    objects.delete(identityOf(ref))
    for (const part of partsIn(ref)) objects.delete(identityOf(refOfPart(part)))
  }
}

const textOf = (verb: string, { metadata: { name }, spec }: Inventory): string => {
  const of = (list: readonly ObjectReference[] = []): string =>
    list.map((o) => `${o.kind} ${o.name}`).join(', ')
  return `${verb} ${name}: objects ${of(spec.objects)}; intents ${of(spec.intents)}`
}

/** The Namespace of the object, and the definition of its kind, exist. */
const isPlaceable = (objects: ReadonlyMap<string, LiveObject>, part: string): boolean =>
  neededBy(part).every((p) => objects.has(identityOf(refOfPart(p))))

function patchedMarks(live: LiveObject, { metadata }: MarksPatch): ModelMarks | undefined {
  const unit = metadata.labels[UNIT_LABEL]
  const { [INVENTORY_ANNOTATION]: inventory, [NONCE_ANNOTATION]: nonce = live.nonce } = metadata.annotations
  return unit && inventory ? { unit, inventory, nonce: nonce ?? undefined } : undefined
}

interface ListedKind {
  readonly group: string
  readonly kind: string
  readonly namespace: string | undefined
}

const listed = (objects: ReadonlyMap<string, LiveObject>, of: ListedKind): KubeObject[] =>
  PARTS.flatMap((part) => {
    const live = objects.get(identityOf(refOfPart(part)))
    const { group, kind, namespace } = live?.ref ?? {}
    const isListed = group === of.group && kind === of.kind && (of.namespace ?? namespace) === namespace
    return live && isListed ? [live.object] : []
  })
