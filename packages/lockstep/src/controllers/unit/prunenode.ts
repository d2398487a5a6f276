/** Deletes on a cluster: what a prune or a removal sees, and the requests. */

import type { RequestError } from '@lockstep/kube/client'
import { defineKind, identityOf, type KubeObject, refText } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject, WriteIntent } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import {
  type DeletionAnnotations,
  type Dialects,
  deletionAnnotationsReader,
} from '../../decisions/order/index.ts'
import {
  isContainer,
  type LeavingGrounds,
  leavingRules,
  type PruneEntry,
  type PruneNext,
  type PruneView,
} from '../../deliver/deletion/index.ts'
import { objectWaitRef } from '../../deliver/state/index.ts'
import { announcedObjects } from '../../deliver/step/index.ts'
import { type ListRefusal, type LiveObject, servedAs } from '../../fleet/connection/index.ts'
import {
  APPROVAL_RETRY_MS,
  isPruneApproved,
  type PruneQuestion,
  pruneConsents,
  unreadableApprovalText,
} from '../cache/index.ts'
import { failed, requeueAfter } from '../runtime/index.ts'
import { definedKinds, type IsDefined } from './definedkinds.ts'
import { deleteRefusalOf, type RecordDeleteFailure, recordDeleteOutcome } from './deleteoutcome.ts'
import { setOfInventory } from './deliveredevents.ts'
import { contentText, foreignContent } from './handover/foreigncontent.ts'
import { handOver } from './handover/handover.ts'
import { permittedFate } from './handover/reviewreceivers.ts'
import { shownObjects } from './handover/tellparties.ts'
import type { LeavingFate, UnitClaims } from './handover/unitclaims.ts'
import { orphanObjectsInOrder, unmarkHidden } from './orphanobjects.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope } from './unitscope.ts'

/** On what grounds entries are to go. */
export interface PruneGrounds extends LeavingGrounds {
  readonly isDefined: IsDefined
  /** Whose annotations count. */
  readonly dialects: Dialects | undefined
  /** Opened for these entries; absent: only rights are asked about. */
  readonly claims?: Pick<UnitClaims, 'fateOf'>
}

export function pruneViewOf(
  c: UnitDeps,
  scope: UnitScope,
  entries: readonly InventoryObject[],
  grounds: PruneGrounds,
): PruneView {
  const said = deletionAnnotationsReader(grounds.dialects)
  const isConfirmed = pruneConsents(c.hub, questionOf(scope)).length > 0
  const now = c.env.clock.steady()
  const unread = unreadNow(scope, now)
  return {
    inventoryUid: scope.inventory.metadata.uid,
    module: { namespace: scope.ref.namespace, name: scope.ref.name },
    cluster: scope.cluster.name,
    entries: entries.flatMap((entry) => {
      const view = entryView(c, scope, entry, grounds, said)
      if (!view) return []
      if (!isConfirmed) return withForeignContent(scope, view, now)
      if (!view.confirm) return view
      const refused = unread && {
        blocker: unreadApproval(scope, entry, unread.error),
        retryInMs: unread.retryAt - now,
      }
      return { ...view, confirm: false, refused: refused ?? view.refused }
    }),
  }
}

const questionOf = ({ ref, inventory, record }: UnitScope): PruneQuestion => ({
  ref,
  admitted: inventory.spec.admitted?.revision,
  isRemoval: record?.removal !== undefined,
})

/** Objects that the last list before its deletion found hold it until the next one. */
function withForeignContent({ memory, cluster, ref }: UnitScope, view: PruneEntry, now: number): PruneEntry {
  const found = memory.foreign.get(identityOf(view.entry))
  if (found?.uid !== view.entry.uid || found.retryAt <= now || view.fate) return view
  const on = [
    objectWaitRef(view.entry, cluster.name),
    { kind: 'Module', name: ref.name, namespace: ref.namespace },
  ] as const
  const blocker = blocked('PruneConfirmation', on, { module: ref.name, content: found.content })
  return { ...view, fate: { type: 'Wait', blocker, retryInMs: found.retryAt - now } }
}

