/** Where a hook stands: pure, from its record and the object that it runs as. */

import { identityOf, parseTimestampMs, refText } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { HookRecord } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredHook } from '../plan/desiredstate.ts'
import type { HookStage, UnitInput } from '../state/unitinput.ts'
import { contentSerial, hookRecordOf, isCalled, keyOfHookRecord, runText } from './hookrecord.ts'

/** The first pause before another attempt; each later one is twice as long. */
const BACKOFF_MS = 10_000

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
  const obstacle = obstacleOf(hook)
  if (obstacle) return obstacle
  const other = otherRun(hook, input)
  if (other) return { is: 'Waiting', blocker: otherBlocker(hook, other) }
  if (!isNew) return running(hook, record!, input)
  return lacking(hook) ?? { is: 'Due', attempt: 1, attempts: hook.node.retries + 1 }
}

/** A value that is to be copied into it is not there. */
function lacking({ lack, ref, node }: DesiredHook): HookStage | undefined {
  if (!lack) return undefined
  const message = `hook ${refText(ref)} (${node.phase}) ${lack.message}`
  return { is: 'Waiting', blocker: { reason: lack.reason, subject: `${ref.kind}/${ref.name}`, message } }
}

/** The same object as a hook of another phase: one of them at a time. */
const otherRun = ({ id, ref }: DesiredHook, { inventory }: UnitInput): HookRecord | undefined =>
  (inventory.spec.hooks ?? []).find(
    (r) => r.state === 'Running' && identityOf(r) === identityOf(ref) && keyOfHookRecord(r) !== id,
  )

const otherBlocker = ({ ref, node }: DesiredHook, other: HookRecord): NewBlocker => ({
  reason: 'WaitingForHook',
  subject: `${ref.kind}/${ref.name}`,
  message: `hook ${refText(ref)} (${node.phase}) begins once its run in phase ${other.phase} has ended`,
})

function obstacleOf({ problem, resource, object, ref }: DesiredHook): HookStage | undefined {
  const subject = `${ref.kind}/${ref.name}`
  if (problem) return { is: 'Failed', blocker: { ...problem, subject }, retryAt: undefined }
  if (resource) return undefined
  const message = `no API serves ${object.apiVersion} ${ref.kind} (hook ${refText(ref)}); deliver its CRD first or add dependsOn`
  return { is: 'Waiting', blocker: { reason: 'KindNotServed', subject, message } }
}

/** The last attempt has failed; or there is one more, after a pause. */
function afterFailed(record: HookRecord, { now }: UnitInput): HookStage {
  const { attempt, attempts, kind, name } = record
  const subject = `${kind}/${name}`
  const message = record.message ?? runText(record)
  if (attempt >= attempts) {
    const reason = record.reason === 'HookTimeout' ? 'HookTimeout' : 'HookFailed'
    return { is: 'Failed', blocker: { reason, subject, message }, retryAt: undefined }
  }
  const retryAt = (parseTimestampMs(record.endedAt ?? '') ?? 0) + BACKOFF_MS * 2 ** (attempt - 1)
  if (retryAt <= now) return { is: 'Due', attempt: attempt + 1, attempts }
  const seconds = Math.ceil((retryAt - now) / 1000)
  const blocker: NewBlocker = {
    reason: 'WaitingForHook',
    subject,
    message: `${message}; attempt ${attempt + 1} of ${attempts} begins in ${seconds}s`,
  }
  return { is: 'Failed', blocker, retryAt }
}

function running(hook: DesiredHook, record: HookRecord, input: UnitInput): HookStage {
  const subject = `${record.kind}/${record.name}`
  const failure = input.memory.failures.get(hook.id)
  if (failure && failure.retryAt > input.steady && failure.content === record.nonce) {
    const blocker: NewBlocker = { reason: failure.reason, subject, message: failure.message }
    if (failure.transient) return { is: 'Waiting', blocker }
    return { is: 'Refused', blocker, retryAt: failure.retryAt }
  }
  const words = input.unlisted(record)
  if (words !== undefined) return { is: 'Waiting', blocker: unlistedBlocker(record, words) }
  const instance = hookInstanceOf(record, input)
  const lack = instance.is === 'gone' ? lacking(hook) : undefined
  return lack ?? { is: 'Running', isThere: instance.is === 'own', blocker: runningBlocker(record, instance) }
}

const unlistedBlocker = (record: HookRecord, words: string): NewBlocker => ({
  reason: 'Forbidden',
  subject: `${record.kind}/${record.name}`,
  message: `${runText(record)} cannot be looked at: ${words}`,
})

export function runningBlocker(record: HookRecord, instance: HookInstance): NewBlocker {
  const subject = `${record.kind}/${record.name}`
  const what = instance.is === 'own' ? 'runs' : instance.is === 'former' ? FORMER : 'is being started'
  return { reason: 'WaitingForHook', subject, message: `${runText(record)} ${what}` }
}

/** A run of what was delivered before. */
export const formerBlocker = (record: HookRecord, input: UnitInput): NewBlocker => {
  const { reason, subject, message } = runningBlocker(record, hookInstanceOf(record, input))
  return { reason, subject, message: `${message} for what was delivered before: it ends first` }
}

const FORMER = 'begins once the run before it is gone'

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
