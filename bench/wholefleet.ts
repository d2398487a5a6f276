/** Cost of a revision on many clusters, and the time of a whole fleet. */
import { configManifest, Story } from '../test/fleet/steps.ts'
import type { BenchReport } from './benchreport.ts'
import { delivered, HUB_GOAL, manifests, publish } from './passes.ts'
import { costs } from './spent.ts'

export interface FleetSize {
  readonly modules: number
  readonly clusters: number
  readonly objects: number
}

export async function oneAfterAnother(report: BenchReport, { clusters, objects }: FleetSize): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await delivered('bench/rollout', names, objects)
  const cost = await publish(story, 'v2', manifests('m', objects, 1, 'v2'))
  const what = `1 of ${objects} changed, ${clusters} clusters one at a time`
  report.row(`${what}: hub, for the units`, cost.units, HUB_GOAL * clusters)
  report.row(`${what}: hub, for publishing`, cost.publishing)
}

/** From the commit that makes a dependency healthy to the dependent's first write, where nothing takes time. */
export async function latency(report: BenchReport): Promise<void> {
  const story = await Story.begin('bench/latency', ['c0'])
  await story.config('a', configManifest('a', '1'))
  await story.config('b', configManifest('b', '1'))
  await story.module('b', 'b', { dependsOn: ['a'] })
  await story.pass(5)
  await story.module('a', 'a')
  await story.until(() => story.inventory('a', 'c0')?.status?.health === 'Healthy')
  const from = story.fleet.env.clock.steady()
  await story.until(() => story.writes('c0').some((w) => w.endsWith('default/b')))
  report.figure(
    'dependency healthy → first write of its dependent: virtual ms',
    story.fleet.env.clock.steady() - from,
  )
}

export async function wholeFleet(
  report: BenchReport,
  { modules, clusters, objects }: FleetSize,
): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await Story.begin('bench/fleet', names)
  const all = Array.from({ length: modules }, (_, i) => `m${i}`)
  const from = performance.now()
  for (const m of all) {
    await story.config(m, manifests(m, objects, 0, '1'))
    await story.module(m, m, { rollout: { strategy: 'Replace' } })
  }
  await story.until(() => all.every((m) => story.isReady(m)), 3600)
  const units = modules * clusters
  const what = `${modules} modules × ${clusters} clusters × ${objects} objects`
  const { cluster, units: hub } = costs(story)
  report.row(`${what}, first install: clusters`, cluster, (1.1 * objects + 6) * units)
  report.row(`${what}, first install: hub, for the units`, hub, 8 * units + 100)
  report.figure(`${what}, first install: wall seconds`, (performance.now() - from) / 1000)
}

/** From a release's last file to all of it healthy everywhere: one module that all others need, workloads that take no time. */
export async function wholeRelease(
  report: BenchReport,
  { modules, clusters, objects }: FleetSize,
): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await Story.begin('bench/release', names, { unjudged: true })
  const all = Array.from({ length: modules }, (_, i) => `m${i}`)
  const publishAll = async (release: string): Promise<void> => {
    for (const m of all) {
      const dependsOn = m === 'm0' ? {} : { dependsOn: ['m0'] }
      await story.config(`${m}-${release}`, manifests(m, objects, 1, release))
      await story.module(m, `${m}-${release}`, { release, ...dependsOn, rollout: { strategy: 'Replace' } })
    }
    await story.until(() => all.every((m) => story.isReady(m, release)), 3600)
  }
  await publishAll('1')
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  await publishAll('2')
  const { user, system } = process.cpuUsage(cpu)
  const what = `a release of ${modules} modules to ${clusters} clusters, ${objects} objects each`
  report.figure(`${what}: wall seconds`, (performance.now() - from) / 1000)
  report.figure(`${what}: CPU seconds`, (user + system) / 1e6)
}
