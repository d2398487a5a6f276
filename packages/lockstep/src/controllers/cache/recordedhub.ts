/**
 * Reads of decisions on the hub and on clusters, by name. A recorded hub notes the name of each read, and `readsOf` gives the
 * names that a change concerns: a decision that has read one of them may be another one now. So the end of a wait needs no
 * rule by hand.
 */
import type { ReadOnlyStore } from '@lockstep/kube/cache'
import { jsonEqual, keyText, type Stored } from '@lockstep/kube/object'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { fleetRevision } from '../../decisions/rollout/index.ts'
import { moduleRefOf, refOfInventory } from '../../deliver/plan/index.ts'
import {
  type ClusterView,
  clusterKey,
  type FleetReader,
  type SessionReader,
} from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import {
  annotationsChanged,
  any,
  type HubKind,
  type HubKinds,
  type RequestReads,
  resynced,
  specChanged,
} from '../runtime/index.ts'
import { assignmentOf } from './assignmentof.ts'
import { CACHED_KINDS, type HubCaches, type HubInformers, PUBLISHED_FIELDS } from './hubcaches.ts'
import type { RevisionRecord } from './revisions.ts'

/** A decision about one unit reads units one by one; about a fleet, those of a Module on every cluster. */
export type ReadBreadth = 'Unit' | 'Fleet'

/** Caches of which every read is noted, by key and by index: all that a decision reads. */
type RecordedKind = {
  [K in keyof HubCaches & HubKind]-?: NonNullable<HubCaches[K]> extends { readonly store: unknown }
    ? K
    : never
}[keyof HubCaches & HubKind]

const RECORDED: Readonly<Record<RecordedKind, true>> = {
  modules: true,
  bootstrapModules: true,
  assemblages: true,
  foreign: true,
  inventories: true,
  holds: true,
  approvals: true,
  disruptionBudgets: true,
  revisions: true,
  shards: true,
}

const objectRead = (kind: HubKind, key: string): string => `${kind} ${key}`
const listRead = (kind: HubKind): string => `${kind} *`
const indexRead = (kind: HubKind, index: string, value: string): string => `${kind} by ${index} ${value}`
const moduleRead = (id: string): string => `module ${id}`
const publishedRead = (id: string): string => `published ${id}`
const unitRead = (id: string, cluster: string): string => `unit ${id}@${cluster}`
const admissionRead = (id: string, cluster: string): string => `admission ${id}@${cluster}`
const assignmentRead = (id: string, cluster: string): string => `assignment ${id}@${cluster}`
const clusterRead = (key: string): string => `cluster ${key}`

/** Units of a Module on every cluster, or all clusters of a namespace. */
const EVERY = '*'

const isHub = ({ access }: ClusterView): boolean => access.type === 'Hub'

/** Objects that a selection finds on a cluster. */
export const selectionRead = (view: ClusterView, id: string): string =>
  `selection ${isHub(view) ? 'hub' : clusterKey(view)} ${id}`

/** The request that decides: about a Module on all clusters, about one unit, or about no Module. */
export interface Reader {
  readonly reads: Pick<RequestReads, 'note'>
  readonly own: { readonly ref: ModuleRef; readonly cluster?: string } | undefined
  readonly breadth: ReadBreadth
}

/** Reads of own objects: rules of the controller follow those. */
function ownReads({ own, breadth }: Reader): ReadonlySet<string> {
  if (!own) return new Set()
  const id = moduleId(own.ref)
  const cluster = own.cluster ?? EVERY
  const targets = (['revisions', 'holds', 'approvals'] as const).map((k) => indexRead(k, 'module', id))
  const { namespace, owner } = own.ref
  return new Set([
    moduleRead(id),
    publishedRead(id),
    unitRead(id, cluster),
    admissionRead(id, cluster),
    assignmentRead(id, cluster),
    ...targets,
    ...(breadth === 'Fleet' ? [indexRead('inventories', 'module', id)] : []),
    ...(owner === undefined ? [] : [objectRead('foreign', keyText({ namespace, name: owner }))]),
  ])
}

