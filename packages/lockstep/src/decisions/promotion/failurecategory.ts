/** What a failure outside means for a promotion: is it tried again, waited for, looked at, or the end? */

import { parseDuration } from '@lockstep/kube/object'
import type { RetryPolicy } from '../../api/kinds/index.ts'
import type { BlockerReason } from '../../api/reasons/index.ts'

export type FailureCategory =
  /** It may pass: an attempt is counted, and another one follows. */
  | 'Retry'
  /** Somebody or something else must end it; nothing is counted. */
  | 'Wait'
  /** The world is not as was thought: it is looked at again, and nothing is counted. */
  | 'Look'
  /** It never will. */
  | 'Terminal'

/** Kinds of failures of Git hosts and repositories (`gitproviders/gitprovider.ts`, `gitproviders/gitrepository.ts`), and of the hub. */
export type ExternalFailureKind =
  | 'Exists'
  | 'NothingToMerge'
  | 'NotFound'
  | 'RepositoryNotFound'
  | 'HeadMoved'
  | 'NotYet'
  | 'MergeConflict'
  | 'NotOpen'
  | 'Refused'
  | 'CredentialsRejected'
  | 'RateLimited'
  | 'Unreachable'
  | 'HostRefused'
  | 'Server'
  | 'Unexpected'
  | 'Stale'
  | 'ToolMissing'
  // Of objects of the hub.
  | 'FieldOwned'
  | 'NothingToEdit'
  | 'Forbidden'
  | 'Invalid'

const CLASSES: Readonly<Record<ExternalFailureKind, FailureCategory>> = {
  Exists: 'Look',
  NothingToMerge: 'Look',
  NotFound: 'Look',
  HeadMoved: 'Look',
  NotOpen: 'Look',
  MergeConflict: 'Look',
  Stale: 'Look',
  NotYet: 'Wait',
  CredentialsRejected: 'Wait',
  RateLimited: 'Wait',
  ToolMissing: 'Wait',
  Forbidden: 'Wait',
  HostRefused: 'Wait',
  Unreachable: 'Retry',
  Server: 'Retry',
  RepositoryNotFound: 'Terminal',
  Refused: 'Terminal',
  Unexpected: 'Terminal',
  FieldOwned: 'Terminal',
  NothingToEdit: 'Terminal',
  Invalid: 'Terminal',
}

export const failureCategoryOf = (kind: ExternalFailureKind): FailureCategory => CLASSES[kind]

/** Of the blocker, or of the end. */
const REASONS: Partial<Readonly<Record<ExternalFailureKind, BlockerReason>>> = {
  CredentialsRejected: 'CredentialsRejected',
  RateLimited: 'HostRateLimited',
  ToolMissing: 'ToolMissing',
  NotYet: 'MergeBlocked',
  RepositoryNotFound: 'RepositoryNotFound',
  HostRefused: 'HostRefused',
  Refused: 'HostRejected',
  Unexpected: 'HostRejected',
  FieldOwned: 'FieldOwned',
  NothingToEdit: 'NothingToEdit',
  Forbidden: 'Forbidden',
  Invalid: 'InvalidObject',
}

export const reasonOf = (kind: ExternalFailureKind): BlockerReason => REASONS[kind] ?? 'HostUnreachable'

const ms = (text: string): number => parseDuration(text) ?? 0

/** Milliseconds before the next attempt, after so many that failed. `random` is in [0, 1). */
export function retryDelayMs(
  { initial, factor, max, jitter }: RetryPolicy,
  failures: number,
  random: number,
): number {
  const plain = Math.min(ms(max), ms(initial) * factor ** (failures - 1))
  return Math.round(plain * (1 + jitter * (2 * random - 1)))
}

/** Credentials and tools that are put right are looked for so often, in milliseconds. */
export const WAIT_MS = 600_000
/** What a host has to do before a merge is looked at so often: not more than one call a minute. */
export const MERGE_WAIT_MS = 60_000
