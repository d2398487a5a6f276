/** Values that are copied from other objects just before an object is applied (cli-utils `apply-time-mutation`). Pure. */

import { isNewerResourceVersion } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, encodeJson, identityOf, isString, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import {
  type Mutation,
  type MutationPath,
  parseMutationPath,
  replaceAt,
} from '../../decisions/order/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { ObjectLookup, WaitFacts, WaitReason } from '../state/lookup.ts'
import type {
  CopySpec,
  DesiredHook,
  DesiredObject,
  DesiredSteps,
  MissingCopyValue,
  UnitDesiredState,
} from './desiredstate.ts'

export interface CopySources {
  readonly outside: ObjectLookup
  readonly live: (d: DesiredObject) => LiveObject | 'unknown' | undefined
  /** What is applied, by identity. */
  readonly entries: ReadonlyMap<string, InventoryObject>
}

/**
 * With all values in their places. The content of an object is then that of its manifest and its values together, so that a
 * value that has changed is a change like any other. Where a value is lacking, what was made of this manifest before stays.
 */
export function withValueCopies(desired: UnitDesiredState, sources: CopySources): UnitDesiredState {
  if (objectsWithCopies(desired).length === 0) return desired
  const objects = desired.objects.map((d) => (d?.copies ? copied(d, d.copies, desired, sources) : d))
  const hook = (h: DesiredHook): DesiredHook => (h.copies ? copiedHook(h, h.copies, desired, sources) : h)
  const steps = (all: DesiredSteps): DesiredSteps => all.map((step) => step.map(hook))
  return {
    ...desired,
    objects,
    hooks: desired.hooks.map((h) => h && hook(h)),
    syncFail: steps(desired.syncFail),
    preDelete: steps(desired.preDelete),
    postDelete: steps(desired.postDelete),
  }
}

/** All that values are copied into. */
export const objectsWithCopies = (d: UnitDesiredState): DesiredObject[] =>
  [...d.objects, ...d.hooks, ...[d.syncFail, d.preDelete, d.postDelete].flat(2)].filter(
    (x): x is DesiredObject => x?.copies !== undefined,
  )

/** A run of a hook has the values of the time when it begins; a hook is the same hook whatever they are. */
function copiedHook(
  h: DesiredHook,
  copies: CopySpec,
  desired: UnitDesiredState,
  sources: CopySources,
): DesiredHook {
  const made = withValues(h, copies, desired, sources)
  return made.ok ? { ...h, object: made.value.object } : { ...h, lack: made.error }
}

function copied(
  d: DesiredObject,
  copies: CopySpec,
  desired: UnitDesiredState,
  sources: CopySources,
): DesiredObject {
  const made = withValues(d, copies, desired, sources)
  if (!made.ok) return lacking(d, made.error, sources.entries.get(d.id))
  const content = copies.digest('copied/1', [d.content, made.value.values])
  return { ...d, object: made.value.object, manifest: d.content, content }
}

interface CopyResult {
  readonly object: KubeObject
  /** In the order of the copies. */
  readonly values: readonly JsonValue[]
}

function withValues(
  d: DesiredObject,
  { mutations }: CopySpec,
  desired: UnitDesiredState,
  sources: CopySources,
): Result<CopyResult, MissingCopyValue> {
  let object = d.object as unknown as JsonValue
  const values: JsonValue[] = []
  for (const m of mutations) {
    const value = copiedValue(m, desired, sources)
    const next = value.ok ? put(object, m, value.value) : value
    if (!next.ok) return next
    if (value.ok) values.push(value.value)
    object = next.value
  }
  return ok({ object: object as unknown as KubeObject, values })
}

function lacking(
  d: DesiredObject,
  lack: MissingCopyValue,
  entry: InventoryObject | undefined,
): DesiredObject {
  const isMadeOfIt = entry !== undefined && entry.manifest === d.content
  return { ...d, manifest: d.content, content: isMadeOfIt ? entry.content : d.content, lack }
}

/** Of an object of the bundle not older than what is known of it anyhow: our own write may be ahead of its watch. */
function copiedValue(
  m: Mutation,
  desired: UnitDesiredState,
  { outside, live }: CopySources,
): Result<JsonValue, MissingCopyValue> {
  const lack = (reason: WaitReason, facts: WaitFacts): Result<JsonValue, MissingCopyValue> =>
    err({ type: 'wait', reason, source: m.source, facts })
  const found = outside(m.source)
  switch (found.type) {
    case 'NotServed':
      return lack('WaitKindNotServed', { state: 'NotServed' })
    case 'Misplaced':
      return lack('WaitNotFound', { state: 'NoNamespace' })
    case 'Forbidden':
      return lack('WaitForbidden', { state: 'Unreadable', detail: found.detail })
    case 'Unread':
      return lack('WaitingForObject', { state: 'Unreadable', detail: found.detail })
    case 'Syncing':
      return lack('WatchStale', { state: 'Unread' })
    case 'Read':
      break
  }
  const [object] = found.objects
  if (!object) return lack('WaitNotFound', { state: 'NotFound' })
  const { namespace: _, ...above } = m.source
  const own = desired.byId.get(identityOf(m.source)) ?? desired.byId.get(identityOf(above))
  const known = own === undefined ? undefined : live(desired.objects[own]!)
  const version = object.metadata.resourceVersion ?? ''
  if (known && known !== 'unknown' && isNewerResourceVersion(known.resourceVersion, version))
    return lack('WatchStale', { state: 'Unread' })
  const value = at(object, ...pathOf(m.sourcePath))
  return value === undefined
    ? lack('WaitingForObject', { state: 'NoValue', expression: m.sourcePath })
    : ok(value)
}

/** All of what is there, or of a text the part that is the token. */
function put(object: JsonValue, m: Mutation, value: JsonValue): Result<JsonValue, MissingCopyValue> {
  const path = pathOf(m.targetPath)
  const before = at(object, ...path)
  const refused = err({ type: 'target', path: m.targetPath, token: m.token } as const)
  if (m.token !== undefined && !isString(before)) return refused
  const after = m.token === undefined ? value : (before as string).replaceAll(m.token, () => textOf(value))
  const next = replaceAt(object, path, after)
  return next === undefined ? refused : ok(next)
}

const textOf = (value: JsonValue): string => (isString(value) ? value : encodeJson(value))

/** Checked when the annotation was read. */
function pathOf(text: string): MutationPath {
  const path = parseMutationPath(text)
  return path.ok ? path.value : []
}
