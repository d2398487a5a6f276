/**
 * What delivering costs: requests and writes for a changed and an unchanged revision, latency from a healthy dependency
 * to its dependant's first write, and wall time for a whole fleet. Prints a table and, with `--json`, one object.
 */
import { parseArgs } from 'node:util'
import { configManifest, Story } from '../test/fleet/steps.ts'

const { values } = parseArgs({
  options: {
    modules: { type: 'string', default: '100' },
    clusters: { type: 'string', default: '10' },
    objects: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const [modules, clusters, objects] = [Number(values.modules), Number(values.clusters), Number(values.objects)]

interface Counted {
  readonly name: string
  readonly value: number
  /** The goal, where there is one; only counts gate. */
  readonly goal?: number
}

const rows: Counted[] = []

const manifests = (module: string, changed: number, version: string): string =>
  Array.from({ length: objects }, (_, i) =>
    configManifest(`${module}-${i}`, i < changed ? version : 'same'),
  ).join('---\n')

function requests(story: Story, where: (cluster: string) => boolean): number {
  return story.fleet.env.meters
    .read()
    .filter(
      (s) =>
        s.name === 'lockstep_client_requests_total' &&
        where(s.labels.cluster!) &&
        !['user', 'sync'].includes(s.labels.why!),
    )
    .reduce((sum, s) => sum + s.value, 0)
}

const onHub = (c: string): boolean => c === 'hub'
const onClusters = (c: string): boolean => c !== 'hub'

/** One module on one cluster, with one edge. */
async function perUnit(): Promise<void> {
  const story = await Story.begin('bench/unit', ['c0'])
  await story.config('base', configManifest('base', '1'))
  await story.config('v1', manifests('m', objects, '1'))
  await story.module('base', 'base')
  await story.module('m', 'v1', { dependsOn: ['base'] })
  await story.until(() => story.isReady('m'), 600)
  await story.pass(10)
  for (const changed of [1, objects]) {
    const [hub, cluster] = [requests(story, onHub), requests(story, onClusters)]
    await story.config(`v-${changed}`, manifests('m', changed, `new${changed}`))
    await story.module('m', `v-${changed}`, { dependsOn: ['base'] })
    await story.pass(3)
    await story.until(() => story.isReady('m'), 600)
    await story.pass(10)
    const touched = Math.max(changed, changed === 1 ? objects : changed)
    rows.push({
      name: `${touched} of ${objects} objects changed: requests to the cluster`,
      value: requests(story, onClusters) - cluster,
      goal: 1.1 * touched + 6,
    })
    rows.push({
      name: `${touched} of ${objects} objects changed: requests to the hub for the unit`,
      value: requests(story, onHub) - hub,
    })
  }
  const [hub, cluster] = [requests(story, onHub), requests(story, onClusters)]
  await story.pass(600)
  rows.push({
    name: 'unchanged, 10 minutes: requests to the cluster',
    value: requests(story, onClusters) - cluster,
    goal: 0,
  })
  rows.push({
    name: 'unchanged, 10 minutes: requests to the hub',
    value: requests(story, onHub) - hub,
    goal: 0,
  })
}

/** Virtual milliseconds from the commit that makes a dependency healthy to the dependant's first write. */
async function latency(): Promise<void> {
  const story = await Story.begin('bench/latency', ['c0'])
  await story.config('a', configManifest('a', '1'))
  await story.config('b', configManifest('b', '1'))
  await story.module('b', 'b', { dependsOn: ['a'] })
  await story.pass(5)
  await story.module('a', 'a')
  const isHealthy = () => story.inventory('a', 'c0')?.status?.health === 'Healthy'
  await story.until(isHealthy)
  const from = { virtual: story.fleet.env.clock.steady(), real: performance.now() }
  await story.until(() => story.writes('c0').some((w) => w.endsWith('default/b')))
  rows.push({
    name: 'dependency healthy → first write of the dependant: virtual ms',
    value: story.fleet.env.clock.steady() - from.virtual,
  })
  rows.push({
    name: 'dependency healthy → first write of the dependant: real ms',
    value: Math.round((performance.now() - from.real) * 10) / 10,
  })
}

async function fleet(): Promise<void> {
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
  rows.push({
    name: `${modules} modules × ${clusters} clusters × ${objects} objects: wall seconds`,
    value: Math.round((performance.now() - from) / 100) / 10,
  })
  rows.push({
    name: '… requests to clusters for an object',
    value: requests(story, onClusters) / (units * objects),
    goal: 1.1 + 6 / objects,
  })
  rows.push({ name: '… requests to the hub for a unit', value: requests(story, onHub) / units })
}

await perUnit()
await latency()
await fleet()
const machine = { node: process.version, modules, clusters, objects }
if (values.json) console.log(JSON.stringify({ machine, rows }, undefined, 2))
else {
  const width = Math.max(...rows.map((r) => r.name.length))
  console.log(`node ${machine.node}, embedded API, one process`)
  for (const r of rows)
    console.log(
      `${r.name.padEnd(width)}  ${String(Math.round(r.value * 100) / 100).padStart(9)}${r.goal === undefined ? '' : `  goal ≤ ${Math.round(r.goal * 100) / 100}`}`,
    )
}
const missed = rows.filter((r) => r.goal !== undefined && r.value > r.goal)
process.exit(missed.length > 0 ? 1 : 0)
