/** Fields of other managers that become ours with an object. Pure. */

import { FieldSet, fieldElement, fieldsIn, toFieldsV1 } from '@lockstep/kube/fields'
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
  type Stored,
} from '@lockstep/kube/object'
import { INVENTORY_ANNOTATION, MANAGER, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { SHARED_MANAGERS } from '../../api/toolmanagers.ts'
import { isOurs } from '../../fleet/connection/index.ts'
import { fieldsOf, wantedOf } from './fieldowners.ts'

/** Who owns what once fields have moved. */
export interface FieldTransfer {
  /** Of our applies: what we had, and what has become ours. */
  readonly ours: FieldSet
  /** The entry that ours is made like. */
  readonly model: ManagedFieldsEntry | undefined
  /** Everybody else's. */
  readonly kept: readonly ManagedFieldsEntry[]
}

/** Whose fields may move. Those of a subresource, such as what an autoscaler has set, never do. */
export const isTransferable = (f: ManagedFieldsEntry, from: readonly string[]): boolean =>
  !f.subresource && !isOurs(f) && from.includes(f.manager ?? '')

/** A name that many share says nothing: only what the manifest has, and an update has set, can be meant. */
const isShared = (f: ManagedFieldsEntry): boolean => SHARED_MANAGERS.includes(f.manager ?? '')

/** Undefined: nothing moves. */
export function fieldTransferOf(
  o: Stored,
  from: readonly string[],
  manifest: KubeObject,
): FieldTransfer | undefined {
  const entries = o.metadata.managedFields ?? []
  const ours = entries.find(isOurs)
  const wanted = fieldsWanted(manifest)
  const known = ownedBy(entries)
  const kept: ManagedFieldsEntry[] = []
  let sum = ours ? fieldsOf(ours) : FieldSet.empty
  let model: ManagedFieldsEntry | undefined
  for (const f of entries) {
    if (f === ours) continue
    const part = isTransferable(f, from) ? partOf(f, manifest.apiVersion, wanted, known) : undefined
    if (!part) {
      kept.push(f)
      continue
    }
    sum = sum.union(part.moved)
    model = f
    if (!part.left.isEmpty) kept.push({ ...f, fieldsV1: toFieldsV1(part.left) })
  }
  return model && { ours: sum, model: ours ?? model, kept }
}

/** We never say it: where it is no subresource of its own, it would go with our next apply if it became ours. */
const STATUS = FieldSet.fromPaths([[fieldElement('status')]])

/** Undefined: all of the entry stays as it is. */
function partOf(
  f: ManagedFieldsEntry,
  apiVersion: string,
  wanted: JsonObject,
  known: FieldSet,
): { readonly moved: FieldSet; readonly left: FieldSet } | undefined {
  const fields = fieldsOf(f)
  if (!isShared(f)) {
    const moved = fields.recursiveDifference(STATUS)
    return moved.isEmpty && !fields.isEmpty ? undefined : { moved, left: fields.difference(moved) }
  }
  // Fields of another version may mean something else.
  if (f.operation !== 'Update' || f.apiVersion !== apiVersion) return undefined
  const moved = fieldsIn(wanted, fields, known)
  return moved.isEmpty ? undefined : { moved, left: fields.difference(moved) }
}

/** All that these own. */
export const ownedBy = (entries: readonly ManagedFieldsEntry[]): FieldSet =>
  entries.reduce((sum, f) => sum.union(fieldsOf(f)), FieldSet.empty)

/** What of a manifest can be owned. Its metadata get our marks besides: maps that are empty there ask for nothing. */
export function fieldsWanted(manifest: KubeObject): JsonObject {
  const { metadata, ...rest } = withoutNulls(wantedOf(manifest)) as JsonObject
  const asked = Object.entries(metadata as JsonObject).filter(([, v]) => Object.keys(v as object).length > 0)
  return asked.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(asked) }
}

/** Null asks for nothing. */
function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]): [string, JsonValue][] =>
      v === null || v === undefined ? [] : [[k, withoutNulls(v)]],
    ),
  )
}

/** managedFields as they are to be. */
export const managedFieldsOf = (
  o: Stored,
  { ours, model, kept }: FieldTransfer,
): readonly ManagedFieldsEntry[] => (ours.isEmpty ? kept : [...kept, entryWith(o, model, ours)])

const entryWith = (
  o: Stored,
  model: ManagedFieldsEntry | undefined,
  fields: FieldSet,
): ManagedFieldsEntry => ({
  manager: MANAGER,
  operation: 'Apply',
  apiVersion: o.apiVersion,
  ...(model?.time === undefined ? {} : { time: model.time }),
  fieldsType: 'FieldsV1',
  fieldsV1: toFieldsV1(fields),
})

const metadata = (...path: readonly string[]) => ['metadata', ...path].map(fieldElement)

/** Our marks, and the maps that they are in. */
export const MARK_FIELDS: FieldSet = FieldSet.fromPaths([
  metadata('labels'),
  metadata('labels', UNIT_LABEL),
  metadata('annotations'),
  metadata('annotations', INVENTORY_ANNOTATION),
  metadata('annotations', NONCE_ANNOTATION),
])