const unreadApproval = ({ cluster }: UnitScope, entry: InventoryObject, error: string): NewBlocker =>
  blocked('PruneBlocked', [objectWaitRef(entry, cluster.name)], { because: 'ApprovalUnread', error })

/** What may not be read is not asked for with each look. */
const unreadNow = ({ memory: { consentUnread: known } }: UnitScope, now: number) =>
  known && known.retryAt > now ? known : undefined

function entryView(
  c: UnitDeps,
  scope: UnitScope,
  entry: InventoryObject,
  grounds: PruneGrounds,
  said: (o: KubeObject) => DeletionAnnotations,
): PruneEntry | undefined {
  const live = liveOfEntry(scope, entry, grounds.isDefined)
  const fate = permittedFate(c, scope, entry, grounds.claims?.fateOf({ entry, live }))
  const rules = leavingRules(entry, live, grounds, said)
  // An orphaned container keeps its contents.
  const isStaying = fate?.type === 'Stay' && !(fate.isUsed && rules.kept)
  if (isStaying) return undefined
  const id = identityOf(entry)
  const isTerminating = typeof live === 'object' && live.deleting
  const now = c.env.clock.steady()
  if (!isTerminating) scope.memory.degradedSince.delete(`gone ${id}`)
  else if (!scope.memory.degradedSince.has(`gone ${id}`)) scope.memory.degradedSince.set(`gone ${id}`, now)
  return {
    entry,
    live,
    unlisted: live === 'unknown' ? refusalToList(scope, entry) : undefined,
    asked: isAsked(scope, id, live, now),
    fate: fate?.type === 'Confirm' || fate?.type === 'Stay' ? undefined : fate,
    terminatingMs: isTerminating ? now - scope.memory.degradedSince.get(`gone ${id}`)! : 0,
    ...withForeign(rules, fate),
    refused: deleteRefusalOf(scope, id, live, now),
  }
}

const withForeign = (
  said: Pick<PruneEntry, 'kept' | 'confirm' | 'existed'>,
  fate: LeavingFate | undefined,
): Pick<PruneEntry, 'kept' | 'confirm' | 'existed' | 'foreign'> =>
  fate?.type === 'Confirm' ? { ...said, confirm: true, foreign: fate.foreign } : said

/** Entries that the unit would delete, with their live objects. */
export const leavingEntries = (
  scope: UnitScope,
  entries: readonly InventoryObject[],
  isDefined: IsDefined,
): Pick<PruneEntry, 'entry' | 'live'>[] =>
  entries.map((entry) => ({ entry, live: liveOfEntry(scope, entry, isDefined) }))

/** An event that has not come for so long does not come any more: the object is deleted again. */
const EVENT_MS = 30_000

function isAsked({ memory }: UnitScope, id: string, live: PruneEntry['live'], now: number): boolean {
  const done = memory.deleted.get(id)
  if (!done || typeof live !== 'object') return false
  if (live.uid === done.uid && now - done.at < EVENT_MS) return true
  memory.deleted.delete(id)
  return false
}

function liveOfEntry(scope: UnitScope, entry: InventoryObject, isDefined: IsDefined): PruneEntry['live'] {
  const resource = servedAs(scope.session, entry)
  if (!resource) return isDefined(entry) ? 'unserved' : 'gone'
  const store = scope.session.objects(resource)
  const live: LiveObject | undefined = store.get(entry)
  return live ?? (store.freshness.state === 'Syncing' ? 'unknown' : 'gone')
}

function refusalToList({ session }: UnitScope, entry: InventoryObject): ListRefusal | undefined {
  const resource = servedAs(session, entry)
  return resource && session.refusal(resource)
}

/** Objects that exist for an intent and were never written down. */
export function unrecordedObjects(scope: UnitScope): InventoryObject[] {
  const { applied, gone } = scope.memory
  const known = new Map((scope.inventory.spec.objects ?? []).map((o) => [identityOf(o), o.uid]))
  for (const [id, o] of applied) known.set(id, o.uid)
  return announcedObjects(scope.inventory, known, (intent) => {
    const resource = scope.session.served(intent.group, intent.kind)
    const found = resource && scope.session.objects(resource).get(intent)
    // It can be there again: its successor, or made by a request that was under way.
    return found?.uid === gone.get(identityOf(intent)) ? undefined : found
  })
}

