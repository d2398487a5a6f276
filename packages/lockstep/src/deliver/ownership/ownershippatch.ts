/** The patches by which an object becomes ours: its owners and our marks change, its content does not. Pure. */

import { containsFields, FieldSet, fieldElement, fieldsIn, toFieldsV1 } from '@lockstep/kube/fields'
import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry, Stored } from '@lockstep/kube/object'
import { INVENTORY_ANNOTATION, MANAGER, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { SHARED_MANAGERS } from '../../api/toolmanagers.ts'
import { isOurs } from '../../fleet/connection/index.ts'
import {
  type FieldTransfer,
  fieldsWanted,
  fieldTransferOf,
  MARK_FIELDS,
  managedFieldsOf,
  ownedBy,
} from './fieldtransfer.ts'

/** Annotations by which client-side tools remember what they applied: wrong from now on. */
const MEMORIES = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kapp.k14s.io/original',
  'kapp.k14s.io/original-diff',
  'kapp.k14s.io/original-diff-md5',
]

/**
 * The merge patch that makes the fields of former managers ours, as if we had applied them: the next apply takes off what
 * the manifest lacks. One entry for all, as kubectl does it when it changes to server-side apply (client-go csaupgrade).
 * Undefined: there is nothing to move.
 */
export function ownershipTransfer(
  o: Stored,
  from: readonly string[],
  manifest: KubeObject,
): JsonValue | undefined {
  const moved = fieldTransferOf(o, from, manifest)
  const memories = memoriesOf(o)
  if (!moved && memories.length === 0) return undefined
  const managedFields = moved ? managedFieldsOf(o, moved) : (o.metadata.managedFields ?? [])
  return ownersPatch(managedFields, offOf(memories))
}

const memoriesOf = (o: Stored): string[] => MEMORIES.filter((a) => o.metadata.annotations?.[a] !== undefined)

const offOf = (annotations: readonly string[]): JsonObject =>
  Object.fromEntries(annotations.map((a) => [a, null]))

/** What an object carries that is ours. */
export interface UnitMarks {
  readonly unit: string
  readonly inventoryUid: string
  /** Of the intent that announced it. */
  readonly nonce?: string | undefined
}

/** The merge patch by which a person takes an object over: what `ownershipTransfer` does, and the marks of its unit. */
export function claimPatch(
  o: Stored,
  from: readonly string[],
  manifest: KubeObject,
  marks: UnitMarks,
): JsonValue {
  return withMarks(o, ownershipTransfer(o, from, manifest), marks)
}

/**
 * The merge patch by which an object of another unit becomes ours: our marks in place of its, and what we have set by
 * updates, or somebody under a name that many share, as if we had applied it. Its content stays as it is.
 */
export function takePatch(
  o: Stored,
  /** Undefined: nothing moves. */
  from: readonly string[] | undefined,
  manifest: KubeObject,
  marks: UnitMarks,
): JsonValue {
  const moved = from && fieldTransferOf(o, ourOwn(from), manifest)
  const patch = moved && ownersPatch(managedFieldsOf(o, moved), {})
  return withMarks(o, patch, marks)
}

/** Of an object that we delivered already, in whatever way, only that. */
const ourOwn = (from: readonly string[]): string[] => [
  MANAGER,
  ...from.filter((m) => SHARED_MANAGERS.includes(m)),
]

/** The merge patch by which an object becomes another unit's, and nothing else of it changes. */
export const marksPatch = (o: KubeObject, marks: UnitMarks): JsonValue => withMarks(o, undefined, marks)

/** What another unit has announced it with goes. */
function withMarks(o: KubeObject, patch: JsonValue | undefined, marks: UnitMarks): JsonValue {
  const { metadata = {} } = (patch ?? {}) as { readonly metadata?: JsonObject }
  const hasNonce = o.metadata.annotations?.[NONCE_ANNOTATION] !== undefined
  const nonce = marks.nonce ?? (hasNonce ? null : undefined)
  const annotations = {
    ...(metadata.annotations as JsonObject),
    [INVENTORY_ANNOTATION]: marks.inventoryUid,
    ...(nonce === undefined ? {} : { [NONCE_ANNOTATION]: nonce }),
  }
  return { metadata: { ...metadata, labels: { [UNIT_LABEL]: marks.unit }, annotations } }
}

