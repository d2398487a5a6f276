/** What happened when, one column a system: pure. */
import { AFTER } from '@lockstep/simulators/flux'
import { versionedScenario } from './versionedscenario.ts'
import type { VersionedFault, VersionedTrace } from './versionedtrace.ts'

export interface TimelineEntry {
  /** Milliseconds since the release was written. */
  readonly atMs: number
  readonly text: string
  readonly mark: 'written' | 'moved' | 'ready' | 'wrong'
}

const SHORT: Readonly<Record<VersionedFault['kind'], string>> = {
  TooEarly: 'too early',
  Deleted: 'deleted',
  Reverted: 'went back',
  Leaked: 'left behind',
  Unchecked: 'not checked',
}

/** The story of one system, in order. */
export function timelineEntries({
  begunMs,
  violations,
  progress,
  checkedMs,
}: VersionedTrace): readonly TimelineEntry[] {
  const out: TimelineEntry[] = []
  for (const step of versionedScenario.steps)
    if ('write' in step) out.push({ atMs: step.atMs, text: `${step.write}: written`, mark: 'written' })
  for (const [unit, { startedMs, readyMs }] of progress) {
    if (startedMs !== undefined && !violations.some((v) => v.kind === 'TooEarly' && v.unit === unit))
      out.push({ atMs: startedMs - begunMs, text: `${unit}: starts ${AFTER}`, mark: 'moved' })
    if (readyMs !== undefined && readyMs !== startedMs)
      out.push({ atMs: readyMs - begunMs, text: `${unit}: healthy`, mark: 'ready' })
  }
  for (const v of violations) {
    const what =
      v.kind === 'TooEarly' || v.kind === 'Unchecked' ? v.unit : v.object.slice(v.object.indexOf('/') + 1)
    out.push({ atMs: v.atMs - begunMs, text: `${what}: ${SHORT[v.kind]}`, mark: 'wrong' })
  }
  if (checkedMs !== undefined)
    out.push({ atMs: checkedMs - begunMs, text: 'machines: checked', mark: 'ready' })
  return out.sort((a, b) => a.atMs - b.atMs)
}

/** One second, and what each system did in it. */
export interface TimelineRow {
  readonly second: number
  readonly cells: readonly (readonly TimelineEntry[])[]
}

export function timelineRows(traces: readonly VersionedTrace[]): readonly TimelineRow[] {
  const all = traces.map(timelineEntries)
  const seconds = new Set(all.flat().map((e) => Math.floor(e.atMs / 1000)))
  return [...seconds]
    .sort((a, b) => a - b)
    .map((second) => ({
      second,
      cells: all.map((entries) => entries.filter((e) => Math.floor(e.atMs / 1000) === second)),
    }))
}

/** When all that the release changes was there and healthy, since it was written; undefined: never. */
export function doneAfterMs({ begunMs, progress }: VersionedTrace): number | undefined {
  const changed = versionedScenario.units
    .filter((u) => !u.checkpoint)
    .map((u) => progress.get(u.name)?.readyMs)
  return changed.every((ms) => ms !== undefined) ? Math.round(Math.max(...changed) - begunMs) : undefined
}
