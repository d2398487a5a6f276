/** A hub and a fleet of plain objects, and the rules of all controllers on them. */
import { ObjectStore } from '../../packages/kube/src/cache/objectstore.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { type Key, keyText, type Stored, withoutManagers } from '../../packages/kube/src/object/index.ts'
import { WorkQueue } from '../../packages/kube/src/workqueue/workqueue.ts'
import {
  CACHED_KINDS,
  type HubInformers,
  lookupsOf,
} from '../../packages/lockstep/src/controllers/cache/hubcaches.ts'
import { type WiringDeps, wire } from '../../packages/lockstep/src/controllers/manager/wire.ts'
import type { RuleRegister, WatchRule } from '../../packages/lockstep/src/controllers/runtime/controller.ts'
import { Dispatcher } from '../../packages/lockstep/src/controllers/runtime/dispatcher.ts'
import type { HubKind } from '../../packages/lockstep/src/controllers/runtime/hubkinds.ts'
import {
  keyId,
  type Request,
  type RequestKey,
} from '../../packages/lockstep/src/controllers/runtime/requestkeys.ts'
import type { ClusterView } from '../../packages/lockstep/src/fleet/clusters/cluster.ts'

export type Objects = { readonly [K in HubKind]?: readonly object[] }

/** One change that rules are asked about. */
export type RuleEvent =
  | { readonly on: HubKind; readonly before?: object | undefined; readonly after?: object | undefined }
  | { readonly on: 'cluster'; readonly view: ClusterView }
  | { readonly on: 'object' | 'judged'; readonly view: ClusterView; readonly label: string }
  | { readonly on: 'selection'; readonly view: ClusterView; readonly id: string }
  | { readonly on: 'secret'; readonly id: string }

interface CacheOptions {
  readonly project: unknown
  readonly indexes?: unknown
}

function cacheOf({ project, indexes = {} }: CacheOptions, items: readonly object[] = []) {
  const store = new ObjectStore<Stored, object>(project as never, indexes as never)
  store.replace(
    (items as Stored[]).map((o) => store.listed(o)),
    '100',
    0,
  )
  return { store, observeWrite: () => {}, polls: false, relist: () => {}, stop: () => {} }
}

/** ClusterResourceSets and their bindings, where Cluster API defines them. */
function optionalOf(items: readonly object[] = []) {
  const all = items as Stored[]
  return {
    kind: undefined,
    labels: {},
    get: (key: Key) => all.find((o) => keyText(o.metadata) === keyText(key)),
    all: () => all,
  }
}

const revisionOf = (r: object) => ({
  metadata: (r as { stored: object }).stored,
  record: r,
})

/** `revisions` are records already. */
function hubOf(objects: Objects): HubInformers {
  const { revisions } = CACHED_KINDS
  const kinds = ['modules', 'bootstrapModules', 'assemblages', 'foreign', 'inventories', 'holds'] as const
  const more = ['approvals', 'disruptionBudgets', 'pipelines', 'promotions', 'shards'] as const
  const caches = Object.fromEntries([...kinds, ...more].map((k) => [k, cacheOf(CACHED_KINDS[k], objects[k])]))
  const projected = { project: (o: { record: object }) => o.record, indexes: revisions.indexes }
  const hub = {
    ...caches,
    revisions: cacheOf(projected, (objects.revisions ?? []).map(revisionOf)),
    keys: cacheOf({ project: withoutManagers }, []),
    configMaps: () =>
      cacheOf({ project: withoutManagers, indexes: { kind: () => [configMapKind.kind] } }, []),
    sets: optionalOf(objects.sets),
    setBindings: optionalOf(objects.setBindings),
    secrets: { release: () => {}, select: () => ({ type: 'Syncing' }) },
    own: { serverTime: undefined },
    inputs: () => hub.own,
    synced: true,
    ...lookupsOf(caches as never),
  }
  return hub as unknown as HubInformers
}