/** Caches whose reads are noted for one request. */
export function recordedHub<H extends HubCaches>(hub: H, reader: Reader): H {
  const { reads, breadth } = reader
  const own = ownReads(reader)
  const note = (read: string): void => {
    if (!own.has(read)) reads.note(read)
  }
  const at = (cluster: string): string => (breadth === 'Unit' ? cluster : EVERY)
  const lookups: Partial<HubCaches> = {
    module(ref) {
      note(moduleRead(moduleId(ref)))
      return hub.module(ref)
    },
    published(ref) {
      note(publishedRead(moduleId(ref)))
      return hub.published(ref)
    },
    unit(ref, cluster) {
      note(unitRead(moduleId(ref), at(cluster)))
      return hub.unit(ref, cluster)
    },
    admission(ref, cluster) {
      note(admissionRead(moduleId(ref), at(cluster)))
      return hub.admission(ref, cluster)
    },
    assignment(ref, cluster) {
      note(assignmentRead(moduleId(ref), at(cluster)))
      return hub.assignment(ref, cluster)
    },
    recorded: (fleet) => recordedFleet(fleet, reads, breadth),
  }
  const caches = (Object.keys(RECORDED) as RecordedKind[]).flatMap((kind) => {
    const cache = hub[kind]
    if (!cache) return []
    const store = recordedStore(kind, cache.store as ReadOnlyStore<unknown>, note)
    return [[kind, Object.assign(Object.create(cache), { store })]]
  })
  const sets = hub.sets && Object.create(hub.sets, recordedSets(hub.sets as HubInformers['sets'], note))
  return Object.assign(Object.create(hub), lookups, Object.fromEntries(caches), sets && { sets })
}

const recordedStore = <P>(
  kind: HubKind,
  store: ReadOnlyStore<P>,
  note: RequestReads['note'],
): ReadOnlyStore<P> =>
  Object.assign(Object.create(store) as ReadOnlyStore<P>, {
    get(key: Parameters<ReadOnlyStore<P>['get']>[0]) {
      note(objectRead(kind, typeof key === 'string' ? key : keyText(key)))
      return store.get(key)
    },
    all() {
      note(listRead(kind))
      return store.all()
    },
    by(index: string, value: string) {
      note(indexRead(kind, index, value))
      return store.by(index, value)
    },
  })

const recordedSets = (sets: HubInformers['sets'], note: RequestReads['note']): PropertyDescriptorMap => ({
  get: {
    value(key: Parameters<HubInformers['sets']['get']>[0]) {
      note(objectRead('sets', typeof key === 'string' ? key : keyText(key)))
      return sets.get(key)
    },
  },
  all: {
    value() {
      note(listRead('sets'))
      return sets.all()
    },
  },
})

/** A fleet whose reads are noted for one request. */
function recordedFleet(fleet: FleetReader, { note }: Reader['reads'], breadth: ReadBreadth): FleetReader {
  const noteCluster = (view: ClusterView | undefined, namespace: string, name: string): void => {
    if (view && isHub(view)) note(clusterRead('hub'))
    else note(clusterRead(`${namespace}/${breadth === 'Unit' ? name : EVERY}`))
  }
  return {
    view(namespace, name) {
      const view = fleet.view(namespace, name)
      noteCluster(view, namespace, name)
      return view
    },
    of(namespace) {
      note(clusterRead(`${namespace}/${EVERY}`))
      note(clusterRead('hub'))
      return fleet.of(namespace)
    },
    connection: (view) => fleet.connection(view),
    session(view, account) {
      const session = fleet.session(view, account)
      return session && recordedSession(view, session, note)
    },
    condition: (view) => fleet.condition(view),
    knownCondition: (view) => fleet.knownCondition(view),
    record: (view) => fleet.record(view),
  }
}

const recordedSession = (
  view: ClusterView,
  session: SessionReader,
  note: RequestReads['note'],
): SessionReader =>
  Object.create(session, {
    selections: {
      value: {
        get(ref: Parameters<SessionReader['selections']['get']>[0]) {
          note(selectionRead(view, selectionId(ref)))
          return session.selections.get(ref)
        },
      },
    },
  })

