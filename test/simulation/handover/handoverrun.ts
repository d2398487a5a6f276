/**
 * One random run of a person who renames, splits, merges, moves and deletes Modules carelessly, while controllers die at random
 * writes. In the end everything is deleted in random order, and nothing may be left.
 */
import type { KubeResult } from '../../../packages/kube/src/client/client.ts'
import type { Random } from '../../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../../packages/kube/src/env/sim/seededrandom.ts'
import { configMapKind, namespaceKind, secretKind } from '../../../packages/kube/src/kinds/types.ts'
import { holdKind } from '../../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { moduleKind } from '../../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../../packages/simulators/src/world/startworld.ts'
import { clusterSecret, must, NAMESPACE, type SimFleet, simFleet } from '../../fleet/simfleet.ts'
import { judgeEachRest } from '../rest.ts'
import { chance, shuffled } from '../scenario.ts'
import { startCrashes } from '../startcrashes.ts'
import { type RunResult, traceOf } from '../trace.ts'
import { confirmRemovals } from './confirmremovals.ts'
import { HandoverJudge } from './handoverjudge.ts'
import {
  claimKind,
  EXISTING_CLAIM,
  EXISTING_NAMESPACE,
  holdBody,
  moduleBody,
  sourceBody,
} from './handoverobjects.ts'
import {
  contentOf,
  type HandoverModule,
  type HandoverPlan,
  MOST_UNITS,
  one,
  RINGS,
  randomHandoverPlan,
} from './handoverplan.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const KUBECTL = { purpose: 'user', manager: 'kubectl-client-side-apply' } as const
/** Longer than a change may be neither published nor refused. */
const REST_MS = 13 * 60_000
const QUIET_MS = 3 * 60_000
/** Milliseconds between two looks of the person, and until the person stops. */
const LOOK_MS = 20_000
const GONE_MS = 20 * 60_000

/** `look` is given the fleet before anything happens, to replay a seed. */
export async function handoverRun(
  seed: string,
  look: (fleet: SimFleet) => void = () => {},
): Promise<RunResult> {
  const random = seededRandom(`handover/${seed}`)
  const plan = randomHandoverPlan(random.fork('plan'))
  const fleet = await simFleet(`handover/${seed}`, plan.clusters, { delays: LIFELIKE })
  look(fleet)
  judgeEachRest(fleet)
  const run = new HandoverRun(fleet, plan, random)
  await run.play()
  const problems = [
    ...run.judge.problems,
    ...fleet.oracles.violations.map((v) => `${v.invariant}: ${v.message}`),
  ]
  const { tested, ...trace } = traceOf(fleet)
  return { seed, problems, tested: { ...tested, ...run.counts, handed: run.judge.handed }, ...trace }
}

class HandoverRun {
  readonly judge: HandoverJudge
  readonly counts: Record<string, number> = {}
  private readonly fleet: SimFleet
  private readonly random: Random
  private plan: HandoverPlan
  private readonly held = new Set<string>()
  private names = 0

  constructor(fleet: SimFleet, plan: HandoverPlan, random: Random) {
    this.fleet = fleet
    this.plan = plan
    this.random = random.fork('play')
    this.judge = new HandoverJudge(fleet, plan)
  }

  async play(): Promise<void> {
    const { random } = this
    await this.prepare()
    const controller = startCrashes(this.fleet, random.fork('crashes'), 50)
    for (const m of shuffled(random, [...this.plan.modules.values()])) await this.write(m)
    await this.pass(5000 + random.next() * 40_000)
    const acts = 4 + Math.floor(random.next() * 5)
    for (let i = 0; i < acts; i++) {
      await this.act()
      await this.pass(chance(random, 0.3) ? random.next() * 2000 : random.next() * 40_000)
    }
    await this.applyMissing()
    for (const name of [...this.held]) await this.release(name)
    const isCalm = chance(random, 0.5)
    if (isCalm) controller.calm()
    await this.pass(REST_MS)
    if (isCalm) await this.rest()
    await this.deleteAll(() => controller.calm())
  }

  /** Objects before the first Module; labels of the clusters. */
  private async prepare(): Promise<void> {
    for (const [cluster, ring] of this.plan.rings) await this.label(cluster, ring)
    if (this.plan.existing.length === 0) return
    for (const { client } of this.fleet.clusters.values()) {
      must(await this.during(client.create(namespaceKind, EXISTING_NAMESPACE, KUBECTL)))
      must(await this.during(client.create(claimKind, EXISTING_CLAIM, KUBECTL)))
    }
  }

  /** One careless act; one that is not possible now is left out. */
  private async act(): Promise<void> {
    const acts: readonly (readonly [string, () => Promise<void>])[] = [
      ['moves', () => this.move()],
      ['moves', () => this.move()],
      ['switches', () => this.switch()],
      ['renames', () => this.rename()],
      ['renames', () => this.rename()],
      ['relabels', () => this.relabel()],
      ['relabels', () => this.relabel()],
      ['splits', () => this.split()],
      ['merges', () => this.merge()],
      ['recreates', () => this.recreate()],
      ['loosens', () => this.loosen()],
      ['declares', () => this.declare()],
      ['holds', () => this.hold()],
      ['releases', () => this.next()],
    ]
    const [name, act] = one(this.random, acts)
    this.counts[name] = (this.counts[name] ?? 0) + 1
    await act()
  }

