/** An assignment that was overtaken is taken back: its record first, then whatever was decided while that was there. */

import type { KubeResult } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { keyOf, type Stored } from '@lockstep/kube/object'
import { type Inventory, inventoryKind, type Module } from '../../api/kinds/index.ts'
import { MANAGER, WITHDRAWN_ANNOTATION } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { WHOLE_STAGE } from '../../decisions/rollout/index.ts'
import { type NewAssignment, newAssignment, writeAssignment } from '../cache/index.ts'
import type { ModuleDeps } from './moduledeps.ts'
import type { UnitFacts } from './unitviews.ts'

/** Its executor writes it, too. */
const TRIES = 5

/** The record of a unit: set, or taken out. */
export function writeUnitAssignment(
  c: Pick<ModuleDeps, 'hub' | 'limits'>,
  ref: ModuleRef,
  module: Stored<Module>,
  unit: UnitFacts,
  record: NewAssignment | undefined,
): Promise<KubeResult<void>> {
  const stored = c.hub.assemblages.store.get({ namespace: ref.namespace, name: unit.view.cluster })
  const cluster = unit.cluster ?? {
    kind: stored?.spec.clusterRef.kind ?? 'Secret',
    name: unit.view.cluster,
  }
  return writeAssignment(c.hub, c.limits.recordWrites, ref, module, cluster, record)
}

/** What a unit is assigned where nothing is asked of it: what is admitted there. */
export function admittedAssignment({ inventory, record }: UnitFacts): NewAssignment | undefined {
  const admitted = inventory?.spec.admitted
  return admitted && newAssignment(admitted, admitted.values, record?.stage ?? WHOLE_STAGE)
}

/**
 * Back to what is admitted there, or to nothing. Then the Inventory is touched: an admission by the record that was there,
 * which may be under way, loses its swap. True: nobody can be admitted by that record any more; false: somebody has been.
 */
export async function unassign(
  c: Pick<ModuleDeps, 'hub' | 'limits' | 'env'>,
  ref: ModuleRef,
  module: Stored<Module>,
  unit: UnitFacts,
): Promise<KubeResult<boolean>> {
  const done = await writeUnitAssignment(c, ref, module, unit, admittedAssignment(unit))
  if (!done.ok) return done
  const { inventory, record } = unit
  const touched = inventory && (await touch(c, inventory))
  if (!touched) return ok(true)
  if (!touched.ok) return touched.error.kind === 'NotFound' ? ok(true) : touched
  return ok(touched.value.spec.admitted?.revision !== record?.revision)
}

/** On the version that is there: whoever read another one decides again. */
async function touch(
  c: Pick<ModuleDeps, 'hub' | 'env'>,
  known: Stored<Inventory>,
): Promise<KubeResult<Stored<Inventory>>> {
  const { own, inventories } = c.hub
  const metadata = { annotations: { [WITHDRAWN_ANNOTATION]: c.env.random.uuid() } }
  let seen = known
  for (let left = TRIES; ; left--) {
    const how = { purpose: 'record', manager: MANAGER, precondition: seen.metadata } as const
    const done = await own.patch<Inventory>(inventoryKind, keyOf(seen), { metadata }, how)
    if (done.ok) inventories.observeWrite(done.value)
    if (done.ok || done.error.kind !== 'FenceLost' || left <= 1) return done
    const read = await own.get<Inventory>(inventoryKind, keyOf(seen), { purpose: 'reread' })
    if (!read.ok) return read
    seen = read.value
  }
}
