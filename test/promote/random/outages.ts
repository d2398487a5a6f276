/** Clusters that are out of reach for a while: cut off from the hub, and delivered to all the same, or down with all that runs there. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { NetFailure } from '../../../packages/kube/src/env/net.ts'
import { sleep } from '../../../packages/kube/src/env/sleep.ts'
import { chance } from '../../simulation/scenario.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import { pick } from './pipelineplan.ts'

/** Whoever looks from within the cluster. */
const WITHIN = 'test'
const GONE: NetFailure = { phase: 'connect', detail: 'connect ETIMEDOUT (simulated)' }

export class Outages {
  /** Nothing is delivered to these. */
  readonly down = new Set<string>()
  readonly happened: string[] = []
  /** Told of one that was down and is back, as it was before. */
  isBack: (cluster: string) => void = () => {}
  private readonly story: PipelineStory
  private readonly clusters: readonly string[]
  private readonly random: Random
  private readonly away = new Set<string>()
  /** By the clock of the host's journal. */
  private readonly spans: { readonly cluster: string; readonly fromMs: number; toMs: number }[] = []

  constructor(story: PipelineStory, clusters: readonly string[]) {
    this.story = story
    this.clusters = clusters
    this.random = story.fleet.env.random.fork('outages')
  }

  get canHappen(): boolean {
    return this.clusters.length > 0
  }

  /** One goes, or comes back. */
  happen(): void {
    const cluster = pick(this.random, this.clusters)
    if (this.away.has(cluster)) this.back(cluster)
    else this.goes(cluster)
  }

  calm(): void {
    for (const cluster of this.away) this.back(cluster)
  }

  /** Cut off or down at this moment. */
  isAwayNow(cluster: string): boolean {
    return this.away.has(cluster)
  }

  /** All of that time. */
  isAway(cluster: string, fromMs: number, toMs: number): boolean {
    return this.spans.some((s) => s.cluster === cluster && s.fromMs <= fromMs && toMs <= s.toMs)
  }

  private goes(cluster: string): void {
    const { net, clock } = this.story.fleet.env
    const isDown = chance(this.random, 0.5)
    // Refused at once, or swallowed.
    const ms = chance(this.random, 0.5) ? 0 : 10_000
    this.tell(`${cluster} is ${isDown ? 'down' : 'cut off'}`)
    this.away.add(cluster)
    this.spans.push({ cluster, fromMs: clock.now(), toMs: Number.POSITIVE_INFINITY })
    if (isDown) this.down.add(cluster)
    net.wire(`https://${cluster}.test`, {
      before: async (request) => {
        if (request.headers?.['user-agent'] === WITHIN) return undefined
        if (ms > 0) await sleep(clock, ms, request.signal)
        return GONE
      },
    })
    net.cut(`https://${cluster}.test`)
  }

  private back(cluster: string): void {
    this.tell(`${cluster} is back`)
    const { net, clock } = this.story.fleet.env
    net.wire(`https://${cluster}.test`, undefined)
    for (const s of this.spans) if (s.cluster === cluster) s.toMs = Math.min(s.toMs, clock.now())
    this.away.delete(cluster)
    if (this.down.delete(cluster)) this.isBack(cluster)
  }

  private tell(what: string): void {
    this.happened.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(0)} s: ${what}`)
  }
}
