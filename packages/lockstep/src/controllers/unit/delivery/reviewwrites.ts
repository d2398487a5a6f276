/** Rights of the account on the hub, before the first write of an admission: all objects of a unit, or none. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { accessRefusal } from '../../../api/accessrefusal.ts'
import type { NewBlocker } from '../../../api/blocker.ts'
import type { UnitDesiredState } from '../../../deliver/plan/index.ts'
import { deliveryRights } from '../../../deliver/rights/index.ts'
import { desiredWaitRef } from '../../../deliver/state/index.ts'
import { accountOfUnit, type UnitDeps, type UnitScope } from '../unitscope.ts'

/** Undefined: nothing is refused. On other clusters than the hub the credential of the cluster counts. */
export async function reviewWrites(
  c: UnitDeps,
  scope: UnitScope,
  { objects, hooks }: Pick<UnitDesiredState, 'objects' | 'hooks'>,
): Promise<Result<NewBlocker | undefined, string>> {
  const { cluster, memory, inventory, ref } = scope
  const serial = inventory.spec.admitted?.serial
  if (cluster.access.type !== 'Hub' || memory.reviewed === serial) return ok(undefined)
  const written = [...objects, ...hooks].flatMap((d) => (d?.resource === undefined ? [] : [d]))
  const account = accountOfUnit(c.hub, ref)
  const { reviews } = c.hub
  const missing = await reviews.missing(account, deliveryRights(written))
  if (!missing.ok) return err(requestErrorText(missing.error))
  const [access] = missing.value
  if (!access) {
    memory.reviewed = serial
    return ok(undefined)
  }
  const refused = written.filter((d) => deliveryRights([d]).some((r) => reviews.lastRefusal(account, r)))
  const on = [desiredWaitRef(refused[0]!, cluster.name)] as const
  return ok(accessRefusal(access, on, `${refused.length} of ${written.length}`))
}
