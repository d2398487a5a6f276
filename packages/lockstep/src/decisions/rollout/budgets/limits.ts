/** How many of anything: the amounts of the policy, in clusters. */

import type { RolloutPolicy, StagePolicy } from '../policy.ts'
import { amountAbove, amountOf } from './amount.ts'

export interface RolloutLimits {
  /** Clusters of the rollout. */
  readonly total: number
  readonly maxUnavailable: number
  readonly maxFailed: number
  readonly maxUnreachable: number
  readonly maxNew: number
  readonly maxSurge: number
}

export interface StageLimits {
  readonly maxUnavailable: number
  readonly maxConcurrency: number
  /** Undefined: only what the module tolerates. */
  readonly maxFailed: number | undefined
}

const DEFAULT_UNAVAILABLE = { Replace: '100%', Staged: '10%', Incremental: 1, External: 1 } as const

export function limitsOf(policy: RolloutPolicy, total: number): RolloutLimits {
  const unavailable = policy.maxUnavailable ?? DEFAULT_UNAVAILABLE[policy.strategy]
  const least = Math.max(total, 1)
  return {
    total,
    maxUnavailable: Math.max(1, amountOf(unavailable, least, true)),
    maxFailed: amountOf(policy.maxFailed ?? 0, total, false),
    maxUnreachable: amountOf(policy.maxUnreachable ?? '25%', total, false),
    maxNew: Math.max(1, amountOf(policy.maxNew ?? '100%', least, true)),
    maxSurge: amountAbove(policy.maxSurge ?? '100%', total),
  }
}

export function stageLimitsOf(policy: StagePolicy, total: number): StageLimits {
  const least = Math.max(total, 1)
  const atLeastOne = (value: number | string | undefined): number =>
    Math.max(1, amountOf(value ?? '100%', least, true))
  return {
    maxUnavailable: atLeastOne(policy.maxUnavailable),
    maxConcurrency: atLeastOne(policy.maxConcurrency),
    maxFailed: policy.maxFailed === undefined ? undefined : amountOf(policy.maxFailed, total, false),
  }
}
