/** What the controllers read: caches of the hub, sessions of the clusters, bundles. No decisions. */

import {
  OptionalKind,
  type OptionalKindEvents,
  type ReadOnlyStore,
  startInformer,
} from '@lockstep/kube/cache'
import type { RequestError } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { type KubeObject, type Stored, withoutManagers } from '@lockstep/kube/object'
import type { AccessRight, Account } from '../../api/account.ts'
import {
  type Approval,
  type Assignment,
  approvalKind,
  bootstrapModuleKind,
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  type DisruptionBudget,
  disruptionBudgetKind,
  type ExternalAssemblage,
  type Hold,
  holdKind,
  type Inventory,
  inventoryKind,
  type Module,
  type ModuleStatus,
  moduleKind,
  type Pipeline,
  type Promotion,
  pipelineKind,
  promotionKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
  resourceSetBindingKinds,
  resourceSetKinds,
} from '../../api/kinds/index.ts'
import {
  BUNDLE_LABEL,
  KEY_SECRET,
  MANAGED_BY_LABEL,
  MODULE_LABEL,
  SYSTEM_NAMESPACE,
} from '../../api/labels.ts'
import {
  type RecordClient,
  type RecordKind,
  type RecordMark,
  records,
  type SecretRecordKind,
} from '../../api/records.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import type { ClusterView, FleetReader, HubClients } from '../../fleet/clusters/index.ts'
import { type ClusterTrust, Inventories } from '../../fleet/inventories/index.ts'
import { type HubKind, type HubKinds, HubTrust, withoutManagersButWriter } from '../runtime/index.ts'
import { assignmentOf } from './assignmentof.ts'
import { cacheIndexes } from './cacheindexes.ts'
import { AccessReviews } from './inputs/accessreviews.ts'
import { type InputConfigMaps, type InputSecrets, openInputs } from './inputs/hubinputs.ts'
import { ManagedNamespaces } from './inputs/managednamespaces.ts'
import { type RevisionRecord, readRevision } from './revisions.ts'

/** A cache, as those see it who only read. */
interface ReadCache<P> {
  readonly store: ReadOnlyStore<P>
}

/** Fields of a spec that decisions about other Modules read. */
export const PUBLISHED_FIELDS = ['attempt', 'dependsOn', 'rollout', 'serviceAccountName', 'targets'] as const

/** A Module without what only its own decisions read. */
export interface PublishedModule {
  readonly metadata: Pick<Module['metadata'], 'deletionTimestamp'>
  readonly spec: Pick<Module['spec'], (typeof PUBLISHED_FIELDS)[number]>
  readonly status?: {
    readonly currentRevision?: string
    readonly rollout?: Pick<NonNullable<ModuleStatus['rollout']>, 'revision' | 'cause'>
  }
}

/** What is known of the hub: all that a decision reads. */
export interface HubCaches {
  readonly modules: ReadCache<Stored<Module>>
  readonly bootstrapModules: ReadCache<Stored<Module>>
  readonly assemblages: ReadCache<Stored<RemoteAssemblage>>
  /** Assemblages of others; absent: nobody asks for them. */
  readonly foreign?: ReadCache<Stored<ExternalAssemblage>>
  /** ClusterResourceSets; absent: nobody asks for them. */
  readonly sets?: Pick<OptionalKind<ClusterResourceSet, Stored<ClusterResourceSet>>, 'get' | 'labels'>
  readonly inventories: ReadCache<Stored<Inventory>>
  readonly holds: ReadCache<Stored<Hold>>
  readonly approvals: ReadCache<Stored<Approval>>
  readonly disruptionBudgets: ReadCache<Stored<DisruptionBudget>>
  readonly revisions: ReadCache<RevisionRecord>
  /** Metadata of the Secrets that hold bundles. */
  readonly shards: ReadCache<Stored>
  /** What time it is there. */
  readonly own: Pick<RecordClient, 'serverTime'>
  module(ref: ModuleRef): Stored<Module> | undefined
  /** What a Module asks for and has published: all that decisions about other Modules read of it. */
  published(ref: ModuleRef): PublishedModule | undefined
  /** The Inventory of a unit. */
  unit(ref: ModuleRef, cluster: string): Stored<Inventory> | undefined
  /** The same, for readers of its admission alone. */
  admission(ref: ModuleRef, cluster: string): Stored<Inventory> | undefined
  /** The assignment of a Module to one cluster. */
  assignment(ref: ModuleRef, cluster: string): Assignment | undefined
  /** The fleet for a decision on these caches; absent: reads are not recorded. */
  recorded?(fleet: FleetReader): FleetReader
}

