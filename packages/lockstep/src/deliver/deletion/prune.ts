/** What is deleted next, and what is not: pure. Used for prune and for the removal of a whole unit. */

import { apiVersionOf, isCustomGroup } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { definedKind } from '../../decisions/order/index.ts'
import type { ListRefusal, LiveObject } from '../../fleet/connection/index.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import { soonestRequeue } from '../step/requeue.ts'

/** One entry that is to go, as observed. */
export interface PruneEntry {
  readonly entry: InventoryObject
  /** `unserved`: the kind is defined, and not served; `gone`: nothing carries our label under that name, or nothing defines its kind. */
  readonly live: LiveObject | 'gone' | 'unserved' | 'unknown'
  /** Where nothing is known of it: why the cluster does not list its kind. */
  readonly unlisted: ListRefusal | undefined
  /** Its fate, since another unit has it or uses it; undefined: it is deleted. */
  readonly fate: PruneFate | undefined
  /** Its delete was answered a moment ago: the event is under way. */
  readonly asked: boolean
  /** Steady milliseconds since it is terminating. */
  readonly terminatingMs: number
  /** It is not to be deleted: our marks are taken off, and it is nobody's. */
  readonly kept: boolean
  /** A person deletes it, because its manifest or the object itself says so. */
  readonly confirm: boolean
  /** True if the object existed before Lockstep delivered it: a person confirms the deletion. */
  readonly existed?: boolean | undefined
  /** Module of another hub namespace that has it, for which a person confirms the deletion. */
  readonly foreign?: string | undefined
  /** The cluster refuses it; milliseconds until it is tried again. */
  readonly refused: { readonly blocker: NewBlocker; readonly retryInMs: number } | undefined
}

export type PruneFate =
  /** `isMoved`: has the marks of the receiver already, whose Inventory does not list it. */
  | {
      readonly type: 'HandOver'
      readonly to: ModuleRef
      readonly inherited: boolean
      readonly isMoved: boolean
    }
  /** A unit keeps it without owning it. */
  | { readonly type: 'Orphan' }
  | { readonly type: 'Wait'; readonly blocker: NewBlocker; readonly retryInMs: number | undefined }

export interface PruneView {
  readonly inventoryUid: string
  readonly module: Pick<ModuleRef, 'namespace' | 'name'>
  readonly cluster: string
  readonly entries: readonly PruneEntry[]
}

/** Namespaces that are part of every cluster. */
const PROTECTED: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease'])
const FINALIZER_PENDING_MS = 10 * 60_000

/** Gone by itself, not ours, or not to be deleted: the entry is let go of. */
function isReleased(p: PruneEntry, uid: string): boolean {
  if (p.live === 'gone') return true
  if (p.live === 'unknown' || p.live === 'unserved') return false
  // Somebody else deletes it: there is nothing left to keep.
  if (p.kept && p.live.deleting) return true
  if (p.fate?.type === 'HandOver' && p.fate.isMoved) return false
  return p.live.uid !== p.entry.uid || p.live.inventory !== uid || isProtected(p.entry)
}

const isProtected = (o: InventoryObject): boolean =>
  o.group === '' && o.kind === 'Namespace' && PROTECTED.has(o.name)

/**
 * Custom resources go before all else, since it may be their operator that takes their finalizers off, or what that needs;
 * and everything goes before the definitions of its kind, and those before the Namespaces.
 */
function rankOf({ group, kind, early }: InventoryObject): number {
  if (group === '' && kind === 'Namespace') return 0
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition') return 1
  return isCustomGroup(group) || early ? 3 : 2
}

/** Those that nothing goes before: of the first rank, and of each part of the order the deepest. */
function firstOf(left: readonly PruneEntry[]): PruneEntry[] {
  const rank = left.reduce((top, { entry }) => Math.max(top, rankOf(entry)), 0)
  const next = left.filter(({ entry }) => rankOf(entry) === rank)
  const deepest = new Map<string, number>()
  for (const { entry } of next)
    if (entry.part) deepest.set(entry.part, Math.max(entry.level, deepest.get(entry.part) ?? entry.level))
  return next.filter(({ entry: { part, level } }) => !part || level === deepest.get(part))
}

export interface PruneNext {
  readonly remove: readonly InventoryObject[]
  /** Let go of as it is. */
  readonly release: readonly InventoryObject[]
  /** Let go of once our marks are off, in this order. */
  readonly keep: readonly InventoryObject[]
  /** Other units get it. */
  readonly handOver: readonly HandedObject[]
}

/** An object, and the unit that gets it. */
export interface HandedObject extends Omit<Extract<PruneFate, { type: 'HandOver' }>, 'type'> {
  readonly entry: InventoryObject
}

export const isNothingToPrune = ({ remove, release, keep, handOver }: PruneNext): boolean =>
  remove.length + release.length + keep.length + handOver.length === 0

