/** Answers about units from lists of a namespace: what the controllers stored, else the decision of their gate. */
import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker, renderedText } from '../../api/blocker.ts'
import { isReadyNow } from '../../api/conditions.ts'
import type { ExternalAssemblage, Inventory, Module, ModuleSpec } from '../../api/kinds/index.ts'
import { SELF, type WaitRef } from '../../api/reasons/index.ts'
import type {
  AnswerBlocker,
  AnswerReader,
  Cause,
  CauseAddress,
  UnitAnswer,
} from '../../decisions/answer/index.ts'
import { gate, type PublishedRevision } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleWaitRef, unitRef } from '../../decisions/graph/index.ts'
import { deliveredBy } from '../../decisions/resourceset/index.ts'
import { resolveUnitHolds, unitRevision, writesHeldBy } from '../../decisions/rollout/index.ts'
import { moduleRefOf } from '../../deliver/plan/index.ts'
import {
  type ClusterCondition,
  clusterRef,
  goneCondition,
  HUB_CLUSTER,
  selectsCluster,
} from '../../fleet/clusters/index.ts'
import { edgesOf, findRevisionRecord, holdsOn, observationOf, publishedOf } from '../cache/index.ts'
import { isPredecessors, predecessorBlockers } from '../module/index.ts'
import { type ClusterObjects, FleetCopy, type FleetObjects } from './fleetcopy.ts'

/** An object of a unit, or the object of an edge, as its cluster shows it. */
export interface ClusterReads {
  /** For gates. */
  readonly objects: ClusterObjects
  /** For causes; undefined: not read. */
  cause(
    ref: WaitRef,
    blocker: AnswerBlocker,
    at: CauseAddress,
    health: ModuleSpec['health'] | undefined,
  ): Cause | undefined
}

/** Without requests to clusters. */
const UNREAD: ClusterReads = {
  objects: () => ({ type: 'Unread', detail: 'not read' }),
  cause: () => undefined,
}

/** A cluster in one of these states deploys nothing. */
const UNUSABLE: ReadonlySet<ClusterCondition['state']> = new Set([
  'Absent',
  'Deleting',
  'Refused',
  'IdentityChanged',
  'Paused',
  'Unreachable',
  'Connecting',
])

const OUT_OF_TOUCH: ReadonlySet<ClusterCondition['state']> = new Set(['Connecting', 'Unreachable', 'Refused'])

export class FleetAnswers implements AnswerReader {
  private readonly copy: FleetCopy
  private readonly reads: ClusterReads
  private readonly env: { readonly clock: { now(): number; steady(): number } }

  constructor(objects: FleetObjects, nowMs: number, reads: ClusterReads = UNREAD) {
    this.copy = new FleetCopy(objects, () => nowMs, reads.objects)
    this.reads = reads
    this.env = { clock: { now: () => nowMs, steady: () => nowMs } }
  }

  object(ref: WaitRef, blocker: AnswerBlocker, at: CauseAddress): Cause | undefined {
    return this.reads.cause(ref, blocker, at, this.healthAt(at))
  }

  module(ref: WaitRef): readonly AnswerBlocker[] {
    return this.moduleOf(ref)?.status?.blockers ?? []
  }

  unit(ref: WaitRef): UnitAnswer | undefined {
    if (ref.group !== undefined) return this.external(ref)
    const module = this.moduleOf(ref)
    if (ref.kind === 'Module') return module && moduleAnswer(module)
    const cluster = ref.cluster ?? HUB_CLUSTER
    if (!module) return undefined
    const view = this.copy.fleet.view(this.copy.namespace, cluster)
    const inventory = this.inventoryOf(module, cluster)
    const isSelected = view !== undefined && selectsCluster(module.spec.targets, view)
    if (inventory && !view) return this.gone(inventory)
    const isDeleting = module.metadata.deletionTimestamp !== undefined
    if (!inventory && (!isSelected || isDeleting))
      return {
        state: 'NotSelected',
        blockers: isDeleting ? this.removalOf(module) : [notSelected(module, cluster)],
      }
    const isStaying = isSelected && !isDeleting
    const target = this.targetOf(module, cluster, inventory)
    const isOutOfTouch = isStaying && this.isOutOfTouch(cluster)
    const isReady = inventory !== undefined && isReadyAt(inventory, target)
    if (isStaying && isReady && !isOutOfTouch) return { state: 'Ready', blockers: [] }
    const isAtTarget = inventory?.spec.admitted?.revision === target
    const hasFailed = isStaying
      ? inventory?.status?.state === 'Failed' || (isAtTarget && isFailedIn(module, cluster))
      : isFailedIn(module, cluster)
    const state = hasFailed && !isOutOfTouch ? 'Failed' : 'Waiting'
    return { state, blockers: this.blockersOf(module, cluster, inventory, isStaying) }
  }

  /** The revision that a unit must reach: of its pin, what `updates: Once` keeps, else that of its Module. */
  private targetOf(
    module: Stored<Module>,
    cluster: string,
    inventory: Stored<Inventory> | undefined,
  ): string | undefined {
    const hold = resolveUnitHolds(holdsOn(this.copy, moduleRefOf(module), this.env.clock.now()), cluster)
    if (hold?.action === 'Pin') return hold.revision
    return unitRevision(module, cluster, inventory?.spec.admitted?.revision)
  }

