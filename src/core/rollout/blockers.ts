/** Why clusters of a rollout wait, for people. */
import type { NewBlocker } from '../../api/blocker.ts'
import { short10 } from '../../object/object.ts'
import type { Classified } from './classify.ts'

/** Entries that a Module's status can hold. */
export const MAX_LEDGER = 4000

/** What a decision came to, as far as it made somebody wait. */
export interface Outcome {
  readonly module: string
  readonly all: readonly Classified[]
  readonly limits: { readonly total: number; readonly maxFailed: number; readonly maxUnreachable: number }
  readonly haltedAt: string | undefined
  /** Slots in use, and how many there are now. */
  readonly used: number
  readonly room: number
  /** Clusters that found no slot. */
  readonly noRoom: number
  /** Clusters that had a slot, but found the ledger full. */
  readonly noEntry: number
}

/** At most ten: of the whole rollout first, then what single clusters wait for. */
export function blockersOf(o: Outcome): NewBlocker[] {
  const unreachable = o.all.filter((c) => c.class === 'Unreachable').length
  const out: NewBlocker[] = []
  const add = (reason: NewBlocker['reason'], message: string, count?: number): void => {
    out.push({ reason, subject: o.module, message, ...(count === undefined ? {} : { count }) })
  }
  if (o.haltedAt !== undefined) add('Halted', haltText(o, o.haltedAt))
  if (unreachable > o.limits.maxUnreachable)
    add('TooManyUnreachable', `${unreachable} of ${o.limits.total}, limit ${o.limits.maxUnreachable}`)
  if (o.noRoom > 0)
    add('NoSlot', `maxUnavailable ${o.used}/${o.room}: ${o.noRoom} clusters wait for a slot`, o.noRoom)
  if (o.noEntry > 0) {
    const message = `${MAX_LEDGER} clusters are in flight or have failed, and status.rollout.ledger holds no more: ${o.noEntry} clusters wait until one is done`
    add('InFlightLimit', message, o.noEntry)
  }
  return [...out, ...gateBlockers(o.all)].slice(0, 10)
}

function haltText({ all, limits }: Outcome, revision: string): string {
  const failed = all.filter((c) => c.class === 'Failed').map((c) => c.unit.cluster)
  const seen =
    failed.length === 0
      ? 'failures were seen'
      : `${failed.length} failed (${failed.slice(0, 3).join(', ')}), maxFailed ${limits.maxFailed}`
  return `revision ${short10(revision)}: ${seen}; nothing new starts until another revision is published, or lockstep rollout retry`
}

/** One blocker a reason and subject, with the number of clusters: a status holds at most ten. */
function gateBlockers(all: readonly Classified[]): NewBlocker[] {
  const groups = new Map<string, NewBlocker & { count: number }>()
  for (const c of all) {
    for (const b of c.class === 'Blocked' || c.class === 'Leaving' || c.class === 'Unhealthy'
      ? c.unit.gate
      : []) {
      const subject = b.subject.replace(/@.*$/, '')
      const key = `${b.reason} ${subject}`
      const known = groups.get(key)
      groups.set(key, known ? { ...known, count: known.count + 1 } : { ...b, subject, count: 1 })
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.subject < b.subject ? -1 : 1))
}
