/** What goes wrong between the hub, its clusters and whoever works on them, for a while. */
import type { Random } from '../../../packages/kube/src/env/env.ts'
import { encodeJson } from '../../../packages/kube/src/object/index.ts'
import { HeldWatches } from '../../fleet/heldwatches.ts'
import type { SetStory } from '../../fleet/setstory.ts'
import type { TakeoverStory } from '../../fleet/takeoverstory.ts'
import type { SetJudge } from './setjudge.ts'
import { pick, type SetsPlan } from './setsplan.ts'

/** Of which a cache may be old. */
const WATCHED = [
  ...['clusterresourcesets', 'clusterresourcesetbindings', 'inventories', 'modules', 'remoteassemblages'],
  ...['clusters', 'configmaps', 'secrets', 'controllerrevisions', 'deployments', 'gadgets'],
]
const FAILURES: ReadonlySet<string> = new Set(['silence', 'refuse', 'fail'])
const AWAY = { phase: 'connect', detail: 'connect ETIMEDOUT (simulated)' } as const

export class SetMishaps {
  readonly happened: string[] = []
  readonly done: Record<string, number> = {}
  /** Something was refused, cut off, or has not become ready. */
  hasFailed = false
  /** What was refused may be tried again late. */
  hasRefused = false
  /** Nobody gets there. */
  readonly silent = new Set<string>()
  readonly held = new HeldWatches()
  private readonly story: SetStory
  private readonly upstream: TakeoverStory | undefined
  private readonly plan: SetsPlan
  private readonly judge: SetJudge
  private readonly random: Random
  private readonly refusing = new Map<string, number>()
  /** What heals what fails. */
  private readonly failing = new Set<() => void>()
  private isUpstreamDead = false
  private readonly holding = new Set<string>()

  constructor(story: SetStory, plan: SetsPlan, judge: SetJudge, upstream: TakeoverStory | undefined) {
    this.story = story
    this.plan = plan
    this.judge = judge
    this.upstream = upstream
    this.random = story.fleet.env.random.fork('mishaps')
    for (const c of plan.clusters) this.wire(c)
  }

  /** One thing that goes wrong from now on, and is put right by itself. */
  happen(): void {
    const all = {
      silence: this.silence,
      refuse: this.refuse,
      hold: this.hold,
      fail: this.fail,
      cut: this.cut,
    }
    const names = [...Object.keys(all), ...(this.upstream ? ['upstream dies'] : [])]
    const what = pick(this.random, names)
    this.hasFailed ||= FAILURES.has(what)
    this.hasRefused ||= what === 'refuse'
    this.done[what] = (this.done[what] ?? 0) + 1
    this.happened.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(1)} s: ${what}`)
    if (what === 'upstream dies') this.killUpstream()
    else all[what as keyof typeof all].call(this)
  }

  calm(): void {
    this.release(...this.holding)
    this.refusing.clear()
    for (const heal of this.failing) heal()
  }

  /** Those that were out of reach are back, and what has failed is history. */
  putRight(): void {
    this.silent.clear()
    this.hasFailed = false
  }

  private wire(cluster: string): void {
    const { net } = this.story.fleet.env
    net.wire(`https://${cluster}.test`, {
      before: async () => (this.silent.has(cluster) ? AWAY : undefined),
    })
  }

  private get cluster(): string {
    const cluster = pick(this.random, this.plan.clusters)
    this.happened.push(`${this.happened.pop()} ${cluster}`)
    return cluster
  }

  private get soonMs(): number {
    return 1000 * 60 ** this.random.next()
  }

  /** Half of them until somebody finds them, in the end. */
  private silence(): void {
    const cluster = this.cluster
    this.silent.add(cluster)
    this.story.fleet.env.net.cut(`https://${cluster}.test`)
    if (this.random.next() < 0.7) this.later(this.soonMs, () => this.silent.delete(cluster))
  }

  /** A webhook says no, or is not there. */
  private refuse(): void {
    const cluster = this.cluster
    const status = pick(this.random, [403, 500, 503])
    const { net, clock } = this.story.fleet.env
    const until = clock.steady() + this.soonMs
    this.refusing.set(cluster, until)
    net.serve(`https://${cluster}.test`, async (request) => {
      const { api } = this.story.fleet.clusters.get(cluster)!
      const isOurs = String(request.headers['user-agent'] ?? '').startsWith('lockstep-controller')
      const isRefused =
        isOurs && request.method !== 'GET' && clock.steady() < (this.refusing.get(cluster) ?? 0)
      return isRefused ? refusal(status) : api.handle(request)
    })
  }

  private hold(): void {
    const resource = pick(this.random, WATCHED)
    this.happened.push(`${this.happened.pop()} ${resource}`)
    this.holding.add(resource)
    this.judge.staleFrom = Math.min(
      this.judge.staleFrom,
      this.story.fleet.env.clock.steady() - this.judge.graceMs,
    )
    this.held.hold(...this.holding)
    this.later(this.soonMs / 2, () => this.release(resource))
  }

  /** What is known is of now again, and what was decided before is done soon. */
  private release(...resources: readonly string[]): void {
    for (const r of resources) this.holding.delete(r)
    this.held.hold(...this.holding)
    if (this.holding.size > 0) return
    this.later(this.judge.graceMs, () => {
      if (this.holding.size === 0) this.judge.staleFrom = Number.POSITIVE_INFINITY
    })
  }

  private fail(): void {
    const cluster = this.cluster
    const image = pick(this.random, [':v1', ':v2', ':v3', ':v'])
    const failure = { image, outcome: 'CrashLoop' } as const
    const { world } = this.story.fleet.clusters.get(cluster)!
    world.fail(failure)
    const heal = () => world.heal(failure)
    this.failing.add(heal)
    this.later(this.soonMs, heal)
  }

  /** Streams break, at the hub or at a cluster. */
  private cut(): void {
    const name = this.random.next() < 0.5 ? 'hub' : this.cluster
    this.story.fleet.env.net.cut(`https://${name}.test`)
  }

  private killUpstream(): void {
    if (this.isUpstreamDead) return
    this.isUpstreamDead = true
    this.upstream!.upstream.kill()
    this.later(this.soonMs, () => {
      this.isUpstreamDead = false
      this.upstream!.startUpstream()
    })
  }

  private later(ms: number, act: () => unknown): void {
    const { clock } = this.story.fleet.env
    clock.at(clock.steady() + ms, act as () => void)
  }
}

function refusal(status: number) {
  const message = status === 403 ? 'admission webhook "no.test" denied the request: not now' : 'busy'
  const reason = status === 403 ? { reason: 'Forbidden' } : {}
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message, ...reason }
  return { status, headers: { 'content-type': 'application/json' }, body: encodeJson(body) }
}
