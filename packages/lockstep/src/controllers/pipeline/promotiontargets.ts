/** Reads targets of pipelines: each by itself, from caches, or as they are now. */
import { keyText, type Stored } from '@lockstep/kube/object'
import { accountOf } from '../../api/account.ts'
import type { Environment, EnvironmentStatus, Pipeline } from '../../api/kinds/index.ts'
import type { ObjectObservation } from '../../decisions/gate/index.ts'
import {
  type CheckTarget,
  type TargetObservation,
  type TargetRef,
  type TargetState,
  targetStateOf,
  type UnreadableTarget,
} from '../../decisions/promotion/index.ts'
import { type ClusterView, HUB_CLUSTER } from '../../fleet/clusters/index.ts'
import { type ClusterSession, FRESH_MS, selectionId } from '../../fleet/connection/index.ts'
import type { WatchIndex } from '../runtime/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'
import { pipelineRequest } from './pipelinerequest.ts'

/** What pipelines see of a fleet. */
export type TargetReader = Pick<PipelineDeps, 'fleet'> & Partial<Pick<PipelineDeps, 'reportedRevisions'>>

export const promotionTargets = ({ targets }: Environment): TargetRef[] =>
  targets.map(({ namespace, clusterRef }) => ({ namespace, cluster: clusterRef?.name }))

interface ReachableCluster {
  readonly view: ClusterView
  readonly session: ClusterSession
}

/** The session of a target's cluster, or why there is none. */
function reach(
  { fleet }: TargetReader,
  pipeline: Stored<Pipeline>,
  target: TargetRef,
): ReachableCluster | UnreadableTarget {
  const { namespace = '' } = pipeline.metadata
  const view = fleet.view(namespace, target.cluster ?? HUB_CLUSTER)
  if (!view) return { because: 'ClusterUnknown' }
  const session = fleet.session(view, accountOf(pipeline))
  if (!session) return { because: 'NotConnected', detail: fleet.condition(view).message }
  return { view, session }
}

/** Caches say nothing of a cluster that has been silent. */
const silent = ({ session }: ReachableCluster): UnreadableTarget | undefined => {
  if (session.state === 'Unreachable') return { because: 'NoAnswer', detail: session.problem }
  // Before discovery an absent object may exist.
  if (session.discoveries === 0) return { because: 'NotDiscovered' }
  return session.hearing.silence ? { because: 'NoAnswer' } : undefined
}

const refOf = ({ spec: { appRef } }: Stored<Pipeline>, { namespace }: TargetRef) => ({ ...appRef, namespace })

/** All targets of an environment, as caches have them; whoever looks is told of changes. `keys` gets what is looked at. */
export function cachedTargets(
  c: TargetReader,
  watchIndex: WatchIndex,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  nowMs: number,
  keys: Set<string>,
): TargetState[] {
  const rule = { appRef: pipeline.spec.appRef, revisionExpr: pipeline.spec.revisionExpr }
  return promotionTargets(environment).map((target) => {
    const at = reach(c, pipeline, target)
    if ('because' in at) return unreadable(c, pipeline, target, at)
    const ref = refOf(pipeline, target)
    keys.add(watchIndex.add(pipelineRequest(pipeline.metadata), { view: at.view, id: selectionId(ref) }))
    const quiet = silent(at)
    const found = seenAs(pipeline, at.session.selections.get(ref))
    if (quiet === undefined && found.type !== 'Unreadable') return targetStateOf(rule, target, found, nowMs)
    // The last observed revision is shown, and does not count.
    const object = at.session.selections.last(ref)
    const last = object && targetStateOf(rule, target, { type: 'Present', object }, nowMs)
    const why = quiet ?? (found.type === 'Unreadable' ? found.why : NO_ANSWER)
    return unreadable(c, pipeline, target, why, last?.revision)
  })
}

/** Of what has not been heard of for a minute it is asked how it is. Milliseconds until that is to be looked at again. */
export function refreshTargets(c: TargetReader, pipeline: Stored<Pipeline>): number {
  const waits = pipeline.spec.environments.flatMap((environment) =>
    promotionTargets(environment).flatMap((target) => {
      const at = reach(c, pipeline, target)
      return 'because' in at ? [] : [at.session.selections.freshen(refOf(pipeline, target), FRESH_MS)]
    }),
  )
  return Math.max(1, Math.min(FRESH_MS, ...waits))
}

