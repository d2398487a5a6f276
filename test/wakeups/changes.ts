/** Changes of one object in the caches of a hub: what people, controllers and other tools do, one at a time. */
import type { Random } from '../../packages/kube/src/env/env.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Manager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { pick } from '../simulation/scenario.ts'

type Mutable = { [key: string]: unknown }
type StoredObject = KubeObject & {
  readonly metadata: KubeObject['metadata'] & { readonly name: string; readonly resourceVersion: string }
}

/** A cache that takes a change as if its watch had brought it. */
interface ChangeableStore {
  event(type: 'MODIFIED' | 'DELETED', object: StoredObject, at: number): void
  all(): Iterable<StoredObject>
}

export interface HubChange {
  readonly name: string
  /** The change, and the one that takes it back. */
  make(): void
  undo(): void
}

type Cache = 'modules' | 'inventories' | 'holds' | 'revisions'

let versions = 10 ** 12

/** A store by namespace has one part here: the controller may read all of them. */
function storeOf(manager: Manager, cache: Cache): ChangeableStore {
  const store = manager.hub[cache].store as unknown as ChangeableStore & {
    readonly parts?: ReadonlyMap<string, { readonly store: ChangeableStore }>
  }
  return store.parts?.get('')?.store ?? store
}

/** An edit of a copy; the object stays as it was. */
function edited(object: StoredObject, edit: (o: Mutable) => void): StoredObject {
  const copy = structuredClone(object) as unknown as Mutable
  edit(copy)
  return copy as unknown as StoredObject
}

const versioned = (o: StoredObject): StoredObject => ({
  ...o,
  metadata: { ...o.metadata, resourceVersion: String(++versions) },
})

function change(
  manager: Manager,
  cache: Cache,
  name: string,
  before: StoredObject | undefined,
  after: StoredObject | undefined,
): HubChange {
  const store = storeOf(manager, cache)
  const put = (to: StoredObject | undefined, from: StoredObject | undefined): void => {
    if (to) store.event('MODIFIED', versioned(to), 0)
    else if (from) store.event('DELETED', versioned(from), 0)
  }
  return {
    name: `${name} ${(after ?? before)?.metadata.name}`,
    make: () => put(after, before),
    undo: () => put(before, after),
  }
}

const MODULE_EDITS: Readonly<Record<string, (o: Mutable, random: Random, revisions: string[]) => void>> = {
  'is published at another revision': (o, random, revisions) => {
    const status = (o.status ?? {}) as Mutable
    const revision = pick(random, revisions)
    const rollout = { ...(status.rollout as Mutable), revision }
    o.status = { ...status, currentRevision: revision, rollout }
  },
  'is rolled back': (o, random, revisions) => {
    const status = (o.status ?? {}) as Mutable
    const rollout = { ...(status.rollout as Mutable), cause: 'Undo', revision: pick(random, revisions) }
    o.status = { currentRevision: revisions[0], ...status, rollout }
  },
  'selects nothing': (o) => {
    const spec = o.spec as Mutable
    spec.targets = { clusterSelector: { matchLabels: { none: 'none' } } }
    nextGeneration(o)
  },
  'is delivered to the hub': (o) => {
    const spec = o.spec as Mutable
    spec.targets = { hub: true }
    nextGeneration(o)
  },
  'is retried': (o) => {
    const spec = o.spec as Mutable
    spec.attempt = ((spec.attempt as number | undefined) ?? 0) + 1
    nextGeneration(o)
  },
  'keeps installed revisions': (o) => {
    const spec = o.spec as Mutable
    spec.rollout = { ...(spec.rollout as Mutable), updates: 'Once' }
    nextGeneration(o)
  },
  'is being deleted': (o) => {
    const metadata = o.metadata as Mutable
    metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    nextGeneration(o)
  },
}

function nextGeneration(o: Mutable): void {
  const metadata = o.metadata as Mutable
  metadata.generation = ((metadata.generation as number | undefined) ?? 1) + 1
}

