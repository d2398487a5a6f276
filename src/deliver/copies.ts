/** Values that are copied from other objects just before an object is applied (cli-utils `apply-time-mutation`). Pure. */
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { BlockerReason } from '../api/reasons.ts'
import type { Mutation } from '../core/order/options.ts'
import { replaceAt, type ValuePath, valuePath } from '../core/order/valuepath.ts'
import { err, ok, type Result } from '../env/result.ts'
import type { LiveObject } from '../fleet/live.ts'
import { isNewer } from '../kube/version.ts'
import {
  at,
  encodeJson,
  identityOf,
  isString,
  type JsonValue,
  type KubeObject,
  refText,
} from '../object/object.ts'
import type { Copies, Desired, DesiredObject, Lack } from './desired.ts'
import type { Outside } from './outside.ts'

export interface Sources {
  readonly outside: Outside
  readonly live: (d: DesiredObject) => LiveObject | 'unknown' | undefined
  /** What is applied, by identity. */
  readonly entries: ReadonlyMap<string, InventoryObject>
}

/**
 * With all values in their places. The content of an object is then that of its manifest and its values together, so that a
 * value that has changed is a change like any other. Where a value is lacking, what was made of this manifest before stays.
 */
export function withCopies(desired: Desired, sources: Sources): Desired {
  if (!desired.objects.some((d) => d?.copies)) return desired
  const objects = desired.objects.map((d) => (d?.copies ? copied(d, d.copies, desired, sources) : d))
  return { ...desired, objects }
}

function copied(d: DesiredObject, copies: Copies, desired: Desired, sources: Sources): DesiredObject {
  let object = d.object as unknown as JsonValue
  const values: JsonValue[] = []
  for (const m of copies.mutations) {
    const value = copiedValue(m, desired, sources)
    const next = value.ok ? put(object, m, value.value) : value
    if (!next.ok) return lacking(d, next.error, sources.entries.get(d.id))
    if (value.ok) values.push(value.value)
    object = next.value
  }
  const content = copies.digest('copied/1', [d.content, values])
  return { ...d, object: object as unknown as KubeObject, manifest: d.content, content }
}

function lacking(d: DesiredObject, lack: Lack, entry: InventoryObject | undefined): DesiredObject {
  const isMadeOfIt = entry !== undefined && entry.manifest === d.content
  return { ...d, manifest: d.content, content: isMadeOfIt ? entry.content : d.content, lack }
}

/** Of an object of the bundle not older than what is known of it anyhow: our own write may be ahead of its watch. */
function copiedValue(m: Mutation, desired: Desired, { outside, live }: Sources): Result<JsonValue, Lack> {
  const what = `${m.sourcePath} of ${refText(m.source)}`
  const lack = (reason: BlockerReason, text: string) => err({ reason, message: `copies ${what}, ${text}` })
  const found = outside(m.source)
  switch (found.type) {
    case 'NotServed':
      return lack('WaitKindNotServed', 'whose kind no API serves')
    case 'Misplaced':
      return lack('WaitNotFound', 'which names no namespace')
    case 'Forbidden':
      return lack('WaitForbidden', `which cannot be read: ${found.detail}`)
    case 'Unread':
      return lack('WaitingForObject', `which cannot be read: ${found.detail}`)
    case 'Syncing':
      return lack('WatchStale', 'which is being read')
    case 'Read':
      break
  }
  const [object] = found.objects
  if (!object) return lack('WaitNotFound', 'which does not exist')
  const { namespace: _, ...above } = m.source
  const own = desired.byId.get(identityOf(m.source)) ?? desired.byId.get(identityOf(above))
  const known = own === undefined ? undefined : live(desired.objects[own]!)
  const version = object.metadata.resourceVersion ?? ''
  if (known && known !== 'unknown' && isNewer(known.resourceVersion, version))
    return lack('WatchStale', 'which is being read')
  const value = at(object, ...pathOf(m.sourcePath))
  return value === undefined ? lack('WaitingForObject', 'which has no such value yet') : ok(value)
}

/** All of what is there, or of a text the part that is the token. */
function put(object: JsonValue, m: Mutation, value: JsonValue): Result<JsonValue, Lack> {
  const path = pathOf(m.targetPath)
  const before = at(object, ...path)
  const isText = isString(before)
  if (m.token !== undefined && !isText)
    return err({
      reason: 'InvalidObject',
      message: `${m.targetPath} is no text, so that it holds no ${m.token}`,
    })
  const after = m.token === undefined ? value : (before as string).replaceAll(m.token, () => textOf(value))
  const next = replaceAt(object, path, after)
  return next === undefined
    ? err({ reason: 'InvalidObject', message: `${m.targetPath} is not there to be replaced` })
    : ok(next)
}

const textOf = (value: JsonValue): string => (isString(value) ? value : encodeJson(value))

/** Checked when the annotation was read. */
function pathOf(text: string): ValuePath {
  const path = valuePath(text)
  return path.ok ? path.value : []
}
