/**
 * Random graphs of modules whose releases are published at random instants, partly or wholly, forwards and back, while
 * controllers die at random writes. What is checked is read off the cluster alone: no object of a later release beside an
 * older one of anything that it needs.
 */

import { configMapKind } from '../../src/api/kinds/foreign.ts'
import { PUBLISHED_ANNOTATION } from '../../src/api/labels.ts'
import { moduleKind } from '../../src/api/registry.ts'
import type { CommitRecord } from '../../src/apiserver/apiserver.ts'
import { LIFELIKE } from '../../src/apiserver/world/world.ts'
import type { Random } from '../../src/env/env.ts'
import { seededRandom } from '../../src/env/sim/random.ts'
import { at, type KubeObject } from '../../src/object/object.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { startCrashing } from './crashing.ts'
import { chance, shuffled } from './scenario.ts'
import { type RunResult, traceOf } from './trace.ts'

export interface Node {
  readonly name: string
  readonly needs: readonly string[]
  /** A Deployment takes time to be ready; a constant module is delivered once and only verified again. */
  readonly content: 'config' | 'deployment' | 'constant'
}

const CLUSTER = 'edge'
const WRITE = { why: 'user', manager: 'user', fence: 'any', force: true } as const

export function randomGraph(random: Random): Node[] {
  const count = 3 + Math.floor(random.next() * 5)
  return Array.from({ length: count }, (_, i) => {
    const kind = random.next()
    const needs = Array.from({ length: i }, (_, k) => `m${k}`).filter(() => chance(random, 0.4))
    return { name: `m${i}`, needs, content: kind < 0.5 ? 'config' : kind < 0.75 ? 'deployment' : 'constant' }
  })
}

/** All that a module needs, over any number of edges. */
export function belowOf(graph: readonly Node[], name: string): Set<string> {
  const below = new Set<string>()
  const add = (n: string): void => {
    for (const to of graph.find((x) => x.name === n)?.needs ?? []) {
      if (below.has(to)) continue
      below.add(to)
      add(to)
    }
  }
  add(name)
  return below
}

/** The release of what is there of a module; 0: nothing, or not ready for that release yet. */
function readyRelease(o: KubeObject | undefined): number {
  if (!o) return 0
  if (o.kind === 'ConfigMap') return Number(at(o, 'data', 'release'))
  const status = (name: string): number => Number(at(o, 'status', name) ?? 0)
  const isObserved = status('observedGeneration') === Number(o.metadata.generation)
  return isObserved && status('updatedReplicas') === 1 && status('availableReplicas') === 1
    ? writtenRelease(o)
    : 0
}

function writtenRelease(o: KubeObject | undefined): number {
  if (!o) return 0
  if (o.kind === 'ConfigMap') return Number(at(o, 'data', 'release'))
  return Number(String(at(o, 'spec', 'template', 'spec', 'containers', 0, 'image')).replace('app:', ''))
}

/**
 * Watches the cluster, and says where a module acts on a release that what it needs has not reached; and, on the way
 * back, where it leaves one that others have not left. What has never been at a release before goes there forwards.
 */