  /** The clusters of a list on which a Module is not ready. */
  unready(module: Pick<WaitRef, 'name' | 'object'>, clusters: readonly string[]): string[] {
    return this.inState(['Waiting', 'Failed'], module, clusters)
  }

  /** The clusters of a list on which a Module is, or must be. */
  targeted(module: Pick<WaitRef, 'name' | 'object'>, clusters: readonly string[]): string[] {
    return this.inState(['Ready', 'Waiting', 'Failed'], module, clusters)
  }

  private inState(
    states: readonly UnitAnswer['state'][],
    module: Pick<WaitRef, 'name' | 'object'>,
    clusters: readonly string[],
  ): string[] {
    return clusters.filter((cluster) => {
      const { name, object } = module
      const found = this.unit({ kind: 'Unit', name, ...(object ? { object } : {}), cluster })
      return found !== undefined && states.includes(found.state)
    })
  }

  /** The first that applies: the cluster, a deadlock, the unit itself, its Module for this cluster, its gate, its Module for all. */
  private blockersOf(
    module: Stored<Module>,
    cluster: string,
    inventory: Stored<Inventory> | undefined,
    isStaying: boolean,
  ): readonly AnswerBlocker[] {
    const condition = this.conditionOf(cluster)
    if (condition) return [condition]
    const record = this.copy.assignment(moduleRefOf(module), cluster)
    const stored = inventory?.status?.blockers ?? []
    if (inventory && isPredecessors(module, record))
      return stored.length > 0
        ? stored
        : predecessorBlockers(module, [{ view: { cluster }, record, inventory }])
    const all = module.status?.blockers ?? []
    const own = all.filter((b) => b.clusters?.includes(cluster)).map((b) => onCluster(b, cluster))
    // Whatever the unit waits for, it does not end by itself.
    const deadlocks = own.filter((b) => b.reason === 'Deadlock')
    if (deadlocks.length > 0) return deadlocks
    const held = this.heldBy(module, cluster)
    if (held) return [held, ...stored]
    const isAtTarget = inventory?.spec.admitted?.revision === this.targetOf(module, cluster, inventory)
    if (stored.length > 0 && (isAtTarget || !isStaying)) return stored
    if (own.length > 0) return own
    const closed = isStaying ? this.gateOf(module, cluster) : []
    if (closed.length > 0) return closed
    // Limits, stages and the rollout before are waits of clusters that have not started.
    const isStarted = module.status?.rollout?.ledger?.some((e) => e.cluster === cluster) === true
    const shared = all.filter((b) => b.clusters === undefined && (!isStarted || b.reason === 'Held'))
    if (shared.length > 0) return shared
    return [blocked('Pending', [unitRef({ to: moduleRefOf(module) }, cluster)], {})]
  }

  /** The Hold under which nothing is written to the cluster: until it ends, no other change has an effect. */
  private heldBy(module: Stored<Module>, cluster: string): AnswerBlocker | undefined {
    const holds = holdsOn(this.copy, moduleRefOf(module), this.env.clock.now())
    if (writesHeldBy(holds, cluster) === undefined) return undefined
    const found = module.status?.blockers?.find(
      (b) => b.reason === 'Held' && (b.clusters?.includes(cluster) ?? true),
    )
    return found && onCluster(found, cluster)
  }

  /** The unit is removed. Its Module ends with the units that are left. */
  private removalOf(module: Stored<Module>): readonly AnswerBlocker[] {
    const ref = moduleRefOf(module)
    const left = this.copy.fleet
      .of(this.copy.namespace)
      .filter(({ name }) => this.inventoryOf(module, name) !== undefined)
    return left.length === 0
      ? [blocked('Pending', [moduleWaitRef({ to: ref })], {})]
      : left.map(({ name }) => blocked('Removing', [unitRef({ to: ref }, name)], {}))
  }

  /** No Module counts the cluster any more: none waits for it. */
  private gone({ spec: { clusterRef: ref } }: Stored<Inventory>): UnitAnswer {
    const { namespace } = this.copy
    const there = this.copy.inventories.store.by('cluster', `${namespace}/${ref.name}`)
    const { blocker } = goneCondition(namespace, ref, there)
    const { since } = blocker.facts
    return {
      state: 'NotSelected',
      blockers: [{ ...blocker, ...(typeof since === 'string' ? { since } : {}) }],
    }
  }

  /** Its units are as they were when it answered last. */
  private isOutOfTouch(cluster: string): boolean {
    const view = this.copy.fleet.view(this.copy.namespace, cluster)
    return view !== undefined && OUT_OF_TOUCH.has(this.copy.fleet.condition(view).state)
  }

  private conditionOf(cluster: string): AnswerBlocker | undefined {
    const view = this.copy.fleet.view(this.copy.namespace, cluster)
    if (!view) return undefined
    const { state, blocker } = this.copy.fleet.condition(view)
    return UNUSABLE.has(state) ? (blocker ?? blocked('ClusterDeleting', [clusterRef(view)], {})) : undefined
  }