/** Names of reads that a change of an object of the hub concerns. */
export function* readsOf<K extends HubKind>(
  kind: K,
  before: HubKinds[K] | undefined,
  after: HubKinds[K] | undefined,
): Iterable<string> {
  // Only spec and annotations of a set are read: its controller writes the status.
  if (kind === 'sets' && !isSetChanged(before as Stored | undefined, after as Stored | undefined)) return
  if (kind === 'revisions' && isOutcomeOnly(before as RevisionRecord, after as RevisionRecord)) {
    // Only its own Module reads that.
    yield indexRead(kind, 'module', moduleId((after as RevisionRecord).module))
    return
  }
  const both = before === after ? [after] : [before, after]
  for (const object of both) if (object !== undefined) yield* readsOfObject(kind, object)
  const one = (after ?? before) as unknown
  switch (kind) {
    case 'modules':
    case 'bootstrapModules': {
      const id = moduleId(moduleRefOf(one as Stored<Module>))
      yield moduleRead(id)
      if (isPublishedChanged(before as Stored<Module>, after as Stored<Module>)) yield publishedRead(id)
      return
    }
    case 'inventories': {
      const inventory = one as Stored<Inventory>
      const id = moduleId(refOfInventory(inventory))
      const { name } = inventory.spec.clusterRef
      const both = [before as Stored<Inventory>, after as Stored<Inventory>] as const
      const isAdmission = isAdmissionChanged(...both)
      const isAssignment = isAssignmentChanged(...both)
      for (const cluster of [name, EVERY]) {
        yield unitRead(id, cluster)
        if (isAdmission) yield admissionRead(id, cluster)
        if (isAssignment) yield assignmentRead(id, cluster)
      }
      return
    }
  }
}

function* readsOfObject<K extends HubKind>(kind: K, object: HubKinds[K]): Iterable<string> {
  if (kind === 'sets') yield* [objectRead(kind, keyText((object as Stored).metadata)), listRead(kind)]
  if (!isRecorded(kind)) return
  const { name, namespace } =
    'metadata' in object ? (object as Stored).metadata : (object as HubKinds['revisions'])
  yield objectRead(kind, keyText({ name, namespace }))
  yield listRead(kind)
  for (const [index, of] of Object.entries(CACHED_KINDS[kind].indexes))
    for (const value of (of as (o: object) => readonly string[])(object)) yield indexRead(kind, index, value)
}

const isRecorded = (kind: HubKind): kind is RecordedKind => Object.hasOwn(RECORDED, kind)

/** Names of reads that a change of a cluster concerns. */
export const readsOfCluster = (view: ClusterView): readonly string[] =>
  isHub(view)
    ? [clusterRead('hub')]
    : [clusterRead(clusterKey(view)), clusterRead(`${view.namespace}/${EVERY}`)]

/** Names of reads that concern a unit whose health was read for the first time since a connection began. */
export const readsOfUnit = (ref: ModuleRef, cluster: string): readonly string[] =>
  [cluster, EVERY].map((c) => unitRead(moduleId(ref), c))

const isSetChanged = any<Stored>(resynced, specChanged, annotationsChanged)

/** The data of a ControllerRevision never changes: an update says what its rollouts came to. */
const isOutcomeOnly = (before: RevisionRecord | undefined, after: RevisionRecord | undefined): boolean =>
  before !== after && before !== undefined && before.stored.uid === after?.stored.uid

/** The fields of `PublishedModule`. */
function isPublishedChanged(before: Stored<Module> | undefined, after: Stored<Module> | undefined): boolean {
  const stateOf = (m: Stored<Module> | undefined): string => {
    const { uid, deletionTimestamp } = m?.metadata ?? {}
    const { currentRevision, rollout } = m?.status ?? {}
    return [uid, deletionTimestamp, currentRevision, fleetRevision(m?.status), rollout?.cause].join(' ')
  }
  if (before === after || stateOf(before) !== stateOf(after)) return true
  // Where the generation is the same, so is the spec.
  return (
    before?.metadata.generation !== after?.metadata.generation &&
    PUBLISHED_FIELDS.some((name) => !jsonEqual(before?.spec[name], after?.spec[name]))
  )
}

/** Indirect dependents decide on the admission of a unit and on its verification. */
function isAdmissionChanged(
  before: Stored<Inventory> | undefined,
  after: Stored<Inventory> | undefined,
): boolean {
  const stateOf = (i: Stored<Inventory> | undefined): string => {
    const { admittedSerial, verifiedGateDigest } = i?.status ?? {}
    return [i?.metadata.uid, i?.spec.admitted?.serial, admittedSerial, verifiedGateDigest].join(' ')
  }
  return before === after || stateOf(before) !== stateOf(after)
}

/** After a resync every assignment counts as new. */
function isAssignmentChanged(
  before: Stored<Inventory> | undefined,
  after: Stored<Inventory> | undefined,
): boolean {
  const stateOf = (i: Stored<Inventory> | undefined): string => {
    const { serial, revision, values } = assignmentOf(i) ?? {}
    return [i?.metadata.uid, serial, revision, values].join(' ')
  }
  return before === after || stateOf(before) !== stateOf(after)
}
