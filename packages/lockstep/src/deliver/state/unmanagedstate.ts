/** Where an object stands that is there and not written: somebody else's to look after, or nobody's. Pure. */

import { blocked } from '../../api/blocker.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { appliedHealth } from './appliedhealth.ts'
import { desiredWaitRef } from './objectwaitref.ts'
import type { NodeState, UnitInput } from './unitinput.ts'

/** In `memory.since`: since when an object is waited for that somebody else has to make. */
export const absentKey = (id: string): string => `absent ${id}`

/** Undefined: it is written like any other. */
export function unmanagedState(
  d: DesiredObject,
  live: LiveObject | undefined,
  input: UnitInput,
): NodeState | undefined {
  const { mode } = d.options
  if (mode === 'Observe') return live ? appliedHealth(d, live, input) : absentState(d, input)
  return mode === 'IfNotPresent' && live && !live.deleting ? appliedHealth(d, live, input) : undefined
}

function absentState(d: DesiredObject, { inventory, memory, health, steady }: UnitInput): NodeState {
  const on = desiredWaitRef(d, inventory.spec.clusterRef.name)
  const leftMs = (memory.since.get(absentKey(d.id)) ?? steady) + health.timeoutSeconds * 1000 - steady
  if (leftMs > 0)
    return {
      type: 'waiting',
      blocker: blocked('WaitingForObject', [on], { state: 'Unmanaged' }),
      wakeInMs: leftMs,
    }
  const blocker = blocked('HealthTimeout', [on], { state: 'Unmanaged', seconds: health.timeoutSeconds })
  return { type: 'failed', blocker, transient: false, retryAt: Number.POSITIVE_INFINITY }
}