type MainCaches = ReturnType<typeof mainCaches>

type SetCache<T extends KubeObject> = OptionalKind<T, Stored<T>, RecordMark<'Object'>>

export interface HubInformers extends Omit<HubCaches, keyof MainCaches>, HubClients, MainCaches {
  readonly own: RecordClient
  /** Everything that knows clusters. */
  readonly clusters: Inventories
  /** ClusterResourceSets and their bindings, where the hub serves them. */
  readonly sets: SetCache<ClusterResourceSet>
  readonly setBindings: SetCache<ClusterResourceSetBinding>
  /** Namespaces in which the controller may work. */
  readonly namespaces: ManagedNamespaces
  /** Secrets that modules name, one by one: nobody needs the others of a namespace in memory. */
  readonly secrets: InputSecrets
  /** Rights of accounts. */
  readonly reviews: AccessReviews
  /** ConfigMaps of the namespace of an account, as it may read them; opened at first use. */
  configMaps(account: Account): InputConfigMaps
  /**
   * Resolves once the hub gives answers of a Kubernetes API again; undefined: it does. Until then nothing is decided: caches may
   * miss changes that a proxy hides.
   */
  trusted(): Promise<void> | undefined
  /** True once every cache of the hub is complete: before that nothing may be decided, absence looks like deletion. */
  readonly synced: boolean
  stop(): void
}

export interface HubEvents {
  changed<K extends HubKind>(kind: K, before: HubKinds[K] | undefined, after: HubKinds[K] | undefined): void
  /** The record of a cluster; called before `changed`, since rules read the fleet. */
  clusterRecorded(
    before: Stored<RemoteAssemblage> | undefined,
    after: Stored<RemoteAssemblage> | undefined,
  ): void
  /** An inventory has a new view of a cluster, or has it no more. */
  clusterChanged(before: ClusterView | undefined, after: ClusterView | undefined): void
  /** A Secret, by the id of its selection; false: nobody asks for it any more. */
  secretChanged(id: string): boolean
  /** An account may not read an object any more. */
  readRefused(account: Account, right: AccessRight): void
  /** A namespace may be worked in from now on, or no more. */
  namespacesChanged(): void
  synced(): void
}

export function openHub(env: Env, clients: HubClients, trust: ClusterTrust, events: HubEvents): HubInformers {
  const { own: client } = clients
  const answers = new HubTrust(env)
  const namespaces = new ManagedNamespaces(env, () => events.namespacesChanged())
  const main = mainCaches(env, client, namespaces, (name) => (error) => answers.note(name, error))
  const inputs = openInputs(env, clients, events)
  let waiting = Object.keys(main).length + 3
  const arrived = (): void => {
    waiting--
    if (waiting === 0) events.synced()
  }
  const clusters = new Inventories(env, clients, trust, namespaces, {
    changed: (before, after) => events.clusterChanged(before, after),
    synced: arrived,
  })
  const { definition: definitions } = records
  const installed = <T extends KubeObject>(
    kinds: readonly RecordKind<T>[],
    changed: OptionalKindEvents<Stored<T>>['changed'],
  ) =>
    new OptionalKind<T, Stored<T>, RecordMark<'Object'>>(
      env,
      client,
      { definitions, kinds, project: withoutManagers, meanwhile: 'no ClusterResourceSet is delivered' },
      { changed, opened: () => {}, settled: arrived },
    )
  const sets = installed(resourceSetKinds, (before, after) => events.changed('sets', before, after))
  const setBindings = installed(resourceSetBindingKinds, (before, after) =>
    events.changed('setBindings', before, after),
  )
  followCaches(main, events, arrived)
  // At the start by objects of the kinds that come first.
  const first = [main.modules, main.bootstrapModules, main.pipelines, main.inventories, main.assemblages]
  namespaces.followAll(first.map((c) => c.store))
  return {
    own: client,
    credentials: clients.credentials,
    userOf: (account) => clients.userOf(account),
    inputs: (account) => clients.inputs(account),
    ...main,
    clusters,
    sets,
    setBindings,
    namespaces,
    secrets: inputs.secrets,
    reviews: new AccessReviews(env, clients, (account, right) => {
      if (right.verb !== 'get') return
      inputs.refuse(account, right)
      events.readRefused(account, right)
    }),
    configMaps: (account) => inputs.configMaps(account),
    ...lookupsOf(main),
    trusted: () => answers.restored,
    get synced() {
      return waiting === 0
    },
    stop() {
      for (const i of [...Object.values(main), clusters, sets, setBindings, inputs]) i.stop()
    },
  }
}