  /** As the controllers decide it before a unit starts. */
  private gateOf(module: Stored<Module>, cluster: string): readonly NewBlocker[] {
    const ref = moduleRefOf(module)
    const published = publishedOf(this.copy, ref, module) ?? unpublished(module)
    const { copy, env } = this
    const seen = observationOf({ hub: copy, fleet: copy.fleet, env }, copy.namespace)
    const isApart = seen.apart(ref, cluster) !== undefined
    const found = gate({ module: ref, cluster, published, isApart }, seen)
    return found.outcome === 'Closed' ? found.blockers : []
  }

  /** A record of another tool, in its assemblage (`group`). */
  private external(ref: WaitRef): UnitAnswer | undefined {
    const found = this.externalRecord(ref)
    if (!found) return undefined
    const { status, wanted } = found
    const said = status?.syncs?.find((s) => s.kind === wanted.kind && s.name === wanted.name)
    if (said?.state === 'Ready' && said.revision === wanted.revision) return { state: 'Ready', blockers: [] }
    const ready = status?.conditions?.find((c) => c.type === 'Ready')
    const { reason, message } = ready ?? NOT_RECONCILED
    const own = said?.blockers ?? []
    const blockers = own.length > 0 ? own : [{ reason, message }]
    return { state: said?.state === 'Failed' ? 'Failed' : 'Waiting', blockers }
  }

  private externalRecord(ref: WaitRef) {
    const namespace = this.copy.namespace
    const assemblage: Stored<ExternalAssemblage> | undefined = this.copy.foreign?.store.get({
      namespace,
      name: ref.group!,
    })
    const kind = ref.object?.kind
    const wanted = assemblage?.spec.syncs?.find((s) => s.kind === kind && s.name === ref.name)
    return assemblage && wanted && { status: assemblage.status, wanted }
  }

  /** Health settings of the admitted revision; undefined: the history has it no more. */
  private healthAt({ module: name, cluster }: CauseAddress): ModuleSpec['health'] | undefined {
    const module = this.moduleOf({ kind: 'Module', name })
    const revision = module && this.inventoryOf(module, cluster)?.spec.admitted?.revision
    return module && findRevisionRecord(this.copy, moduleRefOf(module), revision)?.spec.health
  }

  private moduleOf(ref: WaitRef): Stored<Module> | undefined {
    const { kind, name } = deliveredBy({ kind: ref.object?.kind ?? 'Module', name: ref.name })
    const namespace = this.copy.namespace
    const named = this.copy.module({ kind, namespace, name } as ModuleRef)
    return named ?? (ref.object ? undefined : this.copy.module({ kind: 'BootstrapModule', namespace, name }))
  }

  private inventoryOf(module: Stored<Module>, cluster: string): Stored<Inventory> | undefined {
    const found = this.copy.unit(moduleRefOf(module), cluster)
    return found?.spec.released === undefined ? found : undefined
  }
}

/** The spec, before its first revision is published. */
const unpublished = ({ metadata: { namespace = '' }, spec }: Stored<Module>): PublishedRevision => ({
  revision: '',
  release: spec.release,
  attempt: spec.attempt,
  edges: edgesOf(spec.dependsOn, namespace),
})

const isFailedIn = ({ status }: Stored<Module>, cluster: string): boolean =>
  status?.rollout?.ledger?.some((e) => e.cluster === cluster && e.failed !== undefined) === true

/** A Module as a whole: as its status says of its last change. */
function moduleAnswer(module: Stored<Module>): UnitAnswer {
  if (isReadyNow(module)) return { state: 'Ready', blockers: [] }
  const { blockers = [] } = module.status ?? {}
  if (blockers.length > 0) return { state: 'Waiting', blockers }
  // Each of its units is ready: its status has not been written since.
  return {
    state: 'Waiting',
    blockers: [blocked('Pending', [moduleWaitRef({ to: moduleRefOf(module) })], {})],
  }
}

const NOT_RECONCILED = { reason: 'Pending', message: 'not reconciled' }

/** The Module selects no cluster, or others. */
function notSelected(module: Stored<Module>, cluster: string): AnswerBlocker {
  const none = module.status?.blockers?.find((b) => b.reason === 'SelectsNothing')
  return none ?? blocked('NotSelected', [moduleWaitRef({ to: moduleRefOf(module) })], { cluster })
}

function isReadyAt({ spec, status }: Stored<Inventory>, revision: string | undefined): boolean {
  const isCurrent = status?.admittedSerial === spec.admitted?.serial
  return status?.state === 'Ready' && isCurrent && spec.admitted?.revision === revision
}

/** A blocker of a summary, of one of its clusters: with the cluster in place of `SELF`. */
function onCluster(b: AnswerBlocker, cluster: string): AnswerBlocker {
  const { reason, facts, since, on } = b
  if (on === undefined || facts === undefined) return b
  const own = on.map((ref) => (ref.cluster === SELF ? { ...ref, cluster } : ref))
  const message = renderedText({ reason, on: own, facts, message: b.message })
  return { reason, facts, on: own, message, since }
}
