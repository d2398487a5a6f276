/** One random run: a platform, releases in random write order, faults, crashes; then calm, convergence and silence. */

import { deploymentKind } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient, KubeResult } from '../../packages/kube/src/client/client.ts'
import type { Random } from '../../packages/kube/src/env/env.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { JsonValue } from '../../packages/kube/src/object/index.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { Faults } from './faults/faults.ts'
import { judgeEachRest } from './rest.ts'
import {
  budgetsOf,
  chance,
  configMapOf,
  foundOf,
  manifestsOf,
  moduleOf,
  type PlatformSize,
  type RandomPlatform,
  randomPlatform,
  type ScenarioModule,
  shuffled,
} from './scenario.ts'
import { startCrashes } from './startcrashes.ts'
import { type RunResult, traceOf } from './trace.ts'

/** Other modules have to get on before it does. */
const HELD_UP: ReadonlySet<string> = new Set(['DependentAhead', 'DisruptionBudget'])
const KUBECTL = { purpose: 'user', manager: 'kubectl-client-side-apply' } as const
const WRITE = { purpose: 'user', manager: 'user' } as const
/** Milliseconds without a write at the end; less in a test with many seeds. */
const REST_MS = 30 * 60_000
const SHORT_REST_MS = 10 * 60_000

/** A seed that begins with `small` has a platform that costs a third: more of them in the time of a short run. */
const sizeOf = (seed: string): PlatformSize => {
  if (hasFaults(seed)) return { clusters: 2, modules: 2 }
  return seed.startsWith('small') ? { clusters: 2, modules: 3 } : { clusters: 3, modules: 5 }
}

/** In a seed that begins with `faults` servers and proxies answer wrongly, too. */
const hasFaults = (seed: string): boolean => seed.startsWith('faults')

/** `look` is given the fleet before anything happens: for whoever replays a seed. */
export async function randomRun(
  seed: string,
  look: (fleet: SimFleet) => void = () => {},
): Promise<RunResult> {
  const fleetSeed = `simulation/${seed}`
  const platform = randomPlatform((await simSeed(fleetSeed)).fork('platform'), sizeOf(seed))
  const faults = hasFaults(seed) ? new Faults((await simSeed(fleetSeed)).fork('faults')) : undefined
  const late = faults === undefined ? {} : { newsMs: faults.newsMs }
  const fleet = await simFleet(fleetSeed, platform.clusters, { delays: LIFELIKE, ...late })
  faults?.join(fleet)
  look(fleet)
  if (!faults) judgeEachRest(fleet)
  const run = new RandomRun(fleet, platform, faults)
  await run.play()
  const problems = [
    ...fleet.oracles.violations.map((v) => `${v.invariant} at commit ${v.at}: ${v.message}`),
    ...fleet.rollouts.problems,
    ...run.problems,
    ...(faults?.problems ?? []),
  ]
  const { tested, ...trace } = traceOf(fleet)
  return { seed, problems, tested: { ...tested, ...faults?.occurred }, ...trace }
}

async function simSeed(seed: string) {
  const { seededRandom } = await import('../../packages/kube/src/env/sim/seededrandom.ts')
  return seededRandom(seed)
}

class RandomRun {
  readonly problems: string[] = []
  private readonly fleet: SimFleet
  private readonly platform: RandomPlatform
  private readonly random: ReturnType<SimFleet['env']['random']['fork']>
  private readonly faults: Faults | undefined
  private controller: { calm(): void } | undefined

  constructor(fleet: SimFleet, platform: RandomPlatform, faults: Faults | undefined) {
    this.fleet = fleet
    this.platform = platform
    this.faults = faults
    this.random = fleet.env.random.fork('run')
  }

  async play(): Promise<void> {
    for (const map of this.platform.modules.flatMap(foundOf))
      for (const { client } of this.fleet.clusters.values())
        must(await this.during(client.create(configMapKind, map, KUBECTL)))
    await this.limit()
    this.controller = startCrashes(this.fleet, this.random, 40)
    this.faults?.strike()
    const moves = this.random.fork('moves')
    const limits = this.random.fork('limits')
    const versions = 2 + Math.floor(this.random.next() * 2)
    for (let v = 1; v <= versions; v++) {
      await this.release(v)
      if (chance(limits, 0.3)) await this.unlimit(limits)
      await this.mischief(v)
      await this.limit()
      await this.pass(2000 + this.random.next() * 30_000)
      if (v > 1 && chance(moves, 0.4)) await this.goBack(v, moves)
    }
    await this.settleDown()
    await this.expectConverged()
    if (chance(this.random, 0.5)) await this.deleteAll()
  }

