/** The status of a ClusterResourceSet: what its sources, its Inventories and the connections say, over all clusters. */
import { jsonEqual, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import {
  type ClusterResourceSet,
  type Inventory,
  type ResourceSetStatus,
  resourceSetKinds,
} from '../../api/kinds/index.ts'
import { conditionMessage } from '../../api/reasons/index.ts'
import {
  type AddonsVersion,
  clusterSelectorProblem,
  missingSource,
  placeConditions,
  type SetClusterFacts,
  type SetObjectFailure,
  type SettingProblem,
  type SourceFault,
  setConditions,
  setReasonMessage,
} from '../../decisions/resourceset/index.ts'
import { isAllDone } from '../../deliver/modes/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import {
  isOtherCluster,
  isOwnDefinition,
  type ManagedSetPlan,
  type SetClusterState,
  setInventoryOn,
} from '../cache/index.ts'
import { setWordsOf } from '../unit/index.ts'
import { continuousRefusals, continuousStatusFacts, failedRemovalOf } from './continuousstatus.ts'
import { deletionCauses } from './deletionstatus.ts'
import { companionInventoryOn } from './deliveredsources.ts'
import type { SetDeps } from './setdeps.ts'
import type { SetSource } from './setsources.ts'
import { FINAL, sourceOf } from './unitstatus.ts'
import type { UpstreamHandshake } from './upstreamhandshake.ts'

/** Numbers of a status are behind by at most so long. */
const HOLD_MS = 1000

export interface ObservedSet {
  readonly set: Stored<ClusterResourceSet>
  /** Undefined: nothing valid was ever asked for, or it is not clear yet whose it is. */
  readonly plan: ManagedSetPlan | undefined
  readonly problems: readonly SettingProblem[]
  readonly handshake: UpstreamHandshake
  readonly seen: readonly SetSource[]
  readonly clusters: readonly SetClusterState[]
  readonly isPaused: boolean
  /** Sources have changed, and have to stand still first: the plan is that of before. */
  readonly isSettling: boolean
}

/** Nothing is written where nothing is otherwise. */
export async function updateSetStatus(c: SetDeps, s: ObservedSet): Promise<ReconcileResult> {
  const { set } = s
  const kind = c.hub.sets.kind ?? resourceSetKinds[0]!
  const generation = set.metadata.generation ?? 0
  const isOwn = isOwnDefinition(c.hub)
  // Of one that was Continuous, and whose Module cannot go yet.
  const leaving = s.plan?.isContinuous ? [] : deletionCauses(c, set)
  const held = leaving.length === 0 ? undefined : conditionMessage(leaving.map((x) => x.message))
  const conditions = setConditions({
    generation,
    mode: s.plan?.isContinuous ? 'Continuous' : (s.plan?.asked.mode ?? 'ApplyOnce'),
    badSettings: s.problems.map((p) => p.message),
    refusals: s.plan?.isContinuous
      ? [...s.plan.refusals, ...continuousRefusals(c, set)]
      : (s.plan?.refusals ?? []),
    sources: faultsOf(s),
    clusters: clusterFacts(c, s, held),
    failedRemoval: s.plan?.isContinuous ? failedRemovalOf(c, set) : undefined,
    takeover: isOwn ? undefined : takeoverOf(s.handshake),
    isPaused: s.isPaused,
    isUpstreamRunning: !isOwn,
  })
  const status = placeConditions(set.status, {
    ...conditions,
    version: kind.version as AddonsVersion,
    isLegacyServed: !isOwn,
    keepsNewer: kind.version === 'v1beta2' || c.hub.sets.keepsStatus('v1beta2'),
    generation,
    now: timestamp(c.env.clock.now()),
  })
  return c.status.update('sets', set, status, {
    spacingMs: HOLD_MS,
    urgent: (before, after) => !isProgress(before, after),
  })
}

function clusterFacts(c: SetDeps, s: ObservedSet, held: string | undefined): SetClusterFacts[] {
  const { set, plan } = s
  const all = s.clusters.map((seen) =>
    plan?.isContinuous ? continuousStatusFacts(c, set, plan, seen) : factsOf(c, s, seen, held),
  )
  if (!isAwaited(s)) return all
  return all.map(({ convergence, ...f }) => ({
    ...f,
    isApplied: false,
    ...(convergence?.state === 'InSync'
      ? { convergence: { state: 'Updating' } }
      : convergence && { convergence }),
  }))
}

