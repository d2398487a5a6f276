/** Tells the last lines of what hooks have written, where their authors ask for that. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { podKind } from '@lockstep/kube/kinds'
import type { KubeObject } from '@lockstep/kube/object'
import type { HookRecord } from '../../../api/kinds/index.ts'
import {
  keyOfHookRecord,
  knownHooks,
  lastLines,
  outputContainerOf,
  runText,
  secretsOfPod,
  TAIL_LINES,
  wholeLines,
} from '../../../deliver/hooks/index.ts'
import type { UnitInput } from '../../../deliver/state/index.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'

const LIMIT_BYTES = 65_536
/** What an Event has room for beside the name of the run. */
const MOST_BYTES = 800
const CALL = { purpose: 'hook' } as const

/** Runs that ended between the Inventory and `records`. */
export function endedHooks(
  { inventory }: Pick<UnitScope, 'inventory'>,
  records: readonly HookRecord[],
): HookRecord[] {
  const before = new Map((inventory.spec.hooks ?? []).map((r) => [keyOfHookRecord(r), r]))
  return records.filter((r) => {
    return before.get(keyOfHookRecord(r))?.state === 'Running' && r.state !== 'Running'
  })
}

/** Best effort, and no decision waits for it but the deletion of what has written it. */
export async function recordHookOutput(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
  records: readonly HookRecord[],
): Promise<void> {
  const hooks = new Map(knownHooks(input).map((h) => [h.id, h]))
  const ended = endedHooks(scope, records).filter((r) => {
    const asked = hooks.get(keyOfHookRecord(r))?.node.outputs ?? []
    return asked.some((result) => result === r.state)
  })
  await Promise.all(
    ended.map((r) => tellOne(c, scope, r, hooks.get(keyOfHookRecord(r))?.fromSecret === true)),
  )
}

async function tellOne(
  c: UnitDeps,
  scope: UnitScope,
  record: HookRecord,
  isSecretHolder: boolean,
): Promise<void> {
  const output = isSecretHolder
    ? err('is not shown: the hook holds values of a Secret')
    : await outputOf(scope, record)
  const what = runText(record)
  const text = output.ok ? `${what} wrote: ${output.value}` : `${what}: its output ${output.error}`
  // Each run has its own Event; the log has no output.
  const of = `${what} ${record.nonce}`
  const type = record.state === 'Failed' ? 'Warning' : 'Normal'
  c.events.record(scope.inventory, [
    { type, reason: 'HookOutput', action: 'Deliver', text, of, level: 'debug' },
  ])
}

async function outputOf(
  { session: { client } }: UnitScope,
  record: HookRecord,
): Promise<Result<string, string>> {
  const { namespace = '', kind, name } = record
  const pods = kind === 'Pod' ? await ownPod(client, record) : await podsOf(client, namespace, name)
  if (!pods.ok) return pods
  const speaker = outputContainerOf(pods.value)
  if (!speaker) return err('is not available: no Pods exist')
  const [secret] = secretsOfPod(speaker.pod)
  if (secret !== undefined) return err(`is not shown: its Pod reads Secret ${namespace}/${secret}`)
  const pod = { namespace, name: speaker.pod.metadata.name ?? '' }
  const { container } = speaker
  const limits = { tailLines: TAIL_LINES, limitBytes: LIMIT_BYTES }
  const log = await client.logs(pod, { ...CALL, ...limits, container })
  if (!log.ok) return err(`cannot be read: ${requestErrorText(log.error)}`)
  const whole = wholeLines(log.value, LIMIT_BYTES)
  if (whole === undefined) return err('is not shown: its last lines are too long')
  return ok(lastLines(whole.trim(), MOST_BYTES))
}

type SessionClient = UnitScope['session']['client']

async function ownPod(
  client: SessionClient,
  { namespace = '', name }: HookRecord,
): Promise<Result<readonly KubeObject[], string>> {
  const got = await client.get(podKind, { namespace, name }, CALL)
  return got.ok ? ok([got.value]) : err(`cannot be read: ${requestErrorText(got.error)}`)
}

async function podsOf(
  client: SessionClient,
  namespace: string,
  job: string,
): Promise<Result<readonly KubeObject[], string>> {
  const labelSelector = `job-name=${job}`
  const found = await client.list(podKind, { ...CALL, namespace, labelSelector })
  return found.ok ? ok(found.value.items) : err(`cannot be read: ${requestErrorText(found.error)}`)
}