  /** The platform's DisruptionBudgets are there. */
  private async limit(): Promise<void> {
    for (const b of budgetsOf(this.platform))
      must(
        await this.during(
          this.fleet.hub.apply(disruptionBudgetKind, b, { ...WRITE, precondition: 'any', force: true }),
        ),
      )
  }

  /** For a while there is one less, or it allows all. */
  private async unlimit(random: Random): Promise<void> {
    const [b] = shuffled(random, budgetsOf(this.platform))
    if (!b) return
    const wide = { ...b, spec: { clusterSelector: {}, maxUnavailable: '100%' } }
    const write = { ...WRITE, precondition: 'any' } as const
    const { name = '' } = b.metadata
    if (chance(random, 0.5))
      must(await this.during(this.fleet.hub.apply(disruptionBudgetKind, wide, { ...write, force: true })))
    else
      must(
        await this.during(this.fleet.hub.delete(disruptionBudgetKind, { namespace: NAMESPACE, name }, write)),
      )
    await this.pass(random.next() * 20_000)
    // One field takes the place of another.
    await this.during(this.fleet.hub.delete(disruptionBudgetKind, { namespace: NAMESPACE, name }, write))
  }

  /** Objects of a release come in any order, with time between them. */
  private async release(version: number): Promise<void> {
    const writes = this.platform.modules.flatMap((plan): (() => Promise<KubeResult<unknown>>)[] => {
      const map = configMapOf(plan, version, manifestsOf(plan, version, this.random))
      return [
        () => this.fleet.hub.apply(configMapKind, map, { ...WRITE, precondition: 'any', force: true }),
        () =>
          this.fleet.hub.apply(moduleKind, moduleOf(plan, version), {
            ...WRITE,
            precondition: 'any',
            force: true,
          }),
      ]
    })
    for (const write of shuffled(this.random, writes)) {
      must(await this.during(write()))
      if (chance(this.random, 0.5)) await this.pass(this.random.next() * 1500)
    }
  }

  /** All are published at the version before; or some of them, and then all at the version that was left. */
  private async goBack(version: number, random: Random): Promise<void> {
    const { modules } = this.platform
    const isWhole = chance(random, 0.6)
    const some = isWhole ? modules : modules.filter(() => chance(random, 0.5))
    await this.publish(some, version - 1, random)
    await this.pass(random.next() * 30_000)
    if (isWhole) return
    await this.publish(some, version, random)
    await this.pass(random.next() * 30_000)
  }

  /** What was published before is published again. */
  private async publish(plans: readonly ScenarioModule[], version: number, random: Random): Promise<void> {
    for (const plan of shuffled(random, plans)) {
      const write = { ...WRITE, precondition: 'any', force: true } as const
      must(await this.during(this.fleet.hub.apply(moduleKind, moduleOf(plan, version), write)))
      if (chance(random, 0.5)) await this.pass(random.next() * 1500)
    }
  }

  /** Somebody edits or deletes a delivered object; a workload fails for a while. */
  private async mischief(version: number): Promise<void> {
    const { random } = this
    const name = this.platform.clusters[Math.floor(random.next() * this.platform.clusters.length)]!
    const cluster = this.fleet.clusters.get(name)!
    if (chance(random, 0.4)) {
      const failure = { image: `:v${version}`, outcome: 'ImagePull' } as const
      cluster.world.fail(failure)
      await this.pass(random.next() * 20_000)
      cluster.world.heal(failure)
    }
    await this.scale(cluster.client)
    if (chance(random, 0.5)) {
      await this.pass(random.next() * 10_000)
      const mine = must(
        await this.during(
          cluster.client.list(configMapKind, { purpose: 'user', labelSelector: 'lockstep.dev/unit' }),
        ),
      ).items[0]
      if (!mine) return
      const edit = (patch: JsonValue) =>
        this.during(
          cluster.client.patch(configMapKind, mine.metadata, patch, { ...WRITE, precondition: 'any' }),
        )
      const kind = random.next()
      if (kind < 0.4)
        await this.during(
          cluster.client.delete(configMapKind, mine.metadata, { ...WRITE, precondition: 'any' }),
        )
      else if (kind < 0.6) await edit({ data: { version: 'edited' } })
      else if (kind < 0.75) await edit({ metadata: { labels: { 'lockstep.dev/unit': null } } })
      else if (kind < 0.85) await edit({ data: { foreign: 'theirs' }, metadata: { labels: { team: 'a' } } })
      // Somebody insists, until it is a fight.
      else
        for (let i = 0; i < 6; i++) {
          await edit({ data: { version: `insists ${i}` } })
          await this.pass(5000 + random.next() * 10_000)
        }
    }
  }

