/** Where one object of a unit stands: pure, from what is observed. */

import { SUCCEEDED } from '@lockstep/health/health'
import { identityOf, isString, parseApiVersion } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { deletionFight } from '../drift/deletionfight.ts'
import { changeOf, type Drift, driftOf, isAsRecorded } from '../drift/drift.ts'
import { delayedDriftRevert } from '../drift/driftrevert.ts'
import { isOfForeignUnit, lostBlocker, ownedBlocker } from '../ownership/foreignunit.ts'
import { desiredProblem, missingCopy } from '../plan/desiredproblem.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { isAnnounced, isRecreatable, recreateDecisionOf } from '../write/recreate.ts'
import { refusalBlocker } from '../write/refusals.ts'
import { isOtherSubject } from '../write/refusalsubject.ts'
import { appliedHealth } from './appliedhealth.ts'
import { isUnsure } from './objecthealth.ts'
import { desiredWaitRef } from './objectwaitref.ts'
import type { NodeState, UnitInput } from './unitinput.ts'
import type { NodeFailure } from './unitmemory.ts'
import { unmanagedState } from './unmanagedstate.ts'

/** It has done what it is there for: somebody, such as its TTL, has cleaned up. */
const ENDED: NodeState = {
  type: 'applied',
  health: { state: 'Healthy', message: SUCCEEDED, rule: 'ended' },
  settlesInMs: 0,
  failed: undefined,
  drift: undefined,
  held: undefined,
}

/** Where an object stands, that is delivered. */
export function objectState(
  d: DesiredObject,
  entry: InventoryObject | undefined,
  input: UnitInput,
): NodeState {
  const cluster = input.inventory.spec.clusterRef.name
  const on = desiredWaitRef(d, cluster)
  const problem = desiredProblem(d, cluster)
  if (problem) return finalState(problem)
  if (!d.resource) {
    const { apiVersion } = d.object
    const facts = { apiVersion, kind: d.ref.kind, action: 'Apply' } as const
    return { type: 'waiting', blocker: blocked('KindNotServed', [on], facts) }
  }
  const live = input.live(d)
  if (live === 'unknown' || (live && isUnsure(live.object, input)))
    return { type: 'waiting', blocker: blocked('WatchStale', [on], { state: 'KindUnread' }) }
  const unwritten = unmanagedState(d, live, input)
  if (unwritten) return unwritten
  if (live?.deleting) {
    const facts = { next: 'Recreate', finalizers: live.finalizers } as const
    return { type: 'waiting', blocker: blocked('FinalizerPending', [on], facts) }
  }
  const other = live && otherUnitState(d, live, input)
  if (other) return other
  const { replaced, deleted } = input.memory
  const pruned = deleted.get(d.id)?.uid
  // A deleted object does not come back: the cache does not know yet.
  if (live && (live.uid === replaced.get(d.id) || live.uid === pruned))
    return { type: 'waiting', blocker: blocked('Applying', [on], { state: 'Recreating' }) }
  const isPruned = !live && entry !== undefined && entry.uid === pruned
  if (!live && !isPruned && entry?.content === d.content && (entry.ended || input.ended(entry.uid)))
    return ENDED
  const { metadata } = input.inventory
  const found = isPruned
    ? undefined
    : driftOf(d, entry, live, { inventoryUid: metadata.uid, unit: input.unit })
  if (live && isAsRecorded(entry, d) && !found) {
    const applied = appliedHealth(d, live, input)
    const held = fightOf(d, input)
    return held && applied.type === 'applied' ? { ...applied, held } : applied
  }
  const resting = found && driftedState(found, d, live, input)
  if (resting) return resting
  if (d.lack) return { type: 'waiting', blocker: missingCopy(d, d.lack, cluster) }
  const failure = standingFailure(d, live, input)
  if (failure) {
    if (failure.reason === 'ImmutableField' && live) return immutableState(failure, d, entry, live, input)
    return failedState(failure, refusalBlocker(failure))
  }
  return { type: 'todo', entry, live, drift: found }
}

const finalState = (blocker: NewBlocker): NodeState => ({
  type: 'failed',
  blocker,
  transient: false,
  retryAt: Number.POSITIVE_INFINITY,
})

