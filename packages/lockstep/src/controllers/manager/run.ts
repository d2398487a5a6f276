/** One process of controllers at work: which change is whose business. */

import type { KubeClient } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import type { ConfigMap } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { type Priority, WorkQueue } from '@lockstep/kube/workqueue'
import type {
  Approval,
  ClusterResourceSet,
  ExternalAssemblage,
  Hold,
  Inventory,
  Module,
  RemoteAssemblage,
} from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId, refOfId } from '../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../deliver/plan/index.ts'
import { type ClusterView, Fleet, HUB_CLUSTER } from '../../fleet/clusters/index.ts'
import { noProviders } from '../../fleet/credentials/index.ts'
import type { WebhookReceiver } from '../../gitproviders/events/index.ts'
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import { openAccess } from '../../gitproviders/openaccess.ts'
import { type UpstreamSources, Upstreams } from '../../sources/intake/index.ts'
import { budgetController } from '../budget/index.ts'
import {
  allModules,
  companionRef,
  DigestKeys,
  type HubInformers,
  hasReachedQuiescence,
  isOfSet,
  isRehashRequested,
  KEY_CONTROLLER,
  KEY_ITEM,
  MODULE_CONTROLLER,
  modulesOfCluster,
  openHub,
  type RevisionRecord,
  targetModuleOf,
  targetsPipeline,
} from '../cache/index.ts'
import { Sets } from '../clusterresourceset/index.ts'
import {
  besideForeign,
  EXTERNAL_CONTROLLER,
  ExternalReconciler,
  foreignLooksAt,
  foreignOf,
  foreignUnits,
  neededByForeign,
} from '../externalassemblage/index.ts'
import { COLLECT_EVERY_MS, COLLECT_ITEM, COLLECTOR, HubGarbageCollector } from '../gc/index.ts'
import { ModuleReconciler } from '../module/index.ts'
import { groupIdOf } from '../publish/index.ts'
import {
  ASSEMBLAGE_CONTROLLER,
  AssemblageReconciler,
  isIdentityRequested,
  noteCluster,
} from '../remoteassemblage/index.ts'
import {
  admissionChanged,
  annotationsChanged,
  anyGroup,
  type Controller,
  type ControllerGroup,
  clusterKey,
  Dispatcher,
  defineController,
  guardOf,
  type HubKind,
  type HubKinds,
  type ManagerOptions,
  moduleKey,
  objectKey,
  publishedRevisionChanged,
  type Request,
  specChanged,
  unitKey,
  WatchIndex,
  work,
} from '../runtime/index.ts'
import { UNIT_CONTROLLER, UnitReconciler } from '../unit/index.ts'
import { controllerGroups } from './registry.ts'
import {
  askedByRevision,
  changedRecords,
  clustersOf,
  configMapId,
  dependantIds,
  dependenciesOf,
  groupUnitsOf,
  looksAt,
  unitsOfShard,
  usersOfConfigMap,
  usersOfSecret,
} from './routes.ts'
import { sharedContext } from './shared.ts'

type MaybeAssemblage = Stored<RemoteAssemblage> | undefined

/** All of it, until stopped. */
export class ControllerManager {
  readonly env: Env
  readonly queue: WorkQueue<Request>
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly upstreams: UpstreamSources
  readonly started: Promise<void>
  private readonly client: KubeClient
  private readonly watchIndex = new WatchIndex()
  private readonly options: ManagerOptions
  private modules: ModuleReconciler | undefined
  private units: UnitReconciler | undefined
  private assemblages: AssemblageReconciler | undefined
  private foreign: ExternalReconciler | undefined
  private keys: DigestKeys | undefined
  private dispatcher: Dispatcher | undefined
  /** ClusterResourceSets, pipelines. */
  private beside: readonly ControllerGroup[] = []
  private sets: Sets | undefined
  private readonly forges: GitAccessOpener
  private stopped = false
  private begin: () => void = () => {}

  constructor(env: Env, unguarded: KubeClient, options: ManagerOptions) {
    const guard = guardOf(env, options)
    const client = guard(unguarded)
    this.env = env
    this.client = client
    this.options = options
    const wake = (who: string): void => this.moduleAsked(who)
    const { cacheDir, files = false } = options
    this.upstreams = options.sources?.(wake) ?? new Upstreams(env, client, { cacheDir, files }, wake)
    this.forges = options.forges ?? openAccess(env)
    this.queue = new WorkQueue(env)
    const synced = new Promise<void>((resolve) => {
      this.begin = resolve
    })
    this.fleet = new Fleet(env, client, guard, {
      cluster: (view) => this.clusterChanged(view),
      object: (view, unit) => this.objectChanged(view, unit),
      judged: (view, unit) => this.unitJudged(view, unit),
      selected: (view, id) => this.selectionChanged(view, id),
      isAtRest: (view) => hasReachedQuiescence(this.hub, view),
      isAwaited: (view) => this.beside.some((b) => b.awaits?.(view) === true),
    })
    this.hub = openHub(env, client, options.providers ?? noProviders, {
      changed: (kind, before, after) => this.changed(kind, before, after),
      clusterChanged: (before, after) => this.fleet.observe(before, after),
      secretChanged: (id) => this.secretChanged(id),
      synced: () => this.synced(),
    })
    this.started = synced.then(() => this.start())
  }

