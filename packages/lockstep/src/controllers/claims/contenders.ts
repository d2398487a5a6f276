/** Objects of a revision that another unit holds and insists on: no unit starts at the revision on such a cluster. */
import { identityOf } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { keysOfObject, type ObjectClaim, parseClaim } from '../../decisions/ownership/index.ts'
import { ownedBlocker } from '../../deliver/ownership/index.ts'
import { unitName } from '../../deliver/plan/index.ts'
import { objectWaitRef } from '../../deliver/state/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { HubCaches, RevisionRecord } from '../cache/index.ts'
import { claimsCluster, unitRevisions } from './claimingunits.ts'

/** An object of a revision that a revision of another Module of the namespace has as well. */
export interface Contender {
  readonly claim: ObjectClaim
  readonly other: RevisionRecord
}

/** On whatever cluster. Objects whose names mention bindings are met when they are written. */
export function contendersOf(hub: HubCaches, record: RevisionRecord): Contender[] {
  const { module, claims = [], spec } = record
  const listed = new Set((spec.apply.takeOverFrom ?? []).map(({ kind, name }) => `${kind}/${name}`))
  const home = spec.render?.namespace
  // A Namespace says more than the first object in it.
  const all = claims.map(parseClaim)
  const wide = all.filter((c) => c.namespace === undefined)
  return [...wide, ...all.filter((c) => c.namespace !== undefined)].flatMap((claim) => {
    if (claim.isUnowned) return []
    const places =
      claim.namespace === undefined && home !== undefined ? [claim, { ...claim, namespace: home }] : [claim]
    return places.flatMap((place) =>
      [...hub.revisions.store.by('claim', keysOfObject(place, undefined)[0]!)].flatMap(
        (other): Contender[] => {
          const { kind, namespace, name } = other.module
          const isOther = namespace === module.namespace && moduleId(other.module) !== moduleId(module)
          return isOther && !listed.has(`${kind}/${name}`) ? [{ claim: place, other }] : []
        },
      ),
    )
  })
}

/** Why a unit does not start on a cluster: the first object that each of the others holds there. */
export function contenderBlockers(
  { hub, nowMs }: { readonly hub: HubCaches; readonly nowMs: number },
  contenders: readonly Contender[],
  ref: ModuleRef,
  cluster: ClusterView,
): NewBlocker[] {
  const found = new Map<string, NewBlocker>()
  for (const { claim, other } of contenders) {
    const id = moduleId(other.module)
    if (found.has(id) || !insistsOn({ hub, nowMs }, other, cluster)) continue
    const held = hub.unit(other.module, cluster.name)?.spec
    const object = held?.released
      ? undefined
      : held?.objects?.find((o) => identityOf(o) === identityOf(claim))
    if (!object) continue
    const marks = { unit: unitName(other.module), inventory: undefined }
    const asking = { namespace: ref.namespace, takeOverFrom: undefined }
    found.set(id, ownedBlocker(objectWaitRef(object, cluster.name), marks, asking))
  }
  return [...found.values()]
}

/** The scheduler aims the unit of the revision at it on the cluster. */
export function insistsOn(
  { hub, nowMs }: { readonly hub: HubCaches; readonly nowMs: number },
  { module, revision }: RevisionRecord,
  cluster: ClusterView,
): boolean {
  const there = hub.module(module)
  return (
    claimsCluster(there, cluster) && unitRevisions(hub, nowMs, module, there, cluster.name).aim === revision
  )
}
