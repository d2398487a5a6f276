/** What is to be done on the cluster for hooks: pure. */

import { identityOf } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { HookRecord } from '../../api/kinds/index.ts'
import { HOOK_FINALIZER } from '../../api/labels.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredHook } from '../plan/desiredstate.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { refusalBlocker } from '../write/refusals.ts'
import { contentSerial, keyOfHookRecord } from './hookrecord.ts'
import { hookSettledInMs, isHookSettled } from './hooksettle.ts'
import { contentKeys, hookInstanceOf, hookStage, knownHooks } from './hookstage.ts'

export type HookEffect =
  /** `over`: what cannot be deleted for its successor is written over. */
  | {
      readonly type: 'create'
      readonly hook: DesiredHook
      readonly record: HookRecord
      readonly over?: LiveObject
    }
  /** Its result is written down: our finalizer goes. */
  | { readonly type: 'free'; readonly record: HookRecord; readonly live: LiveObject }
  | { readonly type: 'delete'; readonly record: HookRecord; readonly live: LiveObject }

/** An event that has not come for so long does not come any more: what was asked is asked again. */
const EVENT_MS = 30_000

/** Under which key `memory.deleted` has the object of a run. */
export const requestedKey = (uid: string): string => `hook ${uid}`

function isAsked({ uid }: LiveObject, { memory, steady }: UnitInput): boolean {
  const done = memory.deleted.get(requestedKey(uid))
  const refused = memory.failures.get(requestedKey(uid))
  return (
    (done !== undefined && steady - done.at < EVENT_MS) || (refused !== undefined && refused.retryAt > steady)
  )
}

/** With them would go what no hook has made (Helm too never deletes definitions that are hooks). */
const KEPT: ReadonlySet<string> = new Set(['/Namespace', 'apiextensions.k8s.io/CustomResourceDefinition'])

const isKept = ({ group, kind }: HookRecord): boolean => KEPT.has(`${group}/${kind}`)

/** When the objects of hooks may go. */
export interface EndedHookRuns {
  /** What has succeeded is not looked at any more. */
  readonly phases: ReadonlySet<HookRecord['phase']>
  /** Objects of hooks that the content no longer has go. */
  readonly stale: boolean
  /** Of these phases everything goes. */
  readonly all: ReadonlySet<HookRecord['phase']>
}

export function hookEffects(input: UnitInput, over: EndedHookRuns): HookEffect[] {
  const records = input.inventory.spec.hooks
  if (!records || records.length === 0) return []
  const byKey = new Map(knownHooks(input).map((h) => [h.id, h]))
  const inContent = contentKeys(input)
  return records.flatMap((record) => {
    const key = keyOfHookRecord(record)
    const effect =
      record.state === 'Running'
        ? toBegin(record, byKey.get(key), input)
        : afterEnd(record, inContent.has(key), input, over)
    return effect ? [effect] : []
  })
}

function toBegin(
  record: HookRecord,
  hook: DesiredHook | undefined,
  input: UnitInput,
): HookEffect | undefined {
  const instance = hookInstanceOf(record, input)
  if (instance.is === 'former' && !isKept(record)) return goes(record, instance.live, input)
  const isOpen = instance.is === 'gone' || (instance.is === 'former' && !instance.live.deleting)
  if (!isOpen || !hook || record.serial !== contentSerial(input)) return undefined
  // One that was refused waits; one whose kind is gone too.
  if (hookStage(hook, input).is !== 'Running') return undefined
  const create = { type: 'create', hook, record } as const
  return instance.is === 'former' ? { ...create, over: instance.live } : create
}

function afterEnd(
  record: HookRecord,
  isKnown: boolean,
  input: UnitInput,
  over: EndedHookRuns,
): HookEffect | undefined {
  const instance = hookInstanceOf(record, input)
  if (instance.is !== 'own' || !isHookSettled(record.nonce, input)) return undefined
  const { live } = instance
  if (isAsked(live, input)) return undefined
  if (live.finalizers.includes(HOOK_FINALIZER)) return { type: 'free', record, live }
  // What became an object of the content belongs to the order.
  if (input.desired.byId.has(identityOf(record))) return undefined
  return !live.deleting && isToGo(record, isKnown, over) ? { type: 'delete', record, live } : undefined
}

function isToGo(record: HookRecord, isKnown: boolean, over: EndedHookRuns): boolean {
  const { state, reason, policy, phase } = record
  if (over.all.has(phase)) return true
  if (isKept(record)) return false
  if (!isKnown && over.stale) return true
  // It would go on for ever.
  if (reason === 'HookTimeout') return true
  if (state === 'Failed') return policy.includes('HookFailed')
  return policy.includes('HookSucceeded') && over.phases.has(phase)
}

/** A run before: it has ended, or nobody wants its result. */
function goes(record: HookRecord, live: LiveObject, input: UnitInput): HookEffect | undefined {
  if (!isHookSettled(live.nonce ?? '', input) || isAsked(live, input)) return undefined
  if (live.finalizers.includes(HOOK_FINALIZER)) return { type: 'free', record, live }
  return live.deleting ? undefined : { type: 'delete', record, live }
}

/** What the cluster says to letting go of runs that are over, and to deleting them. */
export function refusedEffects(input: UnitInput): NewBlocker[] {
  return (input.inventory.spec.hooks ?? []).flatMap((record): NewBlocker[] => {
    const instance = hookInstanceOf(record, input)
    const refused =
      'live' in instance ? input.memory.failures.get(requestedKey(instance.live.uid)) : undefined
    if (!refused) return []
    return [refusalBlocker(refused)]
  })
}

/** Milliseconds until an object that is done with may be let go of. */
export function freeInMs(input: UnitInput): number | undefined {
  const waits = (input.inventory.spec.hooks ?? []).flatMap((r) => {
    const instance = hookInstanceOf(r, input)
    const isDone = instance.is === 'former' || (instance.is === 'own' && r.state !== 'Running')
    const left = isDone ? hookSettledInMs(instance.live.nonce ?? '', input) : 0
    return left > 0 ? [left] : []
  })
  return waits.length > 0 ? Math.min(...waits) : undefined
}