export function earlyActs(graph: readonly Node[]): {
  readonly problems: string[]
  see(c: CommitRecord): void
} {
  const problems: string[] = []
  /** When the fleet came to know each release: one that was never published is not known. */
  const known = new Map<number, string>()
  const rankOf = (release: number): number => {
    const first = known.get(release)
    return first === undefined ? 0 : [...known.values()].filter((at) => at <= first).length
  }
  /** What each unit was admitted at, in the order of the first time. */
  const been = new Map(graph.map((n) => [n.name, [] as number[]]))
  const wasThere = (name: string, release: number): boolean => {
    const all = been.get(name)!
    return all.includes(release) && all.at(-1) !== release
  }
  /** The unit, `a` which it needs, and what of all that it needs in its turn needs `a`. */
  const isWayBack = (name: string, a: string, release: number): boolean =>
    [name, a, ...[...belowOf(graph, name)].filter((x) => belowOf(graph, x).has(a))].every((x) =>
      wasThere(x, release),
    )
  const live = new Map<string, KubeObject | undefined>()
  const changing = new Set(graph.filter((n) => n.content !== 'constant').map((n) => n.name))
  const below = new Map(
    graph.map((n) => [n.name, [...belowOf(graph, n.name)].filter((x) => changing.has(x))]),
  )
  return {
    problems,
    see(c) {
      if (c.resource === 'controllerrevisions.apps') {
        const release = Number(String(at(c.next, 'data', 'spec', 'release') ?? '').slice(1))
        const published = c.next?.metadata.annotations?.[PUBLISHED_ANNOTATION] ?? ''
        if (release > 0 && published < (known.get(release) ?? '~')) known.set(release, published)
        return
      }
      if (c.resource === 'inventories.lockstep.dev') {
        const release = Number(String(at(c.next, 'spec', 'admitted', 'release') ?? '').slice(1))
        const all = been.get(String(at(c.next, 'spec', 'moduleRef', 'name')))
        if (release > 0 && all?.includes(release) === false) all.push(release)
        return
      }
      const name = c.key.split('/')[1] ?? ''
      const isContent = c.resource === 'configmaps' || c.resource === 'deployments.apps'
      if (c.cluster !== CLUSTER || !isContent || !changing.has(name)) return
      const before = writtenRelease(live.get(name))
      live.set(name, c.next)
      const now = writtenRelease(c.next)
      if (now === before || now === 0) return
      const say = (what: string): void =>
        void problems.push(`${c.key} goes from ${before} to ${now} while ${what} (commit ${c.seq})`)
      if (rankOf(now) > rankOf(before))
        for (const a of below.get(name)!) {
          const there = readyRelease(live.get(a))
          if (rankOf(there) < rankOf(now)) say(`${a}, which it needs, is ready at ${there}`)
        }
      else
        for (const [other, needs] of below)
          if (
            needs.includes(name) &&
            isWayBack(other, name, now) &&
            rankOf(writtenRelease(live.get(other))) > rankOf(now)
          )
            say(`${other}, which needs it, is at ${writtenRelease(live.get(other))}`)
    },
  }
}

export async function graphRun(seed: string, look: (fleet: SimFleet) => void = () => {}): Promise<RunResult> {
  const random = seededRandom(`graph/${seed}`)
  const graph = randomGraph(random.fork('graph'))
  const fleet = await simFleet(`graph/${seed}`, [CLUSTER], { delays: LIFELIKE })
  look(fleet)
  const acts = earlyActs(graph)
  let seen = 0
  const watch = (): void => {
    for (; seen < fleet.commits.length; seen++) acts.see(fleet.commits[seen]!)
  }
  const last = await play(fleet, graph, random.fork('play'))
  watch()
  const problems = [...acts.problems, ...fleet.oracles.violations.map((v) => `${v.invariant}: ${v.message}`)]
  for (const m of must(await during(fleet, fleet.hub.list(moduleKind, { why: 'user' }))).items) {
    const ready = m.status?.conditions?.find((x) => x.type === 'Ready')
    if (ready?.status !== 'True' || m.status?.release !== `r${last}`)
      problems.push(`not converged: ${m.metadata.name}: ${JSON.stringify(m.status?.blockers)}`)
  }
  return { seed, problems, ...traceOf(fleet) }
}

/** Says at which release everything is in the end. */
async function play(fleet: SimFleet, graph: readonly Node[], random: Random): Promise<number> {
  const controller = startCrashing(fleet, random.fork('crashes'), 25)
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

async function publish(fleet: SimFleet, nodes: readonly Node[], n: number, random: Random): Promise<void> {
  for (const node of shuffled(random, nodes)) {
    must(await during(fleet, fleet.hub.apply(moduleKind, moduleOf(node, n), WRITE)))
    if (chance(random, 0.5)) await fleet.env.clock.run(() => false, random.next() * 600)
  }
}

const moduleOf = ({ name, needs }: Node, n: number): KubeObject => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    release: `r${n}`,
    source: { configMaps: [{ name: `${name}-${n}` }] },
    targets: { clusterSelector: {} },
    dependsOn: needs.map((to) => ({ id: to, module: { kind: 'Module', name: to } })),
  },
})

function sourceOf({ name, content }: Node, n: number): KubeObject {
  const metadata = { name, namespace: 'default' }
  const labels = { app: name }
  const containers = [{ name: 'main', image: `app:${n}` }]
  const template = { metadata: { labels }, spec: { containers } }
  const manifest =
    content === 'deployment'
      ? {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata,
          spec: { selector: { matchLabels: labels }, template },
        }
      : {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata,
          data: { release: content === 'constant' ? '0' : `${n}` },
        }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${n}`, namespace: NAMESPACE },
    data: { 'all.yaml': JSON.stringify(manifest) },
  }
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