  /** Undefined: it has not begun, or is stopped. */
  get eventDesk(): WebhookReceiver | undefined {
    return this.stopped ? undefined : this.beside.find((b) => b.eventDesk)?.eventDesk
  }

  stop(): void {
    this.stopped = true
    this.units?.stop()
    for (const b of this.beside) b.stop?.()
    this.queue.close()
    this.hub.stop()
    this.fleet.stop()
    void this.upstreams.close()
    void this.forges.close()
  }

  private synced(): void {
    if (!this.hub.synced) return
    this.begin()
    if (this.modules) this.enqueueAll()
  }

  private async start(): Promise<void> {
    this.keys = new DigestKeys(this.env, this.hub)
    // The first key before the first digest; where that fails, the queue tries again.
    const keyed = await this.keys.reconcile()
    if (this.stopped) return
    const { env, hub, fleet, queue, upstreams, keys, watchIndex } = this
    const shared = { env, hub, fleet, queue, upstreams, keys, watchIndex }
    const context = sharedContext(this.client, shared, this.options)
    this.modules = new ModuleReconciler(context)
    this.units = new UnitReconciler(context)
    this.assemblages = new AssemblageReconciler(context)
    this.foreign = new ExternalReconciler(context)
    this.sets = new Sets(context, (ref, cluster) => this.add(this.units!.item(ref, cluster)))
    this.beside = controllerGroups(context, this.sets, this.forges, this.options)
    const { modules, units, assemblages, foreign } = this
    const unrouted = { watches: [] } as const
    const controllers: Controller[] = [
      ...this.beside.flatMap((b) => b.controllers),
      budgetController(context),
      defineController({
        name: KEY_CONTROLLER,
        key: objectKey,
        reconcile: () => keys.reconcile(),
        ...unrouted,
      }),
      defineController({
        name: MODULE_CONTROLLER,
        key: moduleKey,
        reconcile: (k) => modules.reconcile(k),
        ...unrouted,
      }),
      defineController({
        name: UNIT_CONTROLLER,
        key: unitKey,
        reconcile: (k) => units.reconcile(k),
        ...unrouted,
      }),
      defineController({
        name: ASSEMBLAGE_CONTROLLER,
        key: clusterKey,
        reconcile: (k) => assemblages.reconcile(k),
        ...unrouted,
      }),
      defineController({
        name: EXTERNAL_CONTROLLER,
        key: objectKey,
        reconcile: (k) => foreign.reconcile(k),
        ...unrouted,
      }),
      defineController({
        name: COLLECTOR,
        key: objectKey,
        reconcile: () => new HubGarbageCollector(context).reconcile(),
        ...unrouted,
      }),
    ]
    this.dispatcher = new Dispatcher({ add: (r, p) => this.add(r, p) }, watchIndex, controllers)
    this.queue.addAfter(COLLECT_ITEM, COLLECT_EVERY_MS, 'resync')
    if (!keyed.ok || keyed.requeueAfterMs !== undefined)
      this.queue.addAfter(KEY_ITEM, keyed.requeueAfterMs ?? 1000)
    this.enqueueAll()
    for (let i = 0; i < (this.options.workers ?? 32); i++)
      void work(this.env, this.queue, new Map(controllers.map((x) => [x.name, x])))
  }

  private changed<K extends HubKind>(
    what: K,
    before: HubKinds[K] | undefined,
    after: HubKinds[K] | undefined,
  ): void {
    if (what === 'assemblages') noteCluster(this.fleet, before, after)
    // Before the start, what is missing looks deleted.
    if (!this.modules) return
    for (const b of this.beside) b.changed(what, before, after)
    this.dispatcher!.changed(what, before, after)
    this.route(what, before as Stored | undefined, after as Stored | undefined)
  }

