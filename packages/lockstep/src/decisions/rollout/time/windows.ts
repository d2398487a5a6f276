/** When a rollout may start something: openings by cron, in the local time of a place. */
import type { Calendar, Occurrences } from '@lockstep/kube/env'

export interface RolloutWindow {
  readonly action: 'Allow' | 'Deny'
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly schedule: string
  /** Elapsed time, whatever the clocks on the wall do meanwhile. */
  readonly durationSeconds: number
  /** IANA; absent: UTC. */
  readonly timeZone?: string | undefined
}

export interface WindowState {
  readonly isOpen: boolean
  /** Milliseconds of wall time at which that may change. */
  readonly changesAtMs: number | undefined
}

const DAY_MS = 24 * 3_600_000
/** Openings farther away than that are none. */
const HORIZON_MS = 366 * DAY_MS
/** Edges that are looked at for the next opening: a year of one a day, and some. */
const MAX_EDGES = 500

export const ALWAYS_OPEN: WindowState = { isOpen: true, changesAtMs: undefined }

/** What is wrong with a window, and in which of its fields; undefined: nothing. */
export function windowFault(
  { schedule, timeZone = 'UTC' }: Pick<RolloutWindow, 'schedule' | 'timeZone'>,
  calendar: Calendar,
): { readonly field: 'schedule' | 'timeZone'; readonly problem: string } | undefined {
  const cron = calendar.schedule(schedule, timeZone)
  const said = (problem: string) =>
    ({ field: 'schedule', problem: `"${schedule}": ${problem}; for example 0 22 * * 1-5` }) as const
  // Of all time: a day that comes in years only, such as a leap day, is one.
  if (cron.ok) return cron.value.after(0) === undefined ? said('no such day exists') : undefined
  if (!calendar.schedule(schedule, 'UTC').ok) return said(cron.error)
  return {
    field: 'timeZone',
    problem: `"${timeZone}": unknown time zone; for example Europe/Berlin`,
  }
}

/** The same, for people. */
export function windowProblem(
  window: Pick<RolloutWindow, 'schedule' | 'timeZone'>,
  calendar: Calendar,
): string | undefined {
  const found = windowFault(window, calendar)
  return found && `${found.field} ${found.problem}`
}

/**
 * Open: within an opening of any Allow window, or there is none, and within none of a Deny window. A local time that
 * daylight saving skips fires at the first instant after it; a repeated one fires once, the first time.
 */
export const windowsAt = (
  windows: readonly RolloutWindow[],
  nowMs: number,
  calendar: Calendar,
): WindowState =>
  windows.length === 0
    ? ALWAYS_OPEN
    : stateAt(
        windows.map((w) => compiled(w, calendar)),
        nowMs,
      )

/** The next instant at which the windows are open, from `nowMs` on; undefined: not within 366 days. */
export function nextOpening(
  windows: readonly RolloutWindow[],
  nowMs: number,
  calendar: Calendar,
): number | undefined {
  const all = windows.map((w) => compiled(w, calendar))
  let at = nowMs
  for (let i = 0; i < MAX_EDGES; i++) {
    const { isOpen, changesAtMs } = stateAt(all, at)
    if (isOpen) return at
    if (changesAtMs === undefined || changesAtMs > nowMs + HORIZON_MS) return undefined
    at = changesAtMs
  }
  return undefined
}

/** When they open next, as clocks show it in the place whose window that is; undefined: not within 366 days. */
export function openingText(
  windows: readonly RolloutWindow[],
  nowMs: number,
  calendar: Calendar,
): string | undefined {
  const opens = nextOpening(windows, nowMs, calendar)
  if (opens === undefined) return undefined
  const isMeant = (w: RolloutWindow): boolean =>
    w.action === 'Allow' && spanAt(compiled(w, calendar), opens).isInside
  // Where nothing is allowed by itself, it is a Deny that is over.
  const { timeZone = 'UTC' } = windows.find(isMeant) ?? windows[0]!
  return calendar.local(opens, timeZone)
}

interface CompiledWindow {
  readonly action: RolloutWindow['action']
  readonly durationMs: number
  /** Undefined: nobody understands it. It allows nothing, and denies everything. */
  readonly openings: Occurrences | undefined
}

function compiled(
  { action, schedule, timeZone = 'UTC', durationSeconds }: RolloutWindow,
  calendar: Calendar,
): CompiledWindow {
  const cron = calendar.schedule(schedule, timeZone)
  return { action, durationMs: durationSeconds * 1000, openings: cron.ok ? cron.value : undefined }
}

function stateAt(windows: readonly CompiledWindow[], nowMs: number): WindowState {
  const all = windows.map((w) => ({ action: w.action, ...spanAt(w, nowMs) }))
  const allow = all.filter((s) => s.action === 'Allow')
  const isDenied = all.some((s) => s.action === 'Deny' && s.isInside)
  const isOpen = !isDenied && (allow.length === 0 || allow.some((s) => s.isInside))
  const edges = all.map((s) => s.edgeMs).filter((ms) => ms !== undefined)
  return { isOpen, changesAtMs: edges.length === 0 ? undefined : Math.min(...edges) }
}

/** Whether one window is inside an opening, and when it enters or leaves the next one. */
function spanAt(
  { action, openings, durationMs }: CompiledWindow,
  nowMs: number,
): { isInside: boolean; edgeMs: number | undefined } {
  if (!openings) return { isInside: action === 'Deny', edgeMs: undefined }
  // The first opening that is not over yet; those that overlap run on into each other.
  const begins = openings.after(nowMs - durationMs)
  if (begins === undefined) return { isInside: false, edgeMs: undefined }
  return begins <= nowMs
    ? { isInside: true, edgeMs: begins + durationMs }
    : { isInside: false, edgeMs: begins }
}
