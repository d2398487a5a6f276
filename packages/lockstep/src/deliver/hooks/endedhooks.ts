/** What is to be written down of hooks that ran: pure. */

import { identityOf, timestamp } from '@lockstep/kube/object'
import type { HookRecord } from '../../api/kinds/index.ts'
import { HOOK_FINALIZER } from '../../api/labels.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { failedHookOutcome, type HookOutcome, hookOutcomeOf } from './hookoutcome.ts'
import { contentSerial, keyOfHookRecord } from './hookrecord.ts'
import { isHookSettled } from './hooksettle.ts'
import { contentKeys, hookInstanceOf, knownKeys } from './hookstage.ts'

/**
 * The records once what has ended is said; undefined: they say so already. `isOver`: everything else is delivered, and
 * records of hooks that the content no longer has may go.
 */
export function endedHooks(input: UnitInput, isOver: boolean): HookRecord[] | undefined {
  const before = input.inventory.spec.hooks
  if (!before || before.length === 0) return undefined
  const known = knownKeys(input)
  const inContent = contentKeys(input)
  let isChanged = false
  const after = before.flatMap((record): HookRecord[] => {
    const next = record.state === 'Running' ? afterRun(record, known, input) : record
    if (next !== record) isChanged = true
    const isStale = !inContent.has(keyOfHookRecord(record))
    if (isOver && isStale && next.state !== 'Running' && isLetGo(record, input)) {
      isChanged = true
      return []
    }
    return [next]
  })
  // A uid that was seen is no reason for a write of its own.
  return isChanged ? after.map((r) => withUid(r, input)) : undefined
}

function isLetGo(record: HookRecord, input: UnitInput): boolean {
  const instance = hookInstanceOf(record, input)
  if (instance.is === 'gone') return true
  return (
    instance.is !== 'unknown' &&
    input.desired.byId.has(identityOf(record)) &&
    !instance.live.finalizers.includes(HOOK_FINALIZER)
  )
}

function afterRun(record: HookRecord, known: ReadonlySet<string>, input: UnitInput): HookRecord {
  const outcome = resultOf(record, known, input)
  if (!outcome) return record
  const ended = { ...record, state: outcome.state, endedAt: timestamp(input.now) }
  if (outcome.state !== 'Failed') return ended
  const { reason, cause, message } = outcome
  return {
    ...ended,
    reason,
    ...(cause === undefined ? {} : { cause }),
    ...(message === undefined ? {} : { message }),
  }
}

function resultOf(record: HookRecord, known: ReadonlySet<string>, input: UnitInput): HookOutcome | undefined {
  const instance = hookInstanceOf(record, input)
  if (instance.is === 'own') return hookOutcomeOf(record, instance.live, input)
  if (instance.is !== 'gone') return undefined
  const wasThere = record.uid !== undefined || input.memory.hookRuns.get(record.nonce)?.madeAt !== undefined
  if (wasThere) return failedHookOutcome('DeletedUnread')
  const isFormer = record.serial !== contentSerial(input) || !known.has(keyOfHookRecord(record))
  return isFormer && isHookSettled(record.nonce, input) ? failedHookOutcome('Superseded') : undefined
}

/** So that a run that vanishes is told from one that has not begun. */
function withUid(record: HookRecord, input: UnitInput): HookRecord {
  if (record.uid !== undefined) return record
  const instance = hookInstanceOf(record, input)
  return instance.is === 'own' ? { ...record, uid: instance.live.uid } : record
}
