/** What a record asks of its unit, and whether that is more than is admitted. */
import type { Stored } from '@lockstep/kube/object'
import type { Admitted, Assignment, Module } from '../../api/kinds/index.ts'
import {
  type GatedUnit,
  type Observation,
  type PublishedRevision,
  targetGateDigest,
} from '../../decisions/gate/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import {
  externalTarget,
  findRevisionRecord,
  type HubCaches,
  publishedFrom,
  publishedOf,
} from '../cache/index.ts'
import { isBoundAsRecorded } from '../publish/index.ts'

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
