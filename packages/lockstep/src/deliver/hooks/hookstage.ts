/** Where a hook stands: pure, from its record and the object that it runs as. */

import { identityOf, parseTimestampMs } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { HookRecord } from '../../api/kinds/index.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { desiredProblem, missingCopy } from '../plan/desiredproblem.ts'
import type { DesiredHook } from '../plan/desiredstate.ts'
import { desiredWaitRef, objectWaitRef } from '../state/objectwaitref.ts'
import type { HookStage, UnitInput } from '../state/unitinput.ts'
import { refusalBlocker } from '../write/refusals.ts'
import { contentSerial, hookRecordOf, isCalled, keyOfHookRecord } from './hookrecord.ts'

/** The first pause before another attempt; each later one is twice as long. */
const BACKOFF_MS = 10_000
/** A deletion does not end by a failed hook: after this pause it runs again, whatever its retries. */
const DELETION_RETRY_MS = 5 * 60_000

/** What there is under the name of a run. */
export type HookInstance =
  | { readonly is: 'unknown' }
  | { readonly is: 'gone' }
  /** The run itself. */
  | { readonly is: 'own'; readonly live: LiveObject }
  /** A run of ours before this one. */
  | { readonly is: 'former'; readonly live: LiveObject }

export function hookInstanceOf(record: HookRecord, input: UnitInput): HookInstance {
  const live = input.instance(record)
  if (live === 'unknown') return { is: 'unknown' }
  // What is not ours is met when it is created.
  if (!live || live.inventory !== input.inventory.metadata.uid) return { is: 'gone' }
  return { is: live.nonce === record.nonce ? 'own' : 'former', live }
}

export function hookStage(hook: DesiredHook, input: UnitInput): HookStage {
  if (!isCalled(hook.node, input)) return { is: 'Skipped' }
  const record = hookRecordOf(input, hook.id)
  const isNew = record?.serial !== contentSerial(input)
  if (!isNew && record?.state === 'Succeeded') return { is: 'Succeeded' }
  if (!isNew && record?.state === 'Failed') return afterFailed(record, input)
  const obstacle = obstacleOf(hook, input)
  if (obstacle) return obstacle
  const other = otherRun(hook, input)
  if (other) return { is: 'Waiting', blocker: otherBlocker(hook, other, input) }
  if (!isNew) return running(hook, record!, input)
  return lacking(hook, input) ?? { is: 'Due', attempt: 1, attempts: hook.node.retries + 1 }
}

/** A value that is copied into it does not exist. */
function lacking(hook: DesiredHook, input: UnitInput): HookStage | undefined {
  const { lack } = hook
  return lack && { is: 'Waiting', blocker: missingCopy(hook, lack, clusterOf(input)) }
}

const clusterOf = ({ inventory }: UnitInput): string => inventory.spec.clusterRef.name

/** The object of a run, as facts refer to it. */
const runRef = (record: HookRecord, input: UnitInput): WaitRefOf<'Object'> =>
  objectWaitRef(record, clusterOf(input))

/** The same object as a hook of another phase: one of them at a time. */
const otherRun = ({ id, ref }: DesiredHook, { inventory }: UnitInput): HookRecord | undefined =>
  (inventory.spec.hooks ?? []).find(
    (r) => r.state === 'Running' && identityOf(r) === identityOf(ref) && keyOfHookRecord(r) !== id,
  )

const otherBlocker = (hook: DesiredHook, other: HookRecord, input: UnitInput): NewBlocker =>
  blocked('WaitingForHook', [desiredWaitRef(hook, clusterOf(input))], {
    state: 'OtherPhase',
    phase: hook.node.phase,
    otherPhase: other.phase,
  })

function obstacleOf(hook: DesiredHook, input: UnitInput): HookStage | undefined {
  const { resource, object, ref } = hook
  const problem = desiredProblem(hook, clusterOf(input))
  if (problem) return { is: 'Failed', blocker: problem, retryAt: undefined }
  if (resource) return undefined
  const facts = { apiVersion: object.apiVersion, kind: ref.kind, action: 'Apply' } as const
  return { is: 'Waiting', blocker: blocked('KindNotServed', [desiredWaitRef(hook, clusterOf(input))], facts) }
}

