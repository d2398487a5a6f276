import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { type Digest, jsonEqual, type Stored } from '@lockstep/kube/object'
import { type Approval, approvalKind } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { type ApprovalView, fleetRevision, pruneApprovals } from '../../decisions/rollout/index.ts'
import { approvalsOf, approvalView, isThere } from './holds.ts'
import type { HubCaches, HubInformers } from './hubcaches.ts'

/** Delay before an Approval is read again after a stale cache or a missing right. */
export const APPROVAL_RETRY_MS = 10_000

/** Why an Approval cannot be read, and who can do what about it. */
export function unreadableApprovalText(error: RequestError, { namespace }: ModuleRef): string {
  if (error.kind !== 'Forbidden') return `cannot be read just now: ${requestErrorText(error)}`
  return `may not be read: ${error.message}; grant this controller get on approvals.lockstep.dev in namespace ${namespace}, as lockstep install does`
}

/** Deletions of a unit that a person approves. */
export interface PruneQuestion {
  readonly ref: ModuleRef
  /** Undefined: the unit was never admitted, and has objects that another unit handed over. */
  readonly admitted: Digest | undefined
  readonly isRemoval: boolean
}

/**
 * Approvals of the deletions of a unit. A removal may be approved for the revision of the fleet, too: `lockstep rollout approve`
 * names it, and the unit may have an older one, or none.
 */
export function pruneConsents(hub: HubCaches, { ref, admitted, isRemoval }: PruneQuestion): ApprovalView[] {
  const fleet = isRemoval ? fleetRevision(hub.module(ref)?.status) : undefined
  const revisions = [...new Set([admitted, fleet])].filter((r) => r !== undefined)
  return revisions.flatMap((revision) => pruneApprovals(approvalsOf(hub, ref), revision))
}

/**
 * Checks before objects are deleted that the hub still has an Approval of that which the cache has. True also if the cache
 * has none: then no Approval was used.
 */
export async function isPruneApproved(
  { hub }: { readonly hub: HubInformers },
  question: PruneQuestion,
): Promise<Result<boolean, RequestError>> {
  const consents = pruneConsents(hub, question)
  for (const known of consents) {
    const isThere = await isLiveApproval(hub, question.ref, known)
    if (!isThere.ok || isThere.value) return isThere
  }
  return ok(consents.length === 0)
}

export async function isLiveApproval(
  { own }: Pick<HubInformers, 'own'>,
  ref: ModuleRef,
  known: ApprovalView,
): Promise<Result<boolean, RequestError>> {
  const key = { namespace: ref.namespace, name: known.name }
  const read = await own.get(approvalKind, key, { purpose: 'reread' })
  if (!read.ok) return read.error.kind === 'NotFound' ? ok(false) : read
  return ok(isSame(read.value, ref, known))
}

/** A recreated Approval with the same name and content counts as the same. */
export const isSame = (found: Stored<Approval>, ref: ModuleRef, known: ApprovalView): boolean =>
  isThere(found) &&
  found.spec.targetRef.kind === ref.kind &&
  found.spec.targetRef.name === ref.name &&
  jsonEqual(approvalView(found), known)