/** Another unit has it. Undefined: the object changes hands with the next write. */
function otherUnitState(
  d: DesiredObject,
  live: LiveObject,
  { inventory: { metadata, spec }, unit, apply: { takeOverFrom }, others, marked, unconfirmed }: UnitInput,
): NodeState | undefined {
  if (!isOfForeignUnit(live, metadata.uid)) return undefined
  if (live.unit === unit) {
    if (marked.has(d.id)) return undefined
    const blocker = lostBlocker(desiredWaitRef(d, spec.clusterRef.name), unit, unconfirmed)
    return { type: 'waiting', blocker }
  }
  const decision = others.holderDecision(d.ref, live)
  switch (decision) {
    case 'Take':
      return undefined
    case 'HandedOver':
      return { ...OF_ANOTHER, ...(live.unit === undefined ? {} : { handedOverTo: live.unit }) }
    case 'Yield':
      return OF_ANOTHER
    case 'Wait': {
      const asking = { namespace: metadata.namespace ?? '', takeOverFrom }
      const on = desiredWaitRef(d, spec.clusterRef.name)
      // Only the deadline of the rollout makes it a failure.
      return { type: 'waiting', blocker: ownedBlocker(on, live, asking) }
    }
  }
}

/** An object of another unit does not count. */
const OF_ANOTHER: Extract<NodeState, { type: 'applied' }> = {
  type: 'applied',
  health: { state: 'Healthy', message: 'owned by another unit', rule: 'owner' },
  settlesInMs: 0,
  failed: undefined,
  drift: undefined,
  held: undefined,
}

/**
 * The refusal that still counts: for its content, until it is tried again, and while the object is as it was refused.
 * Undefined: the object is written.
 */
function standingFailure(
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): NodeFailure | undefined {
  const failure = input.memory.failures.get(d.id)
  if (!failure || failure.content !== d.content) return undefined
  // That another unit has it was decided again above.
  const isOver = failure.reason === 'OwnedByAnother' && live !== undefined
  const retryAt =
    isOver || isChanged(failure, d, live, input)
      ? Math.min(failure.retryAt, failure.notBefore ?? input.steady)
      : failure.retryAt
  return retryAt > input.steady ? { ...failure, retryAt } : undefined
}

/** An object that has lost our label was changed, too: caches show neither. */
function isChanged(
  { subject }: NodeFailure,
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): boolean {
  const found = live ?? (subject && !subject.labeled ? input.unlabeled(d) : undefined)
  return found !== 'unknown' && isOtherSubject(subject, found)
}

const failedState = ({ transient, retryAt }: NodeFailure, blocker: NewBlocker): NodeState => ({
  type: 'failed',
  blocker,
  transient,
  retryAt,
})

function immutableState(
  failure: NodeFailure,
  d: DesiredObject,
  entry: InventoryObject | undefined,
  live: LiveObject,
  { inventory, apply, others }: UnitInput,
): NodeState {
  const intent = inventory.spec.intents?.find((i) => identityOf(i) === d.id)
  const inventoryUid = inventory.metadata.uid
  const on = desiredWaitRef(d, inventory.spec.clusterRef.name)
  const said = failure.facts?.error
  const error = isString(said) ? said : failure.message
  const allowed = isRecreatable(d, apply)
  const keeper = others.keeperOf(d.ref)
  const next = recreateDecisionOf(d, { live, entry, intent, inventoryUid, allowed, keeper, on, error })
  if (next.type === 'refused') return failedState(failure, next.blocker)
  const { replaces } = next
  return { type: 'replace', live, replaces, announced: isAnnounced(intent, replaces) }
}

/** In a fight of deletions it is not recreated at once, and is not ready before it has survived. */
const fightOf = ({ id, ref, object }: DesiredObject, { inventory, memory, steady, now }: UnitInput) =>
  deletionFight(
    memory.creates.get(id),
    { ...ref, version: parseApiVersion(object.apiVersion).version },
    { cluster: inventory.spec.clusterRef.name, steady, now },
  )

/** What is not put right now: because nobody wants it, or not so soon again. An object that is another one is not ours. */
function driftedState(
  drift: Drift,
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): NodeState | undefined {
  const isThere = live !== undefined && drift.what !== 'Replaced'
  const cluster = input.inventory.spec.clusterRef.name
  const setting = input.apply.drift
  if (setting !== 'Revert') {
    const shown = setting === 'Observe' ? { drift } : {}
    if (isThere) return { ...appliedHealth(d, live, input), ...shown }
    const facts = { change: changeOf(drift), setting }
    const blocker = blocked('DriftNotReverted', [desiredWaitRef(d, cluster)], facts)
    return { type: 'waiting', blocker, ...shown }
  }
  const fight = drift.what === 'Deleted' ? fightOf(d, input) : undefined
  const held = fight ?? delayedDriftRevert(input.memory.repairs.get(d.id), drift, input.steady, cluster)
  if (!held) return undefined
  if (isThere) return { ...appliedHealth(d, live, input), drift, held }
  return { type: 'failed', blocker: held.blocker, transient: true, retryAt: held.retryAt, drift }
}
