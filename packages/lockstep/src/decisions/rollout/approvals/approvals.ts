/** The consent of people, for one stage and one revision. */

import { type Digest, isNamed, short10 } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { WaitRefOf } from '../../../api/reasons/index.ts'
import type { ApprovalView, ScheduleInput, StageState } from '../types.ts'

export interface ApprovalQuery {
  /** Module or BootstrapModule and its name. */
  readonly module: string
  readonly approvals: readonly ApprovalView[]
  readonly stage: string
  readonly point: 'Before' | 'After'
  readonly revision: Digest
}

/** What a person types to consent. */
export const approveCommand = ({
  module,
  stage,
  point,
}: Pick<ApprovalQuery, 'module' | 'stage' | 'point'>): string =>
  `lockstep rollout approve ${module.replace(/^Module\//, '')} --stage ${stage}${point === 'Before' ? ' --before' : ''}`

/**
 * Who has consented, and in which Approval; or why nobody has. An Approval counts for exactly one revision, and may be there
 * early.
 */
export function findApproval(
  c: ApprovalQuery,
): { readonly by: string; readonly name: string } | { readonly blocker: NewBlocker } {
  const asked = c.approvals
    .filter((a) => a.stage === c.stage && a.point === c.point)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const found = asked.filter((a) => isNamed(c.revision, a.revisionHash))
  const readable = found.find((a) => a.unread === undefined)
  if (readable) return { by: readable.approvedBy, name: readable.name }
  if (found[0]) {
    const facts = { stage: c.stage, error: found[0].unread! }
    return { blocker: blocked('ApprovalUnreadable', [approvalRef(found[0].name)], facts) }
  }
  const command = approveCommand(c)
  const other = asked[0]
  // Any Approval of the Module may end the wait: none has a name yet.
  const [, name = ''] = c.module.split('/')
  if (!other)
    return {
      blocker: blocked('AwaitingApproval', [approvalRef(name)], { stage: c.stage, point: c.point, command }),
    }
  const revisions = { approved: shown(other.revisionHash), revision: short10(c.revision) }
  const facts = { stage: c.stage, command, ...revisions }
  return { blocker: blocked('ApprovalForOtherRevision', [approvalRef(other.name)], facts) }
}

export const approvalRef = (name: string): WaitRefOf<'Approval'> => ({ kind: 'Approval', name })
export const holdRef = (name: string): WaitRefOf<'Hold'> => ({ kind: 'Hold', name })

/**
 * Names of the Approvals by which stages begin, or pass, that had not before. They have to be there when that is decided;
 * once a stage has begun or passed its Approval means nothing any more.
 */
export function usedFirst(
  { module, target, policy, approvals, stages: before, completedAt, rollbackCause }: Using,
  after: readonly StageState[],
): string[] {
  if (!target || rollbackCause || completedAt === target.revision) return []
  const out: string[] = []
  for (const { name, openedAt, completedAt: passedAt } of after) {
    const known = before.find((s) => s.name === name)
    const asked = policy.stages?.find((s) => s.name === name.split('/')[0])
    const use = (point: ApprovalQuery['point']): void => {
      const found = findApproval({ module, approvals, stage: name, point, revision: target.revision })
      if ('name' in found) out.push(found.name)
    }
    if (asked?.approvalBefore === 'Required' && openedAt !== undefined && known?.openedAt === undefined)
      use('Before')
    if (asked?.approval === 'Required' && passedAt !== undefined && known?.completedAt === undefined)
      use('After')
  }
  return out
}

type Using = Pick<
  ScheduleInput,
  'module' | 'target' | 'policy' | 'approvals' | 'stages' | 'completedAt' | 'rollbackCause'
>

const shown = (hash: string): string => (hash.includes(':') ? short10(hash) : hash)

/** The stage of consents to deletions that manifests want a person to confirm. */
export const PRUNE_STAGE = 'prune'

/** Consents to such deletions by this revision. */
export const pruneApprovals = (approvals: readonly ApprovalView[], revision: Digest): ApprovalView[] =>
  approvals.filter((a) => a.stage === PRUNE_STAGE && isNamed(revision, a.revisionHash))
