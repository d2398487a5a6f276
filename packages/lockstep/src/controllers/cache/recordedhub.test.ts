import { describe, expect, it } from 'vitest'
import { ObjectStore } from '../../../../kube/src/cache/objectstore.ts'
import type { Stored } from '../../../../kube/src/object/index.ts'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { ClusterView, FleetReader, SessionReader } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { CACHED_KINDS, type HubCaches, lookupsOf } from './hubcaches.ts'
import {
  type ReadBreadth,
  readsOf,
  readsOfCluster,
  readsOfUnit,
  recordedHub,
  selectionRead,
} from './recordedhub.ts'
import type { RevisionRecord } from './revisions.ts'

const base: ModuleRef = { kind: 'Module', namespace: 'ns', name: 'base' }
const app: ModuleRef = { ...base, name: 'app' }

const KINDS = ['modules', 'bootstrapModules', 'assemblages', 'inventories', 'holds', 'revisions'] as const

function emptyHub(): HubCaches {
  const caches = Object.fromEntries(
    KINDS.map((kind) => {
      const { project, indexes } = CACHED_KINDS[kind] as unknown as { project: never; indexes: never }
      return [kind, { store: new ObjectStore(project, indexes) }]
    }),
  )
  return { ...caches, ...lookupsOf(caches as never) } as unknown as HubCaches
}

const WATCHED = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'db' }
const view = (name: string): ClusterView => ({ name, namespace: 'ns', access: { type: 'Missing' } }) as never
const session = { selections: { get: () => ({ type: 'Absent' }) } } as unknown as SessionReader
const fleet = {
  view: (_: string, name: string) => view(name),
  connection: () => session,
  session: () => session,
} as unknown as FleetReader

/** Names that a decision of `app` has noted. */
function notedBy(breadth: ReadBreadth, read: (hub: HubCaches) => unknown): string[] {
  const noted: string[] = []
  const reads = { note: (name: string) => void noted.push(name) }
  const own = { ref: app, ...(breadth === 'Unit' ? { cluster: 'c1' } : {}) }
  read(recordedHub(emptyHub(), { reads, own, breadth }))
  return noted
}

const module = (more: object): Stored<Module> =>
  ({ kind: 'Module', metadata: { ...base, uid: 'u', generation: 1 }, spec: {}, ...more }) as never
const inventory = (status: object, admitted: object = { serial: 1 }): Stored<Inventory> =>
  ({
    metadata: { namespace: 'ns', name: 'm.base.c1', uid: 'i' },
    spec: { moduleRef: { kind: 'Module', name: 'base' }, clusterRef: { name: 'c1' }, admitted },
    status,
  }) as never
const assigned = (serial: number): Stored<Inventory> => {
  const unit = inventory({})
  return { ...unit, spec: { ...unit.spec, assigned: { serial } } } as never
}
const specAt = (generation: number, spec: object): Stored<Module> =>
  module({ metadata: { ...base, uid: 'u', generation }, spec })
const revision = (uid: string, more: object = {}): RevisionRecord =>
  ({
    name: 'base-1',
    namespace: 'ns',
    module: base,
    spec: {},
    edges: [],
    inputs: [],
    stored: { uid },
    ...more,
  }) as never
const hold = {
  metadata: { namespace: 'ns', name: 'h' },
  spec: { targetRef: { kind: 'Module', name: 'base' } },
}

