/** What goes wrong between promotions and their host, and at the host, for a while. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { HostKind } from '../../../packages/simulators/src/githost/githost.ts'
import type { FaultMatch, HostFault } from '../../../packages/simulators/src/githost/hostfault.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import type { Outages } from './outages.ts'
import { pick } from './pipelineplan.ts'

/** Requests that promotions make of a host and its repository. */
const placesOf = (provider: HostKind): readonly FaultMatch[] => [
  { method: 'POST', path: /push$/ },
  { method: 'POST', path: /\/(pulls|merge_requests)$/ },
  { path: /\/merge$/ },
  { method: provider === 'gitlab' ? 'PUT' : 'PATCH', path: /\/(pulls|merge_requests)\/\d+$/ },
  { method: 'GET', path: /\/(pulls|merge_requests)\?/ },
  { method: 'GET', path: /refs$/ },
  { method: 'GET' },
  {},
]

export class PromotionMishaps {
  readonly happened: string[] = []
  /** Something was refused for good: promotions may have failed for it. */
  hasRefused = false
  private readonly story: PipelineStory
  private readonly outages: Outages
  private readonly random: Random
  private token = 1
  private rotated = false

  constructor(story: PipelineStory, outages: Outages) {
    this.story = story
    this.outages = outages
    this.random = story.fleet.env.random.fork('mishaps')
  }

  /** One thing that goes wrong from now on, or is put right. */
  async happen(): Promise<void> {
    const { host, repository } = this.story
    const what = pick(this.random, [
      ...['fault', 'fault', 'fault', 'fault', 'lag', 'token', 'hook', 'limit'],
      ...(this.outages.canHappen ? Array<string>(6).fill('cluster') : []),
    ])
    if (what === 'fault') this.fault()
    else this.happened.push(`${this.at} ${what}`)
    if (what === 'lag') repository.listsBehindMs = repository.listsBehindMs > 0 ? 0 : 10_000
    if (what === 'token' && this.rotated) await this.putRight()
    else if (what === 'token') {
      host.rotate(`token-${++this.token}`)
      this.rotated = true
    }
    if (what === 'hook') {
      this.hasRefused = true
      await repository.store.reject({ branches: ['lockstep/*'], message: 'not now' })
      this.later(30_000, () => repository.store.reject(undefined))
    }
    if (what === 'cluster') this.outages.happen()
    if (what === 'limit') host.limits.close(30 + this.random.next() * 60)
  }

  async calm(): Promise<void> {
    const { host, repository } = this.story
    host.faults.clear()
    repository.listsBehindMs = 0
    repository.overtakesMerges = 0
    this.outages.calm()
    await repository.store.reject(undefined)
    if (this.rotated) await this.putRight()
  }

  private get at(): string {
    return `${(this.story.fleet.env.clock.steady() / 1000).toFixed(0)} s:`
  }

  private async putRight(): Promise<void> {
    this.rotated = false
    await this.story.secret(`token-${this.token}`)
    await this.story.pushSecret(`token-${this.token}`)
  }

  private fault(): void {
    const where = pick(this.random, placesOf(this.story.host.provider))
    const fault = this.randomFault()
    const nth = 1 + Math.floor(this.random.next() * 3)
    const times = 1 + Math.floor(this.random.next() * 3)
    this.happened.push(
      `${this.at} ${fault.kind} ${nth}+${times} ${where.method ?? ''} ${where.path?.source ?? ''}`,
    )
    this.story.host.faults.add({ ...where, nth, times }, fault)
  }

  private randomFault(): HostFault {
    const ms = 2000 + this.random.next() * 30_000
    const status = pick(this.random, [500, 502, 503, 408])
    return pick<HostFault>(this.random, [
      ...([
        { kind: 'drop' },
        { kind: 'lose' },
        { kind: 'lose' },
        { kind: 'half' },
        { kind: 'cut-json' },
      ] as const),
      ...([
        { kind: 'delay', ms },
        { kind: 'late', ms },
        { kind: 'late', ms },
      ] as const),
      ...([
        { kind: 'status', status },
        { kind: 'status', status, isDone: true },
      ] as const),
      { kind: 'limit', which: 'secondary', seconds: 20 },
    ])
  }

  private later(ms: number, act: () => unknown): void {
    const { clock } = this.story.fleet.env
    clock.at(clock.steady() + ms, act as () => void)
  }
}
