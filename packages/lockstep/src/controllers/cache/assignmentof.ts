/** Assignments: what each unit is to deliver, or that it is removed. They are in the Inventory of the unit. */

import type { Digest, Stored } from '@lockstep/kube/object'
import type { Assignment, Inventory, Module, SyncStatus } from '../../api/kinds/index.ts'
import { type TargetBundle, WHOLE_STAGE } from '../../decisions/rollout/index.ts'

export type NewAssignment = Omit<Assignment, 'uid' | 'serial'>

/** `values`: digest of what its bindings are on the cluster. */
export const newAssignment = (
  { revision, bundle, release }: TargetBundle & { readonly release?: string | undefined },
  values: Digest | undefined,
  stage: string,
): NewAssignment => ({
  revision,
  bundle,
  ...(values === undefined ? {} : { values }),
  ...(release === undefined ? {} : { release }),
  stage,
})

/** As it is written down. `before`: the one that it replaces. */
export const toAssignment = (
  { metadata: { uid } }: Stored<Module>,
  assigned: NewAssignment,
  before: Assignment | undefined,
): Assignment => ({ uid, ...assigned, serial: (before?.serial ?? 0) + 1 })

/** The assignment of a unit that stays at its admission. */
export function admittedAssignment(
  { spec: { admitted } }: Pick<Inventory, 'spec'>,
  stage = WHOLE_STAGE,
): NewAssignment | undefined {
  if (!admitted) return undefined
  const assigned = newAssignment(admitted, admitted.values, stage)
  return admitted.apart === undefined ? assigned : { ...assigned, apart: admitted.apart }
}

/** The assignment of a unit of a Module. What an earlier version of Lockstep admitted is assigned as it was admitted. */
export function assignmentOf(inventory: Stored<Inventory> | undefined): Assignment | undefined {
  if (!inventory || inventory.spec.moduleRef.owner !== undefined) return undefined
  const { assigned, moduleRef } = inventory.spec
  if (assigned) return assigned
  const admitted = admittedAssignment(inventory)
  return admitted && { uid: moduleRef.uid, ...admitted, serial: 0 }
}

/** Status of one unit, from its Inventory. */
export function unitSummary(
  { kind, name }: Pick<SyncStatus, 'kind' | 'name'>,
  inventory: Stored<Inventory> | undefined,
): SyncStatus {
  const status = inventory?.status
  const admitted = inventory?.spec.admitted
  return {
    kind,
    name,
    ...(admitted ? { revision: admitted.revision } : {}),
    ...(status?.verifiedGateDigest ? { gateDigest: status.verifiedGateDigest } : {}),
    state: status?.state ?? 'Waiting',
    ...(status?.objects ? { objects: { ready: status.objects.ready, total: status.objects.total } } : {}),
    ...(status?.blockers ? { blockers: status.blockers.slice(0, 3) } : {}),
    observedSerial: status?.observedSerial ?? 0,
  }
}