const admittedOf = (o: Mutable): Mutable | undefined => (o.spec as Mutable).admitted as Mutable | undefined

const UNIT_EDITS: Readonly<Record<string, (o: Mutable, random: Random) => void>> = {
  'is healthy': (o) => {
    o.status = { ...(o.status as Mutable), health: 'Healthy', admittedSerial: admittedOf(o)?.serial }
  },
  'has failed': (o) => {
    o.status = { ...(o.status as Mutable), health: 'Failed' }
  },
  'is verified': (o) => {
    const verifiedGateDigest = admittedOf(o)?.gateDigest
    const admittedSerial = admittedOf(o)?.serial
    o.status = { ...(o.status as Mutable), health: 'Healthy', admittedSerial, verifiedGateDigest }
  },
  'is not verified': (o) => {
    const { verifiedGateDigest: _, ...status } = (o.status ?? {}) as Mutable
    o.status = status
  },
  'has done waves': (o, random) => {
    const admittedSerial = admittedOf(o)?.serial
    o.status = { ...(o.status as Mutable), admittedSerial, doneBeforeWave: pick(random, [1, 2, 3]) }
  },
  'reports a blocker': (o) => {
    const blockers = [{ reason: 'ObjectFailed', message: 'failed again', since: '' }]
    o.status = { ...(o.status as Mutable), health: 'Progressing', blockers }
  },
  'gets another admission': (o) => {
    const admitted = admittedOf(o)
    if (admitted) admitted.serial = ((admitted.serial as number | undefined) ?? 0) + 1
  },
  'is removed': (o) => {
    const spec = o.spec as Mutable
    spec.causes = [{ cause: 'ModuleDeleted', uid: 'any' }]
  },
}

const ASSIGNMENT_EDITS: Readonly<Record<string, (assigned: Mutable) => void>> = {
  'is pinned': (assigned) => {
    assigned.apart = 'Pinned'
  },
  'must be removed': (assigned) => {
    assigned.removal = { cause: 'Relabelled', policy: 'Delete' }
  },
}

type RandomChange = (manager: Manager, random: Random) => HubChange | undefined

/** Each as often as it is here. */
const CHANGES: readonly RandomChange[] = [
  moduleChange,
  moduleChange,
  unitChange,
  unitChange,
  unitChange,
  assignmentChange,
  holdChange,
  revisionChange,
  clusterChange,
  objectChange,
]

/** One random change; undefined: there is nothing to change. */
export const randomChange: RandomChange = (manager, random) => pick(random, CHANGES)(manager, random)

function moduleChange(manager: Manager, random: Random): HubChange | undefined {
  const module = pick(random, [...storeOf(manager, 'modules').all()])
  if (!module) return undefined
  if (random.next() < 0.1) return change(manager, 'modules', 'no Module', module, undefined)
  const revisions = [...manager.hub.revisions.store.all()]
    .filter((r) => r.module.name === module.metadata.name)
    .map((r) => r.revision)
  if (revisions.length === 0) return undefined
  const [name, edit] = pick(random, Object.entries(MODULE_EDITS))
  return change(
    manager,
    'modules',
    `Module ${name}:`,
    module,
    edited(module, (o) => edit(o, random, revisions)),
  )
}

function unitChange(manager: Manager, random: Random): HubChange | undefined {
  const inventory = pick(random, [...storeOf(manager, 'inventories').all()])
  if (!inventory) return undefined
  if (random.next() < 0.1) return change(manager, 'inventories', 'no Inventory', inventory, undefined)
  const [name, edit] = pick(random, Object.entries(UNIT_EDITS))
  return change(
    manager,
    'inventories',
    `unit ${name}:`,
    inventory,
    edited(inventory, (o) => edit(o, random)),
  )
}

