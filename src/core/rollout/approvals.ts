/** The consent of people, for one stage and one revision. */
import type { NewBlocker } from '../../api/blocker.ts'
import { type Digest, isNamed, short10 } from '../../object/object.ts'
import type { ApprovalView } from './types.ts'

export interface Consent {
  /** Module or BootstrapModule and its name. */
  readonly module: string
  readonly approvals: readonly ApprovalView[]
  readonly stage: string
  readonly point: 'Before' | 'After'
  readonly revision: Digest
}

/** Who has consented; or why nobody has. An Approval counts for exactly one revision, and may be there early. */
export function consentTo(c: Consent): { readonly by: string } | { readonly blocker: NewBlocker } {
  const asked = c.approvals
    .filter((a) => a.stage === c.stage && a.point === c.point)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const found = asked.find((a) => isNamed(c.revision, a.revisionHash))
  if (found) return { by: found.approvedBy }
  const name = c.module.replace(/^Module\//, '')
  const command = `lockstep rollout approve ${name} --stage ${c.stage}${c.point === 'Before' ? ' --before' : ''}`
  const other = asked[0]
  if (!other)
    return {
      blocker: { reason: 'AwaitingApproval', subject: c.module, message: `stage ${c.stage}: ${command}` },
    }
  const message = `stage ${c.stage}: approval ${other.name} is for ${shown(other.revisionHash)}, this is ${short10(c.revision)}: ${command}`
  return { blocker: { reason: 'ApprovalForOtherRevision', subject: c.module, message } }
}

const shown = (hash: string): string => (hash.includes(':') ? short10(hash) : hash)

/** The stage of consents to deletions that manifests want a person to confirm. */
export const PRUNE_STAGE = 'prune'

/** Whether somebody has consented to such deletions by this revision. */
export const mayPrune = (approvals: readonly ApprovalView[], revision: Digest): boolean =>
  approvals.some((a) => a.stage === PRUNE_STAGE && isNamed(revision, a.revisionHash))