/** The same, read now: what caches say may be older than what was decided here before. */
export async function liveTargets(
  c: TargetReader,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  nowMs: number,
): Promise<TargetState[]> {
  const rule = { appRef: pipeline.spec.appRef, revisionExpr: pipeline.spec.revisionExpr }
  return Promise.all(
    promotionTargets(environment).map(async (target) => {
      const at = reach(c, pipeline, target)
      if ('because' in at) return unreadable(c, pipeline, target, at)
      const read = await at.session.selections.read(refOf(pipeline, target))
      return read.ok && at.session.discoveries > 0
        ? targetStateOf(rule, target, seenAs(pipeline, read.value), nowMs)
        : unreadable(c, pipeline, target, NO_ANSWER)
    }),
  )
}

/**
 * A cache may go back in time: nobody has led an environment to a revision at which nothing is that is read just now. Only
 * targets count that were seen there; what of them cannot be read now, or is not ready, takes nothing from that.
 */
export async function isStillAtRevision(
  c: TargetReader,
  pipeline: Stored<Pipeline>,
  environment: Environment,
  { revision, seen, nowMs }: { revision: string; seen: EnvironmentStatus['targets']; nowMs: number },
): Promise<boolean> {
  const there = (seen ?? []).filter((t) => t.ready && !t.behind && t.revision === revision)
  const levels = await liveTargets(c, pipeline, environment, nowMs)
  return levels
    .filter((l) => there.some((t) => t.namespace === l.namespace && t.cluster === l.cluster))
    .some((l) => l.state !== 'Ready' || l.revision === revision)
}

/** Unless an event has said how it is, where events count. */
function unreadable(
  c: TargetReader,
  pipeline: Stored<Pipeline>,
  target: TargetRef,
  why: UnreadableTarget,
  lastRevision?: string,
): TargetState {
  const { metadata, spec } = pipeline
  const said =
    spec.revisionsFrom === 'Targets'
      ? undefined
      : c.reportedRevisions?.levelOf(
          keyText(metadata),
          { ...target, appRef: spec.appRef },
          targetObservedAt(c, pipeline, target),
        )
  const rule = { appRef: spec.appRef, revisionExpr: spec.revisionExpr }
  return said ?? targetStateOf(rule, target, unread(pipeline, why, lastRevision), 0)
}

/** When its watch said something last, by the steady clock; undefined: never. */
export function targetObservedAt(
  c: TargetReader,
  pipeline: Stored<Pipeline>,
  target: TargetRef,
): number | undefined {
  const at = reach(c, pipeline, target)
  return 'because' in at ? undefined : at.session.selections.heardAt(refOf(pipeline, target))
}

/** Asked now. */
export async function isReadable(
  c: TargetReader,
  pipeline: Stored<Pipeline>,
  target: TargetRef,
): Promise<boolean> {
  const at = reach(c, pipeline, target)
  if ('because' in at) return false
  const read = await at.session.selections.read(refOf(pipeline, target))
  return read.ok && read.value.type !== 'Unread'
}

const NO_ANSWER: UnreadableTarget = { because: 'NoAnswer' }

const unread = (
  { metadata: { namespace = '' } }: Stored<Pipeline>,
  why: UnreadableTarget,
  lastRevision?: string,
): Extract<TargetObservation, { type: 'Unreadable' }> => ({
  type: 'Unreadable',
  why,
  namespace,
  lastRevision,
})

function seenAs(pipeline: Stored<Pipeline>, seen: ObjectObservation): TargetObservation {
  if (seen.type === 'Present') return seen
  if (seen.type === 'Unread') return unread(pipeline, { because: 'NotRead', detail: seen.detail })
  return { type: 'Absent', detail: seen.detail }
}

/** Of the targets that can be read, as caches have them: what is looked at anyway. */
export const targetObjects = (
  c: TargetReader,
  pipeline: Stored<Pipeline>,
  environment: Environment,
): CheckTarget[] =>
  promotionTargets(environment).flatMap((target) => {
    const at = reach(c, pipeline, target)
    if ('because' in at) return []
    const found = at.session.selections.get(refOf(pipeline, target))
    return found.type === 'Present' ? [{ ...target, object: found.object }] : []
  })
