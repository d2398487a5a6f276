/** A pull request of a host, as decisions see it. */

import { ok } from '@lockstep/kube/env'
import { parseTimestampMs } from '@lockstep/kube/object'
import { keyInBody, type PullRequestObservation } from '../../decisions/promotion/index.ts'
import type { CallOptions, GitProvider, Pull } from '../../gitproviders/gitprovider.ts'
import type { ProviderResult } from './strategies/strategy.ts'

/** Two clocks: what was merged so much before is older for sure, in milliseconds. */
const CLOCKS_MS = 300_000

export interface PullRequestOrigin {
  /** Of the promotion. */
  readonly createdAt: string | undefined
  /** What it has seen open itself is its own, however old. */
  readonly recorded: number | undefined
  readonly base: string
}

export function pullRequestView(
  p: Pull,
  { createdAt, recorded, base }: PullRequestOrigin,
): PullRequestObservation {
  const createdMs = parseTimestampMs(createdAt ?? '')
  // What was opened before an object was lost may be merged, and taken back, while another one waits to begin.
  const mergedMs = parseTimestampMs(p.mergedAt ?? p.createdAt)
  return {
    number: p.number,
    url: p.url,
    key: keyInBody(p.body),
    ...(p.base === base ? { state: p.state } : { state: 'closed', onto: p.base }),
    headCommit: p.headCommit,
    mergeCommit: p.mergeCommit,
    isOlder:
      p.number !== recorded &&
      createdMs !== undefined &&
      mergedMs !== undefined &&
      mergedMs < createdMs - CLOCKS_MS,
  }
}

export interface BranchPulls {
  readonly all: readonly Pull[]
  /** The one that is recorded: the list is late, and does not have it yet. */
  readonly unlisted?: Pull
}

/** Of a branch, and the one that is recorded. */
export async function listBranchPulls(
  host: GitProvider,
  branch: string,
  recorded: number | undefined,
  o: CallOptions,
): ProviderResult<BranchPulls> {
  const listed = await host.pullsOf(branch, o)
  if (!listed.ok) return listed
  const all = listed.value
  if (recorded === undefined || all.some((p) => p.number === recorded)) return ok({ all })
  const read = await host.pull(recorded, o)
  if (read.ok) return ok({ all: [...all, read.value], unlisted: read.value })
  return read.error.kind === 'NotFound' ? ok({ all }) : read
}
