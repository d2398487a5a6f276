/** `lockstep status`: modules × clusters. */
import { z } from 'zod'
import { untilOf } from '../../../api/blocker.ts'
import { defineReport } from '../output/index.ts'
import { plural, type Terminal, textTable, withRemaining } from '../terminal/index.ts'
import { drawMatrix } from './drawmatrix.ts'
import { type CellState, COLORS, cellState, GLYPHS, type MatrixRow, matrixOf } from './matrix.ts'
import { clusterNames, columnOf, type FleetSnapshot, inOrder } from './snapshot.ts'
import type { StatusView } from './statusview.ts'

export const fleetReport = defineReport('FleetStatus', {
  namespace: z.string(),
  clusters: z.array(z.string()).describe('Columns of the matrix.'),
  modules: z
    .array(
      z.strictObject({
        name: z.string(),
        release: z.string().optional(),
        ready: z.string().optional().describe('Ready clusters of all targets, such as 2/3.'),
        units: z.record(z.string(), z.strictObject({ state: cellState, version: z.string() })),
      }),
    )
    .describe('In dependency order.'),
})

export function fleetView(t: Terminal, s: FleetSnapshot, namespace: string): StatusView {
  const clusters = clusterNames(s)
  const rows = matrixOf(s, clusters)
  const hasFailed = rows.some((r) => r.cells.some((x) => x.state === 'failed'))
  const lines =
    rows.length === 0
      ? [`No modules in namespace ${namespace}; ${plural(clusters.length, 'cluster')}.`]
      : [
          ...(drawMatrix(
            t,
            rows,
            clusters.map((name) => columnOf(s, name)),
            t.look.width,
          ) ?? drawFleetCounts(t, rows)),
          ...waits(t, s),
          summary(t, rows),
        ]
  const facts = fleetReport.fill({
    namespace,
    clusters,
    modules: rows.map((r) => ({
      name: r.module.metadata.name,
      release: r.module.status?.release,
      ready: r.module.status?.ready,
      units: Object.fromEntries(
        r.cells.map((cell, i) => [clusters[i]!, { state: cell.state, version: cell.version }]),
      ),
    })),
  })
  return { lines, facts, names: rows.map((r) => `module.lockstep.dev/${r.module.metadata.name}`), hasFailed }
}

/** More clusters than fit beside each other: counts. */
export function drawFleetCounts(t: Terminal, rows: readonly MatrixRow[]): string[] {
  const states: CellState[] = ['ready', 'moving', 'waiting', 'failed', 'unreachable', 'leaving']
  const used = states.filter((state) => rows.some((r) => r.cells.some((x) => x.state === state && !x.isGone)))
  const count = (r: MatrixRow, state: CellState): string => {
    const n = r.cells.filter((x) => x.state === state && !x.isGone).length
    return n === 0 ? '' : t.paint(COLORS[state], `${GLYPHS[state]} ${n}`)
  }
  const head = ['MODULE', 'RELEASE', ...used.map((u) => u.toUpperCase())]
  const body = rows.map((r) => [
    r.module.metadata.name,
    r.module.status?.release ?? '',
    ...used.map((state) => count(r, state)),
  ])
  return textTable([head, ...body], { width: t.look.width })
}

const MOST = 5

/** The first blockers of modules that are not ready. */
function waits(t: Terminal, s: FleetSnapshot): string[] {
  const out: string[][] = []
  for (const m of inOrder(s.modules)) {
    for (const b of m.status?.blockers ?? [])
      out.push([
        m.metadata.name,
        b.count ? `${b.count} ${b.reason}` : b.reason,
        withRemaining(b.message, untilOf(b.on), s.nowMs),
      ])
  }
  if (out.length === 0) return ['']
  const shown = textTable(out.slice(0, MOST), { indent: 2, gap: 2, width: t.look.width })
  const more = out.length > MOST ? [`  … and ${out.length - MOST} more`] : []
  return ['', 'Waiting', ...shown, ...more, '']
}

function summary(t: Terminal, rows: readonly MatrixRow[]): string {
  const cells = rows.flatMap((r) => r.cells.filter((x) => x.state !== 'none' && !x.isGone))
  const ready = cells.filter((x) => x.state === 'ready').length
  const pinned = rows.reduce((n, r) => n + (r.module.status?.clusters?.pinned ?? 0), 0)
  const text = `${ready} of ${plural(cells.length, 'unit')} ready${pinned > 0 ? `, ${pinned} pinned` : ''}`
  const empty = rows.filter(({ module }) =>
    module.status?.blockers?.some((b) => b.reason === 'SelectsNothing'),
  )
  const none = empty.length > 0 ? `; ${plural(empty.length, 'Module')} without a cluster` : ''
  return ready === cells.length && none === ''
    ? t.paint('green', `✔ ${text}`)
    : `${text}${none}.   details: lockstep why MODULE@CLUSTER`
}
