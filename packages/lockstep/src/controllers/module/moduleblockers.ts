/** Blockers of a module that the scheduler does not know of. Pure. */

import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker, storedBlocker, summarized } from '../../api/blocker.ts'
import { DRIFT_DETECTED, HANDED_OVER } from '../../api/conditions.ts'
import type { Module } from '../../api/kinds/index.ts'
import { MAX_REFS } from '../../api/reasons/index.ts'
import { namedUnit } from '../../decisions/graph/index.ts'
import { fleetRevision } from '../../decisions/rollout/index.ts'
import { type ClusterView, clusterRef } from '../../fleet/clusters/index.ts'
import { pendingHandover } from '../unit/index.ts'
import { emptySelection, missingClusters } from './emptyselection.ts'
import { isOutOfReach } from './orphanunits.ts'
import { isPredecessors, predecessorBlockers } from './predecessor.ts'
import type { UnitFacts } from './unitviews.ts'

/** Clusters that cannot be worked on, and what keeps a deletion waiting. */
export function moduleBlockers(
  module: Stored<Module>,
  units: readonly UnitFacts[],
  clusters: readonly ClusterView[],
): NewBlocker[] {
  const isDeleting = module.metadata.deletionTimestamp !== undefined
  const none = emptySelection(module, units, clusters)
  const out: NewBlocker[] = none ? [none] : []
  if (isDeleting) out.push(...deletionBlocked(module, units))
  for (const u of units) {
    const isCounted = u.view.selected || u.condition.reason === 'DuplicateOf'
    const { blocker } = u.condition
    if (!blocker || !isCounted) continue
    // Nothing waits for it: the status of the cluster has it, and an Event.
    if (blocker.reason === 'CredentialExpiring') continue
    // After each start, until the cluster answers: a ready unit stays ready.
    if (u.view.clusterState === 'Connecting' && isReadyAt(u, fleetRevision(module.status))) continue
    out.push(blocker)
  }
  if (!isDeleting) out.push(...predecessorBlockers(module, units))
  // What another one has left is no concern of this one's but to wait for it.
  const own = isDeleting ? units : units.filter((u) => !isPredecessors(module, u.record))
  out.push(...unitBlockers(module, own))
  const { namespace = '' } = module.metadata
  for (const name of isDeleting || none ? [] : missingClusters(module, clusters))
    out.push(blocked('ClusterMissing', [clusterRef({ name, namespace })], {}))
  return out
}

const isReadyAt = ({ view, inventory }: UnitFacts, revision: string | undefined): boolean =>
  view.admittedRevision === revision && inventory?.status?.state === 'Ready'

/** A longer command is not readable. */
const MOST_NAMED = 20

/** Whom a deletion waits for, and the command that ends it without them. */
function deletionBlocked(
  { kind, metadata: { name } }: Stored<Module>,
  units: readonly UnitFacts[],
): NewBlocker[] {
  const waiting = units.filter(isOutOfReach)
  if (waiting.length === 0) return []
  const count = waiting.length
  const names = waiting.slice(0, MOST_NAMED).map((u) => u.view.cluster)
  const isUnreachable = waiting.every((u) => u.view.clusterState === 'Unreachable')
  const command = `lockstep delete ${kind.toLowerCase()} ${name} --orphan ${names.join(',')}`
  const on = names.slice(0, MAX_REFS).map((c) => ({ kind: 'Cluster', name: c }) as const)
  const facts = {
    because: 'Clusters',
    state: isUnreachable ? 'Unreachable' : 'NotUsable',
    count,
    command,
  } as const
  return [{ ...blocked('DeletionBlocked', on, facts), count }]
}

const MOST_CLUSTERS = 10

/** `c1: 1 object: ConfigMap app/web (deleted)`, for the clusters where others have changed something. */
export function driftedUnits(units: readonly UnitFacts[]): string[] {
  const found = units.flatMap(({ view, inventory }) => {
    const drift = inventory?.status?.conditions?.find((c) => c.type === DRIFT_DETECTED)
    return drift ? [`${view.cluster}: ${drift.message}`] : []
  })
  const more = found.length - MOST_CLUSTERS
  return more > 0 ? [...found.slice(0, MOST_CLUSTERS), `and ${more} more clusters`] : found
}

/** Warnings of units about objects that changed hands. */
export interface Handovers {
  /** Received, and not applied yet. */
  readonly pending: readonly string[]
  /** Taken over by another Module, though this one has them too. */
  readonly given: readonly string[]
}

/** Under a Hold a unit reports nothing: pending objects are those of its Inventory. */
export function handoversOf(units: readonly UnitFacts[]): Handovers {
  const inventories = units.flatMap(({ inventory }) => inventory ?? [])
  const pending = inventories.flatMap((i) => pendingHandover(i)?.message ?? [])
  const given = inventories.flatMap((i) => i.status?.conditions?.filter((c) => c.type === HANDED_OVER) ?? [])
  return {
    pending: pending.slice(0, MOST_CLUSTERS),
    given: given.map((c) => c.message).slice(0, MOST_CLUSTERS),
  }
}

/** Its update is not over, whether or not its clock runs. */
function isUpdating(view: UnitFacts['view']): boolean {
  if (view.admittedRevision === undefined) return false
  const { running, waitsForPerson } = view.at(view.admittedRevision)
  return running || waitsForPerson === true
}

/** What the units in progress wait for: equal facts on many clusters become one blocker. */
function unitBlockers(module: Stored<Module>, units: readonly UnitFacts[]): NewBlocker[] {
  const own = `${module.kind}/${module.metadata.name}`
  return summarized(
    units.flatMap(({ view, inventory }) => {
      const { cluster } = view
      const isInProgress =
        (view.clusterState === 'Connected' || view.clusterState === 'Connecting') &&
        (isUpdating(view) ||
          view.leaving ||
          (view.admittedRevision !== undefined && !view.healthy) ||
          // A healthy unit may be kept from its next step all the same.
          inventory?.status?.state === 'Failed')
      if (!isInProgress) return []
      const [wait] = view.removal?.waits ?? []
      const first = inventory?.status?.blockers?.[0]
      const none = blocked(view.leaving ? 'Removing' : 'Pending', [namedUnit(own, cluster)], {})
      return [{ cluster, blocker: wait ?? (first ? storedBlocker(first) : none) }]
    }),
  )
}
