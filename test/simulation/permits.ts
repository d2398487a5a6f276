/** Who has allowed or forbidden that something starts, and since when: Approvals, Holds and windows, read off the commits. */
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import {
  at,
  isArray,
  isNamed,
  type JsonValue,
  type KubeObject,
} from '../../packages/kube/src/object/index.ts'

/** Consent may be taken back between the last look at it and the write that relies on it. */
const RACE_MS = 2000
/** A leader that has stood still for less than its Lease lasts acts on what it has seen before. */
const STALE_MS = 20_000

interface Consent {
  readonly module: string
  readonly stage: string
  readonly point: string
  readonly revisionHash: string
  goneAt?: number
}
interface Hold {
  readonly module: string
  readonly clusters: readonly string[]
  readonly action: string
  readonly since: number
  /** Wall-clock time, milliseconds. */
  readonly until: number
}
export interface PermitWindow {
  readonly action?: string
  readonly schedule: string
  readonly durationSeconds: number
}

const text = (o: unknown, ...path: string[]): string => {
  const found = at(o as JsonValue, ...path)
  return typeof found === 'string' ? found : ''
}

export class Permits {
  private readonly clock: { steady(): number; now(): number }
  private readonly consents = new Map<string, Consent>()
  private readonly holds = new Map<string, Hold>()

  constructor(clock: { steady(): number; now(): number }) {
    this.clock = clock
  }

  see({ resource, key, next }: CommitRecord): void {
    if (resource === 'approvals.lockstep.dev') this.approval(key, next)
    if (resource === 'holds.lockstep.dev') this.hold(key, next)
  }

  isApproved(module: string | undefined, stage: string, point: string, revision: string): boolean {
    return [...this.consents.values()].some(
      (c) =>
        c.module === module &&
        c.stage === stage &&
        c.point === point &&
        isNamed(revision, c.revisionHash) &&
        (c.goneAt === undefined || this.clock.steady() - c.goneAt < RACE_MS),
    )
  }

  hasHolds(module: string | undefined): boolean {
    return [...this.holds.values()].some((h) => h.module === module)
  }

  /** A Pause that everybody must have heard of, and that has not ended. */
  heldBy(module: string | undefined, cluster: string): string | undefined {
    const { clock } = this
    return [...this.holds].find(
      ([, h]) =>
        h.module === module &&
        h.action !== 'Pin' &&
        (h.clusters.length === 0 || h.clusters.includes(cluster)) &&
        clock.steady() - h.since > STALE_MS &&
        clock.now() < h.until - RACE_MS,
    )?.[0]
  }

  /** Undefined: near an edge, where both are right, or not a schedule of every so many minutes. */
  isOpen(windows: readonly PermitWindow[]): boolean | undefined {
    const states = windows.map((w) => this.within(w))
    if (states.length === 0 || states.includes(undefined)) return undefined
    const denied = windows.some((w, i) => w.action === 'Deny' && states[i])
    const allows = windows.filter((w) => w.action !== 'Deny')
    return !denied && (allows.length === 0 || windows.some((w, i) => w.action !== 'Deny' && states[i]))
  }

  private within({ schedule, durationSeconds }: PermitWindow): boolean | undefined {
    const minutes = /^\*\/(\d+) \* \* \* \*$/.exec(schedule)?.[1]
    if (minutes === undefined) return undefined
    const since = this.clock.now() % (Number(minutes) * 60_000)
    const left = durationSeconds * 1000 - since
    return Math.abs(left) < STALE_MS || since < RACE_MS ? undefined : left > 0
  }

  private approval(key: string, next: KubeObject | undefined): void {
    const known = this.consents.get(key)
    if (!next) {
      if (known) known.goneAt = this.clock.steady()
      return
    }
    this.consents.set(key, {
      module: text(next, 'spec', 'targetRef', 'name'),
      stage: text(next, 'spec', 'stage'),
      point: text(next, 'spec', 'point'),
      revisionHash: text(next, 'spec', 'revisionHash'),
    })
  }

  private hold(key: string, next: KubeObject | undefined): void {
    if (!next) {
      this.holds.delete(key)
      return
    }
    const clusters = at(next, 'spec', 'clusters')
    const until = text(next, 'spec', 'until')
    this.holds.set(key, {
      module: text(next, 'spec', 'targetRef', 'name'),
      clusters: isArray(clusters) ? clusters.map(String) : [],
      action: text(next, 'spec', 'action') || 'Suspend',
      since: this.holds.get(key)?.since ?? this.clock.steady(),
      until: until === '' ? Number.POSITIVE_INFINITY : Date.parse(until),
    })
  }
}
