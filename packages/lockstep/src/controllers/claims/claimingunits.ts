/** Revisions at which a unit may be delivered, out of the caches, with their claims. */
import type { Digest, Stored } from '@lockstep/kube/object'
import type { Assignment, Module } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { ClaimingUnit, ClaimSet } from '../../decisions/ownership/index.ts'
import { fleetRevision, resolveUnitHolds, type UnitHold } from '../../decisions/rollout/index.ts'
import { selectsCluster } from '../../fleet/clusters/index.ts'
import { findRevisionRecord, type HubCaches, holdsOn, type RevisionRecord } from '../cache/index.ts'
import type { ClaimPlace, ClaimReader } from './claimreader.ts'

/** Revisions of a unit, by role; undefined: there is none. */
export interface UnitRevisions {
  readonly aim: Digest | undefined
  readonly admitted: Digest | undefined
  /** All of them, and the target, the next target and the assigned one. */
  readonly all: readonly Digest[]
}

/** A Module that exists, is not being deleted, and selects the cluster. */
export function claimsCluster(
  module: Stored<Module> | undefined,
  view: ClaimPlace['view'],
): module is Stored<Module> {
  return (
    module !== undefined &&
    module.metadata.deletionTimestamp === undefined &&
    selectsCluster(module.spec.targets, view)
  )
}

/** `nowMs`: time of the hub, for Holds. */
export function unitRevisions(
  hub: HubCaches,
  nowMs: number,
  ref: ModuleRef,
  module: Stored<Module>,
  cluster: string,
): UnitRevisions {
  const assigned = currentAssignment(hub, ref, module, cluster)
  const admitted = hub.unit(ref, cluster)?.spec.admitted?.revision
  // Another controller starts its units.
  const isExternal = module.spec.rollout.strategy === 'External'
  const target = isExternal ? admitted : fleetRevision(module.status)
  const next = isExternal ? undefined : module.status?.currentRevision
  const hold = resolveUnitHolds(holdsOn(hub, ref, nowMs), cluster)
  const aim = aimOf(module, { hold, assigned, admitted, target })
  const all = [aim, target, next, assigned?.revision, admitted]
  return { aim, admitted, all: [...new Set(all.filter((r) => r !== undefined))] }
}

/** One of an earlier Module of the name, or of a removal, assigns nothing. */
function currentAssignment(
  hub: HubCaches,
  ref: ModuleRef,
  module: Stored<Module>,
  cluster: string,
): Assignment | undefined {
  const found = hub.assignment(ref, cluster)
  return found?.uid === module.metadata.uid && !found.removal ? found : undefined
}

/** Where the scheduler wants the unit: pinned, kept, joined early, else at the target of the fleet. */
function aimOf(
  module: Stored<Module>,
  at: {
    readonly hold: UnitHold | undefined
    readonly assigned: Assignment | undefined
    readonly admitted: Digest | undefined
    readonly target: Digest | undefined
  },
): Digest | undefined {
  const { hold } = at
  if (hold?.action === 'Pin') return hold.revision
  if (hold?.action === 'Conflict' || hold?.action === 'Unknown') return at.admitted
  if (at.assigned?.apart === 'Joined') return at.assigned.revision
  const isKept = module.spec.rollout.updates === 'Once' && at.admitted !== undefined
  return isKept ? at.admitted : at.target
}

/** A unit with the claims of its revisions on a cluster. */
export async function claimingUnit(
  { hub, nowMs, reader }: { readonly hub: HubCaches; readonly nowMs: number; readonly reader: ClaimReader },
  ref: ModuleRef,
  module: Stored<Module>,
  place: ClaimPlace,
): Promise<ClaimingUnit> {
  const cluster = place.view.name
  const { aim, admitted, all } = unitRevisions(hub, nowMs, ref, module, cluster)
  const sets = new Map<Digest, ClaimSet>()
  let unread: string | undefined
  let aimed: RevisionRecord | undefined
  for (const revision of all) {
    const record = findRevisionRecord(hub, ref, revision)
    if (revision === aim) aimed = record
    const set = record && (await reader.setOf(record, place, valuesAt(hub, ref, cluster, revision)))
    if (set) sets.set(revision, set)
    else unread ??= record?.name ?? revision
  }
  const setAt = (revision: Digest | undefined): ClaimSet | undefined =>
    revision === undefined ? undefined : sets.get(revision)
  const listed = (aimed?.spec ?? module.spec).apply.takeOverFrom ?? []
  return {
    ref,
    createdAt: module.metadata.creationTimestamp ?? '',
    aim: setAt(aim),
    admitted: setAt(admitted),
    kept: [...sets.values()],
    unread,
    takesFrom: listed.map(({ kind, name }) => ({ kind, name, namespace: ref.namespace })),
  }
}

/** Digest of its values on a cluster, where they are written down. */
function valuesAt(hub: HubCaches, ref: ModuleRef, cluster: string, revision: Digest): Digest | undefined {
  const written = [hub.assignment(ref, cluster), hub.unit(ref, cluster)?.spec.admitted]
  return written.find((w) => w?.revision === revision)?.values
}
