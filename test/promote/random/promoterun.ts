/** One random run of promotions: who leads, what goes wrong, and what people do; then calm, and what holds of all of it. */
import type { Random } from '../../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../../packages/kube/src/env/sim/seededrandom.ts'
import { sleep } from '../../../packages/kube/src/env/sleep.ts'
import { sha256Hex } from '../../../packages/kube/src/object/index.ts'
import type { SimFleet } from '../../fleet/simfleet.ts'
import { Fences } from '../../simulation/fences.ts'
import { spawn } from '../../simulation/process.ts'
import { chance } from '../../simulation/scenario.ts'
import { type Manage, startReplicas } from '../../simulation/simreplicas.ts'
import { startCrashes } from '../../simulation/startcrashes.ts'
import { type RunResult, traceOf } from '../../simulation/trace.ts'
import { PipelineStory } from '../pipelinestory.ts'
import { type App, appOf } from './apps.ts'
import { HeldChecks } from './heldchecks.ts'
import { Operators } from './operators.ts'
import { Outages } from './outages.ts'
import { Overrun } from './overrun.ts'
import { namespacesOf, type PipelinePlan, randomPlan } from './pipelineplan.ts'
import { PromotionJudge } from './promotionjudge.ts'
import { PromotionMishaps } from './promotionmishaps.ts'
import { PromotionPeople } from './promotionpeople.ts'
import { RandomDelivery } from './randomdelivery.ts'
import { Reach } from './reach.ts'
import { TakenOut } from './takenout.ts'

/** A process dies within so many writes. */
const WRITES = 40

/** `look` gets the fleet before the run, `tell` its lines. */
export async function promoteRun(
  seed: string,
  tell: (line: string) => void = () => {},
  look: (fleet: SimFleet) => void = () => {},
): Promise<RunResult> {
  const plan = randomPlan(seededRandom(`promote/${seed}`))
  const story = await PipelineStory.open(seed, {
    clusters: plan.clusters,
    provider: plan.provider,
    isManaged: false,
    environments: [...new Set(plan.names.flatMap((name) => [name, ...namespacesOf(plan, name)]))],
  })
  look(story.fleet)
  const run = new PromoteRun(story, plan, tell)
  await run.play()
  const { commits, trace } = traceOf(story.fleet)
  const asked = story.host.requests.map((r) => `${r.at} ${r.method} ${r.path} ${r.status}`).join('\n')
  return { seed, problems: run.problems, tested: run.tested, commits, trace: sha256Hex(`${trace}\n${asked}`) }
}

class PromoteRun {
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  private readonly tell: (line: string) => void
  private readonly random: Random
  private readonly more: Random
  private readonly app: App
  private readonly outages: Outages
  private readonly delivery: RandomDelivery
  private readonly operators: Operators
  private readonly people: PromotionPeople
  private readonly mishaps: PromotionMishaps
  private readonly judge: PromotionJudge
  private readonly fences: Fences
  private readonly overrun: Overrun
  private readonly reach: Reach
  private readonly takenOut: TakenOut
  private readonly held: HeldChecks

  constructor(story: PipelineStory, plan: PipelinePlan, tell: (line: string) => void) {
    this.story = story
    this.plan = plan
    this.tell = tell
    this.random = story.fleet.env.random.fork('run')
    this.more = story.fleet.env.random.fork('more')
    this.outages = new Outages(story, plan.clusters)
    this.app = appOf(story, plan, this.outages)
    this.delivery = new RandomDelivery(story, plan, this.app)
    this.operators = new Operators(story, plan, this.app)
    this.people = new PromotionPeople(story, plan, this.delivery)
    this.mishaps = new PromotionMishaps(story, this.outages)
    this.judge = new PromotionJudge(story, plan, this.delivery)
    this.overrun = new Overrun(() => story.fleet.env.clock.now())
    this.held = new HeldChecks(() => story.fleet.env.clock.now())
    this.takenOut = new TakenOut(async (id) => (await story.repository.store.commit(id))?.parents ?? [])
    this.reach = new Reach(plan, this.outages, () => story.fleet.env.clock.now())
    this.delivery.arrives = (...at) => this.overrun.isAt(...at)
    this.outages.isBack = (cluster) => this.delivery.isBack(cluster)
    this.operators.lost = () => this.overrun.forgets()
    this.fences = new Fences(() => story.fleet.env.clock.steady())
    const push = story.fleet.commits.push.bind(story.fleet.commits)
    story.fleet.commits.push = (...commits) => {
      for (const [i, c] of commits.entries()) {
        this.fences.see(c, story.fleet.commits.length + i)
        this.overrun.see(c)
        this.held.see(c)
        this.reach.see(c)
        this.judge.see(c)
        this.delivery.see(c)
      }
      return push(...commits)
    }
  }

  get problems(): readonly string[] {
    return [...this.fences.problems, ...this.judge.problems]
  }

  get tested(): Readonly<Record<string, number>> {
    const happened = { P7: this.reach.tested, P20: this.operators.did.length }
    return {
      ...this.judge.tested,
      ...happened,
      I10: this.fences.tested,
      D19: this.overrun.tested,
      Hold: this.held.tested,
      'taken out': this.takenOut.tested,
    }
  }

