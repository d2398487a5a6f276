/** ClusterResourceSets of many Clusters: what sources of 1 MiB take, and what one Cluster's change costs. */
import { manifest, SetStory, sources, yaml } from '../test/fleet/setstory.ts'
import type { BenchReport } from './benchreport.ts'

const MIB = 1024 * 1024
const SETS = 3
const EVENTS = 200

/** About 1 MiB in a hundred objects. */
const big = (name: string): string =>
  yaml(
    ...Array.from({ length: 100 }, (_, i) =>
      manifest('ConfigMap', `${name}-${i}`, { data: { v: `${i}`.padEnd(10_300, 'x') } }),
    ),
  )

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / MIB
}

/** `clusters` are known and unreachable: the figures are those of the hub and its controller. */
export async function setEvents(report: BenchReport, clusters: number): Promise<void> {
  const story = await SetStory.open('bench/setevents', [])
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  await story.crowd(story.clusterKind, names)
  await story.pass(5)
  const what = `${SETS} sets of 1 MiB × ${clusters} Clusters`
  const idle = heap()
  for (let s = 0; s < SETS; s++) {
    await story.source(`source-${s}`, { 'a.yaml': big(`s${s}`) })
    await story.set(`crs${s}`, sources(`source-${s}`), {
      strategy: 'Reconcile',
      selector: { matchLabels: { env: 'test' } },
    })
  }
  const isSeen = (s: number) => story.said(`crs${s}`).includes(`of ${clusters} clusters`)
  if (!(await story.until(() => [0, 1, 2].every(isSeen), 60))) throw new Error(`${what}: not seen`)
  await story.pass(30)
  report.figure(`${what}: MiB of heap over idle, hub and controller`, heap() - idle, 64)
  const cpu = process.cpuUsage()
  for (let i = 0; i < EVENTS; i++) await story.label(names[i % clusters]!, { tier: `${i}` })
  const { user, system } = process.cpuUsage(cpu)
  report.figure(`${what}: CPU milliseconds a changed label`, (user + system) / 1000 / EVENTS)
}
