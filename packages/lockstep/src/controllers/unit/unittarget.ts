/** What a record asks of its unit, and whether that is more than is admitted. */
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Assignment } from '../../api/kinds/remoteassemblage/spec.ts'
import type { Admitted } from '../../api/kinds/inventory/spec.ts'
import type { Module } from '../../api/registry.ts'
import type { GatedUnit } from '../../decisions/gate/rollback.ts'
import { targetGateDigest } from '../../decisions/gate/gate.ts'
import type { Observation, PublishedRevision } from '../../decisions/gate/observation.ts'
import type { ModuleRef } from '../../decisions/graph/moduleref.ts'
import { isBoundAsRecorded } from '../publish/unitbindings.ts'
import { externalTarget } from '../cache/externalassignments.ts'
import { findRevisionRecord } from '../cache/targetrevision.ts'
import type { HubCaches } from '../cache/hubcaches.ts'
import { publishedFrom, publishedOf } from '../cache/observation.ts'

/** By what its module has published; of one that is apart, by what it is assigned. Undefined: nobody knows that yet. */
export function unitTargetOf(
  hub: HubCaches,
  ref: ModuleRef,
  cluster: string,
  record: Assignment,
): GatedUnit | undefined {
  if (ref.owner !== undefined) return externalTarget(hub, ref, cluster, record)
  const module = hub.module(ref)
  if (!module || record.uid !== module.metadata.uid) return undefined
  const isApart = record.apart !== undefined
  const published = isApart ? assignedTo(hub, ref, module, record) : publishedOf(hub, ref, module)
  return published && { module: ref, cluster, published, isApart }
}

function assignedTo(
  hub: HubCaches,
  ref: ModuleRef,
  module: Stored<Module>,
  { revision }: Assignment,
): PublishedRevision | undefined {
  const record = findRevisionRecord(hub, ref, revision)
  return record && publishedFrom(record, module)
}

/** Only what is published is verified; an older assignment stays as it is until it is replaced. */
export const isOlderThan = ({ published }: GatedUnit, record: Assignment): boolean =>
  record.revision !== published.revision

/** What is apart stays as it was admitted, whatever goes on beside it. */
export function isAdmittedAsAsked(
  admitted: Admitted | undefined,
  record: Assignment,
  wanting: GatedUnit,
  seen: Observation,
): boolean {
  const isAsWanted = wanting.isApart || admitted?.gateDigest === targetGateDigest(wanting, seen)
  return admitted?.revision === record.revision && isAsWanted && isBoundAsRecorded(admitted, record)
}
