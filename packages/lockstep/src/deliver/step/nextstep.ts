/** What a unit does next: pure. Its shell performs one step, looks again, and asks again. */

import { identityOf, parseDuration } from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { isDeletionPolicyNew } from '../deletion/deletionpolicy.ts'
import {
  isNothingToPrune,
  type PruneNext,
  type PruneView,
  pruneNext,
  pruneRetryMs,
} from '../deletion/prune.ts'
import {
  dueHooks,
  hookRequeueMs,
  hooksAfterFailure,
  type NextHookStep,
  nextHookStep,
} from '../hooks/nexthook.ts'
import { isOfForeignUnit } from '../ownership/foreignunit.ts'
import { hasNewWaits } from '../plan/waits.ts'
import { entriesOf } from '../state/evaluate.ts'
import type { Evaluation, NodeState, UnitInput } from '../state/unitinput.ts'
import { type DryRunNext, dryRunNext } from './dryrun.ts'
import { type AnnouncedIntent, intentWaitMs, servedIntents, type TakenObject } from './intents.ts'
import { soonestRequeue } from './requeue.ts'

export type NextStep =
  /** Announce creates and replacements before the first of them (I6, I7): one write for all of a pass. */
  | { readonly type: 'intents'; readonly nodes: readonly number[] }
  | { readonly type: 'apply'; readonly nodes: readonly number[] }
  | NextHookStep
  /** Delete what is made anew since a field cannot change; its create is an apply like any other. */
  | { readonly type: 'replace'; readonly nodes: readonly number[] }
  /** Write down why something is about to be deleted (I7): where the admission could not know of it. */
  | { readonly type: 'cause' }
  /** Delete what is no longer in the bundle, or let go of it without deleting. */
  | ({ readonly type: 'prune' } & PruneNext)
  /** Ask the cluster whether it would accept what is to change. */
  | Extract<DryRunNext, { type: 'dryrun' }>
  /** Write down what is applied, and clear the intents. */
  | { readonly type: 'record' }
  /** Nothing to do until something changes, or until `wakeInMs`. */
  | { readonly type: 'rest'; readonly wakeInMs: number | undefined; readonly prune: PruneView | undefined }

/** What was applied is written down after so long at the latest; at the end of a pass at once. */
const RECORD_AFTER_MS = 10_000

export function nextStep(
  input: UnitInput,
  e: Evaluation,
  prune: (entries: readonly InventoryObject[]) => PruneView,
): NextStep {
  const entries = [...entriesOf(input).values()]
  // Before all else: whoever removes the unit later sees the Inventory only, and would delete them.
  const freed = entries.filter((o) => input.desired.letGo.has(identityOf(o)))
  const letting = freed.length > 0 ? pruneNext(prune(freed)) : undefined
  if (letting && letting.release.length + letting.keep.length + letting.handOver.length > 0)
    return { type: 'prune', ...letting }
  const ran = nextHookStep(input, e)
  if (ran) return ran
  const tried = dryRunNext(input, e)
  if (tried.type === 'dryrun') return tried
  const early = tried.type === 'go' ? e.leaving : []
  const write = tried.type === 'go' ? (leaveFirst(input, early, prune) ?? writeNext(input, e)) : undefined
  if (write) return write
  const leftovers = entries.filter((o) => !input.desired.byId.has(identityOf(o)) && !freed.includes(o))
  const isPruning = e.synced && input.apply.prune && leftovers.length > 0
  const going = [...freed, ...(isPruning ? leftovers : early)]
  const view = going.length > 0 ? prune(going) : undefined
  return (view && pruneStep(input, view)) ?? lastNext(input, e, entries, view)
}

/** What others wait to see gone: as soon as they wait for nothing else. */
const leaveFirst = (
  input: UnitInput,
  early: readonly InventoryObject[],
  prune: (entries: readonly InventoryObject[]) => PruneView,
): NextStep | undefined => (early.length > 0 ? pruneStep(input, prune(early)) : undefined)

function pruneStep({ inventory }: UnitInput, view: PruneView): NextStep | undefined {
  const next = pruneNext(view)
  const hasCause = inventory.spec.causes?.some((c) => c.cause === 'RemovedFromBundle') === true
  if (next.remove.length + next.handOver.length > 0 && !hasCause) return { type: 'cause' }
  return isNothingToPrune(next) ? undefined : { type: 'prune', ...next }
}

/** Announcements first, then hooks, then what is made anew, then what is applied. Undefined: there is nothing to write. */
function writeNext(input: UnitInput, e: Evaluation): NextStep | undefined {
  const unannounced = withoutIntent(input, e)
  if (unannounced.length > 0) return { type: 'intents', nodes: unannounced }
  const starts = dueHooks(input, e, (phase) => phase !== 'PostSync')
  if (starts.length > 0) return { type: 'start', starts }
  const objects = e.ready.filter((n) => e.states[n]!.type !== 'hook')
  const replaced = objects.filter((n) => e.states[n]!.type === 'replace')
  const type = replaced.length > 0 ? 'replace' : 'apply'
  const ready = replaced.length > 0 ? replaced : objects
  return ready.length > 0 ? { type, nodes: ready.slice(0, input.apply.concurrency) } : undefined
}

