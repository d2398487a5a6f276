import { conditionIs } from '@lockstep/health/state'
import {
  at,
  digestOf,
  encodeJson,
  isSecret,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectReference,
  parseApiVersion,
  type Stored,
} from '@lockstep/kube/object'
import { INVENTORY_ANNOTATION, MANAGER, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'

/** What is kept of a live object that carries our label: enough for health, drift and fences, no data. */
export interface LiveObject {
  readonly ref: ObjectReference
  readonly version: string
  readonly uid: string
  readonly resourceVersion: string
  readonly unit: string | undefined
  readonly inventory: string | undefined
  readonly nonce: string | undefined
  /** Digest of the field set that our last apply came to own; undefined: we own nothing. */
  readonly fields: string | undefined
  /** JSON of managedFields but for those of the status: read only where something is amiss. */
  readonly managers: string
  readonly deleting: boolean
  readonly finalizers: readonly string[]
  /** Metadata, spec and status without managedFields; data is left out unless somebody needs it, of Secrets always. */
  readonly object: KubeObject
}

/** Fields that only a user's expressions read, and that may hold secrets. */
const DROPPED: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData'])

export function liveObjectOf(o: Stored, withData = false): LiveObject {
  const { metadata } = o
  const { managedFields, ...kept } = metadata
  const object: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(o))
    if (!DROPPED.has(key) || (withData && !isSecret(o))) object[key] = key === 'metadata' ? kept : value
  const { group, version } = parseApiVersion(o.apiVersion)
  return {
    ref: {
      group,
      kind: o.kind,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      name: metadata.name,
    },
    version,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    unit: metadata.labels?.[UNIT_LABEL],
    inventory: metadata.annotations?.[INVENTORY_ANNOTATION],
    nonce: metadata.annotations?.[NONCE_ANNOTATION],
    fields: ownedFields(o),
    managers: encodeJson((managedFields ?? []).filter((f) => f.subresource !== 'status')),
    deleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers ?? [],
    object: object as unknown as KubeObject,
  }
}

/** A Job that is complete, or a Pod that has succeeded: what they were there for is done. */
export function hasSucceeded(o: KubeObject): boolean {
  if (o.apiVersion === 'v1' && o.kind === 'Pod') return at(o, 'status', 'phase') === 'Succeeded'
  const isJob = o.apiVersion.startsWith('batch/') && o.kind === 'Job'
  return isJob && conditionIs(o, 'Complete', 'True') !== undefined
}

/** An update, or a forced apply, of another writer that changes a field we own takes it out of our entry. */
function ownedFields(o: Stored): string | undefined {
  const ours = o.metadata.managedFields?.find(isOurs)
  return ours ? digestOf('fields/1', ours.fieldsV1 ?? {}) : undefined
}

/** The entry of our applies. */
export const isOurs = (f: ManagedFieldsEntry): boolean =>
  f.manager === MANAGER && f.operation === 'Apply' && !f.subresource
