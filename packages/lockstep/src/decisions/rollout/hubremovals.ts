/**
 * One limit for all removals of the hub: Modules that are deleted, clusters that are deselected, a kind or a Namespace that is
 * deleted. Removals beyond the limit wait for a person.
 */
import { TOGETHER_MS } from './membership.ts'

/** Units that may be removed together in a hub of any size. */
export const FEW_UNITS = 24

/** Removals of one window, as stored. */
export interface HubRemovals {
  /** Begin of the first removal. */
  readonly sinceMs: number
  /** Units of the hub at that time. */
  readonly of: number
  /** Units whose removal has begun. */
  readonly begun: number
}

export interface HubRemovalsInput {
  /** Units of the hub now. */
  readonly units: number
  /** Units whose removal has not begun and that no person allowed to remove. */
  readonly waiting: number
  readonly removals: HubRemovals | undefined
  readonly nowMs: number
}

/** More units would be removed together than the limit. */
export function areTooManyRemovals(input: HubRemovalsInput): boolean {
  const counted = countedRemovals(input)
  return input.waiting > 0 && isMany(input.waiting + (counted?.begun ?? 0), counted?.of ?? input.units)
}

/** The record with `count` removals more, which is stored before they begin. */
export function withBegun(input: Omit<HubRemovalsInput, 'waiting'>, count: number): HubRemovals {
  const open = countedRemovals({ ...input, waiting: count })
  return { sinceMs: input.nowMs, of: input.units, ...open, begun: (open?.begun ?? 0) + count }
}

/** The record, while it counts: for 10 minutes, and longer while it holds other removals back. */
export function countedRemovals({ removals, waiting, nowMs }: HubRemovalsInput): HubRemovals | undefined {
  if (!removals) return undefined
  const isRecent = nowMs - removals.sinceMs < TOGETHER_MS
  return isRecent || isMany(waiting + removals.begun, removals.of) ? removals : undefined
}

const isMany = (count: number, of: number): boolean => count > FEW_UNITS && count > of / 2
