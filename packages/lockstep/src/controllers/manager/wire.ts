/** Constructs the controllers of one process, and the parts that they share. */
import type { Env } from '@lockstep/kube/env'
import type { WorkQueue } from '@lockstep/kube/workqueue'
import { weavePipelineKind } from '../../decisions/weave/index.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { WebhookReceiver } from '../../gitproviders/events/index.ts'
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import { BundleStore, type UpstreamSources } from '../../sources/intake/index.ts'
import { budgetController } from '../budget/index.ts'
import {
  BudgetLedger,
  type DigestKeys,
  type HubInformers,
  keyController,
  ReportedRevisions,
  readsOf,
  readsOfCluster,
  readsOfUnit,
  SetPlans,
  StampStore,
  selectionRead,
  statusTargets,
} from '../cache/index.ts'
import { ClaimReader } from '../claims/index.ts'
import {
  bindingController,
  setController,
  setUnitController,
  setUnitRequest,
} from '../clusterresourceset/index.ts'
import { credentialController } from '../credential/index.ts'
import { externalController } from '../externalassemblage/index.ts'
import { garbageCollector, ORPHAN_RETENTION_MS } from '../gc/index.ts'
import { Deadlocks, moduleController, RemovalGuard } from '../module/index.ts'
import { EventReceiver, type PipelineGate, pipelineController, pipelineRequest } from '../pipeline/index.ts'
import { promotionController, promotionRequest, promotionsOf } from '../promotion/index.ts'
import { SourceProgress } from '../publish/index.ts'
import { assemblageController } from '../remoteassemblage/index.ts'
import {
  type Controller,
  type DispatcherIndexes,
  EventRecorder,
  GIT_AUTHOR,
  KeyedMutex,
  MAX_ASSIGNMENT_WRITES,
  MAX_REMOVAL,
  MAX_SOURCE_TIMEOUT_MS,
  type ManagerOptions,
  type ObjectName,
  objectKey,
  ReadIndex,
  type Request,
  type RequestQueue,
  StatusWriter,
  WatchIndex,
} from '../runtime/index.ts'
import { UnitLabels, UnitMemories, unitController, unitRequest } from '../unit/index.ts'
import { type WeaveKind, WeavePredecessor, weaveController, weaveGate } from '../weave/index.ts'
import { inManagedNamespaces } from './namespacegate.ts'

/** Parts that exist before any controller. */
export interface WiringDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly upstreams: UpstreamSources
  readonly forges: GitAccessOpener
  readonly keys: DigestKeys
}

export interface Wiring {
  readonly controllers: readonly Controller[]
  readonly indexes: DispatcherIndexes
  readonly labels: UnitLabels
  readonly memories: UnitMemories
  readonly requests: RequestQueue
  readonly status: StatusWriter
  readonly events: EventRecorder
  /** Takes webhooks of Git hosts. */
  readonly eventDesk: WebhookReceiver
}

/** Parts that several controllers share. */
interface SharedParts {
  readonly events: EventRecorder
  readonly status: StatusWriter
  readonly watchIndex: WatchIndex
  readonly requests: RequestQueue
  readonly labels: UnitLabels
  readonly memories: UnitMemories
  readonly plans: SetPlans
  readonly assignmentWrites: KeyedMutex
  readonly weave: WeaveKind | undefined
}

/** `stopping`: nothing is sent to a cluster any more. `weave`: Pipelines of weaveworks, where they are served. */
export function wire(
  d: WiringDeps,
  options: ManagerOptions,
  queue: WorkQueue<Request>,
  { stopping, weave }: { readonly stopping: AbortSignal; readonly weave: WeaveKind | undefined },
): Wiring {
  const { env, hub, fleet, keys } = d
  const requests: RequestQueue = {
    add(request, priority) {
      queue.add(request, priority)
      // Requests to its cluster are urgent from now on.
      fleet.look(request.cluster)
    },
  }
  const events = new EventRecorder(env, hub.own, stopping)
  const parts: SharedParts = {
    events,
    status: new StatusWriter(env, hub.own, statusTargets(hub, weaveTarget(weave)), events),
    watchIndex: new WatchIndex(),
    requests,
    labels: new UnitLabels(),
    memories: new UnitMemories(),
    plans: new SetPlans(hub),
    assignmentWrites: new KeyedMutex(env, MAX_ASSIGNMENT_WRITES),
    weave,
  }
  const { status, labels, memories, watchIndex } = parts
  const indexes: DispatcherIndexes = { watches: watchIndex, reads: new ReadIndex(), names: readNames(labels) }
  const { promoting, eventDesk } = promotingControllers(d, parts, options)
  const orphanRetentionMs = options.orphanRetentionMs ?? ORPHAN_RETENTION_MS
  const controllers = [
    ...setControllers(d, parts),
    ...promoting,
    ...deliveringControllers(d, parts, options, stopping),
    assemblageController({
      env,
      hub,
      fleet,
      status,
      orphans: { env, hub, fleet, status, orphanRetentionMs },
    }),
    externalController({ env, hub, fleet, status }),
    credentialController({ env, hub, fleet, events, clusterProxies: options.clusterProxies ?? [] }),
    keyController(keys),
    garbageCollector({ env, hub, keys }),
  ]
  const gated = controllers.map((c) => inManagedNamespaces({ env, hub, status }, c))
  return { controllers: gated, indexes, labels, memories, requests, status, events, eventDesk }
}

