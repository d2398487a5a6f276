/** What is worth an Event of a ClusterResourceSet that its Module has done, or found, on one cluster. */

import { jsonEqual, type Stored } from '@lockstep/kube/object'
import { aboutOf } from '../../api/blocker.ts'
import { DRIFT_DETECTED } from '../../api/conditions.ts'
import type { ClusterResourceSet, Inventory, InventoryStatus } from '../../api/kinds/index.ts'
import { type SetMessagesSubject, setMessage, setOf } from '../../decisions/resourceset/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import { companionRef } from '../cache/index.ts'
import type { EventNote } from '../runtime/index.ts'
import type { UnitDeps } from './unitscope.ts'

/** The set of whose Module an Inventory is; undefined: of none. */
export function setOfInventory(
  { hub }: Pick<UnitDeps, 'hub'>,
  inventory: Stored<Inventory>,
): Stored<ClusterResourceSet> | undefined {
  const ref = refOfInventory(inventory)
  const owner = setOf(hub.module(ref)?.metadata ?? {})
  return owner && hub.sets.get({ namespace: ref.namespace, name: owner.name })
}

/** `isTold`: that it has failed was told, and it was not well since. */
export interface Episode {
  isTold?: boolean
}

/** Once for each episode on a cluster: a failure is over once all is well, drift once it is gone. */
export function deliveredEvents(
  cluster: string,
  before: InventoryStatus | undefined,
  after: InventoryStatus,
  episode: Episode,
  words: SetMessagesSubject,
): EventNote[] {
  const notes: EventNote[] = []
  const add = (
    type: EventNote['type'],
    reason: EventNote['reason'],
    action: string,
    message: string,
    what = message,
  ): void => {
    const text = `${cluster}: ${message}`
    // The unit has a line of its own.
    notes.push({ type, reason, action, text, of: `${cluster} ${what}`, level: 'debug' })
  }
  const [first] = after.blockers ?? []
  if (after.state === 'Ready') episode.isTold = false
  if (after.state === 'Failed' && first && !episode.isTold) {
    episode.isTold = true
    if (before?.state !== 'Failed')
      add('Warning', 'ApplyFailed', 'Apply', setMessage(first, words), aboutOf(first))
  }
  const drift = driftIn(after)
  if (drift && !driftIn(before)) add('Warning', 'DriftDetected', 'Check', drift.message)
  const { lastDrift } = after
  if (lastDrift && !jsonEqual(lastDrift, before?.lastDrift))
    add('Normal', 'DriftReverted', 'Revert', `drift reverted: ${lastDrift.message}`)
  return notes
}

const driftIn = (s: InventoryStatus | undefined) =>
  s?.conditions?.find((c) => c.type === DRIFT_DETECTED && c.status === 'True')

/** Of the set, what the status of its Module's Inventory says. */
export function recordDeliveredEvents(
  c: UnitDeps,
  inventory: Stored<Inventory>,
  after: InventoryStatus,
  episode: Episode,
): void {
  const set = setOfInventory(c, inventory)
  if (!set) return
  const cluster = inventory.spec.clusterRef.name
  const notes = deliveredEvents(cluster, inventory.status, after, episode, setWordsOf(c, set))
  if (notes.length > 0) c.events.record(set, notes)
}

/** Names for messages to the author of the set. */
export const setWordsOf = (
  { hub }: Pick<UnitDeps, 'hub'>,
  set: Stored<ClusterResourceSet>,
): SetMessagesSubject => {
  const { namespace, name: module } = companionRef(set)
  return {
    namespace,
    module,
    setOfModule: (name) => setOf(hub.modules.store.get({ namespace, name })?.metadata ?? {})?.name,
  }
}