  private route(what: HubKind, before: Stored | undefined, after: Stored | undefined): void {
    if (!this.modules) return
    const object: unknown = after ?? before
    switch (what) {
      case 'disruptionBudgets':
      case 'setBindings':
      case 'pipelines':
      case 'promotions':
        return
      case 'sets':
        if (!specChanged(before, after) && !annotationsChanged(before, after)) return
        this.dependantsOf(companionRef(object as Stored<ClusterResourceSet>), undefined)
        this.moduleAsked(moduleId(companionRef(object as Stored<ClusterResourceSet>)))
        return
      case 'shards':
        for (const { ref, cluster } of unitsOfShard(this.hub, object as Stored))
          this.add(this.units!.item(ref, cluster))
        return
      case 'keys':
        this.add(KEY_ITEM)
        this.enqueueAll()
        return
      case 'modules':
      case 'bootstrapModules':
        this.moduleChanged(
          object as Stored<Module>,
          publishedRevisionChanged(before as Stored<Module>, after as Stored<Module>),
        )
        return
      case 'revisions':
        for (const ref of askedByRevision(object as RevisionRecord)) this.moduleById(ref)
        this.foreignAt((object as RevisionRecord).namespace)
        return
      case 'holds':
      case 'approvals':
        // One that is now about another module is news for both.
        if (specChanged(before, after))
          for (const o of [before, after])
            if (o && !targetsPipeline(o as Stored<Hold | Approval>))
              this.moduleById(targetModuleOf(o as Stored<Hold | Approval>))
        return
      case 'configMaps':
        for (const ref of usersOfConfigMap(this.hub, object as Stored<ConfigMap>))
          this.add(this.modules.item(ref))
        for (const r of this.watchIndex.of({ view: undefined, id: configMapId(object as Stored) }))
          this.add(r)
        return
      case 'assemblages':
        this.assemblageChanged(before as MaybeAssemblage, after as MaybeAssemblage)
        return
      case 'foreign':
        this.foreignChanged(object as Stored<ExternalAssemblage>)
        if (!before || !after)
          for (const ref of besideForeign(this.hub, object as Stored)) this.moduleById(ref)
        return
      case 'inventories':
        this.inventoryChanged(
          object as Stored<Inventory>,
          admissionChanged(before as Stored<Inventory>, after as Stored<Inventory>),
        )
    }
  }

  private moduleChanged(module: Stored<Module>, isDeep = false): void {
    const ref = moduleRefOf(module)
    if (isRehashRequested(module)) this.add(KEY_ITEM)
    this.moduleById(ref)
    this.moduleAsked(groupIdOf(module))
    this.dependantsOf(ref, undefined, isDeep)
  }

  private moduleById(ref: ModuleRef): void {
    if (!this.modules) return
    this.add(this.modules.item(ref))
    for (const cluster of clustersOf(this.hub, ref)) this.add(this.units!.item(ref, cluster))
  }

  /** News from outside for a module that asked. */
  private moduleAsked(id: string | undefined): void {
    if (this.modules && id !== undefined) this.add(this.modules.item(refOfId(id)))
  }

  /** False: no module names it any more. */
  private secretChanged(id: string): boolean {
    const isWatched = this.dispatcher?.secretChanged(id) === true
    const users = usersOfSecret(this.hub, id)
    for (const ref of users) this.add(this.modules!.item(ref))
    return anyGroup(this.beside, (b) => b.secretChanged(id)) || isWatched || users.length > 0
  }

  private assemblageChanged(before: MaybeAssemblage, after: MaybeAssemblage): void {
    const assemblage = (after ?? before)!
    const namespace = assemblage.metadata.namespace ?? ''
    if (after && isIdentityRequested(after))
      this.add(this.assemblages!.item(namespace, after.spec.clusterRef.name), 'resync')
    for (const ref of changedRecords(before, after)) {
      this.add(this.units!.item(ref, assemblage.spec.clusterRef.name))
      this.add(this.modules!.item(ref))
    }
  }

  private inventoryChanged(inventory: Stored<Inventory>, isDeep = false): void {
    if (isOfSet(inventory)) return
    const { clusterRef } = inventory.spec
    const ref = refOfInventory(inventory)
    this.add(this.units!.item(ref, clusterRef.name))
    this.add(this.assemblages!.item(ref.namespace, clusterRef.name), 'resync')
    for (const group of groupUnitsOf(this.hub, inventory)) this.add(this.units!.item(group, clusterRef.name))
    if (ref.owner !== undefined) {
      this.add(this.foreign!.item(ref.namespace, ref.owner))
      // It may have kept them from leaving.
      for (const to of neededByForeign(this.hub, inventory)) this.add(this.modules!.item(to), 'gate')
      return
    }
    this.add(this.modules!.item(ref))
    this.dependantsOf(ref, clusterRef.name, isDeep)
    this.dependenciesOf(ref, clusterRef.name)
  }

  private foreignChanged(assemblage: Stored<ExternalAssemblage>): void {
    const { namespace = '', name } = assemblage.metadata
    this.add(this.foreign!.item(namespace, name))
    for (const { ref, cluster } of foreignUnits(this.hub, this.fleet, assemblage))
      this.add(this.units!.item(ref, cluster))
  }

