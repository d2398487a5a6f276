/**
 * Cluster groups whose applications are Modules, in random schedules: waves of both in any order, revisions forward and back, charts that
 * break and are mended, Holds, controllers that die, connections that break. Oracles look at each write; here it is asked whether all
 * comes to rest at what was wanted last.
 */

import type { Random } from '../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { clientOf, must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { SimSources } from '../fleet/simsources.ts'
import { configManifest, deploymentManifest } from '../fleet/steps.ts'
import { chance, pick } from './scenario.ts'
import { startCrashes } from './startcrashes.ts'
import { type RunResult, traceOf } from './trace.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const WAVE = 'argocd.argoproj.io/sync-wave'
const END_MS = 3_600_000

interface App {
  readonly name: string
  /** Undefined: nobody has put it into one. */
  readonly wave: number | undefined
}

interface Plan {
  readonly clusters: readonly string[]
  readonly waves: readonly number[]
  readonly apps: readonly App[]
  readonly hasReleases: boolean
  readonly maxUnavailable: number | string
  /** Versions of the values, one after the other; an earlier one: back. */
  readonly versions: readonly number[]
  readonly crashes: boolean
}

const WAVES = [-5, 0, 5, 10, 15]

function randomPlan(random: Random): Plan {
  const some = (most: number): number => 1 + Math.floor(random.next() * most)
  const waves = WAVES.filter(() => chance(random, 0.6))
  return {
    clusters: ['c0', 'c1', 'c2'].slice(0, some(3)),
    waves: waves.length > 0 ? waves : [0],
    apps: Array.from({ length: some(4) }, (_, i) => ({
      name: `app${i}`,
      wave: chance(random, 0.2) ? undefined : pick(random, WAVES),
    })),
    hasReleases: chance(random, 0.5),
    maxUnavailable: pick(random, [1, '50%', '100%']),
    versions: Array.from({ length: 1 + some(3) }, (_, i) => (i === 0 ? 1 : some(3))),
    crashes: chance(random, 0.5),
  }
}

function valuesOf({ waves, apps }: Plan, version: number): string {
  const annotated = (wave: number | undefined) =>
    wave === undefined ? {} : { annotations: { [WAVE]: `${wave}` } }
  return JSON.stringify({
    global: { pattern: 'race', repoURL: 'https://git.test/p', targetRevision: 'main' },
    clusterGroup: {
      name: 'hub',
      extraObjects: Object.fromEntries(
        waves.map((wave, i) => [
          `w${i}`,
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `w${i}`, namespace: 'default', ...annotated(wave) },
            data: { version: `${version}` },
          },
        ]),
      ),
      applications: Object.fromEntries(
        apps.map(({ name, wave }) => [
          name,
          { name, namespace: 'default', path: `${name}-${version}`, kustomize: true, ...annotated(wave) },
        ]),
      ),
    },
  })
}

const contentOf = (name: string, version: number, isBroken: boolean): string =>
  `${deploymentManifest(name, `${isBroken ? 'crash' : name}:${version}`)}---\n${configManifest(`${name}-said`, `${version}`)}`

class ApplicationsRun {
  private readonly fleet: SimFleet
  private readonly plan: Plan
  private readonly random: Random
  private readonly sources = new SimSources()

  constructor(fleet: SimFleet, plan: Plan, random: Random) {
    this.fleet = fleet
    this.plan = plan
    this.random = random
  }

  async play(): Promise<string[]> {
    const { fleet, plan, random, sources } = this
    const { clock } = fleet.env
    const manage = (env: SimFleet['env']) =>
      startManager(env, clientOf(env, 'hub', 'lockstep-controller'), { workers: 4, sources: sources.open })
    for (const { world } of fleet.clusters.values()) world.fail({ image: 'crash', outcome: 'CrashLoop' })
    for (const { name } of plan.apps)
      for (const version of [1, 2, 3]) sources.push(`${name}-${version}`, contentOf(name, version, false))
    const crashing = plan.crashes ? startCrashes(fleet, random, 40, manage as never) : undefined
    if (!crashing) manage(fleet.env)
    for (const version of plan.versions) {
      await this.want(version)
      for (let i = Math.floor(random.next() * 3); i > 0; i--) await this.mishap(version)
      await this.pass(random.next() * 120_000)
    }
    crashing?.calm()
    await this.mend()
    const last = plan.versions.at(-1)!
    await clock.run(() => this.lacks(last).length === 0, END_MS)
    return this.lacks(last)
  }

