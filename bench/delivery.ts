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

function requests(story: Story, where: (cluster: string) => boolean, why?: string): number {
  return story.fleet.env.meters
    .read()
    .filter(
      (s) =>
        s.name === 'lockstep_client_requests_total' &&
        where(s.labels.cluster!) &&
        !['user', 'sync'].includes(s.labels.why!) &&
        (why === undefined || s.labels.why === why),
    )
    .reduce((sum, s) => sum + s.value, 0)
}

const onHub = (c: string): boolean => c === 'hub'
const onClusters = (c: string): boolean => c !== 'hub'

/** Requests to the hub that a changed unit may cost: with one edge. Publishing comes on top, once for a revision. */
const HUB_GOAL = 8 + 2

/** One module on one cluster, with one edge. */
async function perUnit(): Promise<void> {
  const story = await Story.begin('bench/unit', ['c0'])
  await story.config('base', configManifest('base', '1'))
  await story.config('v1', manifests('m', 0, 'same'))
  await story.module('base', 'base')
  await story.module('m', 'v1', { dependsOn: ['base'] })
  await story.until(() => story.isReady('m'), 600)
  await story.pass(10)
  for (const changed of [1, objects]) {
    const cost = await publish(story, `v-${changed}`, changed)
    const what = `${changed} of ${objects} objects changed`
    rows.push({ name: `${what}: requests to the cluster`, value: cost.clusters, goal: 1.1 * changed + 6 })
    rows.push({ name: `${what}: requests to the hub for the unit`, value: cost.hub, goal: HUB_GOAL })
    rows.push({ name: `${what}: requests to the hub for publishing`, value: cost.publishing })
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

/** Publishes `changed` objects anew and waits until all clusters have them; what that cost. */
async function publish(story: Story, source: string, changed: number) {
  const count = () => {
    const publishing = requests(story, onHub, 'publish')
    return {
      publishing,
      hub: requests(story, onHub) - publishing,
      clusters: requests(story, onClusters),
    }
  }
  const before = count()
  await story.config(source, manifests('m', changed, source))
  await story.module('m', source, { dependsOn: ['base'] })
  await story.until(() => !story.isReady('m'), 60)
  await story.until(() => story.isReady('m'), 3600)
  await story.pass(10)
  const after = count()
  return {
    publishing: after.publishing - before.publishing,
    hub: after.hub - before.hub,
    clusters: after.clusters - before.clusters,
  }
}

/** One module with one edge, cluster after cluster. */
async function rollout(): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await Story.begin('bench/rollout', names)
  await story.config('base', configManifest('base', '1'))
  await story.config('v1', manifests('m', 0, 'same'))
  await story.module('base', 'base')
  await story.module('m', 'v1', { dependsOn: ['base'] })
  await story.until(() => story.isReady('m'), 3600)
  await story.pass(10)
  const cost = await publish(story, 'v2', 1)
  rows.push({
    name: `1 of ${objects} objects changed on ${clusters} clusters, one at a time: requests to the hub for a unit`,
    value: cost.hub / clusters,
    goal: HUB_GOAL,
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
await rollout()
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
