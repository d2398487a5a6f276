/** What DisruptionBudgets count: clusters that are there, and those on which something goes on or is wrong. */

import type { ModuleRef } from '../../../decisions/graph/index.ts'
import type { ConfirmedSlots, CountedCluster } from '../../../decisions/rollout/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { type ClusterView, type FleetReader, HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import type { HubCaches } from '../hubcaches.ts'
import { moduleIndexOf } from '../moduleindex.ts'

export function budgetFactsOfClusters(fleet: FleetReader, namespace: string): CountedCluster[] {
  return fleet.of(namespace).flatMap((view) => {
    const reach = reachOf(fleet, view)
    return reach === undefined
      ? []
      : [{ name: view.name, labels: view.labels, isUnreachable: reach === 'Unreachable' }]
  })
}

/** Undefined: it is in no total. One that nobody has connected to yet is there as long as nothing is known against it. */
function reachOf(fleet: FleetReader, view: ClusterView): 'Reachable' | 'Unreachable' | undefined {
  if (view.name === HUB_CLUSTER && view.access.type === 'Hub') return undefined
  const { state } = fleet.knownCondition(view)
  switch (state) {
    case 'Connected':
    case 'Connecting':
    case 'Paused':
      return 'Reachable'
    case 'Unreachable':
    case 'Refused':
      return 'Unreachable'
    case 'Provisioning': {
      const isKnown = fleet.record(view)?.uid !== undefined
      return isKnown || (view.initialized && view.access.type !== 'Missing') ? 'Reachable' : undefined
    }
    default:
      return undefined
  }
}

/** What the modules of a namespace have in their own ledgers. */
export function budgetFactsOfModules(hub: HubCaches, namespace: string): ConfirmedSlots {
  const out = new Map<string, ReadonlySet<string>>()
  for (const m of moduleIndexOf(hub, namespace)) {
    const ledger = m.status?.rollout?.ledger ?? []
    if (ledger.length > 0) out.set(`${m.kind}/${m.metadata.name}`, new Set(ledger.map((e) => e.cluster)))
  }
  return out
}

/** Clusters on which something of any module is in flight, has failed, is unwell or leaves. */
export function disruptedClusters(
  hub: HubCaches,
  fleet: FleetReader,
  namespace: string,
): ReadonlySet<string> {
  const out = new Set<string>()
  for (const i of hub.inventories.store.by('unwell', namespace)) out.add(i.spec.clusterRef.name)
  for (const places of budgetFactsOfModules(hub, namespace).values()) for (const c of places) out.add(c)
  for (const m of moduleIndexOf(hub, namespace))
    if (m.status?.rollout === undefined) for (const c of assignedTo(hub, fleet, moduleRefOf(m))) out.add(c)
  return out
}

/** Of a module whose status was lost: where its records ask for what is not admitted yet, or for its removal. */
function assignedTo(hub: HubCaches, fleet: FleetReader, ref: ModuleRef): string[] {
  const { namespace } = ref
  return fleet.of(namespace).flatMap(({ name }) => {
    const record = hub.assignment(ref, name)
    const inventory = hub.unit(ref, name)
    const isThere = record?.removal === undefined && record?.revision === inventory?.spec.admitted?.revision
    return record === undefined || isThere ? [] : [name]
  })
}