  /** Somebody wants more Pods: put right, or left, as its module says. */
  private async scale(client: KubeClient): Promise<void> {
    if (!chance(this.random, 0.5)) return
    const found = await this.during(
      client.list(deploymentKind, { purpose: 'user', labelSelector: 'lockstep.dev/unit' }),
    )
    const patch = { spec: { replicas: 2 } }
    const scaler = { ...WRITE, manager: 'scaler', precondition: 'any' } as const
    for (const { metadata } of must(found).items)
      await this.during(client.patch(deploymentKind, metadata, patch, scaler))
  }

  private async settleDown(): Promise<void> {
    this.controller?.calm()
    await this.passFaults()
    // Longer than what is fought over waits to be put right.
    await this.pass(900_000)
  }

  private async expectConverged(): Promise<void> {
    const modules = must(await this.during(this.fleet.hub.list(moduleKind, { purpose: 'user' }))).items
    for (const m of modules) {
      const ready = m.status?.conditions?.find((c) => c.type === 'Ready')
      if (ready?.status === 'True' && m.status?.observedGeneration === m.metadata.generation) continue
      // A failure that was there for a while may have halted a rollout for good: that is what it is for.
      if (hasEnded(m)) this.blameFaults(m.metadata.name)
      if (hasEnded(m) || this.waitsForHalted(m.metadata.name, modules)) continue
      // What has failed disrupts its cluster until somebody repairs it.
      const isHeldUp = m.status?.blockers?.some((b) => HELD_UP.has(b.reason))
      if (isHeldUp && hasHalted(modules)) continue
      this.problems.push(
        `not converged: ${m.metadata.name}: ${ready?.message} ${JSON.stringify(m.status?.blockers)}`,
      )
    }
    this.fleet.oracles.atRest()
    const before = this.fleet.commits.length
    await this.pass(this.faults ? SHORT_REST_MS : REST_MS)
    this.fleet.oracles.quiet(this.fleet.commits.slice(before))
  }

  /** Workloads fail for less time than a rollout gives them, so in a run with faults these have halted it. */
  private blameFaults(name: string): void {
    if (this.faults && !this.faults.hasRefusedContent)
      this.problems.push(`halted by faults that refuse no content: ${name}`)
  }

  private waitsForHalted(
    name: string,
    modules: readonly {
      metadata: { name: string }
      status?: WithRollout['status']
    }[],
  ): boolean {
    const plan = this.platform.modules.find((p) => p.name === name)
    return (plan?.dependsOn ?? []).some((d) => {
      const below = modules.find((m) => m.metadata.name === d.on)
      return (below !== undefined && hasEnded(below)) || this.waitsForHalted(d.on, modules)
    })
  }

  private async deleteAll(): Promise<void> {
    this.faults?.strike()
    for (const plan of shuffled(this.random, this.platform.modules)) {
      must(
        await this.during(
          this.fleet.hub.delete(
            moduleKind,
            { namespace: NAMESPACE, name: plan.name },
            { ...WRITE, precondition: 'any' },
          ),
        ),
      )
    }
    await this.passFaults()
    // A refused deletion is tried again after five minutes.
    await this.pass(this.faults ? SHORT_REST_MS : 120_000)
    const left = must(await this.during(this.fleet.hub.list(moduleKind, { purpose: 'user' }))).items
    for (const m of left)
      this.problems.push(`not deleted: ${m.metadata.name} ${JSON.stringify(m.status?.blockers)}`)
    for (const [name, { api }] of this.fleet.clusters) {
      for (const o of api.local.list('configmaps'))
        if (o.metadata.labels?.['lockstep.dev/unit'])
          this.problems.push(`left behind on ${name}: ${o.metadata.name}`)
    }
  }

  /** Lets time run until servers and proxies answer as they should. */
  private async passFaults(): Promise<void> {
    const ms = (this.faults?.endsAt ?? 0) - this.fleet.env.clock.steady()
    if (ms > 0) await this.pass(ms)
  }

  private async pass(ms: number): Promise<void> {
    await this.fleet.env.clock.run(() => false, ms)
  }

  /** Lets time run until an answer is there. */
  private async during<T>(work: Promise<T>): Promise<T> {
    let settled = false
    void work.finally(() => {
      settled = true
    })
    await this.fleet.env.clock.run(() => settled)
    return work
  }
}

type WithRollout = {
  readonly status?:
    | {
        readonly rollout?: { readonly phase: string } | undefined
        readonly blockers?: readonly { readonly reason: string }[] | undefined
      }
    | undefined
}

/** Halted, or rolled back; the rollback itself may wait for another release of a dependency. */
const hasEnded = ({ status }: WithRollout): boolean =>
  status?.rollout?.phase === 'Halted' ||
  status?.rollout?.phase === 'RolledBack' ||
  status?.blockers?.some((b) => b.reason === 'RolledBack') === true

const hasHalted = (modules: readonly WithRollout[]): boolean => modules.some(hasEnded)
