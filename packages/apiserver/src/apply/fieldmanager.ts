import type { Result } from '@lockstep/kube/env'
import {
  isObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  type ManagedFieldsEntry,
} from '@lockstep/kube/object'
import { applyConfig, trackUpdate } from './applyconfig.ts'
import { capUpdaters } from './capupdaters.ts'
import type { Conflict } from './conflict.ts'
import { ConflictError, conflictText, pathsOf } from './conflict.ts'
import type { Typed } from './converter.ts'
import type { ApplyFailure, ApplyInput, FieldManager, UpdateInput } from './fieldmanagertypes.ts'
import { identifierOf, printManager } from './identifier.ts'
import { keepEmptyFields } from './keepemptyfields.ts'
import { allowedByLastApplied, KUBECTL, syncLastAppliedConfig } from './lastappliedconfig.ts'
import type { ManagedFields } from './managedfields.ts'
import { decodeManagedFields, encodeManagedFields, noManagedFields } from './managedfields.ts'
import { sameManagers } from './managersets.ts'
import { stripMeta } from './stripmeta.ts'
import { checkTypedValue } from './typed/checktypedvalue.ts'
import { mergeTypedValues } from './typed/mergetypedvalues.ts'
import { TypedError } from './typed/typederror.ts'
import { emptyOf, kindText, nameOf, rulesOf, typedObject } from './typedobject.ts'

/**
 * Who owns which field of an object, and what that means for a write (apimachinery `util/managedfields`). It has no
 * state of its own: everything is in the objects.
 */
export function createFieldManager(): FieldManager {
  return { apply, update }
}

type AppliedObject = Result<{ object: KubeObject; changed: boolean }, ApplyFailure>

function apply(input: ApplyInput): AppliedObject {
  const { live, config } = input
  const served = input.served ?? live ?? config
  const refuse = (message: string): AppliedObject => ({ ok: false, error: { kind: 'BadRequest', message } })
  if (config.apiVersion !== served.apiVersion || config.kind !== served.kind)
    return refuse(`invalid object type: ${kindText(config)}`)
  if ((config.metadata?.managedFields ?? undefined) !== undefined)
    return refuse('metadata.managedFields must be nil')
  try {
    return { ok: true, value: applyChecked(input) }
  } catch (e) {
    if (e instanceof ConflictError) return { ok: false, error: conflictFailure(e.conflicts) }
    if (e instanceof TypedError) return { ok: false, error: { kind: 'Typed', message: e.message } }
    throw e
  }
}

