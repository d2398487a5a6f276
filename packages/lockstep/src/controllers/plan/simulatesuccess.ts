/** Units of a copy do at once what their records ask for, as soon as their gates are open, and with success. */
import type { Digest, Stored } from '@lockstep/kube/object'
import type { Assignment, Inventory } from '../../api/kinds/index.ts'
import { type EdgeEvidence, gate, type Observation } from '../../decisions/gate/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { admittedSpec } from '../../deliver/step/index.ts'
import { assignmentOf, findRevisionRecord } from '../cache/index.ts'
import { isAdmittedAsAsked, isOlderThan, unitTargetOf } from '../unit/index.ts'
import type { FleetCopy } from './fleetcopy.ts'

/** Whether anything of the unit changed. */
export function simulateSuccess(
  copy: FleetCopy,
  seen: Observation,
  ref: ModuleRef,
  cluster: string,
): boolean {
  const view = copy.fleet.view(ref.namespace, cluster)
  if (!view || copy.fleet.condition(view).state !== 'Connected') return false
  const inventory = copy.unit(ref, view.name)
  const record = assignmentOf(inventory)
  if (!inventory || !record) return false
  if (record.removal) {
    // It goes as soon as nobody relies on it; the scheduler has seen to that before it started.
    copy.inventories.drop(inventory)
    return true
  }
  const wanting = unitTargetOf(copy, ref, view.name, record)
  if (!wanting) return false
  const { admitted } = inventory.spec
  if (isOlderThan(wanting, record)) {
    if (admitted?.revision !== record.revision || admitted.values === record.values) return false
    // Bound to other values where it is.
    deliver(copy, ref, inventory, record, {
      gateDigest: admitted.gateDigest,
      evidence: admitted.evidence ?? [],
    })
    return true
  }
  if (isAdmittedAsAsked(admitted, record, wanting, seen)) return false
  const found = gate(wanting, seen)
  if (found.outcome === 'Closed') return false
  deliver(copy, ref, inventory, record, found)
  return true
}

function deliver(
  copy: FleetCopy,
  ref: ModuleRef,
  inventory: Stored<Inventory>,
  record: Assignment,
  found: { readonly gateDigest: Digest; readonly evidence: readonly EdgeEvidence[] },
): void {
  const numberOf = (revision: string | undefined): number =>
    findRevisionRecord(copy, ref, revision)?.number ?? 0
  const { spec } = inventory
  const next = admittedSpec({
    spec,
    record,
    gateDigest: found.gateDigest,
    evidence: found.evidence,
    creates: [],
    changes: new Set(),
    nonce: () => '',
    isDelivered: inventory.status?.revision !== undefined,
    isOlder: numberOf(record.revision) < numberOf(spec.admitted?.revision),
    hasDeleteHooks: false,
  })
  copy.inventories.put(healthyInventory({ ...inventory, spec: next }))
}

/** All of what is admitted is applied, healthy, and verified. */
export function healthyInventory(inventory: Stored<Inventory>): Stored<Inventory> {
  const { admitted } = inventory.spec
  if (!admitted) return inventory
  const { revision, gateDigest, serial } = admitted
  const total = inventory.status?.objects?.total ?? 0
  return {
    ...inventory,
    status: {
      observedSerial: serial,
      ...inventory.status,
      revision,
      admittedSerial: serial,
      verifiedGateDigest: gateDigest,
      health: 'Healthy',
      state: 'Ready',
      objects: { total, applied: total, ready: total, failed: 0, blocked: 0 },
      blockers: [],
    },
  }
}
