/**
 * What time it is for windows, for the end of a Hold, and for whatever is stored to be compared later: the hub's, which is
 * the same for every process that ever leads.
 */

import type { Env, ObservedTime } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import { type RecordClient, records } from '../../api/records.ts'
import { type ClockSkew, clockSkewOf } from '../../decisions/rollout/index.ts'

export interface HubTime {
  /**
   * Milliseconds since the epoch, never later than the hub's clock shows, and by a second or two at most earlier where that
   * was asked for (`refreshHubClock`): what is waited for may come late by that, never early. Where the hub has not said, it is our
   * own.
   */
  readonly nowMs: number
  readonly skewMs: ClockSkew
  /** For what lasts. */
  readonly seen: ObservedTime
}

export function hubTime({ hub, env }: HubClockDeps): HubTime {
  const own = env.clock.now()
  const { serverTime } = hub.own
  const seen = { steadyMs: env.clock.steady(), server: serverTime }
  return { nowMs: serverTime?.nowMs ?? own, skewMs: clockSkewOf(serverTime, own), seen }
}

/** The same caches and settings, at the time of this call for ever: only changes of objects change a decision on them. */
export function atThisTime<C extends HubClockDeps>(c: C): C {
  const [now, steady, serverTime] = [c.env.clock.now(), c.env.clock.steady(), c.hub.own.serverTime]
  const clock = { now: () => now, steady: () => steady }
  const own = Object.create(c.hub.own, { serverTime: { value: serverTime } })
  return { ...c, env: { ...c.env, clock }, hub: Object.create(c.hub, { own: { value: own } }) }
}

export interface HubClockDeps {
  readonly hub: { readonly own: Pick<RecordClient, 'serverTime'> }
  readonly env: { readonly clock: Pick<Env['clock'], 'now' | 'steady'> }
}

/** What was heard so long ago, in milliseconds, is too vague to decide by; answers of other requests are mostly newer. */
const VAGUE_MS = 2000

/**
 * Before something that waits for a time is decided: has the hub say what time it is, if it has not done so for a moment.
 * Any answer does that, a refusal too.
 */
export async function refreshHubClock(
  { hub }: { readonly hub: { readonly own: Pick<RecordClient, 'serverTime' | 'get'> } },
  namespace: string,
): Promise<void> {
  const { serverTime } = hub.own
  if (serverTime === undefined || serverTime.ageMs <= VAGUE_MS) return
  await hub.own.get(records.namespace, { name: namespace }, { purpose: 'reread' })
}

/** Whether time alone may change what is decided about a module. */
export function waitsForTime({ spec, status }: Stored<Module>): boolean {
  const { ledger = [], stages = [], phase } = status?.rollout ?? {}
  if (ledger.some((e) => e.failed === undefined)) return true
  if (stages.some((s) => s.soakSeconds !== undefined && s.completedAt === undefined)) return true
  const { windows = [], stages: asked = [] } = spec.rollout
  return phase !== 'Complete' && (windows.length > 0 || asked.some((s) => (s.windows ?? []).length > 0))
}
