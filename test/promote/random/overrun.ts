/** D19: nothing of us reaches the base of an environment that somebody has led elsewhere, until a Hold is deleted or somebody asks. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import type { Promotion } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { keyOfPromotion } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { REQUEST_PREFIX } from '../../../packages/lockstep/src/decisions/promotion/promotionrequest.ts'

/** What was sent before may arrive so much later, in milliseconds. */
const UNDER_WAY_MS = 60_000

interface Guard {
  readonly environment: string
  readonly to: string
  /** Of the promotion that it was led away from. */
  readonly epoch: number
  readonly what: string
  readonly fromMs: number
  untilMs: number
}

export class Overrun {
  private readonly now: () => number
  private readonly promotions = new Map<string, Promotion>()
  /** By key, also of those that are deleted since. */
  private readonly specs = new Map<string, Promotion['spec']>()
  /** Environments of Holds that stand, by the name of each. */
  private readonly holds = new Map<string, readonly string[]>()
  private readonly arrived = new Map<string, string>()
  private readonly requests = new Map<string, string>()
  private readonly guards: Guard[] = []
  /** Where each environment is. */
  private readonly at = new Map<string, string>()

  constructor(now: () => number) {
    this.now = now
  }

  see({ resource, key, next, old }: CommitRecord): void {
    const [kind] = resource.split('.')
    if (kind === 'promotions' && next) {
      const promotion = next as unknown as Promotion
      this.promotions.set(key, promotion)
      this.specs.set(keyOfPromotion(promotion.spec), promotion.spec)
    }
    if (kind === 'promotions' && !next) this.promotions.delete(key)
    if (kind === 'pipelines' && next) this.pipeline(next)
    if (kind === 'pipelines' && !next) this.gone()
    if (kind === 'holds' && next) this.holds.set(key, environmentsOf(next))
    if (kind === 'holds' && !next) {
      this.holds.delete(key)
      for (const e of environmentsOf(old)) this.ends(e)
    }
  }

  /** A Pipeline that is made anew knows nothing of where its environments have been. */
  private gone(): void {
    this.arrived.clear()
    this.requests.clear()
    for (const { environment } of this.guards) this.ends(environment)
  }

  /** The status says nothing any more, or what was so before: what had no Hold yet is not known to be led elsewhere. */
  forgets(): void {
    this.arrived.clear()
    const held = new Set([...this.holds.values()].flat())
    for (const { environment } of this.guards) if (!held.has(environment)) this.ends(environment)
  }

  private pipeline({ metadata, status }: KubeObject): void {
    const said = (status as { environments?: { name: string; arrived?: string }[] } | undefined)?.environments
    for (const { name, arrived } of said ?? []) this.arrived.set(name, arrived ?? '')
    for (const [name, value] of Object.entries(metadata.annotations ?? {})) {
      if (!name.startsWith(REQUEST_PREFIX) || this.requests.get(name) === value) continue
      this.requests.set(name, value)
      this.ends(name.slice(REQUEST_PREFIX.length))
    }
  }

  private ends(environment: string): void {
    for (const g of this.guards)
      if (g.environment === environment) g.untilMs = Math.min(g.untilMs, this.now())
  }

  private of(environment: string): Promotion[] {
    const all = [...this.promotions.values()].filter((p) => p.spec.environment === environment)
    return all.sort((a, b) => a.spec.epoch - b.spec.epoch)
  }

  /** All its targets are at another version now; `byHand`: somebody has led it there. */
  isAt(environment: string, version: string, byHand: boolean): void {
    // Who leads it to where it is leads it nowhere: what was said of that, and taken back since, is not said again.
    if (this.at.get(environment) === version) return
    this.at.set(environment, version)
    this.ends(environment)
    const all = this.of(environment)
    const done = all.findLast((p) => p.status?.phase === 'Succeeded')
    if (!byHand || !done || this.arrived.get(environment) !== done.metadata.name) return
    const later = all.filter((p) => p.spec.epoch >= done.spec.epoch)
    const isMoving = later.some((p) => ['Converging', 'Verifying'].includes(p.status?.phase ?? ''))
    // What was promoted, or may be on its way, is where it is to be.
    if (isMoving || later.some((p) => p.spec.revision === version)) return
    this.guards.push({
      environment,
      to: version,
      epoch: done.spec.epoch,
      untilMs: Number.POSITIVE_INFINITY,
      what: `${environment} was led from ${done.spec.revision} to ${version}`,
      fromMs: this.now() + UNDER_WAY_MS,
    })
  }

  /** The environment of a key, also of one that is deleted since. */
  environmentOf(key: string): string | undefined {
    return this.specs.get(key)?.environment
  }

  specOf(key: string): Promotion['spec'] | undefined {
    return this.specs.get(key)
  }

  get tested(): number {
    return this.guards.length
  }

  /** `changes`: of the base by us, and of Modules, with the keys that they are of. */
  problems(changes: readonly { readonly at: number; readonly keys: readonly string[] }[]): string[] {
    return changes.flatMap(({ at, keys }) =>
      keys.flatMap((key) => {
        const spec = this.specs.get(key)
        if (!spec || spec.rollbackOf !== undefined) return []
        // What it was led to is not gone over by itself.
        const over = this.guards.find(
          (g) =>
            g.environment === spec.environment &&
            g.to !== spec.revision &&
            g.epoch < spec.epoch &&
            g.fromMs < at &&
            at < g.untilMs,
        )
        return over ? [`D19: ${over.what}, and ${spec.revision} was promoted over that`] : []
      }),
    )
  }
}

const environmentsOf = (hold: KubeObject | undefined): readonly string[] =>
  (hold?.spec as { environments?: string[] } | undefined)?.environments ?? []
