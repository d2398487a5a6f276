import { compareText, parseFieldsV1, toFieldsV1 } from '@lockstep/kube/fields'
import { isObject, type ManagedFieldsEntry } from '@lockstep/kube/object'
import { identifierOf, keyOfIdentifier } from './identifier.ts'
import type { ManagerSets, VersionedSet } from './managersets.ts'
import { timestampSeconds } from './timestampseconds.ts'

/** Who owns what, and since when, by manager identifier. */
export interface ManagedFields {
  readonly managers: ManagerSets
  readonly times: ReadonlyMap<string, string>
}

export const noManagedFields: ManagedFields = { managers: new Map(), times: new Map() }

/** Lists are shared and frozen, so each is read once. */
const decoded = new WeakMap<readonly ManagedFieldsEntry[], ManagedFields>()
/** The entry that an owned set was read from or written to, to be used again while nothing about it changed. */
const entries = new WeakMap<VersionedSet, ManagedFieldsEntry>()

/**
 * Reads `metadata.managedFields` (apimachinery `managedfields/internal/managedfields.go`).
 * @throws Error if an entry is not valid
 */
export function decodeManagedFields(list: readonly ManagedFieldsEntry[] | undefined | null): ManagedFields {
  if (!list || list.length === 0) return noManagedFields
  let owners = decoded.get(list)
  if (owners === undefined) {
    owners = decode(list)
    decoded.set(list, owners)
  }
  return owners
}

function decode(list: readonly ManagedFieldsEntry[]): ManagedFields {
  const managers = new Map<string, VersionedSet>()
  const times = new Map<string, string>()
  for (const [i, entry] of list.entries()) {
    if (!isObject(entry) || (entry.operation !== 'Apply' && entry.operation !== 'Update'))
      throw new Error('operation must be `Apply` or `Update`')
    if (!entry.apiVersion) throw new Error('apiVersion must not be empty')
    if (!entry.fieldsType) throw new Error(`missing fieldsType in managed fields entry ${i}`)
    if (entry.fieldsType !== 'FieldsV1')
      throw new Error(`invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${i}`)
    const id = identifierOf(entry)
    const owned: VersionedSet = {
      set: parseFieldsV1(entry.fieldsV1),
      version: entry.apiVersion,
      applied: entry.operation === 'Apply',
    }
    managers.set(id, owned)
    entries.set(owned, entry)
    times.delete(id)
    if (entry.time) times.set(id, entry.time)
  }
  return { managers, times }
}

/** Writes `metadata.managedFields`, sorted; undefined if nobody owns anything. */
export function encodeManagedFields({
  managers,
  times,
}: ManagedFields): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined
  const list = [...managers].map(([id, owned]) => entryOf(id, owned, times.get(id)))
  list.sort(compareEntries)
  return list
}

function entryOf(id: string, owned: VersionedSet, time: string | undefined): ManagedFieldsEntry {
  const known = entries.get(owned)
  if (known && (known.time ?? undefined) === time) return known
  const { manager, operation, subresource } = keyOfIdentifier(id)
  const entry: ManagedFieldsEntry = {
    ...(manager ? { manager } : {}),
    operation: owned.applied ? 'Apply' : operation,
    apiVersion: owned.version,
    ...(time ? { time } : {}),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(owned.set),
    ...(subresource ? { subresource } : {}),
  }
  entries.set(owned, entry)
  return entry
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    timestampSeconds(a.time) - timestampSeconds(b.time) ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion ?? '', b.apiVersion ?? '') ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  )
}
