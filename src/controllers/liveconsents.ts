/** Approvals at their use: a cache that is behind may know one that was taken back. */
import type { Stored } from '../api/kind.ts'
import { type Approval, approvalKind } from '../api/registry.ts'
import type { ModuleRef } from '../core/graph/module.ts'
import { usedFirst } from '../core/rollout/approvals.ts'
import type { ApprovalView, ScheduleInput, ScheduleOutput } from '../core/rollout/types.ts'
import { ok, type Result } from '../env/result.ts'
import type { KubeError } from '../kube/error.ts'
import { jsonEqual } from '../object/object.ts'
import { approvalView, isThere } from './consents.ts'
import type { Context } from './context.ts'

/**
 * Of the Approvals that a decision uses for the first time, those that are not there any more: one live read of each. An
 * answer that does not come is an error, and nothing may be used.
 */
export async function takenBack(
  { hub }: Pick<Context, 'hub'>,
  ref: ModuleRef,
  asked: ScheduleInput,
  { stages }: ScheduleOutput,
): Promise<Result<ReadonlySet<string>, KubeError>> {
  const gone = new Set<string>()
  for (const name of usedFirst(asked, stages)) {
    const known = asked.approvals.find((a) => a.name === name)!
    const read = await hub.client.get(approvalKind, { namespace: ref.namespace, name }, { why: 'reread' })
    if (!read.ok && read.error.kind !== 'NotFound') return read
    if (!read.ok || !isSame(read.value, ref, known)) gone.add(name)
  }
  return ok(gone)
}

/** Also one that was made anew under its name says what it says. */
const isSame = (found: Stored<Approval>, ref: ModuleRef, known: ApprovalView): boolean =>
  isThere(found) &&
  found.spec.targetRef.kind === ref.kind &&
  found.spec.targetRef.name === ref.name &&
  jsonEqual(approvalView(found), known)