  private get some(): HandoverModule {
    return one(this.random, [...this.plan.modules.values()])
  }

  private other({ name }: HandoverModule): HandoverModule | undefined {
    const others = [...this.plan.modules.values()].filter((m) => m.name !== name)
    return others.length === 0 ? undefined : one(this.random, others)
  }

  /** Time between two writes of one act: one apply, or a person who types. */
  private async gap(): Promise<void> {
    if (chance(this.random, 0.6))
      await this.pass(this.random.next() * (chance(this.random, 0.5) ? 500 : 20_000))
  }

  private async inAnyOrder(...writes: readonly (() => Promise<void>)[]): Promise<void> {
    for (const write of shuffled(this.random, writes)) {
      await write()
      await this.gap()
    }
  }

  /** An object moves from one Module to another. */
  private async move(): Promise<void> {
    const from = this.some
    const to = this.other(from)
    if (!to || from.parts.size === 0) return
    const part = one(this.random, [...from.parts])
    await this.inAnyOrder(
      () => this.contents(from.name, without(from.parts, [part])),
      () => this.contents(to.name, withAll(to.parts, [part])),
    )
  }

  /** A Module selects other clusters, or none. */
  private async switch(): Promise<void> {
    const m = this.some
    await this.write({ ...m, ring: one(this.random, ['none', 'all', ...RINGS]) })
  }

  /** The same content under another name; the old one is deleted before it, after it, or never. */
  private async rename(): Promise<void> {
    const old = this.some
    if (this.isFull) return
    const renamed = { ...old, name: this.newName, takesFrom: chance(this.random, 0.2) ? [old.name] : [] }
    const dependents = [...this.plan.modules.values()].filter((m) => m.edges.some((e) => e.on === old.name))
    const redirect = async (): Promise<void> => {
      for (const { name } of dependents) {
        const m = this.plan.modules.get(name)
        if (!m || chance(this.random, 0.2)) continue
        const edges = m.edges.map((e) => (e.on === old.name ? { ...e, on: renamed.name } : e))
        await this.write({ ...m, edges })
      }
    }
    const create = () => this.write(renamed)
    const remove = () => this.remove(old.name)
    if (chance(this.random, 0.15)) return create()
    await this.inAnyOrder(create, remove)
    await redirect()
  }

  private async relabel(): Promise<void> {
    const cluster = one(this.random, this.plan.clusters)
    await this.label(cluster, this.plan.rings.get(cluster) === 'blue' ? 'green' : 'blue')
  }

  /** A part of a Module goes into a new one, which may depend on the old one, or the other way round. */
  private async split(): Promise<void> {
    const old = this.some
    const moved = [...old.parts].filter(() => chance(this.random, 0.5))
    if (moved.length === 0 || this.isFull) return
    const name = this.newName
    const edge = chance(this.random, 0.5) ? [{ on: old.name, optional: chance(this.random, 0.3) }] : []
    const half = { ...old, name, parts: new Set(moved), edges: edge, takesFrom: [] }
    await this.inAnyOrder(
      () => this.write(half),
      () => this.contents(old.name, without(old.parts, moved)),
    )
  }

  /** All objects of a Module go into another one, and it is deleted. */
  private async merge(): Promise<void> {
    const from = this.some
    const to = this.other(from)
    if (!to) return
    await this.inAnyOrder(
      () => this.contents(to.name, withAll(to.parts, [...from.parts])),
      () => this.remove(from.name),
    )
  }

  /** Deleted, and applied again at once or later. */
  private async recreate(): Promise<void> {
    const m = this.some
    await this.remove(m.name)
    await this.gap()
    await this.write(m)
  }

  private async loosen(): Promise<void> {
    const m = [...this.plan.modules.values()].find((x) => x.edges.length > 0)
    if (!m) return
    const edges = m.edges.map((e) => ({ ...e, optional: chance(this.random, 0.5) }))
    await this.write({ ...m, edges: chance(this.random, 0.2) ? [] : edges })
  }

  private async declare(): Promise<void> {
    const m = this.some
    const giver = this.other(m)
    // Two that list each other are refused.
    if (!giver || giver.takesFrom.includes(m.name)) return
    await this.write({ ...m, takesFrom: [...new Set([...m.takesFrom, giver.name])] })
  }

  /** New content of its objects. */
  private async next(): Promise<void> {
    const m = this.some
    await this.write({ ...m, version: m.version + 1 })
  }

  private async hold(): Promise<void> {
    const { name } = this.some
    if (this.held.has(name)) return this.release(name)
    const inventory = this.judge.inventories().find((i) => i.spec.moduleRef.name === name)
    const revision = inventory?.spec.admitted?.revision
    const action = revision === undefined ? 'Suspend' : one(this.random, ['Suspend', 'Pause', 'Pin'])
    const pinned = action === 'Pin' ? { revision, clusters: [inventory!.spec.clusterRef.name] } : {}
    const body = holdBody(name, { action, ...pinned })
    this.held.add(name)
    must(await this.during(this.fleet.hub.apply(holdKind, body as never, WRITE)))
  }

