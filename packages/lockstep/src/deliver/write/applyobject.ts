/** One object is written to a cluster: what is there first, the write, and what it leaves. */

import type { KubeResult } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  defineKind,
  type JsonValue,
  type KubeObject,
  keyOf,
  refText,
  type Stored,
} from '@lockstep/kube/object'
import type { InventoryObject, ModuleSpec, WriteIntent } from '../../api/kinds/index.ts'
import { MANAGER, UNIT_LABEL } from '../../api/labels.ts'
import { BEFORE_FIRST_APPLY, SHARED_MANAGERS } from '../../api/toolmanagers.ts'
import type { Depth } from '../../decisions/order/index.ts'
import { type ClusterSession, type LiveObject, liveObjectOf } from '../../fleet/connection/index.ts'
import { deletionPolicyOf } from '../deletion/deletionpolicy.ts'
import { isOlderVersion } from '../drift/drift.ts'
import { adoptionOf, stillActive } from '../ownership/adoption.ts'
import { type FieldOwner, type FieldOwners, fieldOwnersOf } from '../ownership/fieldowners.ts'
import { MARK_FIELDS } from '../ownership/fieldtransfer.ts'
import {
  isOfForeignUnit,
  isTakeable,
  knownMarks,
  marksOf,
  type OwnerMarks,
  ownedText,
  type UnitOf,
} from '../ownership/foreignunit.ts'
import { fieldsToRelease, withoutIgnored } from '../ownership/ignorerules.ts'
import {
  ownershipPatch,
  ownershipTransfer,
  ownersOnlyPatch,
  takePatch,
  type UnitMarks,
} from '../ownership/ownershippatch.ts'
import { previousOwners } from '../ownership/previousowner.ts'
import { type DesiredObject, markedBody } from '../plan/desiredstate.ts'
import { sendApplyRequest } from './applyrequest.ts'
import { refusal, type WriteRefusal } from './refusals.ts'
import { isWholeWrite, wholeWriteFields } from './wholewrite.ts'

export interface ObjectApplyTarget {
  readonly session: ClusterSession
  readonly unit: string
  /** Of the unit. */
  readonly namespace: string
  readonly inventoryUid: string
  readonly unitOf: UnitOf
  readonly settings: Pick<ModuleSpec['apply'], 'conflicts' | 'adopt' | 'adoptFrom' | 'takeOverFrom'>
}