/** The last attempt has failed; or there is one more, after a pause. */
function afterFailed(record: HookRecord, input: UnitInput): HookStage {
  const { attempt, attempts, phase, cause, message: detail } = record
  const on = runRef(record, input)
  const endedAt = parseTimestampMs(record.endedAt ?? '') ?? 0
  if (attempt >= attempts) {
    const retryAt = input.leaving ? endedAt + DELETION_RETRY_MS : undefined
    if (retryAt !== undefined && retryAt <= input.now)
      return { is: 'Due', attempt: attempt + 1, attempts: attempt + 1 }
    const blocker =
      record.reason === 'HookTimeout'
        ? blocked('HookTimeout', [on], { phase, attempt, attempts, seconds: record.timeoutSeconds })
        : blocked('HookFailed', [on], { phase, attempt, attempts, cause, detail })
    return { is: 'Failed', blocker, retryAt }
  }
  const retryAt = endedAt + BACKOFF_MS * 2 ** (attempt - 1)
  if (retryAt <= input.now) return { is: 'Due', attempt: attempt + 1, attempts }
  const blocker = blocked('WaitingForHook', [on], {
    state: 'Retry',
    phase,
    attempt,
    attempts,
    cause: record.reason === 'HookTimeout' ? 'TimedOut' : cause,
    detail,
    seconds: Math.ceil((retryAt - input.now) / 1000),
  })
  return { is: 'Failed', blocker, retryAt }
}

function running(hook: DesiredHook, record: HookRecord, input: UnitInput): HookStage {
  const failure = input.memory.failures.get(hook.id)
  if (failure && failure.retryAt > input.steady && failure.content === record.nonce) {
    const blocker = refusalBlocker(failure)
    if (failure.transient) return { is: 'Waiting', blocker }
    return { is: 'Refused', blocker, retryAt: failure.retryAt }
  }
  const error = input.unlisted(record)
  if (error !== undefined)
    return {
      is: 'Waiting',
      blocker: blocked('Forbidden', [runRef(record, input)], { action: 'Read', error }),
    }
  const instance = hookInstanceOf(record, input)
  const lack = instance.is === 'gone' ? lacking(hook, input) : undefined
  return lack ?? { is: 'Running', isThere: instance.is === 'own', blocker: runningBlocker(record, input) }
}

/** `content`: the run is of the content that was delivered before. */
export function runningBlocker(record: HookRecord, input: UnitInput, content?: 'Previous'): NewBlocker {
  const { phase, attempt, attempts } = record
  const { is } = hookInstanceOf(record, input)
  const state = is === 'own' ? 'Running' : is === 'former' ? 'PreviousRun' : 'Starting'
  return blocked('WaitingForHook', [runRef(record, input)], { state, phase, attempt, attempts, content })
}

/** A run of the content that was delivered before. */
export const formerBlocker = (record: HookRecord, input: UnitInput): NewBlocker =>
  runningBlocker(record, input, 'Previous')

/** Runs of content that is not delivered any more, or of hooks that it no longer has: they end first. */
export function formerRuns(input: UnitInput): HookRecord[] {
  const { hooks } = input.inventory.spec
  const running = (hooks ?? []).filter((r) => r.state === 'Running')
  if (running.length === 0) return []
  const known = knownKeys(input)
  return running.filter((r) => r.serial !== contentSerial(input) || !known.has(keyOfHookRecord(r)))
}

/** The hooks that the content has: of a unit that leaves those of its deletion, else all others. */
export function knownHooks({ desired, leaving }: UnitInput): DesiredHook[] {
  const { hooks, syncFail, preDelete, postDelete } = desired
  const all = leaving ? [preDelete, postDelete].flat(2) : [...hooks, ...syncFail.flat()]
  return all.filter((h) => h !== undefined)
}

/** Whether it is a hook of the content, whatever its turn: of a deletion that was taken back there are runs, too. */
export const contentKeys = ({ desired }: Pick<UnitInput, 'desired'>): ReadonlySet<string> => {
  const { hooks, syncFail, preDelete, postDelete } = desired
  const all = [...hooks, ...[syncFail, preDelete, postDelete].flat(2)]
  return new Set(all.flatMap((h) => (h ? [h.id] : [])))
}

export const knownKeys = (input: UnitInput): ReadonlySet<string> =>
  new Set(knownHooks(input).map((h) => h.id))
