/** Warnings of a unit about objects that changed hands: there only while they hold. Pure. */
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import { HANDED_OVER, HANDOVER_PENDING, type NewCondition } from '../../../api/conditions.ts'
import type { Inventory, InventoryStatus } from '../../../api/kinds/index.ts'
import { unitRef } from '../../../decisions/graph/index.ts'
import { parseUnitName, refOfInventory, unitName } from '../../../deliver/plan/index.ts'

/** A report without handed over objects keeps the earlier warning. */
export function handoverConditions(
  { handedOver }: { readonly handedOver?: readonly string[] },
  old: Pick<InventoryStatus, 'conditions'> | undefined,
  inventory: Inventory,
): NewCondition[] {
  const pending = pendingHandover(inventory)
  const said = (old?.conditions ?? []).filter((c) => c.type === HANDED_OVER)
  return [
    ...(pending ? [conditionOf(HANDOVER_PENDING, [pending])] : []),
    ...(handedOver === undefined ? said : givenObjects(handedOver, inventory)),
  ]
}

/** Objects that the unit received before its first admission. */
export function pendingHandover({ metadata, spec }: Inventory): NewBlocker | undefined {
  if (spec.admitted) return undefined
  const ref = refOfInventory({ metadata, spec })
  const from = [
    ...(spec.objects ?? []).flatMap((o) => (o.from === undefined || o.inherited ? [] : [o.from])),
    ...(spec.intents ?? []).flatMap((i) => i.takes?.from ?? []),
  ].filter((giver) => giver !== unitName(ref))
  if (from.length === 0) return undefined
  const cluster = spec.clusterRef.name
  const facts = { objects: from.length, giver: nameOf(from[0]!), receiver: ref.name, cluster }
  return blocked('HandoverPending', [unitRef({ to: ref, set: undefined }, cluster)], facts)
}

function givenObjects(owners: readonly string[], { spec }: Inventory): NewCondition[] {
  const cluster = spec.clusterRef.name
  const all = [...new Set(owners)].sort().map((owner) => {
    const unit = { kind: 'Unit', name: nameOf(owner), cluster } as const
    const objects = owners.filter((o) => o === owner).length
    return blocked('HandedOver', [unit], { objects, owner: nameOf(owner), cluster })
  })
  return all.length === 0 ? [] : [conditionOf(HANDED_OVER, all)]
}

const conditionOf = (type: string, facts: readonly NewBlocker[]): NewCondition => ({
  type,
  status: 'True',
  reason: type,
  message: facts
    .map((f) => f.message)
    .join('; ')
    .slice(0, 30_000),
})

/** The name of a unit's Module; the label as it is where it cannot be read. */
const nameOf = (label: string): string => parseUnitName(label)?.name ?? label
