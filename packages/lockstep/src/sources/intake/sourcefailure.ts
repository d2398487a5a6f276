import { blocked, type NewBlocker } from '../../api/blocker.ts'
import {
  type BlockerReason,
  type FactsOf,
  messageOf,
  type ReasonFact,
  type RefsOf,
  textOf,
} from '../../api/reasons/index.ts'

/** Why a source has no bundle. The published revision stays. */
export interface SourceFailure extends Pick<NewBlocker, 'reason' | 'on' | 'facts' | 'message'> {
  /** Ends by itself or with an event (true), or only by a change of the module (false). */
  readonly transient: boolean
  /** Earliest next request, in milliseconds from now. */
  readonly retryAfterMs?: number
  /** Further failures of the same source, as objects of one render have. */
  readonly others?: readonly SourceFailure[]
}

/** A failure from facts; the references are added where the Module is known. */
export function fault<R extends BlockerReason>(
  reason: R,
  facts: FactsOf<R>,
  transient = false,
  on: RefsOf<R> | readonly never[] = [],
): SourceFailure {
  return faultOf(blocked(reason, on as RefsOf<R>, facts), transient)
}

/** A failure of an order, an object or a binding. */
export const faultOf = (
  {
    reason,
    on = [],
    facts,
    message,
  }: Pick<NewBlocker, 'reason' | 'facts' | 'message'> & Partial<Pick<NewBlocker, 'on'>>,
  transient = false,
): SourceFailure => ({ reason, on, facts, message, transient })

/** Failures as one: the first, with the others. */
export function combined(failures: readonly SourceFailure[]): SourceFailure {
  const [first, ...others] = failures
  return others.length === 0 ? first! : { ...first!, others }
}

/** The same failure with the field of the spec that it is about. */
export const inField = (failure: SourceFailure, field: string): SourceFailure =>
  withFact(failure, 'field', field)

/** Of a file: InvalidObject may end with an entry in `spec.source.ignore`. */
export const ignorable = (failure: SourceFailure): SourceFailure =>
  failure.reason === 'InvalidObject' ? withFact(failure, 'ignorable', 'Yes') : failure

function withFact(failure: SourceFailure, name: string, value: string): SourceFailure {
  const facts = { ...failure.facts, [name]: value }
  const { reason, on } = failure
  return { ...failure, facts, message: textOf(messageOf({ reason, on, facts } as unknown as ReasonFact)) }
}

/** Lines of printers. */
const MAX_LINES = 20

/** The messages of a failure and its others, a line each. */
export function faultLines(failure: Pick<SourceFailure, 'message' | 'others'>): string {
  const all = [failure, ...(failure.others ?? [])]
  const more = all.length > MAX_LINES ? [`and ${all.length - MAX_LINES} more`] : []
  return [...all.slice(0, MAX_LINES).map((f) => f.message), ...more].join('\n')
}
