/** The live object before a write, and the managers that release fields so that it may be written. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { defineKind, type JsonValue, keyOf, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { BEFORE_FIRST_APPLY } from '../../api/toolmanagers.ts'
import { type LiveObject, liveObjectOf } from '../../fleet/connection/index.ts'
import { adoptionBlocker, adoptionOf, stillActive } from '../ownership/adoption.ts'
import { type FieldOwner, type FieldOwners, fieldOwnersOf } from '../ownership/fieldowners.ts'
import { MARK_FIELDS } from '../ownership/fieldtransfer.ts'
import {
  isOfForeignUnit,
  knownMarks,
  lostBlocker,
  marksOf,
  type OwnerMarks,
  ownedBlocker,
} from '../ownership/foreignunit.ts'
import { fieldsToRelease } from '../ownership/ignorerules.ts'
import {
  ownershipPatch,
  ownershipTransfer,
  ownersOnlyPatch,
  takePatch,
  type UnitMarks,
} from '../ownership/ownershippatch.ts'
import { previousOwners } from '../ownership/previousowner.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { desiredWaitRef } from '../state/objectwaitref.ts'
import {
  isOurs,
  type ObjectApplyTarget,
  type ObjectBeforeWrite,
  readObject,
  refusedWrite,
  typed,
} from './applytarget.ts'
import type { WriteRefusal } from './refusals.ts'
import { about } from './refusalsubject.ts'
import { isWholeWrite } from './wholewrite.ts'

/** The live object: ours to write to, or ours by now with nothing left to write. */
type ObservedWriteState = WriteStart & {
  /** The object existed before Lockstep delivered it; undefined: not known. */
  readonly existed: boolean | undefined
}

type WriteStart =
  | { readonly type: 'open'; readonly live: LiveObject }
  | { readonly type: 'settled'; readonly object: Stored }

/** Reads the live object; undefined if it does not exist. */
export async function reread(
  target: ObjectApplyTarget,
  d: DesiredObject,
  known: ObjectBeforeWrite,
): Promise<Result<ObservedWriteState | undefined, WriteRefusal>> {
  const found = await readObject(target, d)
  if (!found.ok || !found.value) return found as Result<undefined, WriteRefusal>
  const live = liveObjectOf(found.value)
  const state = await writeStateOf(target, d, found.value, live, known)
  if (!state.ok) return err(about(state.error, live))
  return ok({ ...state.value, existed: existedBefore(target, live, known) })
}

/** Lockstep creates with a nonce. An object of another unit is as the entry of its former holder says. */
function existedBefore(
  target: ObjectApplyTarget,
  live: LiveObject,
  { entry, intent }: ObjectBeforeWrite,
): boolean | undefined {
  if (intent?.takes?.uid === live.uid) return intent.takes.existed
  return isOurs(target, live, entry) ? live.nonce === undefined : true
}

async function writeStateOf(
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  live: LiveObject,
  known: ObjectBeforeWrite,
): Promise<Result<WriteStart, WriteRefusal>> {
  const { entry, intent } = known
  if (live.deleting) {
    const on = desiredWaitRef(d, target.cluster)
    const pending = blocked('FinalizerPending', [on], { next: 'Recreate', finalizers: live.finalizers })
    return err({ ...pending, transient: true })
  }
  const marks = knownMarks(marksOf(o), target.unitOf)
  if (isOfForeignUnit(marks, target.inventoryUid)) {
    const isTaken =
      marks.unit === target.unit
        ? intent?.takes?.from === target.unit && intent.takes.uid === live.uid
        : !intent?.replaces && (await target.holderDecision(d.ref, marks)) === 'Take'
    return isTaken ? take(target, d, o, known) : err(owned(target, d, marks))
  }
  if (isOurs(target, live, entry)) return ok({ type: 'open', live })
  return intent?.replaces ? err(notOwned(target, d)) : takeOver(target, d, o, known)
}