const fleetOf = (views: readonly ClusterView[]) => ({
  view: (namespace: string, name: string) =>
    views.find((v) => v.name === name && (v.access.type === 'Hub' || v.namespace === namespace)),
  viewOf: ({ objectName }: { readonly objectName: string }) => views.find((v) => v.objectName === objectName),
  of: (namespace: string) => views.filter((v) => v.access.type === 'Hub' || v.namespace === namespace),
  connection: () => undefined,
  session: () => undefined,
  look: () => {},
})

interface OneRule {
  /** `module inventories 2`: its controller, its source, and which one of those. */
  readonly name: string
  readonly source: WatchRule<unknown>['source']
  /** Keys that it puts into the queue. */
  ask(event: RuleEvent): readonly string[]
}

export interface WiredRules {
  readonly rules: readonly OneRule[]
  /** Requests of the dispatcher: by controller, `key` or `key priority`, sorted. */
  requests(event: RuleEvent): Readonly<Record<string, readonly string[]>>
}

export function wiredRules(
  objects: Objects,
  views: readonly ClusterView[],
  prepare: (w: Wired) => void,
): WiredRules {
  const env = createSimEnv('rules')
  const hub = hubOf(objects)
  const deps = {
    env,
    hub,
    fleet: fleetOf(views),
    upstreams: {},
    forges: {},
    keys: {},
  } as unknown as WiringDeps
  const weave = { observeWrite: () => {} } as never
  const options = { weave: { managesAll: true } }
  const { signal } = new AbortController()
  const queue = new WorkQueue<Request>(env)
  const { controllers, indexes, labels } = wire(deps, options, queue, { stopping: signal, weave })
  prepare({ indexes, labels, hub })
  const counts = new Map<string, number>()
  const rules = controllers.flatMap(({ name, rules: of }) =>
    of.map((rule) => {
      const place = `${name} ${rule.source}`
      counts.set(place, (counts.get(place) ?? 0) + 1)
      return {
        name: `${place} ${counts.get(place)}`,
        source: rule.source,
        ask: (e: RuleEvent) => ask(rule, e),
      }
    }),
  )
  return {
    rules,
    requests(event) {
      const found = new Map<string, Set<string>>()
      const add = ({ controller, key }: Request, priority = 'change'): void => {
        const text = priority === 'change' ? keyId(key) : `${keyId(key)} ${priority}`
        found.set(controller, (found.get(controller) ?? new Set()).add(text))
      }
      tell(new Dispatcher({ add }, indexes, controllers), event)
      return Object.fromEntries([...found].map(([c, texts]) => [c, [...texts].sort()]))
    },
  }
}

type Wired = Pick<ReturnType<typeof wire>, 'indexes' | 'labels'> & { readonly hub: HubInformers }

function tell(to: Dispatcher, e: RuleEvent): void {
  if ('label' in e)
    e.on === 'object'
      ? to.objectChanged(e.view, e.label, '/ConfigMap/default/web')
      : to.unitJudged(e.view, e.label)
  else if ('view' in e) 'id' in e ? to.selectionChanged(e.view, e.id) : to.clusterChanged(e.view)
  else if ('id' in e) to.secretChanged(e.id)
  else to.changed(e.on, e.before as never, e.after as never)
}

/** One rule by itself. */
function ask(rule: WatchRule<RequestKey>, e: RuleEvent): readonly string[] {
  let keys: Iterable<RequestKey> = []
  const unit: RuleRegister<RequestKey>['object'] = ({ enqueue }) => {
    if ('label' in e && e.on === rule.source) keys = enqueue(e.view, e.label)
  }
  rule.register({
    hub(kind, { predicate, enqueue }) {
      if (e.on !== kind || !('before' in e || 'after' in e)) return
      const change = { before: e.before as never, after: e.after as never }
      if (predicate(change.before, change.after)) keys = enqueue((e.after ?? e.before) as never, change)
    },
    cluster({ predicate, enqueue }) {
      if (e.on === 'cluster' && 'view' in e && predicate(e.view)) keys = enqueue(e.view)
    },
    object: unit,
    selection({ enqueue }) {
      if (e.on === 'selection' && 'view' in e && 'id' in e) keys = enqueue(e.view, e.id)
    },
    secret({ enqueue }) {
      if (e.on === 'secret' && 'id' in e) keys = enqueue(e.id)
    },
  })
  return [...keys].map(keyId)
}
