/**
 * Removals over the whole hub, whatever their cause: Modules that are deleted, clusters that nothing selects any more, a kind
 * or a Namespace that is deleted. So many begin together; more wait until somebody allows them.
 */
import { TOGETHER_MS } from './membership.ts'

/** So many units may be removed whatever part of the hub's they are. */
export const FEW_UNITS = 24

/** Removals that count together, as they are stored. */
export interface HubRemovals {
  /** When the first of them began. */
  readonly sinceMs: number
  /** Units of the hub then. */
  readonly of: number
  /** Units whose removal has begun. */
  readonly begun: number
}

export interface HubRemovalsInput {
  /** Units of the hub now. */
  readonly units: number
  /** Units to remove that have not begun to, without those that somebody has allowed to remove. */
  readonly waiting: number
  readonly removals: HubRemovals | undefined
  readonly nowMs: number
}

/** Too many of the hub's units would be removed together. */
export function areTooManyRemovals(input: HubRemovalsInput): boolean {
  const counted = countedRemovals(input)
  return input.waiting > 0 && isMany(input.waiting + (counted?.begun ?? 0), counted?.of ?? input.units)
}

/** With `count` more that begin now: what is stored before they do. */
export function withBegun(input: Omit<HubRemovalsInput, 'waiting'>, count: number): HubRemovals {
  const open = countedRemovals({ ...input, waiting: count })
  return { sinceMs: input.nowMs, of: input.units, ...open, begun: (open?.begun ?? 0) + count }
}

/** What has begun, as long as it counts: for a while, and after that as long as it is what holds others back. */
export function countedRemovals({ removals, waiting, nowMs }: HubRemovalsInput): HubRemovals | undefined {
  if (!removals) return undefined
  const isRecent = nowMs - removals.sinceMs < TOGETHER_MS
  return isRecent || isMany(waiting + removals.begun, removals.of) ? removals : undefined
}

const isMany = (count: number, of: number): boolean => count > FEW_UNITS && count > of / 2
