/** Approvals at their use: a cache that is behind may know one that was taken back. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { type Digest, jsonEqual, type Stored } from '@lockstep/kube/object'
import { type Approval, approvalKind } from '../../api/registry.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { type ApprovalView, pruneApprovals, usedFirst } from '../../decisions/rollout/index.ts'
import { approvalsOf, approvalView, type ControllerContext, isThere } from '../cache/index.ts'
import {
  decideSchedule,
  type LiveApprovals,
  rememberDecision,
  type ScheduleDecision,
  type ScheduleRequest,
  type SchedulerDeps,
} from './schedule.ts'

/** A cache that is behind, and a right that is missing, are asked about again after so long. */
export const APPROVAL_RETRY_MS = 10_000

/** What one live read each has shown of the Approvals that decisions were about to use. */
interface VerifiedApprovals extends LiveApprovals {
  readonly there: Set<string>
  readonly gone: Set<string>
  readonly unread: Map<string, string>
}

/**
 * By consents that are there: what a cache has of others does not count. One that cannot be read opens nothing, and says
 * why; all else goes on. `isBehind`: to be asked again without an event.
 */
export async function verifyApprovals(
  c: Pick<ControllerContext, 'hub'> & SchedulerDeps,
  d: ScheduleRequest,
): Promise<ScheduleDecision & { readonly isBehind: boolean }> {
  const known: VerifiedApprovals = { there: new Set(), gone: new Set(), unread: new Map() }
  for (;;) {
    const decided = decideSchedule(c, d, known)
    const { approvals } = decided.input
    const { stages, early } = decided.rollout
    const used = new Set([...usedFirst(decided.input, stages), ...early])
    // Without one of them another may come to count.
    const asked = approvals.filter((a) => used.has(a.name) && !known.there.has(a.name))
    if (asked.length === 0) {
      rememberDecision(d.memory, decided)
      return { ...decided, isBehind: known.gone.size + known.unread.size > 0 }
    }
    for (const a of asked) {
      const isThere = await isLiveApproval(c.hub, d.ref, a)
      if (!isThere.ok) known.unread.set(a.name, unreadableApprovalText(isThere.error, d.ref))
      else (isThere.value ? known.there : known.gone).add(a.name)
    }
  }
}

/** Why an Approval cannot be read, and who can do what about it. */
export function unreadableApprovalText(error: RequestError, { namespace }: ModuleRef): string {
  if (error.kind !== 'Forbidden') return `cannot be read just now: ${requestErrorText(error)}`
  return `may not be read: ${error.message}; grant this controller get on approvals.lockstep.dev in namespace ${namespace}, as lockstep install does`
}

/**
 * Before objects are deleted: whether a consent to that, which the cache has, is there. True as well where the cache has
 * none: then nothing of it was used.
 */
export async function isPruneApproved(
  { hub }: Pick<ControllerContext, 'hub'>,
  ref: ModuleRef,
  revision: Digest,
): Promise<Result<boolean, RequestError>> {
  const consents = pruneApprovals(approvalsOf(hub, ref), revision)
  for (const known of consents) {
    const isThere = await isLiveApproval(hub, ref, known)
    if (!isThere.ok || isThere.value) return isThere
  }
  return ok(consents.length === 0)
}

async function isLiveApproval(
  { client }: ControllerContext['hub'],
  ref: ModuleRef,
  known: ApprovalView,
): Promise<Result<boolean, RequestError>> {
  const key = { namespace: ref.namespace, name: known.name }
  const read = await client.get(approvalKind, key, { why: 'reread' })
  if (!read.ok) return read.error.kind === 'NotFound' ? ok(false) : read
  return ok(isSame(read.value, ref, known))
}

/** Also one that was made anew under its name says what it says. */
const isSame = (found: Stored<Approval>, ref: ModuleRef, known: ApprovalView): boolean =>
  isThere(found) &&
  found.spec.targetRef.kind === ref.kind &&
  found.spec.targetRef.name === ref.name &&
  jsonEqual(approvalView(found), known)