/** All objects of its kind are known: if there is one for an intent, it is found. */
export function isKindSynced(
  { session }: UnitScope,
  { group, kind }: Pick<WriteIntent, 'group' | 'kind'>,
): boolean {
  const resource = session.served(group, kind)
  return resource !== undefined && session.objects(resource).freshness.state !== 'Syncing'
}

/**
 * Whether the result of an intent is known. A giver may still hand over an object that it holds: without the intent no Inventory
 * names the object between its marks and its entry.
 */
export function isIntentSeen(scope: UnitScope, intent: WriteIntent): boolean {
  const { session, inventory } = scope
  if (!isKindSynced(scope, intent)) return false
  const resource = session.served(intent.group, intent.kind)
  const found = intent.takes && resource && session.objects(resource).get(intent)
  return !found || found.uid !== intent.takes?.uid || found.inventory === inventory.metadata.uid
}

/**
 * What may be there for an intent, and cannot be seen yet: after a restart, or where a cluster has been out of reach, time
 * alone says nothing. A kind that nothing defines any more has taken its objects along.
 */
export async function unseenObjects(scope: UnitScope): Promise<InventoryObject[]> {
  const unseen = (scope.inventory.spec.intents ?? [])
    .filter((intent) => !isKindSynced(scope, intent))
    .map(({ nonce: _, replaces: _replaces, takes: _takes, ...id }): InventoryObject => ({ ...id, ...UNSEEN }))
  const isDefined = await definedKinds(scope.session, unseen)
  return unseen.filter((o) => servedAs(scope.session, o) || isDefined(o))
}

const UNSEEN = { version: '', uid: '', content: '', fields: '', level: 0 }

export const isUnseen = (o: InventoryObject): boolean => o.uid === UNSEEN.uid

/** Deletes with the uid that was recorded, and lets go of what is not ours to delete. */
export async function pruneNodes(
  c: UnitDeps,
  scope: UnitScope,
  step: PruneNext,
): Promise<ReconcileResult | undefined> {
  // What needs a consent that cannot be read is not among those that go.
  if (step.remove.length > 0 && !unreadNow(scope, c.env.clock.steady())) {
    const isMeant = await isPruneApproved(c, questionOf(scope))
    if (!isMeant.ok) return consentUnread(c, scope, isMeant.error)
    if (!isMeant.value) return requeueAfter(APPROVAL_RETRY_MS)
  }
  const hidden = await unmarkHidden(scope, step.release)
  if (hidden) return hidden
  for (const entry of step.release) {
    scope.memory.gone.set(identityOf(entry), entry.uid)
    scope.memory.applied.delete(identityOf(entry))
  }
  const noted: RecordDeleteFailure = (entry, live, error) => recordDeleteOutcome(c, scope, entry, live, error)
  const handed = await handOver(c, scope, step.handOver, noted)
  if (handed) return handed
  const kept = await orphanObjectsInOrder(c, scope, step.keep, noted)
  const foreign = await foreignContents(c, scope, step.remove)
  if (foreign) return foreign === 'found' ? undefined : foreign
  const outcomes = await Promise.all(step.remove.map((entry) => removeOne(c, scope, entry, noted)))
  tellPruned(
    c,
    scope,
    step.remove.filter((_, i) => outcomes[i] === 'deleted'),
  )
  scope.memory.lastWriteAt = c.env.clock.steady()
  const overtaken = [kept, ...outcomes].find((o) => typeof o === 'object')
  if (overtaken) return overtaken
  if (step.release.length + step.keep.length + step.handOver.length > 0 || outcomes.includes('noted'))
    return undefined
  // What was deleted goes from the cache with its event; until then there is nothing more to do here.
  return requeueAfter(EVENT_MS)
}

/** How often the content of a Namespace, or of a kind, is listed that a person must decide about. */
const FOREIGN_MS = 5 * 60_000

