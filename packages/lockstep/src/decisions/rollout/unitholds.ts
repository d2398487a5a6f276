/** What Holds ask of a module, and of single units of it. */
import type { UnitHold } from './types.ts'

/** A Hold on one module. */
export interface HoldView {
  readonly name: string
  /** Set: it is a Pin. In full where the history has it, else as it is written. */
  readonly pin?: { readonly revision: string; readonly isKnown: boolean } | undefined
  /** Undefined: everywhere. */
  readonly clusters: readonly string[] | undefined
  readonly scope: 'Writes' | 'Starts'
  /** Wall clock, milliseconds, after which it means nothing. */
  readonly untilMs: number | undefined
}

/** Those that mean something now, by name. */
export const activeHolds = (holds: readonly HoldView[], nowMs: number): HoldView[] =>
  holds.filter((h) => h.untilMs === undefined || h.untilMs > nowMs).sort((a, b) => (a.name < b.name ? -1 : 1))

/** The Hold on the whole module: of several the one that stops more. Undefined: there is none. */
export function moduleHeldBy(holds: readonly HoldView[]): string | undefined {
  const all = holds.filter((h) => h.clusters === undefined && !h.pin)
  return (all.find((h) => h.scope === 'Writes') ?? all[0])?.name
}

/** The Hold on a unit of its own: a pause comes before a pin, and two pins at different revisions are none. */
export function resolveUnitHolds(holds: readonly HoldView[], cluster: string): UnitHold | undefined {
  const found = holds.filter((h) => h.clusters?.includes(cluster) === true)
  const paused = found.find((h) => !h.pin)
  if (paused) return { action: 'Pause', by: paused.name }
  const [first, ...others] = found
  if (!first?.pin) return undefined
  const { revision, isKnown } = first.pin
  const other = others.find((h) => h.pin!.revision !== revision)
  if (other) return { action: 'Conflict', by: first.name, and: other.name }
  return isKnown
    ? { action: 'Pin', by: first.name, revision }
    : { action: 'Unknown', by: first.name, wanted: revision }
}

/** Who stops writes to a unit; undefined: nobody. */
export const writesHeldBy = (holds: readonly HoldView[], cluster: string): string | undefined =>
  holds.find(
    (h) => !h.pin && h.scope === 'Writes' && (h.clusters === undefined || h.clusters.includes(cluster)),
  )?.name

/** Milliseconds until one of them ends. */
export function holdEndsIn(holds: readonly HoldView[], nowMs: number): number | undefined {
  const ends = holds.flatMap((h) => (h.untilMs === undefined ? [] : [h.untilMs - nowMs]))
  return ends.length === 0 ? undefined : Math.min(...ends)
}
