/** Pull requests as the host keeps them: all that they ever were, so that a list may be behind. */
import type { Clock } from '@lockstep/kube/env'
import type { GitObjectId } from './gitobjectid.ts'

export interface HostedPull {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly head: string
  readonly base: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly headCommit: GitObjectId
  /** Where the head began. */
  readonly mergeBase: GitObjectId | undefined
  readonly mergeCommit?: GitObjectId
  readonly wasSquashed?: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly endedAt?: number | undefined
  readonly comments: readonly string[]
  /** Checks that have to pass, or a review that is missing. */
  readonly isBlocked: boolean
}

export class HostedPulls {
  private readonly clock: Clock
  private readonly all: HostedPull[][] = []

  constructor(clock: Clock) {
    this.clock = clock
  }

  add(pull: Omit<HostedPull, 'number' | 'createdAt' | 'updatedAt' | 'comments' | 'isBlocked'>): HostedPull {
    const now = this.clock.now()
    const number = this.all.length + 1
    const made = { ...pull, number, createdAt: now, updatedAt: now, comments: [], isBlocked: false }
    this.all.push([made])
    return made
  }

  get(number: number): HostedPull | undefined {
    return this.all[number - 1]?.at(-1)
  }

  change(number: number, to: Partial<HostedPull>): HostedPull {
    const changed = { ...this.get(number)!, ...to, updatedAt: this.clock.now() }
    this.all[number - 1]!.push(changed)
    return changed
  }

  /** As they were so long ago, in the order of their numbers. */
  list(behindMs = 0): readonly HostedPull[] {
    const then = this.clock.now() - behindMs
    return this.all.flatMap((versions) => versions.findLast((v) => v.updatedAt <= then) ?? [])
  }
}
