/** Objects that are made anew because a field of theirs cannot change: whether, and what to do instead. Pure. */

import { at, type ObjectReference } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject, ModuleSpec, WriteIntent } from '../../api/kinds/index.ts'
import type { ObjectLoss, WaitRefOf } from '../../api/reasons/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'

/** What is deleted, and for which content: part of the intent of its create. */
export type RecreatedObject = NonNullable<WriteIntent['replaces']>

/** What becomes of an object whose apply was refused since a field cannot change. */
export type RecreateDecision =
  | { readonly type: 'replace'; readonly replaces: RecreatedObject }
  | { readonly type: 'refused'; readonly blocker: NewBlocker }

export interface RecreateView {
  readonly live: LiveObject
  /** As it was applied last. */
  readonly entry: InventoryObject | undefined
  readonly intent: WriteIntent | undefined
  readonly inventoryUid: string
  /** The object, as facts refer to it, and the refusal of its apply. */
  readonly on: WaitRefOf<'Object'>
  readonly error: string
  /** `spec.apply.replaceImmutable`. */
  readonly allowed: boolean
  /** Another unit has the object as well: `Module platform/shop`. */
  readonly keeper: string | undefined
}

export function recreateDecisionOf(d: DesiredObject, view: RecreateView): RecreateDecision {
  const { live, on, error } = view
  const immutable = (next: 'Allow' | 'Rename' | 'RecreatedOnce'): RecreateDecision => ({
    type: 'refused',
    blocker: blocked('ImmutableField', [on], { error, next }),
  })
  const loss = lossOf(d.ref, live)
  if (!view.allowed) return immutable(loss === undefined ? 'Allow' : 'Rename')
  if (loss !== undefined)
    return { type: 'refused', blocker: blocked('ReplaceRefused', [on], { error, because: 'Loss', loss }) }
  if (live.inventory !== view.inventoryUid)
    return { type: 'refused', blocker: blocked('ReplaceRefused', [on], { error, because: 'NotManaged' }) }
  if (view.keeper !== undefined) {
    const facts = { error, because: 'Shared', keeper: view.keeper } as const
    return { type: 'refused', blocker: blocked('ReplaceRefused', [on], facts) }
  }
  if (wasReplaced(d, view)) return immutable('RecreatedOnce')
  return { type: 'replace', replaces: { uid: live.uid, content: d.content } }
}

/** `spec.apply.replaceImmutable`, or an annotation of the object. */
export const isRecreatable = (
  { options }: Pick<DesiredObject, 'options'>,
  apply: Pick<ModuleSpec['apply'], 'replaceImmutable'>,
): boolean => apply.replaceImmutable || options.replaceImmutable

/** Once for each content: what changes a field that cannot change while it is created would have it deleted for ever. */
const wasReplaced = (d: DesiredObject, { live, entry, intent }: RecreateView): boolean =>
  (entry?.replaced === true && entry.content === d.content) ||
  (intent?.replaces?.content === d.content && intent.replaces.uid !== live.uid)

/** It is announced already. */
export const isAnnounced = (intent: WriteIntent | undefined, { uid, content }: RecreatedObject): boolean =>
  intent?.replaces?.uid === uid && intent.replaces.content === content

/**
 * The delete of a replacement may have happened, or will, and its create has not: it has to stay announced, however long
 * that takes. `content`: of the manifest that is wanted now.
 */
export function isRecreating(
  { replaces }: WriteIntent,
  content: string | undefined,
  entry: InventoryObject | undefined,
): boolean {
  if (replaces === undefined || replaces.content !== content) return false
  return entry === undefined || (entry.uid === replaces.uid && entry.content !== content)
}

const LOSSES: Readonly<Record<string, ObjectLoss>> = {
  '/Namespace': 'Contents',
  '/Node': 'Pods',
  '/PersistentVolume': 'Data',
  '/PersistentVolumeClaim': 'Data',
  'apiextensions.k8s.io/CustomResourceDefinition': 'Instances',
  'apiregistration.k8s.io/APIService': 'Served',
}

/** What would be lost with an object that no manifest brings back. */
export function lossOf({ group, kind }: ObjectReference, live: LiveObject): ObjectLoss | undefined {
  const loss = LOSSES[`${group}/${kind}`]
  if (loss !== undefined) return loss
  const spec = at(live.object, 'spec')
  const isKept =
    spec !== undefined && at(spec, 'persistentVolumeClaimRetentionPolicy', 'whenDeleted') !== 'Delete'
  return group === 'apps' && kind === 'StatefulSet' && !isKept ? 'Claims' : undefined
}