const READS: readonly {
  readonly name: string
  readonly read: (hub: HubCaches) => unknown
  /** Names that a change of it concerns, and those of a change of something else. */
  readonly change: readonly string[]
  readonly other?: readonly string[]
}[] = [
  {
    name: 'a Module',
    read: (hub) => hub.module(base),
    change: [...readsOf('modules', module({}), module({ status: { observedGeneration: 1 } }))],
  },
  {
    name: 'what a Module has published',
    read: (hub) => hub.published(base),
    change: [...readsOf('modules', module({}), module({ status: { currentRevision: 'v1:a' } }))],
    other: [...readsOf('modules', module({}), module({ status: { observedGeneration: 1 } }))],
  },
  {
    name: 'targets of a Module',
    read: (hub) => hub.published(base),
    change: [...readsOf('modules', specAt(1, {}), specAt(2, { targets: { hub: true } }))],
    other: [...readsOf('modules', specAt(1, {}), specAt(2, { source: { inline: {} } }))],
  },
  {
    name: 'a revision of a Module',
    read: (hub) => hub.revisions.store.get('ns/base-1'),
    change: [...readsOf('revisions', undefined, revision('a'))],
    other: [...readsOf('revisions', revision('a'), revision('a', { completedAt: 1 }))],
  },
  {
    name: 'revisions of a Module and their rollouts',
    read: (hub) => [...hub.revisions.store.by('module', 'Module/ns/base')],
    change: [...readsOf('revisions', revision('a'), revision('a', { completedAt: 1 }))],
  },
  {
    name: 'a unit',
    read: (hub) => hub.unit(base, 'c1'),
    change: [...readsOf('inventories', inventory({}), inventory({ health: 'Failed' }))],
  },
  {
    name: 'the admission of a unit',
    read: (hub) => hub.admission(base, 'c1'),
    change: [...readsOf('inventories', inventory({}), inventory({ verifiedGateDigest: 'v1:a' }))],
    other: [...readsOf('inventories', inventory({}), inventory({ health: 'Failed' }))],
  },
  {
    name: 'a unit whose health is read for the first time on a connection',
    read: (hub) => hub.unit(base, 'c1'),
    change: readsOfUnit(base, 'c1'),
    other: readsOfUnit(base, 'c2'),
  },
  {
    name: 'an assignment',
    read: (hub) => hub.assignment(base, 'c1'),
    change: [...readsOf('inventories', assigned(1), assigned(2))],
    other: [...readsOf('inventories', inventory({}), inventory({ health: 'Failed' }))],
  },
  {
    name: 'Holds of a Module',
    read: (hub) => [...hub.holds.store.by('module', 'Module/ns/base')],
    change: [...readsOf('holds', undefined, hold as never)],
  },
  {
    name: 'a cluster',
    read: (hub) => hub.recorded!(fleet).view('ns', 'c1'),
    change: readsOfCluster(view('c1')),
  },
  {
    name: 'an object on a cluster',
    read: (hub) =>
      hub.recorded!(fleet)
        .session(view('c1'), { namespace: 'ns' })!
        .selections.get(WATCHED as never),
    change: [selectionRead(view('c1'), selectionId(WATCHED))],
    other: [selectionRead(view('c2'), selectionId(WATCHED))],
  },
]

describe.each<ReadBreadth>(['Unit', 'Fleet'])('reads of a decision about a %s', (breadth) => {
  it.each(READS)('$name: a change has the name of the read', ({ read, change, other = [] }) => {
    const noted = notedBy(breadth, read)
    expect(noted.length).toBeGreaterThan(0)
    expect(noted.some((n) => change.includes(n))).toBe(true)
    if (breadth === 'Unit') expect(noted.some((n) => other.includes(n))).toBe(false)
  })
})

it('of a fleet, units of a Module have one name on all clusters', () => {
  const read = (hub: HubCaches) => [hub.unit(base, 'c1'), hub.unit(base, 'c2')]
  expect(new Set(notedBy('Fleet', read)).size).toBe(1)
  expect(new Set(notedBy('Unit', read)).size).toBe(2)
})

it('own objects have no name: the rules of the controller follow them', () => {
  const read = (hub: HubCaches) => [hub.module(app), hub.unit(app, 'c1'), hub.assignment(app, 'c1')]
  expect(notedBy('Unit', read)).toEqual([])
  expect(notedBy('Fleet', read)).toEqual([])
  const elsewhere = (hub: HubCaches) => hub.unit(app, 'c2')
  expect(notedBy('Unit', elsewhere)).toHaveLength(1)
  expect(notedBy('Fleet', elsewhere)).toEqual([])
})