  private async release(name: string): Promise<void> {
    this.held.delete(name)
    const key = { namespace: NAMESPACE, name: `hold-${name}` }
    must(await this.during(this.fleet.hub.delete(holdKind, key, WRITE)))
  }

  private get isFull(): boolean {
    return (this.judge.modules().length + 1) * this.plan.clusters.length > MOST_UNITS
  }

  private get newName(): string {
    return `r${++this.names}`
  }

  /** Its objects become others; a Module that is gone by now has none. */
  private async contents(name: string, parts: ReadonlySet<string>): Promise<void> {
    const m = this.plan.modules.get(name)
    if (m) await this.writeContent({ ...m, parts })
  }

  private async write(m: HandoverModule): Promise<void> {
    const module = () => this.writeModule(m)
    const content = () => this.writeContent(m)
    await (chance(this.random, 0.8) ? content() : module())
    await module()
    await content()
  }

  private async writeContent(m: HandoverModule): Promise<void> {
    must(
      await this.during(
        this.fleet.hub.apply(configMapKind, sourceBody(m.name, contentOf(this.plan, m)), WRITE),
      ),
    )
    this.planned(m)
  }

  private async writeModule(m: HandoverModule): Promise<void> {
    must(await this.during(this.fleet.hub.apply(moduleKind, moduleBody(m) as never, WRITE)))
    this.planned(m)
  }

  private planned(m: HandoverModule): void {
    this.planAs({ ...this.plan, modules: new Map([...this.plan.modules, [m.name, m]]) })
  }

  private planAs(plan: HandoverPlan): void {
    this.plan = plan
    this.judge.see(plan)
  }

  /** A Module that was deleted before is left as it is. */
  private async remove(name: string): Promise<void> {
    const key = { namespace: NAMESPACE, name }
    const done: KubeResult<unknown> = await this.during(this.fleet.hub.delete(moduleKind, key, WRITE))
    if (!done.ok && done.error.kind !== 'NotFound') must(done)
    const modules = new Map([...this.plan.modules].filter(([n]) => n !== name))
    if (modules.size > 0) this.planAs({ ...this.plan, modules })
  }

  /** Modules that were applied while they were being deleted are applied again. */
  private async applyMissing(): Promise<void> {
    const isLeft = () =>
      [...this.plan.modules.keys()].filter((n) => this.judge.module(n)?.metadata.deletionTimestamp)
    if (isLeft().length > 0) await this.pass(60_000)
    for (const m of [...this.plan.modules.values()]) if (!this.judge.module(m.name)) await this.write(m)
  }

  private async label(cluster: string, ring: string): Promise<void> {
    must(await this.during(this.fleet.hub.apply(secretKind, clusterSecret(cluster, { ring }), WRITE)))
    this.planAs({ ...this.plan, rings: new Map([...this.plan.rings, [cluster, ring]]) })
  }

  private async rest(): Promise<void> {
    this.judge.atRest()
    this.fleet.oracles.atRest()
    // The time that a unit runs is written down.
    if (this.judge.modules().some((m) => (m.status?.rollout?.ledger ?? []).length > 0)) return
    const before = this.fleet.commits.length
    await this.pass(QUIET_MS)
    this.fleet.oracles.quiet(this.fleet.commits.slice(before))
  }

  /** In any order; a person confirms what only a person deletes. `calm` ends the crashes. */
  private async deleteAll(calm: () => void): Promise<void> {
    for (const { metadata } of shuffled(this.random, this.judge.modules())) {
      await this.remove(metadata.name!)
      if (chance(this.random, 0.5)) await this.pass(this.random.next() * 20_000)
    }
    calm()
    const until = this.fleet.env.clock.steady() + GONE_MS
    const isLeft = () => this.judge.modules().length + this.judge.inventories().length > 0
    while (isLeft() && this.fleet.env.clock.steady() < until) {
      await this.pass(LOOK_MS)
      const confirmed = await confirmRemovals(this.fleet, this.judge, this.plan, (work) => this.during(work))
      this.counts.confirmed = (this.counts.confirmed ?? 0) + confirmed
    }
    this.judge.atEnd()
  }

  /** In steps, so that a recreation is seen. */
  private async pass(ms: number): Promise<void> {
    const { clock } = this.fleet.env
    const until = clock.steady() + ms
    while (clock.steady() < until) {
      await clock.run(() => false, Math.min(until - clock.steady(), 5000))
      this.judge.see(this.plan)
    }
  }

  /** Lets time run until the answer. */
  private async during<T>(work: Promise<T>): Promise<T> {
    let settled = false
    void work.finally(() => {
      settled = true
    })
    await this.fleet.env.clock.run(() => settled)
    return work
  }
}

const without = (parts: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> =>
  new Set([...parts].filter((p) => !gone.includes(p)))

const withAll = (parts: ReadonlySet<string>, added: readonly string[]): ReadonlySet<string> =>
  new Set([...parts, ...added])