type Lookup = 'module' | 'published' | 'unit' | 'admission' | 'assignment'
type LookedUp = Pick<HubCaches, 'modules' | 'bootstrapModules' | 'inventories'>

/** Objects by what they are about. */
export function lookupsOf(of: LookedUp): Pick<HubCaches, Lookup> {
  const module: HubCaches['module'] = (ref) => {
    if (ref.owner !== undefined) return undefined
    if (ref.kind === 'Module') return of.modules.store.get(ref)
    return ref.kind === 'BootstrapModule' ? of.bootstrapModules.store.get(ref) : undefined
  }
  const unit: HubCaches['unit'] = (ref, cluster) =>
    of.inventories.store.get({ namespace: ref.namespace, name: inventoryName(ref, cluster) })
  return {
    module,
    published: module,
    unit,
    admission: unit,
    assignment: (ref, cluster) => assignmentOf(unit(ref, cluster)),
  }
}

/** A cache by namespace is complete more than once. */
function once(arrived: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) arrived()
    isDone = true
  }
}

/** Each cache tells of its changes, by its name. */
function followCaches(main: ReturnType<typeof mainCaches>, events: HubEvents, arrived: () => void): void {
  const follow = <K extends HubKind>(kind: K, { store }: ReadCache<HubKinds[K]>): void => {
    store.subscribe(({ before, after }) => events.changed(kind, before, after))
    store.onSynced(once(arrived))
  }
  main.assemblages.store.subscribe(({ before, after }) => events.clusterRecorded(before, after))
  follow('modules', main.modules)
  follow('bootstrapModules', main.bootstrapModules)
  follow('assemblages', main.assemblages)
  follow('foreign', main.foreign)
  follow('inventories', main.inventories)
  follow('holds', main.holds)
  follow('approvals', main.approvals)
  follow('disruptionBudgets', main.disruptionBudgets)
  follow('pipelines', main.pipelines)
  follow('promotions', main.promotions)
  follow('revisions', main.revisions)
  follow('shards', main.shards)
  follow('keys', main.keys)
}

interface ResyncTarget {
  resync<K extends HubKind>(kind: K, objects: Iterable<HubKinds[K]>): void
}

/** Every object whose controller is due at a start. Holds and Approvals may name Modules that do not exist. */
export function resyncCaches(hub: HubInformers, to: ResyncTarget): void {
  to.resync('modules', hub.modules.store.all())
  to.resync('bootstrapModules', hub.bootstrapModules.store.all())
  to.resync('disruptionBudgets', hub.disruptionBudgets.store.all())
  to.resync('holds', hub.holds.store.all())
  to.resync('approvals', hub.approvals.store.all())
  to.resync('assemblages', hub.assemblages.store.all())
  to.resync('inventories', hub.inventories.store.all())
  to.resync('foreign', hub.foreign.store.all())
  to.resync('sets', hub.sets.all())
  to.resync('setBindings', hub.setBindings.all())
  to.resync('pipelines', hub.pipelines.store.all())
  to.resync('promotions', hub.promotions.store.all())
}

