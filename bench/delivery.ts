/**
 * What delivering costs: requests, writes and bytes for a changed and an unchanged revision, latency from a healthy
 * dependency to its dependant's first write, and wall time for a whole fleet. Prints a table or, with `--json`, one
 * object; exits 1 if a goal for a count is missed.
 */
import { parseArgs } from 'node:util'
import { configManifest, Story } from '../test/fleet/steps.ts'
import { Report } from './report.ts'
import { type Costs, costs, since } from './spent.ts'

const { values } = parseArgs({
  options: {
    modules: { type: 'string', default: '100' },
    clusters: { type: 'string', default: '10' },
    objects: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const [modules, clusters, objects] = [Number(values.modules), Number(values.clusters), Number(values.objects)]
const report = new Report()

/** Requests to the hub that a changed unit may cost, with one edge. Publishing comes on top, once for a revision. */
const HUB_GOAL = 8 + 2

const manifests = (module: string, changed: number, version: string): string =>
  Array.from({ length: objects }, (_, i) =>
    configManifest(`${module}-${i}`, i < changed ? version : 'same'),
  ).join('---\n')

/** A module `m` that needs a module `base`, delivered everywhere. */
async function delivered(name: string, fleet: readonly string[]): Promise<Story> {
  const story = await Story.begin(name, fleet)
  await story.config('base', configManifest('base', '1'))
  await story.config('v1', manifests('m', 0, 'same'))
  await story.module('base', 'base')
  await story.module('m', 'v1', { dependsOn: ['base'] })
  await story.until(() => story.isReady('m'), 3600)
  await story.pass(10)
  return story
}

/** Publishes `changed` objects anew and waits until all clusters have them; what that cost. */
async function publish(story: Story, source: string, changed: number): Promise<Costs> {
  const before = costs(story)
  await story.config(source, manifests('m', changed, source))
  await story.module('m', source, { dependsOn: ['base'] })
  await story.until(() => !story.isReady('m'), 60)
  await story.until(() => story.isReady('m'), 3600)
  await story.pass(10)
  return since(before, costs(story))
}

async function oneUnit(): Promise<void> {
  const story = await delivered('bench/unit', ['c0'])
  for (const changed of [1, objects]) {
    const cost = await publish(story, `v-${changed}`, changed)
    const what = `${changed} of ${objects} objects changed`
    report.row(`${what}: cluster`, cost.cluster, 1.1 * changed + 6)
    report.row(`${what}: hub, for the unit`, cost.units, HUB_GOAL)
    report.row(`${what}: hub, for publishing`, cost.publishing)
  }
  const before = costs(story)
  await story.pass(600)
  const rest = since(before, costs(story))
  report.row('unchanged for 10 minutes: cluster', rest.cluster, 0)
  report.row('unchanged for 10 minutes: hub', rest.units, 0)
}

async function oneAfterAnother(): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await delivered('bench/rollout', names)
  const cost = await publish(story, 'v2', 1)
  const what = `1 of ${objects} objects changed, ${clusters} clusters one at a time`
  report.row(`${what}: hub, for the units`, cost.units, HUB_GOAL * clusters)
  report.row(`${what}: hub, for publishing`, cost.publishing)
}

/** From the commit that makes a dependency healthy to the dependant's first write. */
async function latency(): Promise<void> {
  const story = await Story.begin('bench/latency', ['c0'])
  await story.config('a', configManifest('a', '1'))
  await story.config('b', configManifest('b', '1'))
  await story.module('b', 'b', { dependsOn: ['a'] })
  await story.pass(5)
  await story.module('a', 'a')
  await story.until(() => story.inventory('a', 'c0')?.status?.health === 'Healthy')
  const from = { virtual: story.fleet.env.clock.steady(), real: performance.now() }
  await story.until(() => story.writes('c0').some((w) => w.endsWith('default/b')))
  const what = 'dependency healthy → first write of the dependant'
  report.figure(`${what}: virtual ms`, story.fleet.env.clock.steady() - from.virtual)
  report.figure(`${what}: real ms`, performance.now() - from.real)
}

async function wholeFleet(): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await Story.begin('bench/fleet', names)
  const all = Array.from({ length: modules }, (_, i) => `m${i}`)
  const from = performance.now()
  for (const m of all) {
    await story.config(m, manifests(m, 0, '1'))
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

await oneUnit()
await oneAfterAnother()
await latency()
await wholeFleet()
const machine = { node: process.version, modules, clusters, objects }
if (values.json) console.log(report.json(machine))
else console.log(`node ${machine.node}, embedded API, one process\n\n${report.table()}`)
if (report.missed.length > 0) {
  console.error(`missed: ${report.missed.join('; ')}`)
  process.exitCode = 1
}
