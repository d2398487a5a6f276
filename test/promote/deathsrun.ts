/**
 * P2: a process that dies at the n-th thing that it asks of anybody (API server, Git, host, receiver), before or after that is
 * done, and another one with an empty memory that goes on. Each promotion is done once, and ends as it does undisturbed.
 */

import type { Random } from '../../packages/kube/src/env/env.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { isEnded } from '../../packages/lockstep/src/decisions/promotion/promotionstate.ts'
import { type SimProcess, spawn } from '../simulation/process.ts'
import { chance } from '../simulation/scenario.ts'
import { type RunResult, traceOf } from '../simulation/trace.ts'
import { EVERY_WRITE } from '../tier.ts'
import type { PipelineStory } from './pipelinestory.ts'
import { type OpenWay, type PromotionWay, WAYS } from './ways.ts'

/** What is read counts as well, and each is died at; otherwise every fourth write. */
const STEP = EVERY_WRITE ? 1 : 4
/** More of them make a history that costs more than a fleet; at each call that is thousands of promotions. */
const MOST_OF_A_STORY = EVERY_WRITE ? 8 : 40
/** What a promotion takes undisturbed is a tenth of it. */
const MOST_SECONDS = 1200

/** One process after another, of which each may be told when to die. */
class Lives {
  private readonly story: PipelineStory
  private readonly delayMs: number
  private count = 0
  private process!: SimProcess
  private death: { readonly at: number; readonly after: boolean } | undefined

  constructor(story: PipelineStory, delayMs: number) {
    this.story = story
    this.delayMs = delayMs
    story.manager.stop()
    this.start()
  }

  get isAlive(): boolean {
    return this.process.alive
  }

  /** Another one, with an empty memory. */
  start(): void {
    const lives = this
    this.death = undefined
    const crash = {
      get write() {
        return lives.death?.at ?? 0
      },
      get after() {
        return lives.death?.after ?? false
      },
      reads: EVERY_WRITE,
      // Nothing hangs on who holds a Lease, or on what people are told.
      of: (r: NetRequest) => lives.death !== undefined && !/\/(leases|events)/.test(r.path),
    }
    const plan = { delayMs: this.delayMs, lossRate: 0, dropRate: 0, crash }
    this.process = spawn(this.story.fleet.env, `life-${++this.count}`, plan)
    this.story.manager = this.story.start(this.process.env)
  }

  kill(): void {
    this.process.kill()
  }

  /** Counted from now on. */
  dieAt(at: number, after: boolean): void {
    this.death = { at, after }
  }
}

export async function deathsRun(seed: string): Promise<RunResult> {
  const number = Number(/\d+$/.exec(seed)?.[0] ?? 0)
  const open = WAYS[number % WAYS.length]!
  const run = new DeathsRun(seed, open)
  await run.play()
  return { seed, problems: run.problems, ...run.trace() }
}

class DeathsRun {
  readonly problems: string[] = []
  private readonly seed: string
  private readonly open: OpenWay
  private way!: PromotionWay
  private lives!: Lives
  private random!: Random
  private stories = 0
  private version = 1
  private deaths = 0
  private commits = 0
  private traces: string[] = []

  constructor(seed: string, open: OpenWay) {
    this.seed = seed
    this.open = open
  }

  async play(): Promise<void> {
    await this.begin()
    for (const after of [false, true]) {
      for (let at = 1 + (after ? STEP >> 1 : 0); this.problems.length === 0; at += STEP) {
        if (this.version > MOST_OF_A_STORY) await this.begin()
        if (!(await this.die(at, after))) break
      }
      // It was to die later than all is over.
      this.lives.kill()
      this.lives.start()
    }
    this.end()
    if (this.deaths < 4) this.problems.push(`only ${this.deaths} deaths`)
  }

  trace(): Pick<RunResult, 'commits' | 'tested' | 'trace'> {
    return { commits: this.commits, tested: { deaths: this.deaths }, trace: this.traces.join() }
  }

  private async begin(): Promise<void> {
    if (this.stories > 0) this.end()
    this.version = 1
    this.way = await this.open(`${this.seed}/${++this.stories}`)
    this.random = this.way.story.fleet.env.random.fork('deaths')
    this.lives = new Lives(this.way.story, 1 + Math.floor(this.random.next() * 40))
    await this.succeeds('the first')
  }

  private end(): void {
    const { commits, trace } = traceOf(this.way.story.fleet)
    this.commits += commits
    this.traces.push(trace)
    this.lives.kill()
    for (const l of this.way.story.fleet.env.lines)
      if (l.level === 'error') this.problems.push(JSON.stringify(l).slice(0, 1000))
  }

  /** False: all was over before. */
  private async die(at: number, after: boolean): Promise<boolean> {
    const what = `${this.way.name}: death ${after ? 'after' : 'before'} ${at}, version ${this.version + 1}`
    this.lives.dieAt(at, after)
    await this.way.release(++this.version)
    await this.live(() => !this.lives.isAlive || this.isOver(), MOST_SECONDS)
    if (this.lives.isAlive) {
      await this.succeeds(what)
      return false
    }
    while (!this.lives.isAlive) {
      this.deaths++
      await this.way.story.pass(this.random.next() * 5)
      this.lives.start()
      // Whoever follows may die as well, also while it begins.
      if (EVERY_WRITE && chance(this.random, 0.3)) {
        this.lives.dieAt(1 + Math.floor(this.random.next() * 30), chance(this.random, 0.5))
        await this.live(() => !this.lives.isAlive || this.isOver(), MOST_SECONDS)
      }
    }
    await this.succeeds(what)
    return true
  }

  /** Its newest promotion is of the version that is there now, and has ended. */
  private isOver(): boolean {
    const { story } = this.way
    return story.promotions('staging').length >= this.version && isEnded(story.phase('staging') as never)
  }

  private async succeeds(what: string): Promise<void> {
    await this.live(() => this.isOver(), MOST_SECONDS)
    const { story } = this.way
    const all = story.promotions('staging')
    const last = all.at(-1)
    const say = (problem: string) => this.problems.push(`${what}: ${problem}`)
    if (last?.spec.epoch !== this.version) say(`${last?.spec.epoch} epochs`)
    if (last?.status?.phase !== 'Succeeded')
      say(
        `${last?.status?.phase} ${last?.status?.reason} ${last?.status?.message} ${JSON.stringify(last?.status?.blockers)}`,
      )
    // The first may have been there before.
    if (this.version > 1) for (const problem of this.way.problems()) say(problem)
  }

  private async live(isDone: () => boolean, seconds: number): Promise<void> {
    const { story } = this.way
    for (let s = 0; s < seconds && !isDone(); s++) {
      await this.way.live()
      await story.until(isDone, 1)
    }
  }
}
