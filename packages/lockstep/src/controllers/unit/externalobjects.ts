/** Objects of a bundle that somebody else may have made: without our label, so that each has a watch of its own. */

import { isSecret, type KubeObject, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { DesiredObject, UnitDesiredState } from '../../deliver/plan/index.ts'
import { desiredWaitRef } from '../../deliver/state/index.ts'
import {
  type LiveObject,
  liveObjectOf,
  type ObjectSelection,
  selectionId,
} from '../../fleet/connection/index.ts'
import type { UnitScope } from './unitscope.ts'

/** Modes in which it counts that an object is there, whoever made it. */
export const isObserved = ({ options: { mode }, resource }: DesiredObject): boolean =>
  resource !== undefined && (mode === 'Observe' || mode === 'IfNotPresent')

const selectionOf = ({ object, ref }: DesiredObject): ObjectSelection => ({
  apiVersion: object.apiVersion,
  kind: ref.kind,
  namespace: ref.namespace,
  name: ref.name,
  // What is in it is nobody's business here.
  fields: isSecret(ref) ? 'metadata' : undefined,
})

/** 'unknown': it was not read yet, or cannot be. */
export function liveExternalObject(
  { session }: UnitScope,
  d: DesiredObject,
): LiveObject | 'unknown' | undefined {
  const seen = session.selections.select(selectionOf(d))
  if (seen.type === 'NotServed') return undefined
  if (seen.type !== 'Read') return 'unknown'
  const [found] = seen.objects
  return found && asLive(found)
}

/** An object whose write was refused; `note` hears the selection first. 'unknown': it was not read yet, or cannot be. */
export function unlabeledObject(
  scope: UnitScope,
  d: DesiredObject,
  note: (id: string) => void,
): LiveObject | 'unknown' | undefined {
  if (!d.resource) return 'unknown'
  note(selectionId(selectionOf(d)))
  return liveExternalObject(scope, d)
}

/** A cached object never changes, and what an expression said of it is kept with it. */
const lives = new WeakMap<KubeObject, LiveObject>()

function asLive(o: KubeObject): LiveObject {
  let live = lives.get(o)
  if (!live) {
    live = liveObjectOf(o as Stored, true)
    lives.set(o, live)
  }
  return live
}

/** Selections that a unit looks at because of its bundle. */
export const externalObjectIds = ({ objects }: UnitDesiredState): ReadonlySet<string> =>
  new Set(objects.flatMap((d) => (d && isObserved(d) ? [selectionId(selectionOf(d))] : [])))

/** What the cluster does not let us look at. */
export function unreadableExternalObjects(
  { session, cluster }: UnitScope,
  { objects }: UnitDesiredState,
): NewBlocker[] {
  return objects.flatMap((d): NewBlocker[] => {
    const seen = d && isObserved(d) ? session.selections.select(selectionOf(d)) : undefined
    if (seen?.type !== 'Unread') return []
    return [blocked('Forbidden', [desiredWaitRef(d!, cluster.name)], { action: 'Read', error: seen.detail })]
  })
}