  async play(): Promise<void> {
    const { story, plan } = this
    const [first = ''] = plan.names
    await story.pushSecret('token-1')
    await this.app.begin('1.0.0')
    if (!this.app.isSeen) for (const name of plan.names) this.delivery.lead(name, '1.0.0')
    await this.pass(45)
    await this.operators.create()
    const leaders = this.lead()
    const calmness = this.random.next()
    for (const version of plan.versions) {
      if (chance(this.more, 0.3)) {
        this.people.leadBack()
        await this.pass(20 + this.more.next() * 120)
      }
      this.delivery.lead(first, version)
      const acts = 1 + Math.floor(this.random.next() * 6)
      for (let i = 0; i < acts; i++) {
        await this.pass(3 * 15 ** this.random.next())
        if (this.random.next() < 0.6) await this.people.act()
        if (this.random.next() > calmness) await this.mishaps.happen()
      }
      if (chance(this.more, 0.15)) await this.people.forget()
      await this.trouble()
      await this.pass(5 + this.random.next() * 60)
    }
    await this.settleDown(leaders)
  }

  /** What becomes of the Pipeline itself. */
  private async trouble(): Promise<void> {
    if (chance(this.more, 0.15)) await this.operators.loseStatus()
    this.operators.keep()
    if (chance(this.more, 0.15)) await this.operators.remove()
    else if (!this.story.seen()) await this.operators.create()
    if (this.story.seen()) return
    this.people.letGo()
    await this.pass(1 + this.more.next() * 60)
    this.people.letGo()
    if (chance(this.more, 0.7)) await this.operators.create()
  }

  private async settleDown(leaders: { calm(): void }): Promise<void> {
    leaders.calm()
    this.delivery.calm()
    await this.mishaps.calm()
    // What waits longest: for credentials that were refused, and for what is swept up.
    // A deadline of one environment may end late in it, and what follows takes its time, too.
    for (let i = 0, quiet = 0; i < 20 || (quiet < 6 && i < 60); i++) {
      const before = this.story.writes()
      await this.operators.create()
      await this.app.handBack()
      await this.people.help()
      await this.pass(120)
      quiet = this.story.writes() === before ? quiet + 1 : 0
    }
    const before = this.story.writes()
    await this.pass(900)
    const wrote = this.story.writes() - before
    if (wrote > 0) {
      const last = this.story.fleet.commits.slice(-3).map((c) => `${c.actor} ${c.verb} ${c.key}`)
      this.judge.problems.push(`I13: ${wrote} writes at rest: ${last.join(', ')}`)
    }
    this.judge.all(this.people)
    this.judge.journal(this.overrun, this.reach, this.held)
    const { story } = this
    const { repository, host } = story
    const back = this.takenOut.problems(repository.journal.changes, this.people.out, host.requests)
    this.judge.problems.push(...(await story.during(back)))
    if (this.problems.length > 0) this.explain()
  }

  /** For whoever replays it. */
  private explain(): void {
    this.tell(JSON.stringify(this.plan, undefined, 1))
    for (const line of this.told()) this.tell(line)
  }

  /** What happened and what was done, in its order. */
  private told(): readonly string[] {
    const all = [this.people.did, this.operators.did, this.mishaps.happened, this.outages.happened].flat()
    return all.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  }

  private async pass(seconds: number): Promise<void> {
    const { clock } = this.story.fleet.env
    const end = clock.steady() + seconds * 1000
    while (clock.steady() < end) {
      await this.delivery.look()
      // Time stands still where nobody waits for anything.
      await this.story.during(sleep(clock, Math.min(this.delivery.everyMs, end - clock.steady())))
    }
  }

  private lead(): { calm(): void } {
    const { story, random } = this
    switch (this.plan.leaders) {
      case 'elected':
        return this.elected()
      case 'one':
        return startCrashes(story.fleet, random, WRITES, (env) => story.start(env, { workers: 4 }))
      case 'both':
        return this.both()
    }
  }

  /** Until calm; a Lease that is renewed every two seconds for an hour would be most of what a run costs. */
  private elected(): { calm(): void } {
    const { story } = this
    const manage: Manage = (env, _client, o) => story.start(env, { ...o, workers: 4 })
    const replicas = startReplicas(story.fleet, ['a', 'b'], manage)
    return {
      calm() {
        replicas.stop()
        const { clock } = story.fleet.env
        // As long as what they have sent may be under way.
        clock.at(clock.steady() + 30_000, () => void story.start(story.fleet.env, { workers: 4 }))
      },
    }
  }

  /** Neither knows of the other one. */
  private both(): { calm(): void } {
    const all = ['a', 'b'].map((name) => {
      const process = spawn(this.story.fleet.env, name, { delayMs: 60, lossRate: 0.02, dropRate: 0.01 })
      this.story.start(process.env, { workers: 4, identity: name })
      return process
    })
    const [, second] = all
    return {
      calm() {
        for (const p of all) p.calm()
        second!.kill()
      },
    }
  }
}
