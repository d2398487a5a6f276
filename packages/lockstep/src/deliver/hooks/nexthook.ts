/** What hooks want next: pure. */
import type { HookRecord } from '../../api/kinds/index.ts'
import type { HookPhase } from '../../decisions/order/index.ts'
import type { DesiredHook, DesiredSteps } from '../plan/desiredstate.ts'
import { unitHealth } from '../state/unithealth.ts'
import type { Evaluation, HookStage, UnitInput } from '../state/unitinput.ts'
import { soonestRequeue } from '../step/requeue.ts'
import { endedHooks } from './endedhooks.ts'
import { freeInMs, type HookEffect, hookEffects, requestedKey } from './hookeffects.ts'
import { hookDeadlineOf, settlesInMs } from './hookoutcome.ts'
import { type HookStart, keyOfHookRecord } from './hookrecord.ts'
import { hookSettledInMs } from './hooksettle.ts'
import { hookInstanceOf, hookStage, knownHooks } from './hookstage.ts'

export type NextHookStep =
  /** Write down what hooks came to, or forget hooks that are no more. */
  | { readonly type: 'hooks'; readonly records: readonly HookRecord[] }
  /** Write down that hooks run, before anything of them is made. */
  | { readonly type: 'start'; readonly starts: readonly HookStart[] }
  /** Make, let go of or delete what hooks run as. */
  | { readonly type: 'effects'; readonly effects: readonly HookEffect[] }

/** Results first, then what follows from them on the cluster. */
export function nextHookStep(input: UnitInput, e: Evaluation): NextHookStep | undefined {
  if ((input.inventory.spec.hooks ?? []).length === 0) return undefined
  const records = endedHooks(input, e.synced && input.apply.prune)
  if (records) return { type: 'hooks', records }
  const { syncFail } = input.desired
  const effects = hookEffects(input, {
    phases: new Set<HookPhase>([...(e.complete ? MAIN : []), ...(isAtWork(syncFail, input) ? [] : LAST)]),
    stale: e.synced && input.apply.prune,
    all: new Set(),
  })
  return effects.length > 0 ? { type: 'effects', effects } : undefined
}

const MAIN: readonly HookPhase[] = ['PreSync', 'Sync', 'PostSync']
const LAST: readonly HookPhase[] = ['SyncFail']

const isAtWork = (steps: DesiredSteps, input: UnitInput): boolean =>
  steps.flat().some((h) => hookStage(h, input).is === 'Running')

/** Hooks of some phases whose turn has come. */
export function dueHooks(
  input: UnitInput,
  e: Evaluation,
  isMeant: (phase: HookPhase) => boolean,
): readonly HookStart[] {
  return e.ready.flatMap((n) => {
    const hook = input.desired.hooks[n]
    const state = e.states[n]!
    return hook && state.type === 'hook' && isMeant(hook.node.phase) ? startOf(hook, state.stage) : []
  })
}

const startOf = (hook: DesiredHook, stage: HookStage): HookStart[] =>
  stage.is === 'Due' ? [{ hook, attempt: stage.attempt, attempts: stage.attempts }] : []

/** Hooks that run after a failure: once it is one that stays, and nothing else is under way. */
export function hooksAfterFailure(input: UnitInput, e: Evaluation): readonly HookStart[] {
  if (input.desired.syncFail.length === 0 || e.former.length > 0) return []
  const isBusy = e.states.some((s) => s.type === 'hook' && isUnderWay(s.stage))
  if (isBusy || e.ready.length > 0 || unitHealth(input, e, undefined).health !== 'Failed') return []
  return hookProgressOf(input.desired.syncFail, input).starts
}

const isUnderWay = (s: HookStage): boolean =>
  s.is === 'Running' || (s.is === 'Failed' && s.retryAt !== undefined)

export interface HookProgress {
  readonly starts: readonly HookStart[]
  /** The hooks that are looked at now. */
  readonly stages: readonly HookStage[]
  readonly isDone: boolean
}

/** Steps one after the other: the next begins when all of the one before have succeeded. */
export function hookProgressOf(steps: DesiredSteps, input: UnitInput): HookProgress {
  for (const step of steps) {
    const stages = step.map((h) => hookStage(h, input))
    const isDone = stages.every((s) => s.is === 'Succeeded' || s.is === 'Skipped')
    if (!isDone) return { starts: step.flatMap((h, i) => startOf(h, stages[i]!)), stages, isDone }
  }
  return { starts: [], stages: [], isDone: true }
}

const LOOK_AGAIN_MS = 10_000

/** Milliseconds until time alone changes something about a hook. */
export function hookRequeueMs(input: UnitInput): number | undefined {
  const pauses = knownHooks(input).flatMap((h) => {
    const stage = hookStage(h, input)
    if (stage.is === 'Failed' && stage.retryAt !== undefined) return [stage.retryAt - input.now]
    // Of a unit that leaves, nobody watches where values are copied from.
    if (stage.is === 'Waiting' && h.lack && input.leaving) return [LOOK_AGAIN_MS]
    return stage.is === 'Refused' ? [stage.retryAt - input.steady] : []
  })
  const tries = (input.inventory.spec.hooks ?? []).flatMap((r) => {
    const instance = hookInstanceOf(r, input)
    const { failures } = input.memory
    const made = r.state === 'Running' ? failures.get(keyOfHookRecord(r)) : undefined
    const gone = 'live' in instance ? failures.get(requestedKey(instance.live.uid)) : undefined
    const again = [made, gone].flatMap((f) => (f?.content === r.nonce ? [f.retryAt - input.steady] : []))
    const isUnmade = r.state === 'Running' && instance.is === 'gone'
    return [...again, isUnmade ? hookSettledInMs(r.nonce, input) : 0].filter((x) => x > 0)
  })
  const ends = (input.inventory.spec.hooks ?? []).flatMap((record) => {
    const instance = hookInstanceOf(record, input)
    if (record.state !== 'Running' || instance.is !== 'own') return []
    const settles = settlesInMs(record, instance.live, input)
    return [hookDeadlineOf(record, instance.live) - input.now, settles > 0 ? settles : undefined]
  })
  return soonestRequeue([...pauses, ...tries, ...ends, freeInMs(input)])
}
