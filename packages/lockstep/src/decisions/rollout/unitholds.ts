/** What Holds ask of a module, and of single units of it. */
import type { UnitHold } from './types.ts'

/** A Hold on one module. */
export interface HoldView {
  readonly name: string
  readonly action: 'Suspend' | 'Pause' | 'Pin'
  /** Revision of a Pin: in full where the history has it, else as written. */
  readonly pin?: { readonly revision: string; readonly isKnown: boolean } | undefined
  /** Undefined: everywhere. */
  readonly clusters: readonly string[] | undefined
  /** Wall clock, milliseconds, after which it means nothing. */
  readonly untilMs: number | undefined
}

/** Those that mean something now, by name. */
export const activeHolds = (holds: readonly HoldView[], nowMs: number): HoldView[] =>
  holds.filter((h) => h.untilMs === undefined || h.untilMs > nowMs).sort((a, b) => (a.name < b.name ? -1 : 1))

/** The Hold on the whole module: of several the one that stops more. Undefined: there is none. */
export function moduleHeldBy(holds: readonly HoldView[]): string | undefined {
  const all = holds.filter((h) => h.clusters === undefined && h.action !== 'Pin')
  return (all.find((h) => h.action === 'Suspend') ?? all[0])?.name
}

/** The Hold on a unit of its own: a suspend comes before a pause, a pause before a pin, and two pins at different revisions are none. */
export function resolveUnitHolds(holds: readonly HoldView[], cluster: string): UnitHold | undefined {
  const found = holds.filter((h) => h.clusters?.includes(cluster) === true)
  const stops = found.filter((h) => h.action !== 'Pin')
  const [stop] = [...stops.filter((h) => h.action === 'Suspend'), ...stops]
  if (stop && stop.action !== 'Pin') return { action: stop.action, by: stop.name }
  const [first, ...others] = found
  if (!first?.pin) return undefined
  const { revision, isKnown } = first.pin
  const other = others.find((h) => h.pin!.revision !== revision)
  if (other) return { action: 'Conflict', by: first.name, and: other.name }
  return isKnown
    ? { action: 'Pin', by: first.name, revision }
    : { action: 'Unknown', by: first.name, wanted: revision }
}

/** True if a Hold suspends or pauses the unit: no new deployment starts. */
export const isHeldBack = (hold: UnitHold | undefined): boolean =>
  hold?.action === 'Suspend' || hold?.action === 'Pause'

/** Name of the Hold that suspends a unit. */
export const writesHeldBy = (holds: readonly HoldView[], cluster: string): string | undefined =>
  holds.find((h) => h.action === 'Suspend' && (h.clusters === undefined || h.clusters.includes(cluster)))
    ?.name

/** Milliseconds until one of them ends. */
export function holdEndsIn(holds: readonly HoldView[], nowMs: number): number | undefined {
  const ends = holds.flatMap((h) => (h.untilMs === undefined ? [] : [h.untilMs - nowMs]))
  return ends.length === 0 ? undefined : Math.min(...ends)
}