/** The merge patch that leaves us with these fields. Nothing happens to their values. */
export function ownershipPatch(o: Stored, fields: FieldSet): JsonValue {
  const entries = o.metadata.managedFields ?? []
  return ownersPatch(
    entries.map((f) => (isOurs(f) ? { ...f, fieldsV1: toFieldsV1(fields) } : f)),
    {},
  )
}

const ownersPatch = (managedFields: readonly ManagedFieldsEntry[], annotations: JsonObject): JsonValue =>
  ({
    metadata: {
      managedFields,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
  }) as unknown as JsonValue

/**
 * The merge patch after which nothing is left to apply: the object says already what the manifest says, so that only its
 * owners and our marks change. Undefined: it has to be applied. Our marks come to be ours by this update, not by the apply
 * that it stands for: a server takes what an update sets out of all other entries.
 */
export function ownersOnlyPatch(
  o: Stored,
  from: readonly string[],
  manifest: KubeObject,
  marks: UnitMarks,
): JsonValue | undefined {
  const isAnothers = o.metadata.annotations?.[INVENTORY_ANNOTATION] !== undefined
  const moved =
    fieldTransferOf(o, isAnothers ? ourOwn(from) : from, manifest) ?? (isAnothers ? asIs(o) : undefined)
  if (!moved) return undefined
  const memories = isAnothers ? [] : memoriesOf(o)
  const ours = asApplied(o, moved, manifest, memories)
  if (!ours) return undefined
  return withMarks(o, ownersPatch(managedFieldsOf(o, { ...moved, ours }), offOf(memories)), marks)
}

const asIs = ({ metadata: { managedFields = [] } }: Stored): FieldTransfer => ({
  ours: ownedBy(managedFields.filter(isOurs)),
  model: managedFields.find(isOurs),
  kept: managedFields.filter((f) => !isOurs(f)),
})

/**
 * What we would own after an apply of the manifest. Undefined: the apply would change something, or nobody can tell
 * without the server.
 */
function asApplied(
  o: Stored,
  { ours, kept }: FieldTransfer,
  manifest: KubeObject,
  memories: readonly string[],
): FieldSet | undefined {
  const entries = o.metadata.managedFields ?? []
  // Fields of another version are not the fields of this manifest.
  if (entries.some((f) => f.apiVersion !== manifest.apiVersion && !f.subresource)) return undefined
  const known = ownedBy(entries.filter((f) => f.apiVersion === manifest.apiVersion))
  const wanted = fieldsWanted(manifest)
  if (!containsFields(o as unknown as JsonValue, wanted, known)) return undefined
  const next = withParents(fieldsIn(wanted, known, known))
  const gone = FieldSet.fromPaths(memories.map((a) => ['metadata', 'annotations', a].map(fieldElement)))
  // What we would have and the manifest lacks goes with an apply, unless others have it too.
  const left = ours.difference(next).difference(MARK_FIELDS).difference(gone).difference(ownedBy(kept))
  return left.isEmpty ? next : undefined
}

/**
 * With all that the fields are in: an apply owns the entries of maps that it sets, and fields of a declared name count as
 * owned with what is in them (structured-merge-diff `EnsureNamedFieldsAreMembers`). Metadata stay as they are.
 */
const withParents = (set: FieldSet): FieldSet =>
  FieldSet.of(
    new Map(
      [...set.nodes].map(([e, n]) => [
        e,
        e === METADATA ? n : { isMember: true, children: n.children && allOf(n.children) },
      ]),
    ),
  )

const allOf = (set: FieldSet): FieldSet =>
  FieldSet.of(
    new Map(
      [...set.nodes].map(([e, { children }]) => [
        e,
        { isMember: true, children: children && allOf(children) },
      ]),
    ),
  )

const METADATA = fieldElement('metadata')
