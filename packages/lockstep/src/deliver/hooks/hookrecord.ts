/** What is written down of hooks, and how it is found. Pure. */

import { identityOf, type ObjectReference, timestamp } from '@lockstep/kube/object'
import type { HookRecord } from '../../api/kinds/index.ts'
import type { HookNode, HookTrigger } from '../../decisions/order/index.ts'
import type { DesiredHook } from '../plan/desiredstate.ts'
import { kindNameText } from '../state/objectwaitref.ts'
import type { UnitInput } from '../state/unitinput.ts'

/** Which hook a record is of: the id of its node. */
export const keyOfHookRecord = (r: Pick<HookRecord, 'phase'> & ObjectReference): string =>
  `${r.phase} ${identityOf(r)}`

export const hookRecordOf = (
  { inventory }: Pick<UnitInput, 'inventory'>,
  key: string,
): HookRecord | undefined => inventory.spec.hooks?.find((r) => keyOfHookRecord(r) === key)

/** The content that is delivered now. A run of anything else is that of an earlier one. */
export const contentSerial = ({ inventory }: Pick<UnitInput, 'inventory'>): number =>
  inventory.spec.admitted?.contentSerial ?? 0

const EVENTS: Readonly<Record<string, HookTrigger>> = {
  Install: 'install',
  Upgrade: 'upgrade',
  Rollback: 'rollback',
}

/** Whether the content that is delivered calls for it. */
export function isCalled({ when }: HookNode, { inventory }: Pick<UnitInput, 'inventory'>): boolean {
  const event = EVENTS[inventory.spec.admitted?.change ?? '']
  return when.includes('always') || (event !== undefined && when.includes(event))
}

/** A run that is about to begin. */
export interface HookStart {
  readonly hook: DesiredHook
  readonly attempt: number
  readonly attempts: number
}

/** The record of a run that begins. `now`: wall clock, milliseconds. */
export function newRun(
  { hook, attempt, attempts }: HookStart,
  { inventory, health }: Pick<UnitInput, 'inventory' | 'health'>,
  run: { readonly nonce: string; readonly now: number },
): HookRecord {
  const { node, ref, resource } = hook
  const { group, kind, namespace, name } = ref
  const serial = contentSerial({ inventory })
  return {
    group,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    version: resource!.version,
    phase: node.phase,
    serial,
    attempt,
    attempts,
    nonce: run.nonce,
    policy: [...node.policy],
    timeoutSeconds: node.timeoutSeconds ?? health.hookTimeoutSeconds,
    startedAt: timestamp(run.now),
    state: 'Running',
  }
}

/** `hook Job app/migrate (PreSync, attempt 1 of 1)`. */
export const runText = (r: HookRecord): string =>
  `hook ${kindNameText(r)} (${r.phase}, attempt ${r.attempt} of ${r.attempts})`

/** The records with some of them replaced, or new. */
export function withRecords(
  known: readonly HookRecord[] | undefined,
  changed: readonly HookRecord[],
): HookRecord[] {
  const byKey = new Map((known ?? []).map((r) => [keyOfHookRecord(r), r]))
  for (const r of changed) byKey.set(keyOfHookRecord(r), r)
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, r]) => r)
}
