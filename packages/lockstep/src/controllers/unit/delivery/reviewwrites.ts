/** Rights of the account on the hub, before the first write of an admission: all objects of a unit, or none. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { DesiredObject, UnitDesiredState } from '../../../deliver/plan/index.ts'
import { desiredWaitRef } from '../../../deliver/state/index.ts'
import type { AccessRight } from '../../cache/index.ts'
import { accountOfUnit, type UnitDeps, type UnitScope } from '../unitscope.ts'

/** Verbs that a delivery needs, the one that a message names first. */
const VERBS = ['create', 'patch', 'delete', 'get', 'list', 'watch']

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
  const missing = await reviews.missing(account, uniqueRights(written))
  if (!missing.ok) return err(requestErrorText(missing.error))
  const [access] = missing.value
  if (!access) {
    memory.reviewed = serial
    return ok(undefined)
  }
  const refused = written.filter((d) => rightsOf(d).some((r) => reviews.lastRefusal(account, r)))
  const on = [desiredWaitRef(refused[0]!, cluster.name)] as const
  return ok(
    blocked('Forbidden', on, { action: 'Act', access, refused: `${refused.length} of ${written.length}` }),
  )
}

/** One question for each verb, resource and namespace. */
const uniqueRights = (written: readonly DesiredObject[]): AccessRight[] => [
  ...new Map(written.flatMap(rightsOf).map((r) => [JSON.stringify(r), r])).values(),
]

const rightsOf = ({ resource, ref: { namespace } }: DesiredObject): AccessRight[] =>
  VERBS.map((verb) => ({ verb, group: resource!.group, resource: resource!.plural, namespace }))
