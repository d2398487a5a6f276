/** D19: nothing of us reaches the base of an environment that somebody has led elsewhere, until a Hold is deleted or somebody asks. */
import type { Promotion } from '../../../src/api/registry.ts'
import type { CommitRecord } from '../../../src/apiserver/apiserver.ts'
import { REQUEST_PREFIX } from '../../../src/core/promotion/request.ts'
import type { KubeObject } from '../../../src/object/object.ts'

/** What was sent before may arrive so much later, in milliseconds. */
const UNDER_WAY_MS = 60_000

interface Guard {
  readonly environment: string
  /** Of the promotion that it was led away from. */
  readonly epoch: number
  readonly what: string
  readonly fromMs: number
  untilMs: number
}

export class Overrun {
  private readonly now: () => number
  private readonly promotions = new Map<string, Promotion>()
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
    if (kind === 'promotions' && next) this.promotions.set(key, next as unknown as Promotion)
    if (kind === 'promotions' && !next) this.promotions.delete(key)
    if (kind === 'pipelines' && next) this.pipeline(next)
    if (kind === 'holds' && !next)
      for (const e of (old?.spec as { environments?: string[] } | undefined)?.environments ?? []) this.ends(e)
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
      ...{ environment, epoch: done.spec.epoch, untilMs: Number.POSITIVE_INFINITY },
      what: `${environment} was led from ${done.spec.revision} to ${version}`,
      fromMs: this.now() + UNDER_WAY_MS,
    })
  }

  get tested(): number {
    return this.guards.length
  }

  /** `changes`: of the base by us, with the keys that they are of; `promotionOf`: that of a key. */
  problems(
    changes: readonly { readonly at: number; readonly keys: readonly string[] }[],
    promotionOf: (key: string) => Pick<Promotion, 'spec'> | undefined,
  ): string[] {
    return changes.flatMap(({ at, keys }) =>
      keys.flatMap((key) => {
        const spec = promotionOf(key)?.spec
        if (!spec || spec.rollbackOf !== undefined) return []
        const over = this.guards.find(
          (g) =>
            g.environment === spec.environment && g.epoch < spec.epoch && g.fromMs < at && at < g.untilMs,
        )
        return over ? [`D19: ${over.what}, and ${spec.revision} was promoted over that`] : []
      }),
    )
  }
}
