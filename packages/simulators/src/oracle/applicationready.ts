/** I4: a later wave of a cluster group is written only after its applications of earlier ones were ready, as its revision has them. */
import { at, isArray, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import { HUB, INVENTORIES, keyOfMeta, REVISIONS, text } from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

/** The application that a wait of a bundle is for. */
export const applicationOf = (m: KubeObject): string | undefined =>
  text(m, 'spec', 'application') || undefined

/** Whether it was ready there at any time: what was met once stays so. */
export function wasApplicationReady(o: OracleContext, group: KubeObject, application: string): boolean {
  const name = `${text(group, 'spec', 'moduleRef', 'name')}-${application}`
  const cluster = text(group, 'spec', 'clusterRef', 'name')
  const isUnit = (i: KubeObject): boolean =>
    text(i, 'spec', 'moduleRef', 'name') === name && text(i, 'spec', 'clusterRef', 'name') === cluster
  const unit = [...o.history.all(HUB, INVENTORIES)].find(isUnit)
  const versions = unit ? o.history.versionsOf(HUB, INVENTORIES, keyOfMeta(unit)) : []
  return versions.some(({ object }) => isReady(object) && isAsAsked(o, group, object, application))
}

const isReady = (unit: KubeObject): boolean =>
  text(unit, 'status', 'health') === 'Healthy' &&
  at(unit, 'status', 'admittedSerial') === at(unit, 'spec', 'admitted', 'serial') &&
  at(unit, 'status', 'verifiedGateDigest') === at(unit, 'spec', 'admitted', 'gateDigest')

/** At the release of the group, from the source that its revision names; a group that is apart takes what is there. */
function isAsAsked(o: OracleContext, group: KubeObject, unit: KubeObject, application: string): boolean {
  if (at(group, 'spec', 'admitted', 'apart') !== undefined) return true
  const [own, wanted] = [unit, group].map((i) => text(i, 'spec', 'admitted', 'release'))
  if (own !== '' && wanted !== '' && own !== wanted) return false
  const applications = at(revisionOf(o, group), 'data', 'applications')
  const asked = (isArray(applications) ? applications : []).find((a) => text(a, 'name') === application)
  const there = revisionOf(o, unit)
  // Revisions are deleted in time.
  if (!asked || !there) return true
  const [one, other] = [at(asked, 'spec', 'source'), at(there, 'data', 'spec', 'source')]
  return ['ref', 'path', 'url'].every((field) =>
    jsonEqual(at(one, 'git', field) ?? null, at(other, 'git', field) ?? null),
  )
}

const revisionOf = (o: OracleContext, inventory: KubeObject): JsonValue | undefined =>
  [...o.history.all(HUB, REVISIONS)].find(
    (r) =>
      at(r, 'data', 'revision') === at(inventory, 'spec', 'admitted', 'revision') &&
      at(r, 'data', 'module') === at(inventory, 'spec', 'moduleRef', 'name'),
  ) as JsonValue | undefined
