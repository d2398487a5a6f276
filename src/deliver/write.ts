/** One object is written to a cluster: what is there first, the write, and what it leaves. */
import { defineKind, type Stored } from '../api/kind.ts'
import type { Intent, InventoryObject } from '../api/kinds/inventory.ts'
import type { ModuleSpec } from '../api/kinds/module.ts'
import { INVENTORY_ANNOTATION, MANAGER, UNIT_LABEL } from '../api/labels.ts'
import { BEFORE_FIRST_APPLY } from '../api/managers.ts'
import type { Depth } from '../core/order/graph.ts'
import { err, ok, type Result } from '../env/result.ts'
import type { LiveObject } from '../fleet/live.ts'
import { liveOf } from '../fleet/live.ts'
import type { ClusterSession } from '../fleet/session.ts'
import type { KubeClient, KubeResult, ServedResource } from '../kube/client.ts'
import { type JsonValue, type KubeObject, keyOf, refText } from '../object/object.ts'
import { adoptionOf, type Former, ownedPatch, stillActive, transferOf } from './adopt.ts'
import { type DesiredObject, markedBody } from './desired.ts'
import { heldAlone, withoutIgnored } from './ignore.ts'
import { leavingOf } from './leaving.ts'
import { type Owners, ownersOf } from './owners.ts'
import { heldFields, isPut } from './put.ts'
import { failureOf, ownedText, type WriteFailure } from './refused.ts'
import { send } from './send.ts'

export interface ApplyTarget {
  readonly session: ClusterSession
  readonly unit: string
  readonly inventoryUid: string
  readonly settings: Pick<ModuleSpec['apply'], 'conflicts' | 'adopt' | 'adoptFrom'>
}

/** What is known of an object before it is written. */
export interface Known {
  /** As it was applied last. */
  readonly entry: InventoryObject | undefined
  readonly live: LiveObject | undefined
  readonly intent: Intent | undefined
  readonly depth: Depth
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
  known: Known,
): Promise<Result<InventoryObject, WriteFailure>> {
  const believed = isOurs(target, known.live, known.entry) ? known.live : undefined
  let live = believed
  for (let tries = 1; ; tries++) {
    const ready = live ? await letGo(target, d, live, known.entry) : ok(undefined)
    if (!ready.ok) return ready
    live = ready.value
    const body = bodyOf(target, d, live, believed ? undefined : known.intent?.nonce)
    const sending = { client: target.session.client, conflicts: target.settings.conflicts }
    const done: KubeResult<Stored> = await send(sending, d, body, live)
    if (done.ok) {
      target.session.wrote(d.resource!, typed(done.value, d.object))
      return ok(entryOf(d, typed(done.value, d.object), known))
    }
    if (done.error.kind !== 'FenceLost' || tries === MAX_TRIES) {
      const failure = failureOf(done.error, d.ref)
      return err(live && !believed ? await hiddenFailure(target, d, live, failure) : failure)
    }
    if (d.options.mode === 'IfNotPresent') return leftAlone(target, d, known)
    const seen = await reread(target, d, known)
    if (!seen.ok) return seen
    if (believed && !seen.value) return err(goneMeanwhile(d))
    live = seen.value
  }
}

/**
 * Ours, and refused, while our caches do not show it: somebody has taken our label off. With the label again, what comes
 * of the refusal is decided as for any other object; where that is refused too it stands until it is tried again.
 */
async function hiddenFailure(
  target: ApplyTarget,
  d: DesiredObject,
  live: LiveObject,
  failure: WriteFailure,
): Promise<WriteFailure> {
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
  target: ApplyTarget,
  live: LiveObject | undefined,
  entry: InventoryObject | undefined,
): boolean => live !== undefined && (live.inventory === target.inventoryUid || live.uid === entry?.uid)

/** What is applied: all of it where nothing is there yet, else without what is left to others. */
export function bodyOf(
  target: Pick<ApplyTarget, 'unit' | 'inventoryUid'>,
  d: DesiredObject,
  live: LiveObject | undefined,
  nonce: string | undefined,
): KubeObject {
  const manifest = live && d.ignored ? withoutIgnored(d.object, d.ignored, live) : d.object
  return markedBody(manifest, target.unit, target.inventoryUid, nonce)
}

/** A create has to be announced first (I6): the next look does that. */
const goneMeanwhile = (d: DesiredObject): WriteFailure => ({
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
  target: ApplyTarget,
  d: DesiredObject,
  known: Known,
): Promise<Result<InventoryObject, WriteFailure>> {
  const found = await read(target, d)
  if (!found.ok) return found
  if (!found.value) return err(goneMeanwhile(d))
  if (isOurs(target, liveOf(found.value), known.entry)) return ok(entryOf(d, found.value, known))
  const message = `${refText(d.ref)} was created by somebody a moment ago; it is left as it is`
  return err({ reason: 'Applying', message, transient: true })
}

/** What is really there, and ours to write to; undefined: nothing. */
async function reread(
  target: ApplyTarget,
  d: DesiredObject,
  { entry, intent }: Known,
): Promise<Result<LiveObject | undefined, WriteFailure>> {
  const found = await read(target, d)
  if (!found.ok || !found.value) return found as Result<undefined, WriteFailure>
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
    return err({
      reason: 'OwnedByAnother',
      message: ownedText(d.ref, unit, owner),
      transient: false,
    })
  }
  const live = liveOf(found.value)
  if (isOurs(target, live, entry)) return ok(live)
  return intent?.replaces ? err(notOwned(d)) : takeOver(target, d, found.value)
}