/** What comes of a pass is written down, then hooks run that come last; else nothing, until something changes. */
function lastNext(
  input: UnitInput,
  e: Evaluation,
  entries: readonly InventoryObject[],
  view: PruneView | undefined,
): NextStep {
  const isWaitingForPrune = view !== undefined && view.entries.length > 0
  const isUnrecorded =
    input.memory.applied.size > 0 ||
    input.memory.gone.size > 0 ||
    hasNewWaits(input) ||
    (e.synced && (served(input).length > 0 || isDeletionPolicyNew(entries, input.desired)))
  const sinceWrite = input.steady - input.memory.lastWriteAt
  if (isUnrecorded && ((e.synced && !isWaitingForPrune) || sinceWrite >= RECORD_AFTER_MS))
    return { type: 'record' }
  const last = isWaitingForPrune ? [] : dueHooks(input, e, (phase) => phase === 'PostSync')
  const late = last.length > 0 ? last : hooksAfterFailure(input, e)
  if (late.length > 0) return { type: 'start', starts: late }
  const recordIn = isUnrecorded ? RECORD_AFTER_MS - sinceWrite : undefined
  const intentsIn = e.synced
    ? intentWaitMs(input.inventory.spec.intents ?? [], input.memory, input.steady, input.isSeen)
    : undefined
  const pruneIn = view && pruneRetryMs(view)
  const own = [recordIn, intentsIn, pruneIn, lookAgainIn(input), hookRequeueMs(input)]
  const wakeInMs = soonestRequeue([...own, ...wakes(input, e)])
  return { type: 'rest', wakeInMs, prune: view }
}

/** Watches say what happens; a look at the caches from time to time costs nothing and trusts nobody. */
const lookAgainIn = ({ apply }: UnitInput): number | undefined =>
  apply.drift === 'Ignore' ? undefined : Math.max(1000, parseDuration(apply.driftInterval) ?? 600_000)

/** Intents that can be taken out. */
const served = (input: UnitInput) =>
  servedIntents(
    (input.inventory.spec.intents ?? []).filter((i) => !input.marked.has(identityOf(i))),
    entriesOf(input),
    input.memory,
    input.steady,
    input.isSeen,
    input.desired,
  )

/** Objects that would be created, taken from another unit or made anew, all over the order, and that no intent announces. Empty as long as none may start. */
function withoutIntent(input: UnitInput, e: Evaluation): number[] {
  const announced = new Map((input.inventory.spec.intents ?? []).map((i) => [identityOf(i), i]))
  const creates = (n: number): boolean => {
    const s = e.states[n]!
    if (s.type === 'replace') return !s.announced
    if (s.type !== 'todo') return false
    const intent = announced.get(input.desired.objects[n]!.id)
    const taken = takenObject(s, input)
    return taken ? intent?.takes?.uid !== taken.uid : s.live === undefined && intent === undefined
  }
  return e.ready.some(creates) ? e.states.map((_, n) => n).filter(creates) : []
}

/** The object of another unit that the write of a node takes: it may be gone when its turn comes, and then it is created. */
export const takenObject = (
  s: NodeState,
  { inventory }: Pick<UnitInput, 'inventory'>,
): TakenObject | undefined =>
  s.type === 'todo' && s.live && isOfForeignUnit(s.live, inventory.metadata.uid)
    ? { uid: s.live.uid, from: s.live.unit ?? '' }
    : undefined

/** The announcement of a write to a node. */
export function announcedIntent(input: UnitInput, e: Evaluation, n: number): AnnouncedIntent {
  const state = e.states[n]!
  const replaces = state.type === 'replace' ? state.replaces : undefined
  return { d: input.desired.objects[n]!, replaces, takes: takenObject(state, input) }
}

/** Instants at which time alone changes something: settling, retries, deadlines of health. */
function wakes(input: UnitInput, e: Evaluation): (number | undefined)[] {
  const { health, memory, steady } = input
  return e.states.flatMap((s, n): (number | undefined)[] => {
    const id = input.desired.objects[n]?.id ?? ''
    if (s.type === 'wait') return [s.met ? undefined : s.wakeInMs]
    if (s.type === 'failed') return [Number.isFinite(s.retryAt) ? s.retryAt - steady : undefined]
    if (s.type === 'waiting') return [s.wakeInMs]
    if (s.type !== 'applied') return []
    const heldIn = s.held && s.held.retryAt - steady
    if (s.health.state === 'Healthy') return [heldIn, s.settlesInMs > 0 ? s.settlesInMs : undefined]
    const since = memory.since.get(id)
    const degraded = memory.degradedSince.get(id)
    return [
      heldIn,
      s.health.changesInMs,
      since === undefined || s.failed ? undefined : since + health.timeoutSeconds * 1000 - steady,
      degraded === undefined || s.failed ? undefined : degraded + health.degradedSeconds * 1000 - steady,
    ]
  })
}
