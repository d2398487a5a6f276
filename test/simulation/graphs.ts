/**
 * Random graphs of modules whose releases are published at random instants, partly or wholly, forwards and back, while
 * controllers die at random writes. What is checked is read off the cluster alone: no object of a later release beside an
 * older one of anything that it needs.
 */

import type { Random } from '../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { EarlyActs, type EarlyNode } from './earlyacts.ts'
import { judgeEachRest } from './rest.ts'
import { chance, shuffled } from './scenario.ts'
import { startCrashes } from './startcrashes.ts'
import { type RunResult, traceOf } from './trace.ts'

const CLUSTER = 'edge'
const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

function randomGraph(random: Random): EarlyNode[] {
  const count = 3 + Math.floor(random.next() * 5)
  const waves = random.fork('waves')
  return Array.from({ length: count }, (_, i) => {
    const kind = random.next()
    const needs = Array.from({ length: i }, (_, k) => `m${k}`).filter(() => chance(random, 0.4))
    const content = kind < 0.5 ? 'config' : kind < 0.75 ? 'deployment' : 'constant'
    const first = new Set(needs.filter(() => chance(waves, 0.5)))
    return { name: `m${i}`, needs, content, isWaved: chance(waves, 0.5), first }
  })
}

export async function graphRun(seed: string, look: (fleet: SimFleet) => void = () => {}): Promise<RunResult> {
  const random = seededRandom(`graph/${seed}`)
  const graph = randomGraph(random.fork('graph'))
  const fleet = await simFleet(`graph/${seed}`, [CLUSTER], { delays: LIFELIKE })
  look(fleet)
  judgeEachRest(fleet)
  const acts = new EarlyActs(graph, CLUSTER)
  let seen = 0
  const watch = (): void => {
    for (; seen < fleet.commits.length; seen++) acts.see(fleet.commits[seen]!)
  }
  const last = await play(fleet, graph, random.fork('play'))
  watch()
  fleet.oracles.atRest()
  const problems = [...acts.problems, ...fleet.oracles.violations.map((v) => `${v.invariant}: ${v.message}`)]
  for (const m of must(await during(fleet, fleet.hub.list(moduleKind, { purpose: 'user' }))).items) {
    const ready = m.status?.conditions?.find((x) => x.type === 'Ready')
    if (ready?.status !== 'True' || m.status?.release !== `r${last}`)
      problems.push(`not converged: ${m.metadata.name}: ${JSON.stringify(m.status?.blockers)}`)
  }
  return { seed, problems, ...traceOf(fleet) }
}

/** Says at which release everything is in the end. */
async function play(fleet: SimFleet, graph: readonly EarlyNode[], random: Random): Promise<number> {
  const controller = startCrashes(fleet, random.fork('crashes'), 25)
  const releases = 2 + Math.floor(random.next() * 2)
  for (let n = 1; n <= releases; n++)
    for (const node of graph) await during(fleet, fleet.hub.apply(configMapKind, sourceOf(node, n), WRITE))
  let now = 1
  await publish(fleet, graph, now, random)
  for (let i = 0; i < releases; i++) {
    await fleet.env.clock.run(() => false, random.next() * 8000)
    const next = now > 1 && chance(random, 0.3) ? now - 1 : Math.min(now + 1, releases)
    // Somebody stops half-way, and publishes the rest later, or another release.
    const some = chance(random, 0.4) ? graph.filter(() => chance(random, 0.5)) : graph
    await publish(fleet, some, next, random)
    now = next
  }
  await fleet.env.clock.run(() => false, random.next() * 8000)
  await publish(fleet, graph, now, random)
  controller.calm()
  await fleet.env.clock.run(() => false, 300_000)
  return now
}

async function publish(
  fleet: SimFleet,
  nodes: readonly EarlyNode[],
  n: number,
  random: Random,
): Promise<void> {
  for (const node of shuffled(random, nodes)) {
    must(await during(fleet, fleet.hub.apply(moduleKind, moduleOf(node, n), WRITE)))
    if (chance(random, 0.5)) await fleet.env.clock.run(() => false, random.next() * 600)
  }
}

const moduleOf = ({ name, needs, first }: EarlyNode, n: number): KubeObject => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    release: `r${n}`,
    source: { configMaps: [{ name: `${name}-${n}` }] },
    targets: { clusterSelector: {} },
    dependsOn: needs.map((to) => ({
      id: to,
      module: { kind: 'Module', name: to },
      ...(first.has(to) ? { beforeWave: 5 } : {}),
    })),
  },
})

function sourceOf({ name, content, isWaved }: EarlyNode, n: number): KubeObject {
  const metadata = { name, namespace: 'default' }
  const manifest =
    content === 'deployment'
      ? deploymentOf(metadata, n)
      : {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata,
          data: { release: content === 'constant' ? '0' : `${n}` },
        }
  const annotations = { 'argocd.argoproj.io/sync-wave': '5' }
  const late = deploymentOf({ name: `${name}-late`, namespace: 'default', annotations }, n)
  const manifests = isWaved ? [manifest, late] : [manifest]
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${n}`, namespace: NAMESPACE },
    data: { 'all.yaml': manifests.map((m) => JSON.stringify(m)).join('\n---\n') },
  }
}

function deploymentOf(metadata: KubeObject['metadata'], n: number): object {
  const labels = { app: metadata.name! }
  const containers = [{ name: 'main', image: `app:${n}` }]
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }
}

/** Lets time run until an answer is there. */
async function during<T>(fleet: SimFleet, work: Promise<T>): Promise<T> {
  let settled = false
  void work.finally(() => {
    settled = true
  })
  await fleet.env.clock.run(() => settled)
  return work
}
