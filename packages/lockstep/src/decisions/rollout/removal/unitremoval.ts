/** How far the removal of a unit is, by the blockers that its Inventory reports. Pure. */
import { type NewBlocker, renderedText, storedBlocker } from '../../../api/blocker.ts'
import { actorOf, nameOf, type StoredFact } from '../../../api/reasons/index.ts'

/** The removal of a unit that has begun. */
export interface UnitRemoval {
  /** Its deadline runs. */
  readonly isRunning: boolean
  /** Blockers that only others end: a person, a Hold, or units that use its objects. */
  readonly waits: readonly NewBlocker[]
  /** Cause of a failure: a refused deletion, or a failed hook. */
  readonly failure: string | undefined
  /** The first blocker, for the message of the deadline. */
  readonly lacks: string | undefined
}

/** Only a person or other units end the wait: it has no entry in the ledger, and so no slot and no running time. */
export const isWaitingRemoval = ({ removal }: { readonly removal?: UnitRemoval | undefined }): boolean =>
  removal !== undefined && removal.waits.length > 0

type StoredBlocker = StoredFact & { readonly message: string }

/** `blockers`: why its objects are still there, by a report about this removal; none: the unit controller is at work. */
export function unitRemovalOf(blockers: readonly StoredBlocker[]): UnitRemoval {
  const failed = blockers.find(isFailure)
  const waits = failed === undefined && blockers.every(isWait) ? blockers.map(asNew) : []
  return {
    isRunning: failed === undefined && waits.length === 0,
    waits,
    failure: failed && failureText(failed),
    lacks: blockers[0] && renderedText(withoutAge(blockers[0])),
  }
}

/** Without the duration, which changes with each minute. */
const withoutAge = ({ facts: { minutes: _, ...facts } = {}, ...b }: StoredBlocker): StoredBlocker => ({
  ...b,
  facts,
})

const asNew = (b: StoredBlocker): NewBlocker => storedBlocker({ ...b, since: '' })

/** A server that is out of order may take the deletion later; one that refuses it does not. */
const isFailure = ({ reason, facts }: StoredBlocker): boolean =>
  HOOK_FAILURES.has(reason) || (reason === 'PruneBlocked' && facts?.because === 'Refused')

const HOOK_FAILURES: ReadonlySet<string> = new Set(['HookFailed', 'HookTimeout'])

/** A person decides, or another unit goes first. */
const isWait = ({ reason }: StoredBlocker): boolean => {
  const actor = actorOf(reason)
  return actor === 'approver' || actor === 'cause'
}

/** `ConfigMap default/x: admission webhook "keep.example.com" denied the request`. */
function failureText(b: StoredBlocker): string {
  const [ref] = b.on ?? []
  const error = b.reason === 'PruneBlocked' ? b.facts?.error : undefined
  return ref !== undefined && typeof error === 'string' ? `${nameOf(ref)}: ${error}` : renderedText(b)
}
