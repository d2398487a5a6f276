/** One object is written to a cluster: what is there first, the write, and what it leaves. */

import type { KubeResult } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, keyOf, type Stored } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { INVENTORY_ANNOTATION, MANAGER, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { SHARED_MANAGERS } from '../../api/toolmanagers.ts'
import { type LiveObject, liveObjectOf } from '../../fleet/connection/index.ts'
import { deletionPolicyOf } from '../deletion/deletionpolicy.ts'
import { existedMember } from '../deletion/existedmember.ts'
import { isOlderVersion } from '../drift/drift.ts'
import { withoutIgnored } from '../ownership/ignorerules.ts'
import { type DesiredObject, markedBody } from '../plan/desiredstate.ts'
import { desiredWaitRef } from '../state/objectwaitref.ts'
import { sendApplyRequest } from './applyrequest.ts'
import {
  isOurs,
  type ObjectApplyTarget,
  type ObjectBeforeWrite,
  readObject,
  refusedWrite,
  typed,
} from './applytarget.ts'
import { isRecreatable, lossOf } from './recreate.ts'
import type { WriteRefusal } from './refusals.ts'
import { about } from './refusalsubject.ts'
import { letGo, reread } from './reread.ts'
import { wholeWriteFields } from './wholewrite.ts'

/** Re-reads after a lost fence, before the write is given up until the next event. */
const MAX_TRIES = 5

/**
 * Server-side apply of one object with the fence of what was seen. What is believed absent is applied so that an
 * existing object is refused untouched; then the rules of adoption decide.
 */
export async function applyObject(
  target: ObjectApplyTarget,
  d: DesiredObject,
  known: ObjectBeforeWrite,
): Promise<Result<InventoryObject, WriteRefusal>> {
  const believed = isOurs(target, known.live, known.entry) ? known.live : undefined
  let live = believed
  let isToRead = !believed && isExpected(target, d, known)
  let existed: boolean | undefined = believed ? undefined : false
  for (let tries = 1; ; tries++) {
    if (isToRead) {
      const seen = await reread(target, d, known)
      if (!seen.ok) return seen
      existed = believed ? undefined : (seen.value?.existed ?? (seen.value ? undefined : false))
      if (seen.value?.type === 'settled') return ok(entryOf(d, seen.value.object, known, existed))
      if (believed && !seen.value) return err(goneMeanwhile(target, d))
      live = seen.value?.live
    }
    const ready = live ? await letGo(target, d, live, known.entry) : ok(undefined)
    if (!ready.ok) return ready
    live = ready.value
    // The nonce shows that Lockstep created the object, until the Inventory records it.
    const nonce = !live || live.nonce === known.intent?.nonce ? known.intent?.nonce : undefined
    const body = bodyOf(target, d, live, nonce)
    const sending = { client: target.session.client, conflicts: target.settings.conflicts }
    const done: KubeResult<Stored> = await sendApplyRequest(sending, d, body, live)
    if (done.ok) {
      target.session.wrote(d.resource!, typed(done.value, d.object))
      return ok(entryOf(d, typed(done.value, d.object), known, existed))
    }
    if (done.error.kind !== 'FenceLost' || tries === MAX_TRIES) {
      const failure = about(refusedWrite(target, d, done.error), live)
      return err(live && !believed ? await hiddenFailure(target, d, live, failure) : failure)
    }
    if (d.options.mode === 'IfNotPresent') return leftAlone(target, d, known)
    isToRead = true
  }
}

/** Something is there, or probably: it is read before a request that would be refused. */
const isExpected = (
  { settings }: ObjectApplyTarget,
  { options }: DesiredObject,
  { live }: ObjectBeforeWrite,
): boolean =>
  options.mode !== 'IfNotPresent' &&
  (live !== undefined || settings.adoptFrom.some((m) => SHARED_MANAGERS.includes(m)))

/**
 * Refused, while our caches do not show it: somebody has taken our label off, or has recreated it, or it was there before us and
 * may be adopted. With our marks, what comes of the refusal is decided as for any other object; where that is refused too it
 * stands until it is tried again. An object that had no marks gets them only where it is recreated.
 */
async function hiddenFailure(
  target: ObjectApplyTarget,
  d: DesiredObject,
  live: LiveObject,
  failure: WriteRefusal,
): Promise<WriteRefusal> {
  if (live.unit !== undefined) return failure
  const isMarked = live.inventory !== undefined
  if (!isMarked && failure.reason !== 'ImmutableField') return failure
  const isLost = lossOf(d.ref, live) !== undefined
  if (!isMarked && (isLost || !isRecreatable(d, target.settings)))
    return withAdvice(target, d, failure, isLost ? 'Rename' : 'Delete')
  const done = await target.session.client.patch(
    defineKind(d.resource!),
    keyOf(d.object),
    {
      metadata: {
        labels: { [UNIT_LABEL]: target.unit },
        ...(isMarked ? {} : { annotations: { [INVENTORY_ANNOTATION]: target.inventoryUid } }),
      },
    },
    {
      purpose: 'apply',
      manager: MANAGER,
      precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
    },
  )
  if (!done.ok) return failure
  const labeled = typed(done.value, d.object)
  target.session.wrote(d.resource!, labeled)
  return about(failure, liveObjectOf(labeled))
}

/** The refusal of an object without our marks, with what a person can do. */
function withAdvice(
  { cluster }: ObjectApplyTarget,
  d: DesiredObject,
  failure: WriteRefusal,
  next: 'Rename' | 'Delete',
): WriteRefusal {
  const error = String(failure.facts?.error ?? failure.message)
  return { ...failure, ...blocked('ImmutableField', [desiredWaitRef(d, cluster)], { error, next }) }
}

/** What is applied: all of it where nothing is there yet, else without what is left to others. */
export function bodyOf(
  target: Pick<ObjectApplyTarget, 'unit' | 'inventoryUid'>,
  d: DesiredObject,
  live: LiveObject | undefined,
  nonce: string | undefined,
): KubeObject {
  const manifest = live && d.ignored ? withoutIgnored(d.object, d.ignored, live) : d.object
  return markedBody(manifest, target.unit, target.inventoryUid, nonce)
}

/** A create has to be announced first (I6): the next look does that. */
const goneMeanwhile = ({ cluster }: ObjectApplyTarget, d: DesiredObject): WriteRefusal => ({
  ...blocked('Applying', [desiredWaitRef(d, cluster)], { state: 'Deleted' }),
  transient: true,
})

/** Something is there that is to be created only: ours, by a request whose answer was lost, or somebody's, whom we let be. */
async function leftAlone(
  target: ObjectApplyTarget,
  d: DesiredObject,
  known: ObjectBeforeWrite,
): Promise<Result<InventoryObject, WriteRefusal>> {
  const found = await readObject(target, d)
  if (!found.ok) return found
  if (!found.value) return err(goneMeanwhile(target, d))
  if (isOurs(target, liveObjectOf(found.value), known.entry)) {
    target.session.wrote(d.resource!, found.value)
    return ok(
      entryOf(d, found.value, known, found.value.metadata.annotations?.[NONCE_ANNOTATION] === undefined),
    )
  }
  const on = desiredWaitRef(d, target.cluster)
  return err({ ...blocked('Applying', [on], { state: 'CreatedOutside' }), transient: true })
}

/** The version is the first that was seen with this content: status changes are no news that is worth a write. */
function ownedSince(
  fields: string,
  { content }: DesiredObject,
  { metadata: { uid, resourceVersion } }: Stored,
  entry: InventoryObject | undefined,
): Pick<InventoryObject, 'fields' | 'resourceVersion'> {
  const isSame = entry?.uid === uid && entry.content === content && entry.fields === fields
  const since = (isSame ? entry.resourceVersion : undefined) ?? resourceVersion
  return { fields, resourceVersion: isOlderVersion(resourceVersion, since) ? resourceVersion : since }
}

/** `existed`: before this write; undefined: as the last entry says. */
function entryOf(
  d: DesiredObject,
  o: Stored,
  { entry, intent, depth }: ObjectBeforeWrite,
  existed: boolean | undefined,
): InventoryObject {
  const { uid } = o.metadata
  const isSuccessor = intent?.replaces?.content === d.content && intent.replaces.uid !== uid
  const isReplaced = isSuccessor || (entry?.replaced === true && entry.content === d.content)
  return {
    group: d.ref.group,
    kind: d.ref.kind,
    ...(d.ref.namespace ? { namespace: d.ref.namespace } : {}),
    name: d.ref.name,
    version: d.resource!.version,
    uid: o.metadata.uid,
    content: d.content,
    ...(d.manifest === undefined ? {} : { manifest: d.manifest }),
    ...ownedSince(wholeWriteFields(d, liveObjectOf(o)) ?? '', d, o, entry),
    ...(isReplaced ? { replaced: true } : {}),
    ...existedMember(d.ref, entry?.uid === uid ? entry.existed : existed),
    ...deletionPolicyOf(d.options),
    ...depth,
  }
}