/** Ours was deleted for its successor: what is there instead was nobody's to be taken over. */
const notOwned = (d: DesiredObject): WriteFailure => ({
  reason: 'NotOwned',
  message: `${refText(d.ref)} was to be made anew, and somebody has made another one meanwhile; delete that, or take it out of the module`,
  transient: false,
})

async function read(
  target: ApplyTarget,
  d: DesiredObject,
): Promise<Result<Stored | undefined, WriteFailure>> {
  const kind = defineKind(d.resource!)
  const found = await target.session.client.get(kind, keyOf(d.object), { why: 'reread' })
  if (found.ok) return ok(typed(found.value, d.object))
  return found.error.kind === 'NotFound' ? ok(undefined) : err(failureOf(found.error, d.ref))
}

/** An object that was there before us: its former managers' fields become ours, if its owner lets go. */
async function takeOver(
  target: ApplyTarget,
  d: DesiredObject,
  o: Stored,
): Promise<Result<LiveObject, WriteFailure>> {
  // It ends with what somebody does elsewhere: waited for, not failed.
  const refused = (message: string) => err({ reason: 'AdoptionRefused', message, transient: true } as const)
  // Its own word for being taken over goes before what the module says.
  const settings = d.options.adopt ? { ...target.settings, adopt: 'Listed' as const } : target.settings
  const adoption = adoptionOf(o, settings)
  if (adoption.type === 'refused') return refused(adoption.message)
  if (adoption.type === 'ask') {
    const owner = await ownerOf(target.session, adoption.former)
    if (!owner.ok) return owner
    const active = stillActive(o, adoption.former, owner.value)
    if (active !== undefined) return refused(active)
  }
  const transfer = d.options.mode === 'Merge' ? undefined : transferOf(o, target.settings.adoptFrom)
  return transfer === undefined ? ok(liveOf(o)) : patchOwners(target, d, o, transfer)
}

/** What says whether the former tool is at work; undefined: it is not on this cluster any more. */
export async function ownerOf(
  cluster: { readonly client: KubeClient; served(group: string, kind: string): ServedResource | undefined },
  { owner }: Former,
): Promise<Result<KubeObject | undefined, WriteFailure>> {
  const resource = owner && cluster.served(owner.group, owner.kind)
  if (!resource) return ok(undefined)
  const found = await cluster.client.get(defineKind(resource), owner, { why: 'adopt' })
  if (found.ok) return found
  return found.error.kind === 'NotFound' ? ok(undefined) : err(failureOf(found.error, owner))
}

/**
 * What we alone own and is left to others is given up, so that the next apply without it leaves it as it is. And what an
 * apply found without owners counts as somebody's (`before-first-apply`), what we have written by a PUT as an update's:
 * before a change it becomes the apply's, or what the change leaves out would stay.
 */
async function letGo(
  target: ApplyTarget,
  d: DesiredObject,
  live: LiveObject,
  entry: InventoryObject | undefined,
): Promise<Result<LiveObject | undefined, WriteFailure>> {
  const owners = ownersOf(live)
  const held = d.ignored && heldAlone(d.object, d.ignored, owners)
  const orphans = isPut(d) ? [] : orphansOf(target, d, owners)
  const isChange = entry !== undefined && entry.content !== d.content
  if (!held && !(isChange && orphans.length > 0)) return ok(live)
  const found = await read(target, d)
  if (!found.ok || !found.value) return found as Result<undefined, WriteFailure>
  const now = ownersOf(liveOf(found.value))
  const alone = d.ignored && heldAlone(d.object, d.ignored, now)
  const patch = alone
    ? ownedPatch(found.value, now.ours!.recursiveDifference(alone))
    : transferOf(found.value, orphans)
  return patch === undefined ? ok(liveOf(found.value)) : patchOwners(target, d, found.value, patch)
}

function orphansOf({ settings }: ApplyTarget, { options }: DesiredObject, { others }: Owners): string[] {
  const strays = settings.adoptFrom.filter((m) => m === BEFORE_FIRST_APPLY && options.mode !== 'Merge')
  return [...strays, MANAGER].filter((m) => others.some((o) => o.manager === m))
}

async function patchOwners(
  target: ApplyTarget,
  d: DesiredObject,
  { metadata: { uid, resourceVersion } }: Stored,
  patch: JsonValue,
): Promise<Result<LiveObject, WriteFailure>> {
  const done = await target.session.client.patch(defineKind(d.resource!), keyOf(d.object), patch, {
    why: 'adopt',
    manager: MANAGER,
    fence: { uid, resourceVersion },
  })
  return done.ok ? ok(liveOf(typed(done.value, d.object))) : err(failureOf(done.error, d.ref))
}

function entryOf(d: DesiredObject, o: Stored, { entry, intent, depth }: Known): InventoryObject {
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
    fields: heldFields(d, liveOf(o)) ?? '',
    ...(isReplaced ? { replaced: true } : {}),
    ...leavingOf(d.options),
    ...depth,
  }
}
