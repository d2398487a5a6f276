/** Records and admissions by what the bindings of a unit are. */

import { ok } from '@lockstep/kube/env'
import { type Digest, keyOf } from '@lockstep/kube/object'
import type { Assignment } from '../../api/kinds/index.ts'
import { type Inventory, inventoryKind } from '../../api/registry.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { TargetBundle, UnitStart } from '../../decisions/rollout/index.ts'
import { admittedSpec } from '../../deliver/step/index.ts'
import {
  type ControllerContext,
  type NewAssignment,
  newAssignment,
  newNonce,
  type RevisionRecord,
} from '../cache/index.ts'
import { isBoundAsRecorded } from '../publish/index.ts'
import { failedWrite } from '../runtime/index.ts'
import {
  type Admission,
  admissionEffects,
  revisionOfUnit,
  type UnitScope,
  unusable,
  writeInventory,
} from '../unit/index.ts'
import type { UnitFacts } from './unitviews.ts'

interface StartStage {
  readonly stage: string
  readonly target: TargetBundle | undefined
}

/** What a unit is assigned. Its values are kept before anything names them. Undefined: not now, it is tried again. */
export async function assignUnit(
  c: ControllerContext,
  ref: ModuleRef,
  unit: UnitFacts,
  start: UnitStart,
  place: StartStage,
): Promise<NewAssignment | undefined> {
  const { revision = '' } = start
  const found = revisionOfUnit(c, ref, revision)
  const { values } = unit.wanted(revision)
  const stored = values ? await c.bundles.put(ref.namespace, values) : ok(undefined)
  if (!stored.ok) c.env.log.warn('values of bindings are not kept', { error: stored.error.message })
  return found && stored.ok
    ? assignmentOfStart(start, unit, { ...place, found, values: values?.digest })
    : undefined
}

/** What a start assigns. */
export function assignmentOfStart(
  { kind, revision }: UnitStart,
  unit: UnitFacts,
  {
    found,
    values,
    stage,
    target,
  }: StartStage & { readonly found: RevisionRecord; readonly values: Digest | undefined },
): NewAssignment {
  const record = newAssignment(found, values, stage)
  const moved = unit.view.hold ? 'Pinned' : 'Joined'
  const apart = kind === 'Rebind' ? unit.record?.apart : moved
  return revision === target?.revision || apart === undefined ? record : { ...record, apart }
}

/**
 * A unit that waits for its turn at a newer revision, and is bound to other values where it is. It relies on nothing that it
 * did not rely on: the grounds on which it was admitted stay. Undefined: nothing of that.
 */
export async function rebind(
  c: ControllerContext,
  scope: UnitScope,
  record: Assignment,
): Promise<Admission | undefined> {
  const known = scope.inventory.spec.admitted
  if (known?.revision !== record.revision || isBoundAsRecorded(known, record)) return undefined
  const own = await c.hub.client.get<Inventory>(inventoryKind, keyOf(scope.inventory), { why: 'admission' })
  if (!own.ok) return { type: 'done', outcome: failedWrite(c, own.error) }
  c.hub.inventories.wrote(own.value)
  const { admitted } = own.value.spec
  if (admitted?.revision !== record.revision) return { type: 'done', outcome: { ok: true, afterMs: 1 } }
  const effects = await admissionEffects(c, { ...scope, inventory: own.value }, record)
  if (!effects.ok) return unusable(effects.error, { module: scope.ref })
  const spec = admittedSpec({
    spec: own.value.spec,
    record,
    gateDigest: admitted.gateDigest,
    evidence: admitted.evidence ?? [],
    ...effects.value,
    nonce: () => newNonce(c, scope),
    isDelivered: own.value.status?.revision !== undefined,
    isOlder: false,
  })
  const written = await writeInventory(c, own.value, spec)
  if (!written.ok) return { type: 'done', outcome: failedWrite(c, written.error) }
  scope.memory.failures.clear()
  return { type: 'done', outcome: { ok: true, afterMs: 1 } }
}