function conflictFailure(conflicts: readonly Conflict[]): ApplyFailure {
  const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`
  return {
    kind: 'Conflict',
    conflicts: conflicts.map((c) => ({
      manager: printManager(c.manager),
      path: conflictText([c], () => '').replace(/^conflict with : /, ''),
    })),
    message: `Apply failed with ${count}: ${conflictText(conflicts, printManager)}`,
  }
}

function applyChecked(input: ApplyInput): { object: KubeObject; changed: boolean } {
  const { live, config, writer } = input
  const patch = typedObject(config, input.schema)
  inContext('patch', config, () => checkTypedValue(patch.value, patch.type, false))
  const before = live === undefined ? emptyOf(config, input.schema) : typedObject(live, input.schema)
  const known = ownersBefore(input, before)
  const manager = identifierOf({
    manager: writer.manager || 'unknown',
    operation: 'Apply',
    subresource: writer.subresource,
  })
  const done = applyOver(input, before, patch, known, manager)
  const managers = stripMeta(done.managers, manager, known.managers)
  const value = done.isPruned ? settledValue(done, patch, before) : done.object.value
  const isSame = value === before.value || (done.isPruned && jsonEqual(value, before.value))
  const merged = isSame && live !== undefined ? live : (value as unknown as KubeObject)
  const object = writer.manager === KUBECTL ? syncLastAppliedConfig(merged, config) : merged
  if (object === live && sameManagers(managers, decodeQuietly(live).managers))
    return { object: live, changed: false }
  const times = isSame ? known.times : new Map(known.times).set(manager, writer.time)
  return { object: withOwners(object, encodeManagedFields({ managers, times })), changed: true }
}

/**
 * What pruning took although the configuration mentions it is there again: an empty list is owned by nobody, but whoever
 * applies it once more must not change anything.
 */
function settledValue(done: ReturnType<typeof applyConfig>, patch: Typed, before: Typed): JsonValue {
  const kept = keepEmptyFields(done.object.value, [patch.value, before.value], done.managers, patch.type)
  return mergeTypedValues(kept, patch.value, patch.type) ?? null
}

/** Applies; kubectl may take over what it had applied on the client's side. */
function applyOver(
  input: ApplyInput,
  live: Typed,
  config: Typed,
  owners: ManagedFields,
  manager: string,
): ReturnType<typeof applyConfig> {
  const { apiVersion } = input.config
  const rules = rulesOf(input.reset, apiVersion, input.versions)
  const attempt = (force: boolean): ReturnType<typeof applyConfig> =>
    applyConfig(live, config, owners.managers, { version: apiVersion, manager, force }, rules)
  try {
    return attempt(input.force)
  } catch (e) {
    if (!(e instanceof ConflictError) || input.writer.manager !== KUBECTL) throw e
    const allowed = allowedByLastApplied(live, apiVersion)
    if (allowed === undefined) throw e
    if (pathsOf(e.conflicts).difference(allowed).isEmpty) return attempt(true)
    throw new ConflictError(e.conflicts.filter((c) => !allowed.has(c.path)))
  }
}

/** An object that nobody owns anything of yet gets an owner of everything in it first. */
function ownersBefore(input: ApplyInput, live: Typed): ManagedFields {
  const known = input.live === undefined ? noManagedFields : decodeStrictly(input.live)
  if (known.managers.size > 0 || input.live === undefined) return known
  const empty = emptyOf(input.config, input.schema)
  return trackAs({ ...input, next: input.live }, empty, live, known, 'before-first-apply')
}

function update(input: UpdateInput): KubeObject {
  const { live, next, schema, writer } = input
  try {
    const known = ownersGiven(input)
    // Objects are tracked from their creation on, or from their first apply on.
    if (known.managers.size === 0 && live !== undefined) return withOwners(next, undefined)
    const before =
      live === undefined ? emptyOf(next, schema) : typedObject(withOwners(live, undefined), schema)
    const after = typedObject(withOwners(next, undefined), schema)
    const owners = trackAs(input, before, after, known, writer.manager || 'unknown')
    const isSame = live !== undefined && owners.times === known.times && owners.managers === known.managers
    return withOwners(next, isSame ? encodedAs(known, live, next) : encodeManagedFields(owners))
  } catch (e) {
    // Ownership that cannot be told is not guessed at; the write itself is fine.
    if (e instanceof TypedError) return withOwners(next, undefined)
    throw e
  }
}

/** The list that the owners were read from, so that an unchanged object stays the same object. */
function encodedAs(
  owners: ManagedFields,
  live: KubeObject,
  next: KubeObject,
): readonly ManagedFieldsEntry[] | undefined {
  for (const list of [live.metadata.managedFields, next.metadata.managedFields])
    if (list && decodeQuietly({ ...next, metadata: { managedFields: list } }) === owners) return list
  return encodeManagedFields(owners)
}

/** The managers after `manager` changed the object; updates of one manager add up. */
function trackAs(
  input: UpdateInput,
  before: Typed,
  after: Typed,
  known: ManagedFields,
  manager: string,
): ManagedFields {
  const { apiVersion } = input.next
  const id = identifierOf({ manager, operation: 'Update', apiVersion, subresource: input.writer.subresource })
  const self = 'current-operation'
  const rules = rulesOf(input.reset, apiVersion, input.versions)
  const tracked = trackUpdate(before, after, known.managers, { version: apiVersion, manager: self }, rules)
  const managers = new Map(stripMeta(tracked, self))
  const mine = managers.get(self)
  if (mine === undefined)
    return sameManagers(managers, known.managers)
      ? capUpdaters(known)
      : capUpdaters({ managers, times: known.times })
  managers.delete(self)
  const previous = managers.get(id)
  managers.set(id, previous ? { ...mine, set: mine.set.union(previous.set) } : mine)
  return capUpdaters({ managers, times: new Map(known.times).set(id, input.writer.time) })
}

/**
 * Owners as the request states them: an empty list or one empty entry resets, a valid list replaces, anything else is
 * ignored (apimachinery `managedfields/internal/fieldmanager.go`, decodeLiveOrNew).
 */
function ownersGiven({ live, next, writer }: UpdateInput): ManagedFields {
  const before = (): ManagedFields => (live === undefined ? noManagedFields : decodeQuietly(live))
  if (writer.subresource) return before()
  const given = next.metadata.managedFields
  if (isReset(given)) return noManagedFields
  const stated = decodeQuietly(next)
  return stated.managers.size > 0 ? stated : before()
}

function isReset(list: readonly ManagedFieldsEntry[] | undefined | null): boolean {
  if (!list) return false
  const [first] = list
  return list.length === 0 || (list.length === 1 && isObject(first) && Object.keys(first).length === 0)
}

function decodeQuietly(o: KubeObject): ManagedFields {
  try {
    return decodeManagedFields(o.metadata.managedFields)
  } catch {
    return noManagedFields
  }
}

function decodeStrictly(o: KubeObject): ManagedFields {
  try {
    return decodeManagedFields(o.metadata.managedFields)
  } catch (e) {
    const message = `failed to decode managed fields: ${(e as Error).message}`
    throw new TypedError([{ path: '', message }])
  }
}

function withOwners(o: KubeObject, list: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  const now = o.metadata?.managedFields
  if (now === list || (list !== undefined && now !== undefined && jsonEqual(now, list))) return o
  const { managedFields: _old, ...metadata } = o.metadata ?? {}
  return { ...o, metadata: list === undefined ? metadata : { ...metadata, managedFields: list } }
}

/** Names the object in what is wrong with it. */
function inContext(what: string, o: KubeObject, check: () => void): void {
  try {
    check()
  } catch (e) {
    if (!(e instanceof TypedError)) throw e
    throw new TypedError([
      { path: '', message: `failed to create typed ${what} object (${nameOf(o)}): ${e.message}` },
    ])
  }
}
