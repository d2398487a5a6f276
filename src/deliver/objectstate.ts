/** Where one object of a unit stands: pure, from what is observed. */
import type { NewBlocker } from '../api/blocker.ts'
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { Health } from '../core/health/health.ts'
import { referenceText } from '../core/order/dialect/reference.ts'
import type { LiveObject } from '../fleet/live.ts'
import { at, identityOf, refText } from '../object/object.ts'
import type { DesiredObject } from './desired.ts'
import { type Drift, driftOf, driftText } from './drift.ts'
import type { NodeFailure } from './memory.ts'
import { ownedText } from './refused.ts'
import { heldRepair } from './repairs.ts'
import { isAnnounced, replacementOf } from './replace.ts'
import { expressionFor, isUnsure, seenHealth } from './seenhealth.ts'
import type { NodeState, UnitInput } from './state.ts'

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
    const what = `${d.object.apiVersion} ${d.ref.kind} (${referenceText(d.ref)})`
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
  if (live?.inventory !== undefined && live.inventory !== input.inventory.metadata.uid) {
    return {
      type: 'failed',
      blocker: blocker('OwnedByAnother', ownedText(d.ref, live.unit, live.inventory)),
      transient: false,
      retryAt: Number.POSITIVE_INFINITY,
    }
  }
  if (live && live.uid === input.memory.replaced.get(d.id)) {
    const message = `${refText(d.ref)} was deleted, since a field cannot change; it is created anew once gone`
    return { type: 'waiting', blocker: blocker('Applying', message) }
  }
  const { metadata } = input.inventory
  const found = driftOf(d, entry, live, { inventoryUid: metadata.uid, unit: input.unit })
  if (live && entry?.content === d.content && !found) return appliedState(d, live, input)
  const resting = found && driftedState(found, d, live, input)
  if (resting) return resting
  if (d.lack)
    return { type: 'waiting', blocker: blocker(d.lack.reason, `${refText(d.ref)} ${d.lack.message}`) }
  const failure = input.memory.failures.get(d.id)
  if (failure && isStanding(failure, d, live, input)) {
    if (failure.reason === 'ImmutableField') return immutableState(failure, d, entry, live!, input)
    return failedState(d, failure, failure.reason, failure.message)
  }
  return { type: 'todo', entry, live, drift: found }
}

/** A refusal counts for its content, and until it is tried again. */
function isStanding(
  { reason, content, retryAt }: NodeFailure,
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): boolean {
  // Somebody has put our marks on what was not ours to take.
  if (reason === 'AdoptionRefused' && live) return false
  // What is not there any more has no field that cannot change.
  if (reason === 'ImmutableField' && !live) return false
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
  const next = replacementOf(d, { live, entry, intent, inventoryUid, allowed: apply.replaceImmutable })
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
  if (input.apply.drift !== 'Repair') {
    const shown = input.apply.drift === 'Observe' ? { drift } : {}
    if (isThere) return { ...appliedState(d, live, input), ...shown }
    const message = `${driftText(drift)}: spec.apply.drift is ${input.apply.drift}, so that it is not put right. Make it again, or set Repair`
    const subject = `${d.ref.kind}/${d.ref.name}`
    return { type: 'waiting', blocker: { reason: 'DriftLeft', subject, message }, ...shown }
  }
  const held = heldRepair(input.memory.repairs.get(d.id), drift, input.steady)
  if (!held) return undefined
  if (isThere) return { ...appliedState(d, live, input), drift, held }
  return { type: 'failed', blocker: held.blocker, transient: true, retryAt: held.retryAt, drift }
}

function appliedState(
  d: DesiredObject,
  live: LiveObject,
  input: UnitInput,
): Extract<NodeState, { type: 'applied' }> {
  const rule = expressionFor(live.object, input)
  const health = seenHealth(live.object, input)
  const since = input.memory.since.get(d.id) ?? Number.NEGATIVE_INFINITY
  const wroteAt = input.memory.wroteAt.get(d.id) ?? Number.NEGATIVE_INFINITY
  const heldUntil = rule ? healthySince(input, d.id) + rule.entry.settleSeconds * 1000 : 0
  const settlesAt = Math.max(wroteAt + settleTime(d, live, input), heldUntil)
  const settleMs = health.state === 'Healthy' ? Math.max(0, settlesAt - input.steady) : 0
  const failed = healthFailure(d, health, since, input)
  return { type: 'applied', health, settlesInMs: settleMs, failed, drift: undefined, held: undefined }
}

/** Since when an object that is healthy is so. What was healthy before this process looked stays so: it is no news. */
export function healthySince({ inventory, memory, steady }: UnitInput, id: string): number {
  const known = memory.healthySince.get(id)
  if (known !== undefined) return known
  return memory.since.has(id) || inventory.status?.health !== 'Healthy' ? steady : Number.NEGATIVE_INFINITY
}

/** Kinds of Kubernetes itself say when they have seen a change, or cannot be stale; custom resources without a report may be. */
export function settleTime(
  d: Pick<DesiredObject, 'ref' | 'resource'>,
  live: LiveObject,
  input: UnitInput,
): number {
  const { group } = d.ref
  const isCustom = group.includes('.') && !group.endsWith('.k8s.io')
  if (!isCustom || at(live.object, 'status', 'observedGeneration') !== undefined) return 0
  const seconds =
    input.health.settleSeconds ?? (d.resource?.hasStatus && at(live.object, 'status') === undefined ? 10 : 2)
  return seconds * 1000
}

function healthFailure(
  d: DesiredObject,
  health: Health,
  since: number,
  input: UnitInput,
): NewBlocker | undefined {
  if (health.state === 'Healthy') return undefined
  const subject = `${d.ref.kind}/${d.ref.name}`
  const degradedAt = input.memory.degradedSince.get(d.id)
  if (
    health.state === 'Degraded' &&
    degradedAt !== undefined &&
    input.steady - degradedAt >= input.health.degradedSeconds * 1000
  ) {
    return { reason: 'ObjectFailed', message: `${refText(d.ref)}: ${health.message}`, subject }
  }
  const waited = input.steady - since
  if (Number.isFinite(since) && waited >= input.health.timeoutSeconds * 1000) {
    return {
      reason: 'HealthTimeout',
      message: `${refText(d.ref)} is not healthy after ${input.health.timeoutSeconds}s: ${health.message}`,
      subject,
    }
  }
  return undefined
}
