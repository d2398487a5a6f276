/** What brings a revision into environments once it is at the base, announced, or to be brought there by hand: after a while, and not always well. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import type { Random } from '../../../packages/kube/src/env/env.ts'
import { sleep } from '../../../packages/kube/src/env/sleep.ts'
import { must } from '../../fleet/simfleet.ts'
import { chance } from '../../simulation/scenario.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import type { App } from './apps.ts'
import { isOfModules, type PipelinePlan, strategyOf } from './pipelineplan.ts'

export class RandomDelivery {
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  private readonly app: App
  private readonly random: Random
  /** What each environment is to be at, and is at. */
  private readonly wanted = new Map<string, string>()
  private readonly at = new Map<string, string>()
  private readonly busy = new Set<string>()
  /** Where a cluster has come back while the others were brought somewhere. */
  private readonly again = new Set<string>()
  private head: string | undefined
  /** As was announced last. */
  private readonly announced = new Map<string, string>()
  private isCalm = false
  /** Where somebody leads an environment, past all promotions. */
  private readonly byHand = new Map<string, string>()
  /** Told whenever an environment is at another version, and whether somebody has led it there. */
  arrives: (environment: string, version: string, byHand: boolean) => void = () => {}
  /** Ids of notifications, by their environment, epoch and revision. */
  readonly notified = new Map<string, Set<string>>()

  constructor(story: PipelineStory, plan: PipelinePlan, app: App) {
    this.story = story
    this.plan = plan
    this.app = app
    this.random = story.fleet.env.random.fork('delivery')
    story.fleet.env.net.serve('https://hooks.test', async (r) => {
      const text = new TextDecoder().decode(must(await r.body(1_000_000)))
      const { environment, revision, epoch } = JSON.parse(text)
      // Where nothing outside keeps epochs, a Pipeline that is made anew begins with the first one.
      const id = `${environment} ${epoch} ${revision}`
      this.notified.set(id, (this.notified.get(id) ?? new Set()).add(r.headers['ce-id'] ?? ''))
      this.announced.set(environment, revision)
      this.wanted.set(environment, revision)
      return { status: 202, headers: {}, body: '' }
    })
  }

  /** Led elsewhere, by hand. */
  lead(environment: string, version: string): void {
    this.byHand.set(environment, version)
    this.wanted.set(environment, version)
  }

  /** Nothing fails any more, and what was led elsewhere comes back: in time somebody or something sees to that. */
  calm(): void {
    this.isCalm = true
    this.head = undefined
    for (const [environment, revision] of this.announced) this.wanted.set(environment, revision)
  }

  /** How often there is news, in milliseconds. */
  get everyMs(): number {
    return this.isCalm ? 20_000 : 4000
  }

  /** One look at what there is to be delivered. */
  async look(): Promise<void> {
    const head = (await this.story.repository.store.branches()).get('main')
    for (const [name, e] of Object.entries(this.plan.environments)) {
      const strategy = strategyOf(e.promotion)
      if (strategy === 'manual') {
        const last = this.story.last(name)
        if (last?.status?.phase === 'Converging') this.wanted.set(name, last.spec.revision)
      }
      const isOfGit = strategy === 'pull-request' || strategy === 'push'
      if (isOfGit && head !== this.head) this.wanted.set(name, await this.atBase(name))
    }
    this.head = head
    for (const [name, version] of this.wanted) if (this.at.get(name) !== version) void this.bring(name)
  }

  private async atBase(environment: string): Promise<string> {
    const { store } = this.story.repository
    const head = (await store.branches()).get('main')!
    const entry = (await store.files(head)).get(`apps/${environment}.yaml`)
    const text = entry ? new TextDecoder().decode(await store.blob(entry.id)) : ''
    return /version: "?([^" ]+)/.exec(text)?.[1] ?? ''
  }

  private async bring(name: string): Promise<void> {
    if (this.busy.has(name)) return
    this.busy.add(name)
    this.again.delete(name)
    const { clock } = this.story.fleet.env
    await sleep(clock, this.isCalm ? 1000 : 1000 * 40 ** this.random.next())
    const version = this.wanted.get(name)!
    const fails = !this.isCalm && chance(this.random, 0.15)
    if (fails) {
      await this.app.bring(name, version, false)
      await sleep(clock, this.random.next() * 60_000)
    }
    if (await this.app.bring(name, version, true)) {
      // What promotions write is led elsewhere once, and not kept there.
      if (isOfModules(this.plan.environments[name]!.promotion) && this.wanted.get(name) === version)
        this.wanted.delete(name)
      if (!this.again.has(name)) this.at.set(name, version)
      if (!this.app.isSeen && this.app.isInSight(name)) this.isAt(name, version)
    }
    this.busy.delete(name)
  }

  /** Looks at each write, for what is delivered by others than by this. */
  see(commit: CommitRecord): void {
    const seen = this.app.seen(commit)
    if (!seen) return
    this.at.set(seen.environment, seen.version)
    this.isAt(seen.environment, seen.version)
  }

  /** As before it went: what came to its environments meanwhile has not come to it. */
  isBack(cluster: string): void {
    for (const [name, e] of Object.entries(this.plan.environments))
      if (e.clusters?.includes(cluster)) {
        this.at.delete(name)
        this.again.add(name)
      }
  }

  private isAt(name: string, version: string): void {
    const byHand = this.byHand.get(name) === version
    if (byHand) this.byHand.delete(name)
    this.arrives(name, version, byHand)
  }
}