/** What is known of an object before it is written. */
export interface ObjectBeforeWrite {
  /** As it was applied last. */
  readonly entry: InventoryObject | undefined
  readonly live: LiveObject | undefined
  readonly intent: WriteIntent | undefined
  readonly depth: Depth
}

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
  for (let tries = 1; ; tries++) {
    if (isToRead) {
      const seen = await reread(target, d, known)
      if (!seen.ok) return seen
      if (seen.value?.type === 'settled') return ok(entryOf(d, seen.value.object, known))
      if (believed && !seen.value) return err(goneMeanwhile(d))
      live = seen.value?.live
    }
    const ready = live ? await letGo(target, d, live, known.entry) : ok(undefined)
    if (!ready.ok) return ready
    live = ready.value
    const body = bodyOf(target, d, live, believed ? undefined : known.intent?.nonce)
    const sending = { client: target.session.client, conflicts: target.settings.conflicts }
    const done: KubeResult<Stored> = await sendApplyRequest(sending, d, body, live)
    if (done.ok) {
      target.session.wrote(d.resource!, typed(done.value, d.object))
      return ok(entryOf(d, typed(done.value, d.object), known))
    }
    if (done.error.kind !== 'FenceLost' || tries === MAX_TRIES) {
      const failure = refusal(done.error, d)
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
 * Ours, and refused, while our caches do not show it: somebody has taken our label off. With the label again, what comes
 * of the refusal is decided as for any other object; where that is refused too it stands until it is tried again.
 */
async function hiddenFailure(
  target: ObjectApplyTarget,
  d: DesiredObject,
  live: LiveObject,
  failure: WriteRefusal,
): Promise<WriteRefusal> {
  if (live.unit !== undefined || !live.inventory) return { ...failure, unseen: true }
  const done = await target.session.client.patch(
    defineKind(d.resource!),
    keyOf(d.object),
    { metadata: { labels: { [UNIT_LABEL]: target.unit } } },
    {
      why: 'apply',
      manager: MANAGER,
      fence: { uid: live.uid, resourceVersion: live.resourceVersion },
    },
  )
  if (done.ok) target.session.wrote(d.resource!, typed(done.value, d.object))
  return { ...failure, unseen: true }
}

/** An object with our label and nothing else of ours is somebody's: it is met like one that nobody knew of. */
const isOurs = (
  target: ObjectApplyTarget,
  live: LiveObject | undefined,
  entry: InventoryObject | undefined,
): boolean => live !== undefined && (live.inventory === target.inventoryUid || live.uid === entry?.uid)

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
const goneMeanwhile = (d: DesiredObject): WriteRefusal => ({
  reason: 'Applying',
  message: `${refText(d.ref)} was deleted by somebody a moment ago; it is created anew`,
  transient: true,
})

/** A server's answer under the name by which it was asked. */
export const typed = (o: Stored, { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Stored => ({
  ...o,
  apiVersion,
  kind,
})

/** Something is there that is to be created only: ours, by a request whose answer was lost, or somebody's, whom we let be. */
async function leftAlone(
  target: ObjectApplyTarget,
  d: DesiredObject,
  known: ObjectBeforeWrite,
): Promise<Result<InventoryObject, WriteRefusal>> {
  const found = await read(target, d)
  if (!found.ok) return found
  if (!found.value) return err(goneMeanwhile(d))
  if (isOurs(target, liveObjectOf(found.value), known.entry)) {
    target.session.wrote(d.resource!, found.value)
    return ok(entryOf(d, found.value, known))
  }
  const message = `${refText(d.ref)} was created by somebody a moment ago; it is left as it is`
  return err({ reason: 'Applying', message, transient: true })
}

/** What is there and ours to write to, or ours by now with nothing left to write. */
type ObservedWriteState =
  | { readonly type: 'open'; readonly live: LiveObject }
  | { readonly type: 'settled'; readonly object: Stored }

/** What is really there; undefined: nothing. */
async function reread(
  target: ObjectApplyTarget,
  d: DesiredObject,
  known: ObjectBeforeWrite,
): Promise<Result<ObservedWriteState | undefined, WriteRefusal>> {
  const { entry, intent } = known
  const found = await read(target, d)
  if (!found.ok || !found.value) return found as Result<undefined, WriteRefusal>
  if (found.value.metadata.deletionTimestamp !== undefined) {
    return err({
      reason: 'FinalizerPending',
      message: `${refText(d.ref)} is being deleted; it is created anew once gone`,
      transient: true,
    })
  }
  const marks = knownMarks(marksOf(found.value), target.unitOf)
  if (isOfForeignUnit(marks, target.inventoryUid)) {
    const { namespace, settings } = target
    const asking = { namespace, takeOverFrom: settings.takeOverFrom }
    const wasOurs = found.value.metadata.uid === entry?.uid
    if (intent?.replaces || !isTakeable(marks, asking, wasOurs)) return err(owned(target, d, marks))
    return take(target, d, found.value, known)
  }
  const live = liveObjectOf(found.value)
  if (isOurs(target, live, entry)) return ok({ type: 'open', live })
  return intent?.replaces ? err(notOwned(d)) : takeOver(target, d, found.value, known)
}

/** Another unit has it. */
const owned = (
  { namespace, settings: { takeOverFrom } }: ObjectApplyTarget,
  d: DesiredObject,
  marks: OwnerMarks,
): WriteRefusal => ({
  reason: 'OwnedByAnother',
  message: ownedText(d.ref, marks, { namespace, takeOverFrom }),
  transient: false,
})

/** Ours was deleted for its successor: what is there instead was nobody's to be taken over. */
const notOwned = (d: DesiredObject): WriteRefusal => ({
  reason: 'NotOwned',
  message: `${refText(d.ref)} was to be made anew, and somebody has made another one meanwhile; delete that, or take it out of the module`,
  transient: false,
})

async function read(
  target: ObjectApplyTarget,
  d: DesiredObject,
): Promise<Result<Stored | undefined, WriteRefusal>> {
  const kind = defineKind(d.resource!)
  const found = await target.session.client.get(kind, keyOf(d.object), { why: 'reread' })
  if (found.ok) return ok(typed(found.value, d.object))
  return found.error.kind === 'NotFound' ? ok(undefined) : err(refusal(found.error, d))
}

/** An object that was there before us: its former managers' fields become ours, if its owner lets go. */
async function takeOver(
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  known: ObjectBeforeWrite,
): Promise<Result<ObservedWriteState, WriteRefusal>> {
  // It ends with what somebody does elsewhere: waited for, not failed.
  const refused = (message: string) => err({ reason: 'AdoptionRefused', message, transient: true } as const)
  // Its own word for being taken over goes before what the module says.
  const settings = d.options.adopt ? { ...target.settings, adopt: 'Listed' as const } : target.settings
  const adoption = adoptionOf(o, settings)
  if (adoption.type === 'refused') return refused(adoption.message)
  if (adoption.type === 'ask') {
    const owners = await previousOwners(target.session, adoption.owner)
    if (!owners.ok) return owners
    const active = stillActive(o, adoption.former, owners.value)
    if (active !== undefined) return refused(active)
  }
  const from = [...target.settings.adoptFrom, MANAGER]
  const settled = settledBy(target, d, o, known, from)
  if (settled !== undefined) return settle(target, d, o, settled)
  const transfer = d.options.mode === 'Merge' ? undefined : ownershipTransfer(o, from, d.object)
  return transfer === undefined ? ok({ type: 'open', live: liveObjectOf(o) }) : opened(target, d, o, transfer)
}

/** An object of another unit, which this one is to take over. */
async function take(
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  known: ObjectBeforeWrite,
): Promise<Result<ObservedWriteState, WriteRefusal>> {
  const { adoptFrom } = target.settings
  const settled = settledBy(target, d, o, known, adoptFrom)
  if (settled !== undefined) return settle(target, d, o, settled)
  const from = d.options.mode === 'Merge' ? undefined : adoptFrom
  return opened(target, d, o, takePatch(o, from, d.object, marksFor(target, known)))
}

const marksFor = ({ unit, inventoryUid }: ObjectApplyTarget, { intent }: ObjectBeforeWrite): UnitMarks => ({
  unit,
  inventoryUid,
  nonce: intent?.nonce,
})

/** Where some fields are left to others, and where an object is written as a whole, the rules are other ones. */
const settledBy = (
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  known: ObjectBeforeWrite,
  from: readonly string[],
): JsonValue | undefined =>
  d.options.mode === 'Override' && !d.ignored
    ? ownersOnlyPatch(o, from, d.object, marksFor(target, known))
    : undefined

async function settle(
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  patch: JsonValue,
): Promise<Result<ObservedWriteState, WriteRefusal>> {
  const done = await patchOwners(target, d, o, patch)
  if (!done.ok) return done
  target.session.wrote(d.resource!, done.value)
  return ok({ type: 'settled', object: done.value })
}

async function opened(
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  patch: JsonValue,
): Promise<Result<ObservedWriteState, WriteRefusal>> {
  const done = await patchOwners(target, d, o, patch)
  return done.ok ? ok({ type: 'open', live: liveObjectOf(done.value) }) : done
}

/**
 * What we alone own and is left to others is given up, so that the next apply without it leaves it as it is. And what an
 * apply found without owners counts as somebody's (`before-first-apply`), what we have written by a PUT as an update's:
 * before a change it becomes the apply's, or what the change leaves out would stay.
 */
async function letGo(
  target: ObjectApplyTarget,
  d: DesiredObject,
  live: LiveObject,
  entry: InventoryObject | undefined,
): Promise<Result<LiveObject | undefined, WriteRefusal>> {
  const owners = fieldOwnersOf(live)
  const held = d.ignored && fieldsToRelease(d.object, d.ignored, owners)
  const orphans = isWholeWrite(d) ? [] : orphansOf(target, d, owners)
  const isChange = entry !== undefined && entry.content !== d.content
  if (!held && !(isChange && orphans.length > 0)) return ok(live)
  const found = await read(target, d)
  if (!found.ok || !found.value) return found as Result<undefined, WriteRefusal>
  // Somebody may have taken it while our caches do not show that yet.
  const marks = knownMarks(marksOf(found.value), target.unitOf)
  if (isOfForeignUnit(marks, target.inventoryUid)) return err(owned(target, d, marks))
  const now = fieldOwnersOf(liveObjectOf(found.value))
  const alone = d.ignored && fieldsToRelease(d.object, d.ignored, now)
  const patch = alone
    ? ownershipPatch(found.value, now.ours!.recursiveDifference(alone))
    : ownershipTransfer(found.value, orphans, d.object)
  if (patch === undefined) return ok(liveObjectOf(found.value))
  const done = await patchOwners(target, d, found.value, patch)
  return done.ok ? ok(liveObjectOf(done.value)) : done
}

function orphansOf(
  { settings }: ObjectApplyTarget,
  { options }: DesiredObject,
  { others }: FieldOwners,
): string[] {
  const strays = settings.adoptFrom.filter((m) => m === BEFORE_FIRST_APPLY && options.mode !== 'Merge')
  // An apply sets our marks in any case: an update that has done nothing else leaves nothing to take off.
  const isMore = ({ manager, fields }: FieldOwner): boolean =>
    manager !== MANAGER || !fields.isSubsetOf(MARK_FIELDS)
  return [...strays, MANAGER].filter((m) => others.some((o) => o.manager === m && isMore(o)))
}

async function patchOwners(
  target: ObjectApplyTarget,
  d: DesiredObject,
  { metadata: { uid, resourceVersion } }: Stored,
  patch: JsonValue,
): Promise<Result<Stored, WriteRefusal>> {
  const done = await target.session.client.patch(defineKind(d.resource!), keyOf(d.object), patch, {
    why: 'adopt',
    manager: MANAGER,
    fence: { uid, resourceVersion },
  })
  return done.ok ? ok(typed(done.value, d.object)) : err(refusal(done.error, d))
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

function entryOf(d: DesiredObject, o: Stored, { entry, intent, depth }: ObjectBeforeWrite): InventoryObject {
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
    ...deletionPolicyOf(d.options),
    ...depth,
  }
}