/** A source has come of which nothing is asked for yet: all of the others is not all. */
const isAwaited = ({ isSettling, seen, plan }: ObservedSet): boolean =>
  isSettling &&
  seen.some(
    ({ state, ref: { kind, name } }) =>
      state === 'Read' && plan?.contents.some(({ ref }) => ref.kind === kind && ref.name === name) !== true,
  )

const takeoverOf = (h: UpstreamHandshake) =>
  h.type === 'clear'
    ? ('TakenOver' as const)
    : h.type === 'waits' && h.blocker !== undefined
      ? { previousActive: h.blocker.message }
      : undefined

function faultsOf({ set, seen, plan }: ObservedSet): SourceFault[] {
  const unmatched = clusterSelectorProblem(set.spec.clusterSelector)
  const selector: SourceFault[] =
    unmatched === undefined ? [] : [{ reason: 'ClusterMatchFailed', message: unmatched }]
  const found = seen.flatMap((s, i): SourceFault[] => {
    if (s.state === 'Missing') return [missingSource(set.metadata.namespace ?? '', s.ref, i)]
    return s.state === 'Refused' ? [...s.problems] : []
  })
  const nameless = (plan?.refusals ?? []).flatMap(({ reason, message }): SourceFault[] =>
    reason === 'InvalidResource' ? [{ reason, message }] : [],
  )
  return [...selector, ...found, ...nameless]
}

/** The verdicts are the same: only how far it has come is told. */
function isProgress(before: ResourceSetStatus | undefined, after: ResourceSetStatus): boolean {
  const verdicts = (s: ResourceSetStatus | undefined) =>
    (s?.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`)
  return (
    before?.observedGeneration === after.observedGeneration && jsonEqual(verdicts(before), verdicts(after))
  )
}

export function observeSetCluster(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  plan: Pick<ManagedSetPlan, 'asked' | 'contents'> | undefined,
  view: ClusterView,
): SetClusterState {
  const found = setInventoryOn(c.hub, set, view.name)
  const session = c.fleet.connection(view)
  const inventory = found && isOtherCluster(found, session?.uid) ? undefined : found
  const isApplied = plan !== undefined && isAllDone(plan.asked, plan.contents, inventory?.spec.set)
  // Known from before, and being connected to again: what was delivered there is there.
  const isKnown = found !== undefined && session?.state === 'Provisioning' && session.problem === undefined
  return { view, isConnected: session?.state === 'Connected' || isKnown, isApplied, inventory }
}

/** Why what its Module has delivered to a cluster is not let go of there, which has to be done before anything else. */
function leavingText(c: SetDeps, set: Stored<ClusterResourceSet>, cluster: string): string | undefined {
  const [first] = companionInventoryOn(c, set, cluster)?.status?.blockers ?? []
  return first && setReasonMessage(first, setWordsOf(c, set))
}

function factsOf(
  c: SetDeps,
  { set, plan }: ObservedSet,
  { view, isConnected, isApplied, inventory }: SetClusterState,
  held: string | undefined,
): SetClusterFacts {
  const turns = plan === undefined || plan.turns.has(view.name) ? undefined : plan.turns
  // The refusal of the cluster itself says more than the summary of all.
  const own = held !== undefined || !turns ? leavingText(c, set, view.name) : undefined
  const waits = view.paused !== undefined ? 'ClusterPaused' : (own ?? held ?? (turns && turnText(turns)))
  return {
    cluster: view.name,
    isConnected,
    isApplied,
    failures: isApplied ? [] : failuresOf(inventory),
    ...(waits === undefined ? {} : { waiting: waits }),
  }
}

const SHOWN = 3

function turnText(turns: ReadonlySet<string>): string {
  const more = turns.size > SHOWN ? `, and ${turns.size - SHOWN} more` : ''
  return `waits for ${[...turns].sort().slice(0, SHOWN).join(', ')}${more}`
}

/** As the last look at the cluster left them. */
const failuresOf = (inventory: Stored<Inventory> | undefined): SetObjectFailure[] =>
  (inventory?.status?.blockers ?? []).flatMap(({ on, message, reason }) => {
    const source = sourceOf(on)
    return source ? [{ source, message, isFinal: FINAL.has(reason) }] : []
  })
