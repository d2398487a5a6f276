/** What is held is not changed by us: neither by what is new, nor by what was to be done before. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import type { Promotion } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'

/** What was sent before may arrive so much later, in milliseconds. */
const UNDER_WAY_MS = 60_000

interface HeldSpan {
  readonly name: string
  /** Undefined: all. */
  readonly environments: readonly string[] | undefined
  readonly passedBy: string | undefined
  readonly sinceMs: number
  untilMs: number
}

export interface HeldChange {
  readonly at: number
  readonly keys: readonly string[]
}

export class HeldChecks {
  private readonly now: () => number
  private readonly spans: HeldSpan[] = []

  constructor(now: () => number) {
    this.now = now
  }

  see({ resource, key, next, old }: CommitRecord): void {
    if (!resource.startsWith('holds.')) return
    const end = (): void => {
      for (const s of this.spans) if (s.name === key) s.untilMs = Math.min(s.untilMs, this.now())
    }
    if (!next) end()
    if (!next || old) return
    const { environments, passedBy } = next.spec as { environments?: string[]; passedBy?: string }
    this.spans.push({
      name: key,
      environments,
      passedBy,
      sinceMs: this.now(),
      untilMs: Number.POSITIVE_INFINITY,
    })
  }

  get tested(): number {
    return this.spans.length
  }

  problems(changes: readonly HeldChange[], specOf: (key: string) => Promotion['spec'] | undefined): string[] {
    return changes.flatMap(({ at, keys }) =>
      keys.flatMap((key) => {
        const spec = specOf(key)
        // Of several Modules the rest follows.
        const hasBegun = changes.some((c) => c.at < at && c.keys.includes(key))
        if (!spec || hasBegun) return []
        const over = this.spans.find(
          (s) =>
            s.environments?.includes(spec.environment) !== false &&
            (s.passedBy === undefined || spec.rollbackOf === undefined) &&
            s.sinceMs + UNDER_WAY_MS < at &&
            at < s.untilMs,
        )
        return over
          ? [`Hold ${over.name}: ${spec.revision} got into ${spec.environment} at ${at} all the same`]
          : []
      }),
    )
  }
}