export function pruneNext(view: PruneView): PruneNext {
  const release = view.entries.filter((p) => isReleased(p, view.inventoryUid)).map((p) => p.entry)
  const handOver = view.entries.filter((p) => !isReleased(p, view.inventoryUid)).flatMap(handedObject)
  const handed = new Set(handOver.map(({ entry }) => entry))
  const stays = view.entries.filter((p) => !isReleased(p, view.inventoryUid) && !handed.has(p.entry))
  const kept = stays.filter(isKept)
  const around = stays.filter((p) => !isKept(p) && kept.some(({ entry }) => takesAlong(p, entry)))
  // What would take it along is let go of first: once it is out of the Inventory, nobody knows that it is kept.
  const isFree = ({ entry }: PruneEntry): boolean =>
    around.every((a) => isTouchable(a) || !takesAlong(a, entry))
  const keep = [...around, ...kept.filter(isFree)].filter(isTouchable).map((p) => p.entry)
  const waiting = stays.filter((p) => p.fate?.type === 'Wait')
  // A Namespace or definition that is in use holds up no other; one with something in it that waits is not deleted.
  const isHeldUp = (p: PruneEntry): boolean =>
    p.fate !== undefined || [...waiting, ...handOver].some(({ entry }) => takesAlong(p, entry))
  const isRanked = (p: PruneEntry): boolean => !isHeldUp(p) || !isContainer(p.entry)
  const left = stays.filter((p) => isRanked(p) && !kept.includes(p) && !around.includes(p))
  // What comes later waits until these are gone.
  const remove = firstOf(left)
    .filter((p) => isDeletable(p) && !isHeldUp(p))
    .map((p) => p.entry)
  return { remove, release, keep, handOver }
}

/** Kept on the cluster, without our marks. */
const isKept = (p: PruneEntry): boolean => p.kept || p.fate?.type === 'Orphan'

/** A terminating object is not handed over: the receiver creates its own. */
function handedObject(p: PruneEntry): HandedObject[] {
  if (p.fate?.type !== 'HandOver' || !isTouchable(p) || (p.live as LiveObject).deleting) return []
  const { to, inherited, isMoved } = p.fate
  return [{ entry: p.entry, to, inherited, isMoved }]
}

/** Kinds whose objects are deleted with all that is in them, or of their kind. */
const CONTAINERS: ReadonlySet<string> = new Set([
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
])

export const isContainer = ({ group, kind }: Pick<InventoryObject, 'group' | 'kind'>): boolean =>
  CONTAINERS.has(`${group}/${kind}`)

/** Deleting the one deletes the other: the Namespace it is in, the definition of its kind. */
export function takesAlong(
  { entry, live }: Pick<PruneEntry, 'entry' | 'live'>,
  kept: Pick<InventoryObject, 'group' | 'kind' | 'namespace'>,
): boolean {
  if (entry.group === '' && entry.kind === 'Namespace') return kept.namespace === entry.name
  if (entry.kind !== 'CustomResourceDefinition' || kept.group === '') return false
  return typeof live === 'object'
    ? definedKind(live.object) === `${kept.group}/${kept.kind}`
    : entry.name.endsWith(`.${kept.group}`)
}

/** It can be written to now. */
const isTouchable = (p: PruneEntry): boolean => typeof p.live === 'object' && p.refused === undefined

const isDeletable = (p: PruneEntry): boolean =>
  isTouchable(p) && !p.confirm && !p.asked && !(p.live as LiveObject).deleting

/** When something that was refused is tried again. */
export const pruneRetryMs = (view: PruneView): number | undefined =>
  soonestRequeue(
    view.entries.flatMap((p) => [
      p.refused?.retryInMs,
      p.fate?.type === 'Wait' ? p.fate.retryInMs : undefined,
    ]),
  )

/** Why objects that must be deleted still exist. */
export const pruneBlockers = (view: PruneView): NewBlocker[] =>
  view.entries.flatMap((p) => pruneBlocker(p, view) ?? [])

function pruneBlocker(p: PruneEntry, { module, cluster }: PruneView): NewBlocker | undefined {
  const on = objectWaitRef(p.entry, cluster)
  if (p.refused !== undefined) return p.refused.blocker
  if (p.fate?.type === 'Wait' && !p.kept) return p.fate.blocker
  if (p.live === 'unknown') return unknownBlocker(p, cluster)
  if (p.live === 'unserved') {
    const facts = { apiVersion: apiVersionOf(p.entry), kind: p.entry.kind, action: 'Delete' } as const
    return blocked('KindNotServed', [on], facts)
  }
  if (p.live === 'gone') return undefined
  if (p.confirm && !p.kept && !p.live.deleting)
    return blocked('PruneConfirmation', [on, { kind: 'Module', ...module }], {
      module: module.name,
      foreign: p.foreign,
      existed: p.existed === true ? true : undefined,
    })
  if (!p.live.deleting) return undefined
  const minutes = p.terminatingMs >= FINALIZER_PENDING_MS ? Math.floor(p.terminatingMs / 60_000) : undefined
  return blocked('FinalizerPending', [on], { next: 'Remove', finalizers: p.live.finalizers, minutes })
}

function unknownBlocker({ entry, unlisted }: PruneEntry, cluster: string): NewBlocker {
  const on = objectWaitRef(entry, cluster)
  if (unlisted?.reason === 'Forbidden')
    return blocked('Forbidden', [on], { action: 'List', error: unlisted.words })
  return blocked('WatchStale', [on], { state: 'KindUnread', detail: unlisted?.words })
}
