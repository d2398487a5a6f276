/** How long the post-renderer takes: in a process of its own each time, as Helm starts it. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { chartOf } from '../test/flux/fluxchart.ts'
import type { BenchReport } from './benchreport.ts'

const RUNS = 5

/** Charts of about 500 objects; the first one has nothing of Flux and tells what starting costs. */
export function postRenderCosts(report: BenchReport, root: string): void {
  const configMap = (i: number) =>
    `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c-${i}}\ndata: {a: "1"}\n`
  for (const units of [0, 40, 100, 375]) {
    const text = units === 0 ? '' : chartOf({ units, depth: 6 })
    const objects = text.match(/^kind:/gm)?.length ?? 0
    const rest = Array.from({ length: Math.max(0, 500 - objects) }, (_, i) => configMap(i)).join('')
    report.figure(
      `post-render, ${units} units of 500 objects: ms, median of ${RUNS}`,
      median(root, text + rest),
    )
  }
}

function median(root: string, input: string): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = performance.now()
    const ran = spawnSync(
      process.execPath,
      [join(root, 'packages/lockstep/bin/lockstep.js'), 'post-render', '-q'],
      { input },
    )
    if (ran.status !== 0) throw new Error(ran.stderr.toString())
    return Math.round(performance.now() - before)
  })
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!
}