  private async want(version: number): Promise<void> {
    const { hasReleases, maxUnavailable } = this.plan
    const metadata = { name: 'group', namespace: NAMESPACE }
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { 'all.yaml': valuesOf(this.plan, version) },
    }
    await this.during(this.fleet.hub.apply(configMapKind, config, USER).then(must))
    const spec = {
      source: { configMaps: [{ name: 'group' }] },
      ...(hasReleases ? { release: `r${version}` } : {}),
      targets: { clusterSelector: {} },
      rollout: { maxUnavailable, maxFailed: 100 },
      render: { namespace: 'default', clusterGroup: { valuesFiles: ['all.yaml'], applications: 'Modules' } },
    }
    const module = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', metadata, spec }
    await this.during(this.fleet.hub.apply(moduleKind, module as unknown as Module, USER).then(must))
  }

  private async mishap(version: number): Promise<void> {
    const { random, plan, sources, fleet } = this
    const { name } = pick(random, plan.apps)
    // Below a release nothing moves: what is broken there would stay so.
    const what = Math.floor(plan.hasReleases ? 2 + random.next() * 2 : random.next() * 4)
    if (what === 0) sources.push(`${name}-${version}`, contentOf(name, version, true))
    if (what === 1) sources.push(`${name}-${version}`, contentOf(name, version, false))
    if (what === 2) fleet.env.net.cut(`https://${pick(random, plan.clusters)}.test`)
    if (what === 3) await this.hold(chance(random, 0.5) ? 'group' : `group-${name}`)
    await this.pass(random.next() * 30_000)
  }

  private async hold(target: string): Promise<void> {
    const hold = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: 'stop', namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module', name: target }, reason: 'random' },
    }
    await this.during(this.fleet.hub.apply(holdKind, hold as never, USER))
  }

  /** Nothing is broken, and nobody holds anything. */
  private async mend(): Promise<void> {
    await this.during(this.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'stop' }, USER))
    for (const { name } of this.plan.apps)
      for (const version of [1, 2, 3])
        this.sources.push(`${name}-${version}`, contentOf(name, version, false))
  }

  /** What is not as it was wanted last, cluster by cluster. */
  private lacks(version: number): string[] {
    const { plan, fleet } = this
    const out: string[] = []
    for (const cluster of plan.clusters) {
      const there = new Map(
        fleet.clusters
          .get(cluster)!
          .api.local.list('configmaps', 'default')
          .map((o) => [o.metadata.name, o]),
      )
      for (const i of plan.waves.keys())
        if (at(there.get(`w${i}`), 'data', 'version') !== `${version}`) out.push(`w${i} on ${cluster}`)
      for (const { name } of plan.apps)
        if (at(there.get(`${name}-said`), 'data', 'value') !== `${version}`) out.push(`${name} on ${cluster}`)
    }
    for (const i of fleet.inventories())
      if (at(i, 'status', 'health') !== 'Healthy') out.push(`${i.metadata.name}: ${saidOf(i)}`)
    return out
  }

  private async during(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    await this.fleet.env.clock.run(() => isDone)
    await work
  }

  private async pass(ms: number): Promise<void> {
    await this.fleet.env.clock.run(() => false, ms)
  }
}

const saidOf = (inventory: KubeObject): string => JSON.stringify(at(inventory, 'status', 'blockers') ?? [])

export async function applicationsRun(seed: string): Promise<RunResult> {
  const random = seededRandom(`applications/${seed}`)
  const plan = randomPlan(random.fork('plan'))
  const fleet = await simFleet(`applications/${seed}`, plan.clusters, { delays: LIFELIKE })
  const lacks = await new ApplicationsRun(fleet, plan, random.fork('run')).play()
  return {
    seed,
    problems: [
      ...fleet.oracles.violations.map((v) => `${v.invariant}: ${v.message}`),
      ...lacks.map((l) => `not there in the end: ${l}`),
    ],
    ...traceOf(fleet),
  }
}