/** Lists Namespaces and kinds before they are deleted, unless a person approved that, or the Module has `namespaces: Delete`. */
async function foreignContents(
  c: UnitDeps,
  scope: UnitScope,
  entries: readonly InventoryObject[],
): Promise<ReconcileResult | 'found' | undefined> {
  const { admitted } = scope.inventory.spec
  const containers = entries.filter(isContainer)
  if (containers.length === 0) return undefined
  const revision = admitted && revisionOfUnit(c, scope.ref, admitted.revision)
  const isApproved = pruneConsents(c.hub, questionOf(scope)).length > 0
  const isMeant = revision?.spec.apply.namespaces === 'Delete'
  let isFound = false
  for (const entry of isApproved ? [] : containers) {
    if (isMeant && entry.kind === 'Namespace') continue
    const resource = servedAs(scope.session, entry)
    const live = resource && scope.session.objects(resource).get(entry)
    const found = await foreignContent(scope, { entry, live }, c.hub)
    if (!found.ok) return failed(found.error, 'list before a deletion')
    if (!found.value) continue
    isFound = true
    const content = contentText(found.value)
    const retryAt = c.env.clock.steady() + FOREIGN_MS
    scope.memory.foreign.set(identityOf(entry), { uid: entry.uid, content, retryAt })
  }
  return isFound ? 'found' : undefined
}

/** Of a unit that leaves with all it has its Module tells. */
function tellPruned(c: UnitDeps, scope: UnitScope, deleted: readonly InventoryObject[]): void {
  const { inventory, cluster, record } = scope
  if (deleted.length === 0 || record?.removal) return
  const what = shownObjects(deleted.map(refText))
  const text = `${what}: deleted on ${cluster.name}, since it is not in the bundle any more`
  const of = `${inventory.spec.admitted?.serial} ${what}`
  c.events.record(inventory, [{ type: 'Normal', reason: 'Pruned', action: 'Deliver', text, of }])
  const set = setOfInventory(c, inventory)
  const said = `${cluster.name}: ${what}: deleted, since it is in no source any more`
  if (set)
    c.events.record(set, [
      {
        type: 'Normal',
        reason: 'Pruned',
        action: 'Prune',
        text: said,
        of: `${cluster.name} ${of}`,
        level: 'debug',
      },
    ])
}

/** Said with the next look, by all that need it. */
function consentUnread(c: UnitDeps, { memory, ref }: UnitScope, error: RequestError): ReconcileResult {
  memory.consentUnread = {
    error: unreadableApprovalText(error, ref),
    retryAt: c.env.clock.steady() + APPROVAL_RETRY_MS,
  }
  return requeueAfter(1)
}

/**
 * Kinds that no controller of Kubernetes makes other objects for that a deletion would wait for. A foreground deletion of
 * them costs the garbage collector two reads and a write each.
 */
const CONTENT: ReadonlySet<string> = new Set([
  '/ConfigMap',
  '/LimitRange',
  '/ResourceQuota',
  '/Secret',
  '/Service',
  '/ServiceAccount',
  'networking.k8s.io/NetworkPolicy',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
])

async function removeOne(
  c: UnitDeps,
  scope: UnitScope,
  entry: InventoryObject,
  noted: RecordDeleteFailure,
): Promise<ReconcileResult | 'noted' | 'deleted' | undefined> {
  const resource = servedAs(scope.session, entry)
  if (!resource) return undefined
  const live = scope.session.objects(resource).get(entry)
  if (!live) return undefined
  const done = await scope.session.client.delete(defineKind(resource), entry, {
    purpose: 'prune',
    manager: MANAGER,
    precondition: { uid: entry.uid, resourceVersion: live.resourceVersion },
    propagation: CONTENT.has(`${entry.group}/${entry.kind}`) ? 'Background' : 'Foreground',
  })
  if (done.ok || done.error.kind === 'NotFound') {
    scope.memory.deleted.set(identityOf(entry), { uid: entry.uid, at: c.env.clock.steady() })
    c.env.meters.count('lockstep_objects_total', { result: 'deleted' })
    return 'deleted'
  }
  if (done.error.kind === 'KindUnknown') {
    // What is served is decided anew, and with it what becomes of the entry: that is no refusal.
    scope.session.discoverBeside()
    return failed(done.error, 'delete')
  }
  return noted(entry, live, done.error) ? 'noted' : failed(done.error, 'delete')
}