  private foreignAt(namespace: string, view?: ClusterView): void {
    for (const a of foreignOf(this.hub, namespace, view)) this.foreignChanged(a)
  }

  /** Who waits for this module: its dependants' scheduling, and their units. `isDeep`: those of these, too. */
  private dependantsOf(ref: ModuleRef, cluster: string | undefined, isDeep = false): void {
    const isOfHub = this.hub.module(ref)?.spec.targets?.hub === true
    const view = cluster === undefined || isOfHub ? undefined : this.fleet.view(ref.namespace, cluster)
    this.foreignAt(ref.namespace, view)
    for (const [id, isFar] of dependantIds(this.hub, ref, isDeep)) {
      const dependant = refOfId(id)
      this.add(this.modules!.item(dependant), 'gate')
      for (const inventory of this.hub.inventories.store.by('module', id)) {
        const { name } = inventory.spec.clusterRef
        if (isOfHub || isFar || cluster === undefined || name === cluster)
          this.add(this.units!.item(dependant, name), 'gate')
      }
    }
  }

  /** Leaving and going back go the other way: what this unit relied on may do so now. */
  private dependenciesOf(ref: ModuleRef, cluster: string): void {
    for (const { to, cluster: place, isHeld } of dependenciesOf(this.hub, ref, cluster)) {
      this.add(this.modules!.item(to), 'gate')
      if (isHeld) this.add(this.units!.item(to, place), 'gate')
    }
  }

  /** What is known of the unit is news again: whoever waits for it from another cluster may go on. */
  private unitJudged(view: ClusterView, unit: string): void {
    const item = this.units?.itemOfLabel(view, unit)
    if (item?.key.type === 'Unit') this.dependantsOf(item.key.ref, view.name)
  }

  /** An object that edges name, or that units look at; whose. */
  private selectionChanged(view: ClusterView, id: string): boolean {
    if (!this.dispatcher) return true
    let isAsked = this.dispatcher.selectionChanged(view, id)
    if (anyGroup(this.beside, (b) => b.selectionChanged(view, id))) isAsked = true
    for (const module of modulesOfCluster(this.hub, view)) {
      const ref = moduleRefOf(module)
      if (!looksAt(this.hub, module, id)) continue
      isAsked = true
      this.add(this.modules!.item(ref), 'gate')
      this.add(this.units!.item(ref, view.name), 'gate')
    }
    if (foreignLooksAt(this.hub, view, id)) {
      isAsked = true
      this.foreignAt(view.namespace, view)
    }
    return isAsked
  }

  private clusterChanged(view: ClusterView): void {
    if (!this.modules) return
    for (const b of this.beside) b.clusterChanged(view)
    this.dispatcher?.clusterChanged(view)
    const isHub = view.name === HUB_CLUSTER
    for (const module of modulesOfCluster(this.hub, view)) {
      const ref = moduleRefOf(module)
      if (isHub && module.spec.targets?.hub !== true) continue
      this.add(this.modules.item(ref))
      this.add(this.units!.item(ref, view.name))
    }
    if (isHub) {
      for (const i of this.hub.inventories.store.all())
        if (i.spec.clusterRef.name === HUB_CLUSTER) this.inventoryChanged(i)
    } else {
      this.add(this.assemblages!.item(view.namespace, view.name), 'resync')
      for (const i of this.hub.inventories.store.by('cluster', `${view.namespace}/${view.name}`))
        if (!isOfSet(i)) this.add(this.units!.item(refOfInventory(i), view.name))
      this.foreignAt(view.namespace, view)
    }
  }

  private objectChanged(view: ClusterView, unit: string): void {
    const item = this.units?.itemOfLabel(view, unit)
    if (item) this.add(item)
  }

  /** After a start, or when a cache was completed late. */
  private enqueueAll(): void {
    for (const module of allModules(this.hub)) this.moduleById(moduleRefOf(module))
    this.dispatcher!.resync('disruptionBudgets', this.hub.disruptionBudgets.store.all())
    // Also of modules that are not there.
    for (const o of [...this.hub.holds.store.all(), ...this.hub.approvals.store.all()])
      if (!targetsPipeline(o)) this.moduleById(targetModuleOf(o))
    for (const a of this.hub.assemblages.store.all()) this.assemblageChanged(undefined, a)
    for (const i of this.hub.inventories.store.all()) this.inventoryChanged(i)
    for (const a of this.hub.foreign.store.all()) this.foreignChanged(a)
    for (const b of this.beside) b.enqueueAll()
  }

  private add(item: Request, priority: Priority = 'change'): void {
    this.queue.add(item, priority)
    this.fleet.look(item.cluster)
  }
}
