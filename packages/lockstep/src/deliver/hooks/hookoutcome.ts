/** What has become of a hook's run: pure, from the object that it runs as. */

import { type ExpressionRule, expressionRules, healthOf, ruleFor, SUCCEEDED } from '@lockstep/health/health'
import { at, isObject, type KubeObject, parseTimestampMs } from '@lockstep/kube/object'
import type { HookRecord } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { settleTime } from '../state/appliedhealth.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { knownHooks } from './hookstage.ts'

export type HookOutcome =
  | { readonly state: 'Succeeded' }
  | ({ readonly state: 'Failed' } & Pick<HookRecord, 'cause' | 'message'> & {
        readonly reason: 'HookFailed' | 'HookTimeout'
      })

/** Undefined: it runs. `live` is the run's own object. */
export function hookOutcomeOf(
  record: HookRecord,
  live: LiveObject,
  input: UnitInput,
): HookOutcome | undefined {
  const result = resultOf(record, live, input)
  if (result === 'Succeeded') return { state: 'Succeeded' }
  if (result) return failedHookOutcome('Failed', result.failed)
  if (live.deleting) return failedHookOutcome('Deleted')
  return input.now >= hookDeadlineOf(record, live) ? TIMED_OUT : undefined
}

export const failedHookOutcome = (
  cause: NonNullable<HookRecord['cause']>,
  message?: string,
): HookOutcome => ({
  state: 'Failed',
  reason: 'HookFailed',
  cause,
  ...(message === undefined ? {} : { message }),
})

const TIMED_OUT: HookOutcome = { state: 'Failed', reason: 'HookTimeout' }

/** Wall clock, milliseconds. The clock of the cluster may be another one: the later beginning counts. */
export function hookDeadlineOf(record: HookRecord, live: LiveObject): number {
  const begun = parseTimestampMs(live.object.metadata.creationTimestamp ?? '') ?? 0
  return Math.max(begun, parseTimestampMs(record.startedAt) ?? 0) + record.timeoutSeconds * 1000
}

/**
 * Its health, as it would be without a request to delete it: a Job or Pod has to end, of all else it is enough to be
 * healthy. Degraded and Unknown are final (gitops-engine `sync_context.go`, `getOperationPhase`), but for what says nothing
 * of itself yet, and for an expression that errs: it may read what is not there yet.
 */
function resultOf(
  record: HookRecord,
  live: LiveObject,
  input: UnitInput,
): 'Succeeded' | { readonly failed: string } | undefined {
  const { deletionTimestamp: _, ...metadata } = live.object.metadata
  const object = { ...live.object, metadata }
  const rule = ruleFor(expressionRules(input.health.expressions), object)
  const { state, message } = healthOf(object, input.now, rule)
  if (record.group === '' && record.kind === 'Pod') {
    if (message === SUCCEEDED) return 'Succeeded'
    return at(object, 'status', 'phase') === 'Failed' ? { failed: message } : undefined
  }
  if (state === 'Degraded' || (state === 'Unknown' && !isEarly(object, rule))) return { failed: message }
  return state === 'Healthy' && settlesInMs(record, live, input) === 0 ? 'Succeeded' : undefined
}

function isEarly(object: KubeObject, rule: ExpressionRule | undefined): boolean {
  const status = at(object, 'status')
  return rule !== undefined || !isObject(status) || Object.keys(status).length === 0
}

/** What reports nothing may be looked at too early. */
export function settlesInMs(record: HookRecord, live: LiveObject, input: UnitInput): number {
  const madeAt = input.memory.hookRuns.get(record.nonce)?.madeAt ?? input.memory.bornAt
  const { group, kind } = record
  const resource = knownHooks(input).find((h) => h.ref.group === group && h.ref.kind === kind)?.resource
  return Math.max(0, madeAt + settleTime({ ref: record, resource }, live, input) - input.steady)
}
