/** Holds and Approvals of a rollout, from the caches. */
import { isNamed, parseTimestampMs, type Stored } from '@lockstep/kube/object'
import { type Approval, type Assignment, type Hold, type Module, SET } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { setOf } from '../../decisions/resourceset/index.ts'
import {
  type ApprovalView,
  activeHolds,
  type HoldView,
  holdEndsIn,
  writesHeldBy,
} from '../../decisions/rollout/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { type HubClockDeps, hubTime, refreshHubClock } from '../runtime/index.ts'
import type { HubCaches, HubInformers } from './hubcaches.ts'
import type { SetPlans } from './setplans.ts'

/** Holds on a module that mean something now, by name. */
export const holdsOn = (
  hub: Pick<HubCaches, 'holds' | 'revisions'>,
  ref: ModuleRef,
  nowMs: number,
): HoldView[] =>
  activeHolds(
    [...hub.holds.store.by('module', moduleId(ref))].filter(isThere).map((h) => holdView(hub, ref, h)),
    nowMs,
  )

/** A paused ClusterResourceSet suspends its Module: its clocks stand still, and it says so. */
export function pauseOfSet(
  { sets }: Pick<HubCaches, 'sets'>,
  { metadata }: Pick<Stored<Module>, 'metadata'>,
): HoldView[] {
  const owner = setOf(metadata)
  const set = owner && sets?.get({ namespace: metadata.namespace ?? '', name: owner.name })
  if (!set || (set.metadata.annotations?.[SET.paused] ?? 'false') === 'false') return []
  const name = `${SET.paused} of ClusterResourceSet ${set.metadata.name}`
  return [{ name, action: 'Suspend', clusters: undefined, untilMs: undefined }]
}

interface HeldDeps extends HubClockDeps {
  readonly hub: HubInformers
  /** ClusterResourceSets, some of which own Modules. */
  readonly content: { readonly sets: Pick<SetPlans, 'mayDeliver'> }
}

/** Facts about a unit that decide whether a Hold stops writes to it. */
interface HeldUnit {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly record: Assignment | undefined
}

/**
 * Defined if a Hold or the set of its Module stops writes to this unit; `requeueAfterMs` is the time until the Hold ends. The
 * removal of a unit with its Module continues, also if it began earlier: the user who deletes a Module has decided.
 */
export function writesHeld(
  c: HeldDeps,
  { ref, cluster, record }: HeldUnit,
): { readonly requeueAfterMs?: number } | undefined {
  const isDeleted = c.hub.module(ref)?.metadata.deletionTimestamp !== undefined
  if (record?.removal?.cause === 'ModuleDeleted' || (record?.removal && isDeleted)) return undefined
  // Its set wakes the unit.
  if (!c.content.sets.mayDeliver(ref, cluster)) return {}
  const now = hubTime(c).nowMs
  const holds = holdsOn(c.hub, ref, now)
  if (writesHeldBy(holds, cluster.name) === undefined) return undefined
  const endsIn = holdEndsIn(holds, now)
  return endsIn === undefined ? {} : { requeueAfterMs: Math.max(1, endsIn) }
}

/** The same, by what time it is now: a Hold that is about to end may have ended. */
export async function writesHeldNow(c: HeldDeps, seen: HeldUnit): Promise<ReturnType<typeof writesHeld>> {
  const held = writesHeld(c, seen)
  if (held?.requeueAfterMs === undefined) return held
  await refreshHubClock(c, seen.ref.namespace)
  return writesHeld(c, seen)
}

/** Consents to its stages. */
export const approvalsOf = (hub: Pick<HubCaches, 'approvals'>, ref: ModuleRef): ApprovalView[] =>
  [...hub.approvals.store.by('module', moduleId(ref))].filter(isThere).map(approvalView)

/** One that is being deleted is taken back. */
export const isThere = ({ metadata }: Stored<Hold | Approval>): boolean =>
  metadata.deletionTimestamp === undefined

export const holdView = (
  { revisions }: Pick<HubCaches, 'revisions'>,
  ref: ModuleRef,
  { metadata, spec }: Stored<Hold>,
): HoldView => ({
  name: metadata.name,
  action: spec.action,
  ...(spec.revision === undefined ? {} : { pin: pinOf(revisions, ref, spec.revision) }),
  clusters: spec.clusters,
  untilMs: spec.until === undefined ? undefined : parseTimestampMs(spec.until),
})

function pinOf(
  revisions: HubCaches['revisions'],
  ref: ModuleRef,
  named: string,
): NonNullable<HoldView['pin']> {
  for (const { revision } of revisions.store.by('module', moduleId(ref)))
    if (isNamed(revision, named)) return { revision, isKnown: true }
  return { revision: named, isKnown: false }
}

export const approvalView = ({ metadata, spec }: Stored<Approval>): ApprovalView => ({
  name: metadata.name,
  stage: spec.stage,
  point: spec.point,
  revisionHash: spec.revisionHash,
  approvedBy: spec.approvedBy,
})
