/** One write to a cluster, and what its answer means. */
import type { Stored } from '../api/kind.ts'
import { defineKind } from '../api/kind.ts'
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { ModuleSpec } from '../api/kinds/module.ts'
import { INVENTORY_ANNOTATION, MANAGER, UNIT_LABEL } from '../api/labels.ts'
import type { BlockerReason } from '../api/reasons.ts'
import { err, ok, type Result, unreachable } from '../env/result.ts'
import type { LiveObject } from '../fleet/live.ts'
import { liveOf } from '../fleet/live.ts'
import type { ClusterSession } from '../fleet/session.ts'
import type { Fence, KubeResult } from '../kube/client.ts'
import { isTransient, type KubeError, kubeErrorText } from '../kube/error.ts'
import { type KubeObject, keyOf, refText } from '../object/object.ts'
import { type DesiredObject, markedBody } from './desired.ts'

export interface WriteFailure {
  readonly reason: BlockerReason
  readonly message: string
  readonly transient: boolean
}

export interface ApplyTarget {
  readonly session: ClusterSession
  readonly unit: string
  readonly inventoryUid: string
  readonly conflicts: ModuleSpec['apply']['conflicts']
}

/** Re-reads after a lost fence, before the write is given up until the next event. */
const MAX_TRIES = 5

/**
 * Server-side apply of one object with the fence of what was seen. What is believed absent is applied so that an
 * existing object is refused untouched; then the rules of adoption decide.
 */
export async function applyObject(
  target: ApplyTarget,
  d: DesiredObject,
  live: LiveObject | undefined,
  nonce: string | undefined,
  level: number,
): Promise<Result<InventoryObject, WriteFailure>> {
  const kind = defineKind(d.resource!)
  const body = markedBody(d, target.unit, target.inventoryUid, live ? undefined : nonce)
  let fence: Fence = live ? { uid: live.uid, resourceVersion: live.resourceVersion } : 'absent'
  for (let tries = 1; ; tries++) {
    const done: KubeResult<Stored> = await target.session.client.apply(kind, body, {
      why: 'apply',
      manager: MANAGER,
      force: target.conflicts === 'Take',
      validate: 'Strict',
      fence,
    })
    if (done.ok) {
      target.session.wrote(d.resource!, typed(done.value, d.object))
      return ok(entryOf(d, typed(done.value, d.object), level))
    }
    if (done.error.kind !== 'FenceLost' || tries === MAX_TRIES) return err(failureOf(done.error, d))
    const seen = await reread(target, d)
    if (!seen.ok) return seen
    if (live && seen.value === 'absent') return err(goneMeanwhile(d))
    fence = seen.value
  }
}

/** A create has to be announced first (I6): the next look does that. */
const goneMeanwhile = (d: DesiredObject): WriteFailure => ({
  reason: 'Applying',
  message: `${refText(d.ref)} was deleted by somebody a moment ago; it is created anew`,
  transient: true,
})

const typed = (o: Stored, manifest: KubeObject): Stored => ({
  ...o,
  apiVersion: manifest.apiVersion,
  kind: manifest.kind,
})

/** What is really there, and whether we may write to it. */
async function reread(target: ApplyTarget, d: DesiredObject): Promise<Result<Fence, WriteFailure>> {
  const found = await target.session.client.get(defineKind(d.resource!), keyOf(d.object), {
    why: 'reread',
  })
  if (!found.ok) return found.error.kind === 'NotFound' ? ok('absent') : err(failureOf(found.error, d))
  const { metadata } = found.value
  if (metadata.deletionTimestamp !== undefined) {
    return err({
      reason: 'FinalizerPending',
      message: `${refText(d.ref)} is being deleted; it is created anew once gone`,
      transient: true,
    })
  }
  const owner = metadata.annotations?.[INVENTORY_ANNOTATION]
  const unit = metadata.labels?.[UNIT_LABEL]
  if (owner !== undefined && owner !== target.inventoryUid) {
    const message = `${refText(d.ref)} belongs to ${unit ?? 'another unit'} (Inventory ${owner}); remove it from one of the two modules`
    return err({ reason: 'OwnedByAnother', message, transient: false })
  }
  return ok({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })
}

function entryOf(d: DesiredObject, o: Stored, level: number): InventoryObject {
  return {
    group: d.ref.group,
    kind: d.ref.kind,
    ...(d.ref.namespace ? { namespace: d.ref.namespace } : {}),
    name: d.ref.name,
    version: d.resource!.version,
    uid: o.metadata.uid,
    content: d.content,
    fields: liveOf(o).fields ?? '',
    level,
  }
}

/** The messages by which servers say that a field cannot change in English, which they all speak. Any other refusal is just that. */
const IMMUTABLE =
  /is immutable|immutable field|cannot change roleRef|updates to statefulset spec for fields other than|updates to parameters are forbidden|spec is immutable after creation/

/** A refusal as a reason with a message: what, where and why. Values of Secrets never get into it. */
export function failureOf(e: KubeError, d: DesiredObject): WriteFailure {
  const name = refText(d.ref)
  const failed = (reason: BlockerReason, text: string): WriteFailure => ({
    reason,
    message: `${name}: ${text}`,
    transient: isTransient(e),
  })
  switch (e.kind) {
    case 'Conflict': {
      const who = e.managers.map((m) => `conflict with "${m.manager}" at ${m.field}`).join(', ')
      return failed('ApplyConflict', who)
    }
    case 'Invalid': {
      const causes =
        e.causes.map((c) => `${c.field}: ${d.ref.kind === 'Secret' ? 'refused' : c.message}`).join(', ') ||
        secretSafe(e.message, d)
      return failed(IMMUTABLE.test(`${e.message} ${causes}`) ? 'ImmutableField' : 'ApplyFailed', causes)
    }
    case 'Forbidden':
      return /exceeded quota/.test(e.message)
        ? failed('QuotaExceeded', e.message)
        : failed('Forbidden', e.message)
    case 'KindUnknown':
    case 'NotFound':
      return { ...failed('KindNotServed', 'its kind or namespace is not there'), transient: true }
    case 'Server':
      return failed('ApplyFailed', secretSafe(`${e.status} ${e.message}`, d))
    case 'Unreachable':
    case 'Deadline':
      return failed('ClusterUnreachable', kubeErrorText(e))
    case 'AlreadyExists':
    case 'Unauthorized':
    case 'TooLarge':
    case 'FenceLost':
    case 'Expired':
    case 'Throttled':
    case 'Aborted':
      return failed('ApplyFailed', kubeErrorText(e))
    default:
      return unreachable(e)
  }
}

/** Servers quote what they refuse. */
const secretSafe = (message: string, d: DesiredObject): string =>
  d.ref.kind === 'Secret' ? 'refused by the server' : message