/** Names of changes in the index of reads. */
const readNames = (labels: UnitLabels): DispatcherIndexes['names'] => ({
  ofObject: readsOf,
  ofCluster: readsOfCluster,
  ofSelection: selectionRead,
  ofUnit(view, label) {
    const unit = labels.of(view, label)
    return unit ? readsOfUnit(unit.ref, unit.cluster) : []
  },
})

function setControllers({ env, hub, fleet }: WiringDeps, parts: SharedParts): Controller[] {
  const { events, status, plans, watchIndex, requests } = parts
  const sets = { env, hub, fleet, events, status, plans }
  const { controller, concerns } = setController(sets, (unit) => requests.add(setUnitRequest(unit)))
  return [
    controller,
    setUnitController({ sets, watchIndex, requests, concerns }, ({ ref, cluster }) =>
      requests.add(unitRequest(ref, cluster)),
    ),
    bindingController(sets),
  ]
}

function promotingControllers(
  { env, hub, fleet, forges }: WiringDeps,
  { events, status, watchIndex, requests, weave }: SharedParts,
  { term, writes, identity, person, weave: weaveOptions }: ManagerOptions,
): { readonly promoting: Controller[]; readonly eventDesk: WebhookReceiver } {
  const reportedRevisions = new ReportedRevisions(env.clock)
  const predecessor = new WeavePredecessor({ env, hub })
  const gate: PipelineGate = (pipeline) => weaveGate(predecessor, pipeline)
  const pipelines = { env, hub, fleet, status, watchIndex, reportedRevisions }
  const promotions = { env, hub, fleet, events, status, watchIndex, reportedRevisions }
  const acting = { holder: identity ?? 'lockstep', term, writes }
  const wake = (pipeline: ObjectName): void => {
    requests.add(pipelineRequest(pipeline))
    for (const p of promotionsOf({ hub }, objectKey.of(pipeline))) requests.add(promotionRequest(p))
  }
  const promoting: Controller[] = [
    pipelineController(pipelines, forges, gate, (p) => requests.add(promotionRequest(p))),
    promotionController(promotions, { forges, acting, person: person ?? GIT_AUTHOR }, gate),
  ]
  if (weave && weaveOptions)
    promoting.push(weaveController({ env, hub, status, predecessor, theirs: weave }, weaveOptions))
  return { promoting, eventDesk: new EventReceiver(pipelines, wake) }
}

function deliveringControllers(
  { env, hub, fleet, upstreams, keys }: WiringDeps,
  { events, status, watchIndex, requests, labels, memories, plans, assignmentWrites }: SharedParts,
  options: ManagerOptions,
  stopping: AbortSignal,
): Controller[] {
  const bundles = new BundleStore(hub.own)
  const budgets = new BudgetLedger(env, hub, fleet, status)
  const maxSourceTimeoutMs = options.maxSourceTimeoutMs ?? MAX_SOURCE_TIMEOUT_MS
  const progress = new SourceProgress(env.clock)
  const content = { upstreams, bundles, keys, progress }
  const publishing = { env, hub, fleet, events, watchIndex, content, maxSourceTimeoutMs }
  const removals = new RemovalGuard({ env, hub, fleet, requests })
  const deadlocks = new Deadlocks(env, requests)
  const maxRemoval = options.maxRemoval ?? MAX_REMOVAL
  const limits = { budgets, assignmentWrites, removals, deadlocks, maxRemoval }
  const claims = { reader: new ClaimReader(bundles), progress, sets: plans }
  const delivered = { bundles, keys, stampStore: new StampStore(hub.own), sets: plans, claims }
  return [
    budgetController({ env, hub, budgets, requests }),
    // A unit comes before its Module, which sums up its units.
    unitController(
      { env, hub, fleet, events, status, watchIndex, content: delivered },
      { labels, memories },
      stopping,
    ),
    moduleController({ env, hub, fleet, events, status, publishing, limits }, labels),
  ]
}

/** Where they are not served nothing is written. */
const weaveTarget = (weave: WeaveKind | undefined) => ({
  kind: weavePipelineKind,
  observeWrite: (o: Parameters<WeaveKind['observeWrite']>[0]) => weave?.observeWrite(o),
})
