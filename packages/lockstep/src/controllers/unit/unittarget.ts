/** What a record asks of its unit, and whether that is more than is admitted. */
import type { Stored } from '@lockstep/kube/object'
import { waitsText } from '../../api/blocker.ts'
import type { Admitted, Assignment, Module } from '../../api/kinds/index.ts'
import {
  type GatedUnit,
  type GateResult,
  gate,
  type Observation,
  type PublishedRevision,
  targetGateDigest,
} from '../../decisions/gate/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import {
  externalAssignment,
  externalTarget,
  findRevisionRecord,
  type HubCaches,
  type HubInformers,
  type ObservationDeps,
  observationOf,
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
  // The digest comes last: it reads every unit below, and each of these reads wakes the unit later.
  if (admitted?.revision !== record.revision || !isBoundAsRecorded(admitted, record)) return false
  return wanting.isApart === true || admitted.gateDigest === targetGateDigest(wanting, seen)
}

/** Whether a unit may be admitted to what its record asks for. */
export type AdmissionDecision =
  /** Nothing is asked for that is not admitted. */
  | { readonly type: 'Same' }
  | { readonly type: 'Closed'; readonly gate: Extract<GateResult, { outcome: 'Closed' }> }
  | { readonly type: 'Open'; readonly target: GatedUnit }

interface AdmissionDeps extends ObservationDeps {
  readonly hub: HubInformers
}

/** Out of the caches; writes nothing. */
export function decideAdmission(c: AdmissionDeps, ref: ModuleRef, cluster: string): AdmissionDecision {
  const { hub } = c
  const admitted = hub.unit(ref, cluster)?.spec.admitted
  const record =
    ref.owner === undefined ? hub.assignment(ref, cluster) : externalAssignment(hub, ref, admitted?.revision)
  const target = record && !record.removal ? unitTargetOf(hub, ref, cluster, record) : undefined
  if (!record || !target || isOlderThan(target, record)) return { type: 'Same' }
  const seen = observationOf(c, ref.namespace)
  if (isAdmittedAsAsked(admitted, record, target, seen)) return { type: 'Same' }
  const decided = gate(target, seen)
  return decided.outcome === 'Closed' ? { type: 'Closed', gate: decided } : { type: 'Open', target }
}

/** The admission that follows, or its blockers. */
export const admissionOutcome = (decided: AdmissionDecision): string =>
  decided.type === 'Closed' ? waitsText(decided.gate.blockers) : decided.type
