/** Rights of the account of a receiver on the hub: an object that the account may not update stays with its giver. */

import { accessRefusal } from '../../../api/accessrefusal.ts'
import type { AccessRight } from '../../../api/account.ts'
import type { InventoryObject } from '../../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../../decisions/graph/index.ts'
import type { PruneEntry } from '../../../deliver/deletion/index.ts'
import { objectWaitRef } from '../../../deliver/state/index.ts'
import { servedAs } from '../../../fleet/connection/index.ts'
import { REVIEW_AGAIN_MS } from '../../cache/index.ts'
import { accountOfUnit, type UnitDeps, type UnitScope } from '../unitscope.ts'
import type { LeavingFate, UnitClaims } from './unitclaims.ts'

/** Asks the hub before the first write of a handover. Without an answer nothing is known to be missing. */
export async function reviewReceivers(
  c: UnitDeps,
  scope: UnitScope,
  claims: Pick<UnitClaims, 'fateOf'>,
  leaving: readonly Pick<PruneEntry, 'entry' | 'live'>[],
): Promise<void> {
  const asked = new Map<string, { readonly to: ModuleRef; readonly rights: AccessRight[] }>()
  for (const entry of leaving) {
    const fate = claims.fateOf(entry)
    const right = updateRight(scope, entry.entry)
    if (fate?.type !== 'HandOver' || !right) continue
    const of = asked.get(moduleId(fate.to)) ?? { to: fate.to, rights: [] }
    of.rights.push(right)
    asked.set(moduleId(fate.to), of)
  }
  const { reviews } = c.hub
  await Promise.all(
    [...asked.values()].map(({ to, rights }) => reviews.missing(accountOfUnit(c.hub, to), rights)),
  )
}

/** The fate, or a wait if the account of the receiver may not update the object. */
export function permittedFate(
  c: UnitDeps,
  scope: UnitScope,
  entry: InventoryObject,
  fate: LeavingFate | undefined,
): LeavingFate | undefined {
  if (fate?.type !== 'HandOver' || fate.isMoved) return fate
  const right = updateRight(scope, entry)
  const refusal = right && c.hub.reviews.lastRefusal(accountOfUnit(c.hub, fate.to), right)
  if (!refusal) return fate
  const blocker = accessRefusal(refusal, [objectWaitRef(entry, scope.cluster.name)])
  return { type: 'Wait', blocker, retryInMs: REVIEW_AGAIN_MS }
}

/** On other clusters than the hub all units have the credential of the cluster. */
function updateRight({ cluster, session }: UnitScope, entry: InventoryObject): AccessRight | undefined {
  const resource = cluster.access.type === 'Hub' ? servedAs(session, entry) : undefined
  return (
    resource && {
      verb: 'patch',
      group: resource.group,
      resource: resource.plural,
      namespace: entry.namespace,
      name: entry.name,
    }
  )
}