/** The caches without which nothing may be decided. */
function mainCaches(
  env: Env,
  client: RecordClient,
  namespaces: ManagedNamespaces,
  health: (name: string) => (error: RequestError | undefined) => void,
) {
  return {
    modules: startInformer(env, client, { ...CACHED_KINDS.modules, onHealth: health('modules') }),
    bootstrapModules: startInformer(env, client, {
      ...CACHED_KINDS.bootstrapModules,
      onHealth: health('bootstrapModules'),
    }),
    assemblages: startInformer(env, client, { ...CACHED_KINDS.assemblages, onHealth: health('assemblages') }),
    foreign: startInformer(env, client, { ...CACHED_KINDS.foreign, onHealth: health('foreign') }),
    inventories: startInformer(env, client, { ...CACHED_KINDS.inventories, onHealth: health('inventories') }),
    holds: startInformer(env, client, { ...CACHED_KINDS.holds, onHealth: health('holds') }),
    approvals: startInformer(env, client, { ...CACHED_KINDS.approvals, onHealth: health('approvals') }),
    disruptionBudgets: startInformer(env, client, {
      ...CACHED_KINDS.disruptionBudgets,
      onHealth: health('disruptionBudgets'),
    }),
    pipelines: startInformer(env, client, { ...CACHED_KINDS.pipelines, onHealth: health('pipelines') }),
    promotions: startInformer(env, client, { ...CACHED_KINDS.promotions, onHealth: health('promotions') }),
    revisions: namespaces.open(client, { ...CACHED_KINDS.revisions, onHealth: health('revisions') }),
    shards: namespaces.open(client, {
      ...CACHED_KINDS.shards,
      onHealth: health('shards'),
    }),
    keys: startInformer(env, client, {
      kind: records.keys,
      namespace: SYSTEM_NAMESPACE,
      fieldSelector: `metadata.name=${KEY_SECRET}`,
      project: withoutManagers,
      onHealth: health('keys'),
    }),
  }
}

/** Options of the informer of each kind. */
export const CACHED_KINDS = {
  modules: {
    kind: moduleKind,
    project: withoutManagersButWriter<Stored<Module>>,
    indexes: cacheIndexes.modules,
  },
  bootstrapModules: {
    kind: bootstrapModuleKind,
    project: withoutManagersButWriter<Stored<Module>>,
    indexes: cacheIndexes.modules,
  },
  assemblages: {
    kind: remoteAssemblageKind,
    labelSelector: `!${MANAGED_BY_LABEL}`,
    project: withoutManagers<Stored<RemoteAssemblage>>,
    indexes: {},
  },
  foreign: {
    kind: remoteAssemblageKind,
    labelSelector: MANAGED_BY_LABEL,
    project: withoutManagers<Stored<ExternalAssemblage>>,
    indexes: {
      namespace: (a: Stored<ExternalAssemblage>) => [a.metadata.namespace ?? ''],
      cluster: (a: Stored<ExternalAssemblage>) => [`${a.metadata.namespace}/${a.spec.clusterRef.name}`],
    },
  },
  inventories: {
    kind: inventoryKind,
    project: withoutManagers<Stored<Inventory>>,
    indexes: cacheIndexes.inventories,
  },
  holds: { kind: holdKind, project: withoutManagers<Stored<Hold>>, indexes: cacheIndexes.targets },
  approvals: {
    kind: approvalKind,
    project: withoutManagers<Stored<Approval>>,
    indexes: cacheIndexes.targets,
  },
  disruptionBudgets: {
    kind: disruptionBudgetKind,
    project: withoutManagers<Stored<DisruptionBudget>>,
    indexes: { namespace: (b: Stored<DisruptionBudget>) => [b.metadata.namespace ?? ''] },
  },
  pipelines: {
    kind: pipelineKind,
    project: withoutManagers<Stored<Pipeline>>,
    indexes: { identity: (p: Stored<Pipeline>) => [p.spec.identity] },
  },
  promotions: {
    kind: promotionKind,
    project: withoutManagers<Stored<Promotion>>,
    indexes: { pipeline: (p: Stored<Promotion>) => [`${p.metadata.namespace}/${p.spec.pipelineRef.name}`] },
  },
  revisions: {
    kind: records.revision,
    labelSelector: MODULE_LABEL,
    project: readRevision,
    indexes: cacheIndexes.revisions,
  },
  shards: {
    kind: records.bundle as SecretRecordKind<KubeObject>,
    labelSelector: BUNDLE_LABEL,
    fields: 'metadata',
    project: withoutManagers<Stored<KubeObject>>,
    indexes: cacheIndexes.shards,
  },
} as const