function assignmentChange(manager: Manager, random: Random): HubChange | undefined {
  const assigned = [...storeOf(manager, 'inventories').all()].filter(
    (i) => (i.spec as Mutable).assigned !== undefined,
  )
  const inventory = pick(random, assigned)
  if (!inventory) return undefined
  const [name, edit] = pick(random, Object.entries(ASSIGNMENT_EDITS))
  const after = edited(inventory, (o) => {
    const assignment = (o.spec as Mutable).assigned as Mutable
    assignment.serial = (assignment.serial as number) + 1
    edit(assignment)
  })
  return change(manager, 'inventories', `unit ${name}:`, inventory, after)
}

function holdChange(manager: Manager, random: Random): HubChange | undefined {
  const module = pick(random, [...storeOf(manager, 'modules').all()])
  const inventory = pick(random, [...storeOf(manager, 'inventories').all()])
  if (!module) return undefined
  const cluster = (inventory?.spec as { clusterRef: { name: string } } | undefined)?.clusterRef.name
  const action = pick(random, ['Suspend', 'Pause', 'Pin'])
  const pin = { clusters: [cluster ?? 'c1'], revision: 'v1:0000000000' }
  const hold = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Hold',
    metadata: { name: 'h', namespace: NAMESPACE, uid: 'hold', resourceVersion: '1', generation: 1 },
    spec: {
      targetRef: { kind: 'Module', name: module.metadata.name },
      action,
      reason: 'audit',
      ...(action === 'Pin' ? pin : {}),
    },
  } as unknown as StoredObject
  return change(manager, 'holds', `Hold ${action} of ${module.metadata.name}:`, undefined, hold)
}

/** A revision that others compare or need is deleted. */
function revisionChange(manager: Manager, random: Random): HubChange | undefined {
  const record = pick(random, [...manager.hub.revisions.store.all()])
  if (!record) return undefined
  const { stored: metadata, revision, bundle, number, inputs, sourceRevision, spec, release } = record
  const data = { kind: record.module.kind, module: record.module.name, revision, bundle, inputs }
  const object = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata,
    revision: number,
    data: { ...data, sourceRevision, spec: { ...spec, ...(release === undefined ? {} : { release }) } },
  } as unknown as StoredObject
  return change(manager, 'revisions', 'no revision', object, undefined)
}

/** A cluster gets another label, or is no longer in the inventory. */
function clusterChange(manager: Manager, random: Random): HubChange | undefined {
  const clusters = manager.fleet.of(NAMESPACE).filter((v) => v.access.type !== 'Hub')
  const view = pick(random, clusters)
  if (!view) return undefined
  const isRemoved = random.next() < 0.3
  const after = isRemoved ? undefined : { ...view, labels: { ...view.labels, tier: 'other' } }
  const { fleet } = manager
  return {
    name: `cluster ${isRemoved ? 'is removed' : 'has another label'}: ${view.name}`,
    make: () => fleet.observe(view, after),
    undo: () => fleet.observe(after, view),
  }
}

/** An object on a cluster that decisions read. */
function objectChange(manager: Manager, random: Random): HubChange | undefined {
  const stores = manager.fleet.of(NAMESPACE).flatMap((view) => {
    const selections = manager.fleet.session(view, { namespace: NAMESPACE })?.selections as unknown as
      | WatchedStores
      | undefined
    return [...(selections?.watched.values() ?? [])].map((w) => w.informer.store)
  })
  const store = pick(random, stores)
  const object = store && [...store.all()][0]
  if (!object) return undefined
  const isDeleted = random.next() < 0.5
  const after = edited(object, (o) => {
    const metadata = o.metadata as Mutable
    metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    metadata.finalizers = ['example.com/stays']
  })
  return {
    name: `object ${isDeleted ? 'is gone' : 'is terminating'}: ${object.kind} ${object.metadata.name}`,
    make: () =>
      isDeleted ? store.event('DELETED', versioned(object), 0) : store.event('MODIFIED', versioned(after), 0),
    undo: () => store.event('MODIFIED', versioned(object), 0),
  }
}

/** Selections of a session, as it keeps them. */
interface WatchedStores {
  readonly watched: ReadonlyMap<string, { readonly informer: { readonly store: ChangeableStore } }>
}