/** Another unit delivers the object: the unit waits and does not fail. */
function owned(
  { namespace, cluster, unit, settings: { takeOverFrom } }: ObjectApplyTarget,
  d: DesiredObject,
  marks: OwnerMarks,
): WriteRefusal {
  const on = desiredWaitRef(d, cluster)
  const blocker =
    marks.unit === unit ? lostBlocker(on, unit, 1) : ownedBlocker(on, marks, { namespace, takeOverFrom })
  return { ...blocker, transient: true }
}

/** Our object was deleted to be recreated: an object that now has its name may not be taken over. */
const notOwned = ({ cluster }: ObjectApplyTarget, d: DesiredObject): WriteRefusal => ({
  ...blocked('NotOwned', [desiredWaitRef(d, cluster)], { because: 'NameTaken' }),
  transient: false,
})

/** An object that existed before: its former managers' fields become ours, if its owner releases it. */
async function takeOver(
  target: ObjectApplyTarget,
  d: DesiredObject,
  o: Stored,
  known: ObjectBeforeWrite,
): Promise<Result<WriteStart, WriteRefusal>> {
  // A change outside Lockstep ends the refusal: the unit waits and does not fail.
  const refused = (b: NewBlocker) => err({ ...b, transient: true })
  // Its own word for being taken over goes before what the module says.
  const settings = d.options.adopt ? { ...target.settings, adopt: 'Listed' as const } : target.settings
  const adoption = adoptionOf(o, settings)
  const on = desiredWaitRef(d, target.cluster)
  if (adoption.type === 'refused') return refused(adoptionBlocker(on, adoption.refusal))
  if (adoption.type === 'ask') {
    const owners = await previousOwners(target.session, adoption.owner, target.cluster)
    if (!owners.ok) return owners
    const active = stillActive(o, adoption.former, owners.value)
    if (active !== undefined) return refused(adoptionBlocker(on, active))
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
): Promise<Result<WriteStart, WriteRefusal>> {
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
): Promise<Result<WriteStart, WriteRefusal>> {
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
): Promise<Result<WriteStart, WriteRefusal>> {
  const done = await patchOwners(target, d, o, patch)
  return done.ok ? ok({ type: 'open', live: liveObjectOf(done.value) }) : done
}

/**
 * Releases ignored fields that we alone own, so that the next apply without them keeps their values. Fields that an apply
 * found without owners belong to `before-first-apply`, and fields that we wrote by a PUT belong to an update: before a
 * change they become the apply's, or fields that the change omits would stay.
 */
export async function letGo(
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
  const found = await readObject(target, d)
  if (!found.ok || !found.value) return found as Result<undefined, WriteRefusal>
  // Another unit may have taken the object while our caches do not show that yet.
  const marks = knownMarks(marksOf(found.value), target.unitOf)
  const read = liveObjectOf(found.value)
  if (isOfForeignUnit(marks, target.inventoryUid)) return err(about(owned(target, d, marks), read))
  const now = fieldOwnersOf(read)
  const alone = d.ignored && fieldsToRelease(d.object, d.ignored, now)
  const patch = alone
    ? ownershipPatch(found.value, now.ours!.recursiveDifference(alone))
    : ownershipTransfer(found.value, orphans, d.object)
  if (patch === undefined) return ok(read)
  const done = await patchOwners(target, d, found.value, patch)
  return done.ok ? ok(liveObjectOf(done.value)) : err(about(done.error, read))
}

function orphansOf(
  { settings }: ObjectApplyTarget,
  { options }: DesiredObject,
  { others }: FieldOwners,
): string[] {
  const strays = settings.adoptFrom.filter((m) => m === BEFORE_FIRST_APPLY && options.mode !== 'Merge')
  // An apply always sets our marks: an update that set nothing else owns no field that the apply must remove.
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
    purpose: 'adopt',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  return done.ok ? ok(typed(done.value, d.object)) : err(refusedWrite(target, d, done.error))
}
