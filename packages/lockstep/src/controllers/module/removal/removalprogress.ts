/** Progress of the removals of a Module, for its status. Pure. */
import type { NewBlocker } from '../../../api/blocker.ts'
import { isToRemove, type RemovalCounts } from '../../../decisions/rollout/index.ts'
import type { UnitFacts } from '../unitviews.ts'

/** A cluster, and why the Module is still there. */
interface RemovalCause {
  readonly cluster: string
  readonly message: string
}

/** Progress of the removals of a Module. */
export interface RemovalProgress extends RemovalCounts {
  readonly failures: readonly RemovalCause[]
  /** Units that others keep: a person, dependents, clusters out of reach. */
  readonly waits: readonly RemovalCause[]
  /** Only failed removals are left, and those that start when fewer fail. */
  readonly isStuck: boolean
}

export function removalProgressOf(
  counts: RemovalCounts | undefined,
  ledger: readonly {
    readonly cluster: string
    readonly kind: string
    readonly failed?: string | undefined
  }[],
  units: readonly UnitFacts[],
): RemovalProgress | undefined {
  if (!counts) return undefined
  const failed = new Map(
    ledger.flatMap((e) => (e.kind === 'Remove' && e.failed !== undefined ? [[e.cluster, e.failed]] : [])),
  )
  const left = units.filter((u) => isToRemove(u.view))
  const failures: RemovalCause[] = []
  const waits: RemovalCause[] = []
  let running = 0
  for (const unit of left) {
    const { cluster, leaving } = unit.view
    const failure = failed.get(cluster)
    const [wait] = waitsOf(unit)
    if (failure !== undefined) failures.push({ cluster, message: failure })
    else if (wait) waits.push({ cluster, message: `${wait.reason}: ${wait.message}` })
    else if (leaving || counts.failed <= counts.maxFailed) running++
  }
  return { ...counts, failures, waits, isStuck: failures.length > 0 && waits.length + running === 0 }
}

const waitsOf = ({ view, condition }: UnitFacts): readonly NewBlocker[] => {
  if (view.clusterState !== 'Connected') return condition.blocker ? [condition.blocker] : []
  return view.leaving ? (view.removal?.waits ?? []) : view.dependants
}

/** `Deleting: deleted from 1 of 3 clusters; 1 failed (c1: …), 1 waits (c2: …)`. */
export function removalText({ total, left, failures, waits }: RemovalProgress): string {
  const groups = [groupText(failures, 'failed', 'failed'), groupText(waits, 'waits', 'wait')].filter(
    (text) => text !== '',
  )
  const done = `Deleting: deleted from ${total - left} of ${total} cluster${total === 1 ? '' : 's'}`
  return groups.length === 0 ? done : `${done}; ${groups.join(', ')}`
}

const groupText = ([first, ...others]: readonly RemovalCause[], one: string, many: string): string => {
  if (!first) return ''
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${others.length + 1} ${others.length === 0 ? one : many} (${first.cluster}: ${first.message}${more})`
}
