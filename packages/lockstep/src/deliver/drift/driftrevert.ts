/** When a drifted object may be put right: not too often, and seldom where somebody else insists. Pure. */

import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import { changeOf, type Drift } from './drift.ts'

/** Of one object. */
const REPAIR_EVERY_MS = 10_000
/** So many takes of one field from one manager, within so long, are a fight; then it is taken once in so long. */
const FIGHT_TAKES = 4
const FIGHT_MS = 10 * 60_000

/** How often a field was taken back from a manager. */
interface FieldTakes {
  readonly path: string
  readonly manager: string
  /** Steady milliseconds of the last ones. */
  readonly at: readonly number[]
  readonly fought: boolean
}

/** What this process has repaired of one object. */
export interface DriftReverts {
  readonly lastAt: number
  readonly takes: readonly FieldTakes[]
}

/** After a repair of `drift`. A fight is over when its field was left alone for twice as long as it may be taken again. */
export function afterDriftRevert(before: DriftReverts | undefined, drift: Drift, now: number): DriftReverts {
  const known = (before?.takes ?? []).filter((t) => now - t.at[t.at.length - 1]! < 2 * FIGHT_MS)
  const taken = drift.fields.flatMap(({ path, manager }): FieldTakes[] => {
    if (manager === undefined) return []
    const old = known.find((t) => t.path === path && t.manager === manager)
    const at = [...(old?.at ?? []).filter((x) => now - x < FIGHT_MS), now].slice(-FIGHT_TAKES)
    return [{ path, manager, at, fought: old?.fought === true || at.length >= FIGHT_TAKES }]
  })
  const isTaken = (t: FieldTakes): boolean => taken.some((n) => n.path === t.path && n.manager === t.manager)
  return { lastAt: now, takes: [...known.filter((t) => !isTaken(t)), ...taken] }
}

/** Why an object is not put right at once, and when it is. Undefined: now. */
export interface DelayedRevert {
  readonly blocker: NewBlocker
  /** Steady milliseconds. */
  readonly retryAt: number
}

export function delayedDriftRevert(
  repairs: DriftReverts | undefined,
  drift: Drift,
  now: number,
  cluster: string,
): DelayedRevert | undefined {
  if (!repairs) return undefined
  const fight = repairs.takes.find(
    (t) => t.fought && drift.fields.some((f) => f.path === t.path && f.manager === t.manager),
  )
  const retryAt = fight ? fight.at[fight.at.length - 1]! + FIGHT_MS : repairs.lastAt + REPAIR_EVERY_MS
  if (retryAt <= now) return undefined
  const on = objectWaitRef(drift.ref, cluster)
  const blocker = fight
    ? blocked('FieldFight', [on], { manager: fight.manager, path: fight.path })
    : blocked('DriftDetected', [on], { state: 'Reverting', changes: [changeOf(drift)], count: 1 })
  return { retryAt, blocker }
}
