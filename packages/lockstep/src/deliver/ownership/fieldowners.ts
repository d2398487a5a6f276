/** Who owns which fields of a live object. Pure. */

import {
  type FieldPath,
  FieldSet,
  fieldsIn,
  missingFields,
  parseFieldsV1,
  printPath,
  touches,
} from '@lockstep/kube/fields'
import { type JsonObject, type KubeObject, type ManagedFieldsEntry, parseJson } from '@lockstep/kube/object'
import { isOurs, type LiveObject } from '../../fleet/connection/index.ts'

export interface FieldOwner {
  readonly manager: string
  readonly fields: FieldSet
  /** RFC 3339, or empty. */
  readonly time: string
}

export interface FieldOwners {
  /** Undefined: we own nothing. */
  readonly ours: FieldSet | undefined
  /** The newest first. */
  readonly others: readonly FieldOwner[]
}

/** Each look at a unit asks for all of its objects, and a live object never changes. */
const known = new WeakMap<object, FieldOwners>()

export function fieldOwnersOf(live: Pick<LiveObject, 'managers'>): FieldOwners {
  let owners = known.get(live)
  if (!owners) {
    owners = readOwners(live)
    known.set(live, owners)
  }
  return owners
}

function readOwners(live: Pick<LiveObject, 'managers'>): FieldOwners {
  const entries = parseJson(live.managers) as unknown as readonly ManagedFieldsEntry[]
  const ours = entries.find(isOurs)
  const others = entries
    .filter((e) => e !== ours)
    .map((e) => ({ manager: e.manager ?? '', fields: fieldsOf(e), time: e.time ?? '' }))
    .sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
  return { ours: ours && fieldsOf(ours), others }
}

/** A step that only a later Kubernetes knows makes one entry unreadable, not the object. */
export function fieldsOf(e: ManagedFieldsEntry): FieldSet {
  try {
    return parseFieldsV1(e.fieldsV1)
  } catch {
    return FieldSet.empty
  }
}

/** A field of the manifest that is not ours any more. */
export interface LostField {
  /** `.spec.replicas` */
  readonly path: string
  /** Who has it now; undefined: nobody, it was taken out. */
  readonly manager: string | undefined
}

/** More than that nobody reads. */
const MOST_FIELDS = 5

/**
 * What of a manifest others have taken. Servers drop and default fields, so that what nobody owns may never have been
 * ours: it is named only if nobody took anything.
 */
export function lostFields(manifest: KubeObject, owners: FieldOwners): LostField[] {
  const lost: LostField[] = []
  for (const path of missingFields(wantedOf(manifest), owners.ours))
    lost.push({ path: printPath(path), manager: ownerOf(path, owners.others) })
  const taken = lost.filter((f) => f.manager !== undefined)
  return (taken.length > 0 ? taken : lost).slice(0, MOST_FIELDS)
}

/** An apply of the body would add a field to ours, or remove one. */
export function hasOtherFields(body: KubeObject, { ours }: FieldOwners): boolean {
  if (!ours) return true
  const wanted = wantedOf(body)
  if (!missingFields(wanted, ours).next().done) return true
  const leaves = ours.leaves()
  return !fieldsIn(wanted, leaves, ours).equals(leaves)
}

const ownerOf = (path: FieldPath, others: readonly FieldOwner[]): string | undefined =>
  others.find((o) => touches(o.fields, path))?.manager

/** The fields of a manifest that somebody can own: names and types are nobody's. */
export function wantedOf(manifest: KubeObject): JsonObject {
  const { apiVersion: _a, kind: _k, metadata, status: _s, ...rest } = manifest
  const { labels, annotations, finalizers, ownerReferences } = metadata
  return { ...rest, metadata: { labels, annotations, finalizers, ownerReferences } } as unknown as JsonObject
}
