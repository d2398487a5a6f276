/** Where one object of a unit stands: pure, from what is observed. */

import { SUCCEEDED } from '@lockstep/health/health'
import { identityOf, refText } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { objectReferenceText } from '../../decisions/order/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { type Drift, driftOf, driftText, isAsRecorded } from '../drift/drift.ts'
import { delayedDriftRevert } from '../drift/driftrevert.ts'
import { isOfForeignUnit, isTakeable, ownedText } from '../ownership/foreignunit.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { isAnnounced, recreateDecisionOf } from '../write/recreate.ts'
import { appliedHealth } from './appliedhealth.ts'
import { isUnsure } from './objecthealth.ts'
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
  const blocker = (reason: NewBlocker['reason'], message: string): NewBlocker => ({
    reason,
    message,
    subject: `${d.ref.kind}/${d.ref.name}`,
  })
  if (d.problem)
    return {
      type: 'failed',
      blocker: blocker(d.problem.reason, d.problem.message),
      transient: false,
      retryAt: Number.POSITIVE_INFINITY,
    }
  if (!d.resource) {
    const what = `${d.object.apiVersion} ${d.ref.kind} (${objectReferenceText(d.ref)})`
    return {
      type: 'waiting',
      blocker: blocker('KindNotServed', `no API serves ${what}; deliver its CRD first or add dependsOn`),
    }
  }
  const live = input.live(d)
  if (live === 'unknown')
    return { type: 'waiting', blocker: blocker('WatchStale', `${refText(d.ref)}: its kind is being listed`) }
  if (live && isUnsure(live.object, input))
    return { type: 'waiting', blocker: blocker('WatchStale', `${refText(d.ref)}: its class is being listed`) }
  const unwritten = unmanagedState(d, live, input)
  if (unwritten) return unwritten
  if (live?.deleting) {
    const held = live.finalizers.length > 0 ? `: ${live.finalizers.join(', ')}` : ''
    return {
      type: 'waiting',
      blocker: blocker(
        'FinalizerPending',
        `${refText(d.ref)} is being deleted${held}; it is created anew once gone`,
      ),
    }
  }
  const others = live && othersText(d, entry, live, input)
  if (others !== undefined) {
    return {
      type: 'failed',
      blocker: blocker('OwnedByAnother', others),
      transient: false,
      retryAt: Number.POSITIVE_INFINITY,
    }
  }
  if (live && live.uid === input.memory.replaced.get(d.id)) {
    const message = `${refText(d.ref)} was deleted, since a field cannot change; it is created anew once gone`
    return { type: 'waiting', blocker: blocker('Applying', message) }
  }
  if (!live && entry?.content === d.content && (entry.ended || input.ended(entry.uid))) return ENDED
  const { metadata } = input.inventory
  const found = driftOf(d, entry, live, { inventoryUid: metadata.uid, unit: input.unit })
  if (live && isAsRecorded(entry, d) && !found) return appliedHealth(d, live, input)
  const resting = found && driftedState(found, d, live, input)
  if (resting) return resting
  if (d.lack)
    return { type: 'waiting', blocker: blocker(d.lack.reason, `${refText(d.ref)} ${d.lack.message}`) }
  const failure = input.memory.failures.get(d.id)
  if (failure && isStanding(failure, d, live, input)) {
    if (failure.reason === 'ImmutableField' && live) return immutableState(failure, d, entry, live, input)
    return failedState(d, failure, failure.reason, failure.message)
  }
  return { type: 'todo', entry, live, drift: found }
}

/** Another unit has it, and is not one that it may be taken from. */
function othersText(
  d: DesiredObject,
  entry: InventoryObject | undefined,
  live: LiveObject,
  { inventory: { metadata }, apply: { takeOverFrom } }: UnitInput,
): string | undefined {
  const asking = { namespace: metadata.namespace ?? '', takeOverFrom }
  if (!isOfForeignUnit(live, metadata.uid) || isTakeable(live, asking, live.uid === entry?.uid))
    return undefined
  return ownedText(d.ref, live, asking)
}

/** A refusal counts for its content, and until it is tried again. */
function isStanding(
  { reason, content, retryAt, unseen }: NodeFailure,
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): boolean {
  // Somebody has put our marks on what was not ours to take.
  if (reason === 'AdoptionRefused' && live) return false
  // What is not there any more has no field that cannot change; what was not seen may be there, unless it was deleted here.
  const isGone = !live && (!unseen || input.memory.replaced.has(d.id))
  if (reason === 'ImmutableField' && isGone) return false
  return content === d.content && retryAt > input.steady
}

const failedState = (
  { ref }: DesiredObject,
  { transient, retryAt }: NodeFailure,
  reason: NewBlocker['reason'],
  message: string,
): NodeState => ({
  type: 'failed',
  blocker: { reason, message, subject: `${ref.kind}/${ref.name}` },
  transient,
  retryAt,
})

function immutableState(
  failure: NodeFailure,
  d: DesiredObject,
  entry: InventoryObject | undefined,
  live: LiveObject,
  { inventory, apply }: UnitInput,
): NodeState {
  const intent = inventory.spec.intents?.find((i) => identityOf(i) === d.id)
  const inventoryUid = inventory.metadata.uid
  const allowed = apply.replaceImmutable || d.options.replaceImmutable
  const next = recreateDecisionOf(d, { live, entry, intent, inventoryUid, allowed })
  if (next.type === 'refused')
    return failedState(d, failure, next.reason, `${failure.message}; ${next.advice}`)
  const { replaces } = next
  return { type: 'replace', live, replaces, announced: isAnnounced(intent, replaces) }
}

/** What is not put right now: because nobody wants it, or not so soon again. An object that is another one is not ours. */
function driftedState(
  drift: Drift,
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): NodeState | undefined {
  const isThere = live !== undefined && drift.what !== 'Replaced'
  if (input.apply.drift !== 'Revert') {
    const shown = input.apply.drift === 'Observe' ? { drift } : {}
    if (isThere) return { ...appliedHealth(d, live, input), ...shown }
    const message = `${driftText(drift)}: spec.apply.drift is ${input.apply.drift}, the object is not recreated; recreate it, or set Revert`
    const subject = `${d.ref.kind}/${d.ref.name}`
    return { type: 'waiting', blocker: { reason: 'DriftNotReverted', subject, message }, ...shown }
  }
  const held = delayedDriftRevert(input.memory.repairs.get(d.id), drift, input.steady)
  if (!held) return undefined
  if (isThere) return { ...appliedHealth(d, live, input), drift, held }
  return { type: 'failed', blocker: held.blocker, transient: true, retryAt: held.retryAt, drift }
}
