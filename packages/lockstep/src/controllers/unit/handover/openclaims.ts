import { isOfForeignUnit } from '../../../deliver/ownership/index.ts'
import type { UnitInput } from '../../../deliver/state/index.ts'
import { entriesOf } from '../../../deliver/state/index.ts'
import type { IsDefined } from '../definedkinds.ts'
import { leavingEntries } from '../prunenode.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'
import { reviewReceivers } from './reviewreceivers.ts'
import type { UnitClaims } from './unitclaims.ts'

/** Reads claims of other units if the unit would delete an object, or another unit holds one of its bundle. */
export async function openClaims(
  c: UnitDeps,
  claims: UnitClaims,
  scope: UnitScope,
  input: UnitInput,
  isDefined: IsDefined,
): Promise<void> {
  const { byId, letGo } = input.desired
  // A recreation deletes, too.
  const isRefused = (id: string): boolean => scope.memory.failures.get(id)?.reason === 'ImmutableField'
  const leaving = [...entriesOf(input)].filter(([id]) => !byId.has(id) || letGo.has(id) || isRefused(id))
  const held = input.desired.objects.flatMap((d) => {
    const live = d && input.live(d)
    return live && live !== 'unknown' && isOfForeignUnit(live, input.inventory.metadata.uid) ? [live] : []
  })
  const entries = leavingEntries(
    scope,
    leaving.map(([, entry]) => entry),
    isDefined,
  )
  await claims.open(entries, held)
  await reviewReceivers(c, scope, claims, entries)
}
