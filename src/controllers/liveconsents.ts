/** Approvals at their use: a cache that is behind may know one that was taken back. */
import type { Stored } from '../api/kind.ts'
import { type Approval, approvalKind } from '../api/registry.ts'
import type { ModuleRef } from '../core/graph/module.ts'
import { pruneConsents, usedFirst } from '../core/rollout/approvals.ts'
import type { ApprovalView, ScheduleInput, ScheduleOutput } from '../core/rollout/types.ts'
import { ok, type Result } from '../env/result.ts'
import type { KubeError } from '../kube/error.ts'
import { type Digest, jsonEqual } from '../object/object.ts'
import { approvalsOf, approvalView, isThere } from './consents.ts'
import type { Context } from './context.ts'
import { type Decided, type Deciders, type Deciding, decide } from './decide.ts'

/**
 * Of the Approvals that a decision uses for the first time, those that are not there any more: one live read of each. An
 * answer that does not come is an error, and nothing may be used.
 */
async function takenBack(
  { hub }: Pick<Context, 'hub'>,
  ref: ModuleRef,
  asked: ScheduleInput,
  { stages }: ScheduleOutput,
): Promise<Result<ReadonlySet<string>, KubeError>> {
  const gone = new Set<string>()
  for (const name of usedFirst(asked, stages)) {
    const isThere = await isStillThere(hub, ref, asked.approvals.find((a) => a.name === name)!)
    if (!isThere.ok) return isThere
    if (!isThere.value) gone.add(name)
  }
  return ok(gone)
}

/** By consents that are there: what a cache still has of others does not count. */
export async function decideLive(
  c: Pick<Context, 'hub'> & Deciders,
  d: Deciding,
): Promise<Result<Decided & { readonly isBehind: boolean }, KubeError>> {
  const first = decide(c, d)
  const gone = await takenBack(c, d.ref, first.input, first.rollout)
  if (!gone.ok) return gone
  const isBehind = gone.value.size > 0
  return ok({ ...(isBehind ? decide(c, d, gone.value) : first), isBehind })
}

/**
 * Before objects are deleted: whether a consent to that, which the cache has, is there. True as well where the cache has
 * none: then nothing of it was used.
 */
export async function isPruneConsentThere(
  { hub }: Pick<Context, 'hub'>,
  ref: ModuleRef,
  revision: Digest,
): Promise<Result<boolean, KubeError>> {
  const consents = pruneConsents(approvalsOf(hub, ref), revision)
  for (const known of consents) {
    const isThere = await isStillThere(hub, ref, known)
    if (!isThere.ok || isThere.value) return isThere
  }
  return ok(consents.length === 0)
}

async function isStillThere(
  { client }: Context['hub'],
  ref: ModuleRef,
  known: ApprovalView,
): Promise<Result<boolean, KubeError>> {
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
