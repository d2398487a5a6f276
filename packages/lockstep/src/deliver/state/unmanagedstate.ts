/** Where an object stands that is there and not written: somebody else's to look after, or nobody's. Pure. */

import { refText } from '@lockstep/kube/object'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { appliedHealth } from './appliedhealth.ts'
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

function absentState({ id, ref }: DesiredObject, { memory, health, steady }: UnitInput): NodeState {
  const subject = `${ref.kind}/${ref.name}`
  const text = `${refText(ref)} does not exist, and is only observed here: its owner has to create it`
  const leftMs = (memory.since.get(absentKey(id)) ?? steady) + health.timeoutSeconds * 1000 - steady
  if (leftMs > 0)
    return {
      type: 'waiting',
      blocker: { reason: 'WaitingForObject', subject, message: text },
      wakeInMs: leftMs,
    }
  const message = `${text}; waited for ${health.timeoutSeconds}s`
  const blocker = { reason: 'HealthTimeout', subject, message } as const
  return { type: 'failed', blocker, transient: false, retryAt: Number.POSITIVE_INFINITY }
}
