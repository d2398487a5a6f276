/** The writes of a delivery to the spec of its Inventory. Undefined: the write succeeded. */

import { identityOf } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { withDeletionPolicy } from '../../../deliver/deletion/index.ts'
import { parseUnitName, withWaits } from '../../../deliver/plan/index.ts'
import { entriesOf, type UnitInput } from '../../../deliver/state/index.ts'
import {
  type AnnouncedIntent,
  recordedSpec,
  servedIntents,
  type TakenObject,
  unsentIntents,
  withAnnounced,
} from '../../../deliver/step/index.ts'
import { failed } from '../../runtime/index.ts'
import { newNonce, type UnitDeps, type UnitScope, writeInventory } from '../unitscope.ts'

/** Intents are recorded before their objects are created. */
export async function announceIntents(
  c: UnitDeps,
  scope: UnitScope,
  announced: readonly AnnouncedIntent[],
): Promise<ReconcileResult | undefined> {
  const { spec } = scope.inventory
  const known = announced.map((a) => (a.takes ? { ...a, takes: takenFrom(c, scope, a.takes) } : a))
  const intents = withAnnounced(spec.intents ?? [], known, () => newNonce(c, scope))
  const done = await writeInventory(c, scope.inventory, withWaits({ ...spec, intents }, scope))
  return done.ok ? undefined : failed(done.error)
}

/** With what the entry of the giver says of the time before Lockstep. */
function takenFrom({ hub }: UnitDeps, { cluster }: UnitScope, takes: TakenObject): TakenObject {
  const giver = parseUnitName(takes.from)
  const entries = giver && hub.unit(giver, cluster.name)?.spec.objects
  const existed = entries?.find((o) => o.uid === takes.uid)?.existed
  return existed === undefined ? takes : { ...takes, existed }
}

/** The account may not write the objects: without intents the unit can be removed although the account cannot list them. */
export async function withdrawIntents(
  c: UnitDeps,
  { inventory, memory }: UnitScope,
): Promise<ReconcileResult | undefined> {
  const { intents = [], ...spec } = inventory.spec
  const unsent = unsentIntents(intents, memory)
  if (unsent.length === 0) return undefined
  const left = intents.filter((i) => !unsent.includes(i))
  const done = await writeInventory(c, inventory, left.length === 0 ? spec : { ...spec, intents: left })
  return done.ok ? undefined : failed(done.error)
}

/** The cause to delete an object that no Inventory listed at admission, because its create had no answer. */
export async function recordCause(c: UnitDeps, scope: UnitScope): Promise<ReconcileResult | undefined> {
  const { spec } = scope.inventory
  const causes = [...(spec.causes ?? []), { cause: 'RemovedFromBundle' as const, to: spec.admitted!.bundle }]
  const done = await writeInventory(c, scope.inventory, { ...spec, causes })
  return done.ok ? undefined : failed(done.error)
}

/** Records the objects of the unit; process memory then drops the entries that were written. */
export async function recordInventory(
  c: UnitDeps,
  { inventory, memory }: UnitScope,
  input: UnitInput,
): Promise<ReconcileResult | undefined> {
  const entries = [...entriesOf(input).values()]
  const hasLeftovers = entries.some((o) => !input.desired.byId.has(identityOf(o)))
  const served = servedIntents(
    (inventory.spec.intents ?? []).filter((i) => !input.marked.has(identityOf(i))),
    entriesOf(input),
    memory,
    input.steady,
    input.isSeen,
    input.desired,
  )
  const recorded = recordedSpec(
    inventory.spec,
    withDeletionPolicy(entries, input.desired),
    hasLeftovers,
    served,
  )
  const spec = withWaits(recorded, { inventory, memory })
  const applied = new Map(memory.applied)
  const gone = new Map(memory.gone)
  const done = await writeInventory(c, inventory, spec)
  if (!done.ok) return failed(done.error)
  for (const [id, entry] of applied) if (memory.applied.get(id) === entry) memory.applied.delete(id)
  for (const [id, uid] of gone) if (memory.gone.get(id) === uid) memory.gone.delete(id)
  return undefined
}
