/** What is worth an Event of a ClusterResourceSet about one cluster: all is applied there now, or something is refused. Pure. */
import { aboutOf, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryStatus, ResourceSetSourceRef } from '../../api/kinds/index.ts'
import { sourceText } from '../../deliver/modes/index.ts'
import type { EventNote } from '../runtime/index.ts'

export interface SetUnitEvents {
  readonly cluster: string
  /** Before this look. */
  readonly before: Pick<InventoryStatus, 'state'> | undefined
  /** All of what was refused, and so is in the status. */
  readonly failures: readonly NewBlocker[]
  /** Sources of which all that was left was written in this look. */
  readonly applied: readonly ResourceSetSourceRef[]
  /** Tells this success from others; not shown. */
  readonly at: string
}

/** One for a cluster that begins to refuse something, and one for each success. */
export function setUnitNotes({ cluster, before, failures, applied, at }: SetUnitEvents): EventNote[] {
  const [first] = failures
  if (first) {
    if (before?.state === 'Failed') return []
    const more = failures.length === 1 ? '' : `; and ${failures.length - 1} more`
    const text = `${cluster}: ${first.message}${more}`
    return [
      { type: 'Warning', reason: 'ApplyFailed', action: 'Apply', text, of: `${cluster} ${aboutOf(first)}` },
    ]
  }
  if (applied.length === 0) return []
  const text = `${cluster}: ${applied.map(sourceText).join(', ')} applied`
  return [{ type: 'Normal', reason: 'Applied', action: 'Apply', text, of: `${cluster} ${at}` }]
}
