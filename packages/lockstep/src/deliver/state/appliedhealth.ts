/** Whether an object that is as it should be is well: its health, how long it has to stay so, and when that has failed. Pure. */

import { type Health, healthOf, textRule } from '@lockstep/health/health'
import { at, isCustomGroup } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { expressionFor, observedObjectHealth } from './objecthealth.ts'
import { desiredWaitRef, isWaitRefOf } from './objectwaitref.ts'
import type { NodeState, UnitInput } from './unitinput.ts'

export function appliedHealth(
  d: DesiredObject,
  live: LiveObject,
  input: UnitInput,
): Extract<NodeState, { type: 'applied' }> {
  const said = d.options.health && textRule(d.options.health, live.object)
  const own = expressionFor(live.object, input)
  const rule = own ?? said?.rule
  const health =
    said && !own
      ? healthOf(live.object, input.now, said.rule, input.health.profile)
      : observedObjectHealth(live.object, input)
  const wroteAt = input.memory.wroteAt.get(d.id) ?? Number.NEGATIVE_INFINITY
  const heldUntil = rule ? healthySince(input, d.id) + rule.entry.settleSeconds * 1000 : 0
  const settlesAt = Math.max(wroteAt + settleTime(d, live, input), heldUntil)
  const settleMs = health.state === 'Healthy' ? Math.max(0, settlesAt - input.steady) : 0
  const failed = healthFailure(d, health, input)
  const state = {
    type: 'applied',
    health,
    settlesInMs: settleMs,
    failed,
    drift: undefined,
    held: undefined,
  } as const
  return said?.unblocks(live.object) ? { ...state, unblocks: true } : state
}

/** Since when an object that is healthy is so. What was healthy before this process looked stays so: it is no news. */
export function healthySince({ inventory, memory, steady }: UnitInput, id: string): number {
  const known = memory.healthySince.get(id)
  if (known !== undefined) return known
  return memory.since.has(id) || inventory.status?.health !== 'Healthy' ? steady : Number.NEGATIVE_INFINITY
}

/**
 * Since when an object is degraded, and since when it is waited for, in steady milliseconds. A failure that the status
 * tells of what is admitted was found by a process before this one, and is none less after a restart.
 */
export function troubleSince(
  { inventory: { spec, status }, health, memory, steady }: UnitInput,
  { id, ref }: Pick<DesiredObject, 'id' | 'ref'>,
): { readonly degraded: number | undefined; readonly waited: number | undefined } {
  const known = { degraded: memory.degradedSince.get(id), waited: memory.since.get(id) }
  if (known.waited !== undefined || status?.admittedSerial !== spec.admitted?.serial) return known
  const isTold = (reason: string): boolean =>
    status?.blockers?.some((b) => b.reason === reason && isWaitRefOf(ref, b.on?.[0])) === true
  return {
    degraded: isTold('ObjectFailed') ? steady - health.degradedSeconds * 1000 : known.degraded,
    waited: isTold('HealthTimeout') ? steady - health.timeoutSeconds * 1000 : known.waited,
  }
}

/** Kinds of Kubernetes itself say when they have seen a change, or cannot be stale; custom resources without a report may be. */
export function settleTime(
  d: Pick<DesiredObject, 'ref' | 'resource'>,
  live: LiveObject,
  input: UnitInput,
): number {
  if (!isCustomGroup(d.ref.group) || at(live.object, 'status', 'observedGeneration') !== undefined) return 0
  const hasReported = at(live.object, 'status') !== undefined
  // Its spec has never been another one: what its status says is about this one.
  if (hasReported && d.resource?.hasStatus && live.object.metadata.generation === 1) return 0
  return (input.health.settleSeconds ?? (d.resource?.hasStatus && !hasReported ? 10 : 2)) * 1000
}

function healthFailure(d: DesiredObject, health: Health, input: UnitInput): NewBlocker | undefined {
  if (health.state === 'Healthy') return undefined
  const on = desiredWaitRef(d, input.inventory.spec.clusterRef.name)
  const { degraded: degradedAt, waited: since } = troubleSince(input, d)
  if (
    health.state === 'Degraded' &&
    degradedAt !== undefined &&
    input.steady - degradedAt >= input.health.degradedSeconds * 1000
  ) {
    return blocked('ObjectFailed', [on], { detail: health.message })
  }
  const { timeoutSeconds } = input.health
  if (since !== undefined && input.steady - since >= timeoutSeconds * 1000) {
    return blocked('HealthTimeout', [on], {
      state: 'NotReady',
      seconds: timeoutSeconds,
      detail: health.message,
    })
  }
  return undefined
}
