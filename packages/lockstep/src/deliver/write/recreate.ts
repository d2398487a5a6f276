/** Objects that are made anew because a field of theirs cannot change: whether, and what to do instead. Pure. */

import { at, type ObjectReference } from '@lockstep/kube/object'
import type { InventoryObject, WriteIntent } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'

/** What is deleted, and for which content: part of the intent of its create. */
export type RecreatedObject = NonNullable<WriteIntent['replaces']>

/** What becomes of an object whose apply was refused since a field cannot change. */
export type RecreateDecision =
  | { readonly type: 'replace'; readonly replaces: RecreatedObject }
  | {
      readonly type: 'refused'
      readonly reason: 'ImmutableField' | 'ReplaceRefused'
      readonly advice: string
    }

export interface RecreateView {
  readonly live: LiveObject
  /** As it was applied last. */
  readonly entry: InventoryObject | undefined
  readonly intent: WriteIntent | undefined
  readonly inventoryUid: string
  /** `spec.apply.replaceImmutable`. */
  readonly allowed: boolean
}

export function recreateDecisionOf(d: DesiredObject, view: RecreateView): RecreateDecision {
  const refused = (reason: 'ImmutableField' | 'ReplaceRefused', advice: string): RecreateDecision => ({
    type: 'refused',
    reason,
    advice,
  })
  const { live } = view
  const loss = lossOf(d.ref, live)
  if (!view.allowed) {
    const advice =
      loss === undefined
        ? 'set spec.apply.replaceImmutable, or annotate it with lockstep.dev/replace-immutable: "true", to have it made anew, or '
        : ''
    return refused('ImmutableField', `${advice}give it another name`)
  }
  if (loss !== undefined)
    return refused(
      'ReplaceRefused',
      `it is not made anew, since ${loss}; give it another name, or undo the change`,
    )
  if (live.inventory !== view.inventoryUid)
    return refused(
      'ReplaceRefused',
      'it is not made anew, since it does not carry our marks; delete it yourself',
    )
  if (wasReplaced(d, view))
    return refused(
      'ImmutableField',
      'it was made anew for this content once, and something has changed it since',
    )
  return { type: 'replace', replaces: { uid: live.uid, content: d.content } }
}

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

const LOSSES: Readonly<Record<string, string>> = {
  '/Namespace': 'everything in it would go along',
  '/Node': 'its Pods would go along',
  '/PersistentVolume': 'it holds data',
  '/PersistentVolumeClaim': 'it holds data',
  'apiextensions.k8s.io/CustomResourceDefinition': 'all objects of its kind would go along',
  'apiregistration.k8s.io/APIService': 'its kinds would not be served meanwhile',
}

/** What would be lost with an object that no manifest brings back. */
export function lossOf({ group, kind }: ObjectReference, live: LiveObject): string | undefined {
  const loss = LOSSES[`${group}/${kind}`]
  if (loss !== undefined) return loss
  const spec = at(live.object, 'spec')
  const isKept =
    spec !== undefined && at(spec, 'persistentVolumeClaimRetentionPolicy', 'whenDeleted') !== 'Delete'
  return group === 'apps' && kind === 'StatefulSet' && !isKept
    ? 'its claims, and their data, would go along'
    : undefined
}
