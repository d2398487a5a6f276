/** Blockers of a module that the scheduler does not know of. Pure. */

import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { DRIFT_DETECTED } from '../../api/conditions.ts'
import type { Module } from '../../api/kinds/index.ts'
import { type ClusterView, clusterRef } from '../../fleet/clusters/index.ts'
import { emptySelectorBlockers } from './emptyselector.ts'
import { isOutOfReach } from './orphanunits.ts'
import { isPredecessors, predecessorBlockers } from './predecessor.ts'
import type { UnitFacts } from './unitviews.ts'

/** Clusters that cannot be worked on, and what keeps a deletion waiting. */
export function moduleBlockers(
  module: Stored<Module>,
  units: readonly UnitFacts[],
  clusters: readonly ClusterView[],
): NewBlocker[] {
  const out: NewBlocker[] = []
  const isDeleting = module.metadata.deletionTimestamp !== undefined
  if (isDeleting) out.push(...deletionBlocked(module, units))
  for (const u of units) {
    const isCounted = u.view.selected || u.condition.reason === 'DuplicateOf'
    const { blocker } = u.condition
    if (!blocker || !isCounted) continue
    // Known from before, and being connected to again, as after each start.
    if (blocker.reason === 'Provisioning' && u.view.clusterState === 'Connected') continue
    out.push(blocker)
  }
  if (!isDeleting) out.push(...emptySelectorBlockers(module, units, clusters))
  if (!isDeleting) out.push(...predecessorBlockers(module, units))
  // What another one has left is no concern of this one's but to wait for it.
  const own = isDeleting ? units : units.filter((u) => !isPredecessors(module, u.record))
  out.push(...unitBlockers(own))
  const missing = (module.spec.targets?.clusters ?? []).filter(
    (name) => !units.some((u) => u.view.cluster === name || u.cluster?.objectName === name),
  )
  const { namespace = '' } = module.metadata
  for (const name of isDeleting ? [] : missing)
    out.push(blocked('ClusterMissing', [clusterRef({ name, namespace })], {}))
  return out
}

/** More names make no command that anybody reads. */
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
  const more = count > names.length ? `, and ${count - names.length} more` : ''
  const [who, them] = count === 1 ? ['1 cluster', 'it'] : [`${count} clusters`, 'them']
  const isSilent = waiting.every((u) => u.view.clusterState === 'Unreachable')
  const state = isSilent ? 'unreachable' : 'cannot be worked on'
  const command = `lockstep delete ${kind.toLowerCase()} ${name} --orphan ${names.join(',')}`
  const message = `${who} ${state} (${names.join(', ')}${more}): bring ${them} back, or ${command}`
  return [{ reason: 'DeletionBlocked', message, subject: `${kind}/${name}`, count }]
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

const isRunning = (view: UnitFacts['view']): boolean =>
  view.admittedRevision !== undefined && view.at(view.admittedRevision).running

/** What the units that are under way wait for themselves: one blocker a reason and subject, with the number of clusters. */
function unitBlockers(units: readonly UnitFacts[]): NewBlocker[] {
  const groups = new Map<string, NewBlocker & { count: number }>()
  for (const { view, inventory } of units) {
    const isUnderWay =
      view.clusterState === 'Connected' &&
      (isRunning(view) ||
        view.leaving ||
        (view.admittedRevision !== undefined && !view.healthy) ||
        // What is healthy may be kept from going on all the same.
        inventory?.status?.state === 'Failed')
    if (!isUnderWay) continue
    const first = inventory?.status?.blockers?.[0]
    const blocker = first ?? {
      reason: view.leaving ? 'Removing' : 'Applying',
      message: 'it is under way',
      subject: `cluster/${view.cluster}`,
    }
    // Each waits for the one on its own cluster.
    const own = `@${view.cluster}`
    const subject = blocker.subject.endsWith(own) ? blocker.subject.slice(0, -own.length) : blocker.subject
    const key = `${blocker.reason} ${subject}`
    const known = groups.get(key)
    const message = `${view.cluster}: ${blocker.message}`
    groups.set(
      key,
      known
        ? { ...known, count: known.count + 1 }
        : { reason: blocker.reason as NewBlocker['reason'], subject, message, count: 1 },
    )
  }
  return [...groups.values()]
}
