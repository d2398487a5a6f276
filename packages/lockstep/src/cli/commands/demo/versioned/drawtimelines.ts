/** The timelines on a terminal: side by side, then what was wrong in each, then the counts. */
import { cut, padEnd, type Terminal, textTable, wrap } from '../../../kit/terminal/index.ts'
import { clockText } from '../demoaudience.ts'
import { doneAfterMs, type TimelineEntry, timelineRows } from './timeline.ts'
import type { VersionedFault, VersionedTrace } from './versionedtrace.ts'

const TIME = 6
const GAP = 2

const GLYPHS = { written: '·', moved: '→', ready: '✔', wrong: '✗' } as const
const COLORS = { written: 'dim', moved: 'cyan', ready: 'green', wrong: 'red' } as const

export function drawTimelines(t: Terminal, traces: readonly VersionedTrace[]): string[] {
  const room = Math.min(t.look.width, 100) - TIME
  const width = Math.floor(room / traces.length) - GAP
  const cell = (e: TimelineEntry | undefined): string =>
    e ? t.paint(COLORS[e.mark], cut(`${GLYPHS[e.mark]} ${e.text}`, width)) : ''
  const line = (time: string, cells: readonly string[]): string =>
    (padEnd(time, TIME) + cells.map((c) => padEnd(c, width + GAP)).join('')).trimEnd()
  const head = line(
    '',
    traces.map((trace) => t.paint('bold', cut(trace.system, width))),
  )
  const rows = timelineRows(traces).flatMap(({ second, cells }) => {
    const height = Math.max(...cells.map((c) => c.length))
    return Array.from({ length: height }, (_, i) =>
      line(
        i === 0 ? clockText(second * 1000) : '',
        cells.map((c) => cell(c[i])),
      ),
    )
  })
  return [head, ...rows]
}

/** Each violation in full, below its system. */
export function drawViolations(t: Terminal, traces: readonly VersionedTrace[]): string[] {
  return traces.flatMap(({ system, begunMs, violations }) => {
    if (violations.length === 0) return []
    const lines = violations.map((v) => violationLine(t, v, begunMs))
    return [`${system}:`, ...lines, '']
  })
}

function violationLine(t: Terminal, v: VersionedFault, begunMs: number): string {
  const text = `${clockText(v.atMs - begunMs)} ${v.message}`
  return `  ${t.paint('red', '✗')} ${wrap(text, t.look.width - 4, 4)}`
}

export function drawViolationCounts(t: Terminal, traces: readonly VersionedTrace[]): string[] {
  const time = (ms: number | undefined): string => (ms === undefined ? 'never' : clockText(ms))
  const count = ({ violations }: VersionedTrace): string =>
    violations.length === 0 ? t.paint('green', '0') : t.paint('red', String(violations.length))
  return textTable(
    [
      ['', ...traces.map((x) => x.system)],
      ['violations', ...traces.map(count)],
      [
        'machines checked',
        ...traces.map((x) => time(x.checkedMs === undefined ? undefined : x.checkedMs - x.begunMs)),
      ],
      ['all healthy', ...traces.map((x) => time(doneAfterMs(x)))],
    ],
    { indent: 2, width: t.look.width },
  )
}
