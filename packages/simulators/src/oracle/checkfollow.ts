/** I2: what is written is in the bundle that is admitted, with its content. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { isArray, isObject, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import { HUB, identity, list, NONCE, OWNER, REVISIONS, text, UNIT } from './clusterhistory.ts'
import { inventoryByUid, isDelivery, ownerOf } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

export function checkFollow(o: OracleContext, c: CommitRecord): void {
  if (!isDelivery(c) || !c.next || c.next.metadata.deletionTimestamp !== undefined) return
  const uid = ownerOf(c.next)
  // Letting go of an object takes the marks off it.
  if (uid === undefined) return
  if (c.old && isFreed(c.old, c.next)) return
  if (isTransfer(o, c)) return void o.tested('I2')
  const inventory = inventoryByUid(o.history, uid)
  o.tested('I2')
  const name = `${c.cluster} ${c.resource} ${c.key}`
  if (!inventory) return void o.broken('I2', `${name} was written for an Inventory that does not exist`)
  const bundle = o.bundles.admitted(inventory)
  const found = bundle?.find((m) => sameObject(m, c.next!))
  const manifest = found && withoutCopied(found)
  if (!manifest) return void o.broken('I2', `${name} was written, and is not in the bundle of the admission`)
  // Fields that change hands, or are given up, change nothing.
  if (c.old && isSameContent(c.old, c.next)) return
  if (!contains(c.next, manifest) && !contains(c.next, withoutIgnored(o, inventory, manifest)))
    o.broken('I2', `${name} was written with content that differs from the bundle of the admission`)
}

/** Only the finalizer of a hook was taken off: it may be one of what was delivered before. */
function isFreed(old: KubeObject, next: KubeObject): boolean {
  if (!old.metadata.finalizers?.includes(HOOK)) return false
  const finalizers = old.metadata.finalizers.filter((f) => f !== HOOK)
  const { finalizers: _, ...metadata } = old.metadata
  const freed = { ...old, metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata }
  return isSameContent(freed, next)
}

const HOOK = 'lockstep.dev/hook'

/** Annotations that are bookkeeping: ours, and what client-side tools remember. */
const MARKS: ReadonlySet<string> = new Set([
  OWNER,
  NONCE,
  'kubectl.kubernetes.io/last-applied-configuration',
  'kapp.k14s.io/original',
  'kapp.k14s.io/original-diff-md5',
])

/** An object changes hands within a namespace, as the Inventory of its receiver has announced: nothing else of it changes. */
export function isTransfer({ history }: OracleContext, { old, next }: CommitRecord): boolean {
  const [before, after] = [ownerOf(old), ownerOf(next)]
  if (!old || !next || before === undefined || after === undefined || before === after) return false
  const [giver, receiver] = [inventoryByUid(history, before), inventoryByUid(history, after)]
  if (!receiver || (giver && giver.metadata.namespace !== receiver.metadata.namespace)) return false
  const { uid } = old.metadata
  const isAnnounced =
    list(receiver, 'spec', 'intents').some((i) => text(i, 'takes', 'uid') === uid) ||
    list(receiver, 'spec', 'objects').some((e) => text(e, 'uid') === uid)
  return isAnnounced && isSameContent(old, next)
}

const isSameContent = (a: KubeObject, b: KubeObject): boolean =>
  jsonEqual(contentOf(a) as JsonValue, contentOf(b) as JsonValue)

/** All but who owns it. */
function contentOf({ metadata, ...rest }: KubeObject): object {
  const { managedFields: _m, resourceVersion: _r, generation: _g, labels, annotations, ...meta } = metadata
  const unmarked = (of: Readonly<Record<string, string>> | undefined) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([k]) => k !== UNIT && !MARKS.has(k)))
  return { ...rest, metadata: { ...meta, labels: unmarked(labels), annotations: unmarked(annotations) } }
}

/** What the revision leaves to others is not looked at. */
export function withoutIgnored(o: OracleContext, inventory: KubeObject, manifest: KubeObject): KubeObject {
  const revision = text(inventory, 'spec', 'admitted', 'revision')
  let left: JsonValue = manifest as unknown as JsonValue
  for (const r of o.history.all(HUB, REVISIONS)) {
    const isAdmitted = text(r, 'data', 'revision') === revision
    if (!isAdmitted || r.metadata.namespace !== inventory.metadata.namespace) continue
    for (const rule of list(r, 'data', 'spec', 'apply', 'ignore')) {
      if (text(rule, 'target', 'kind') !== manifest.kind) continue
      for (const pointer of list(rule, 'paths')) left = without(left, String(pointer).slice(1).split('/'))
    }
  }
  return left as unknown as KubeObject
}

const COPIES = 'config.kubernetes.io/apply-time-mutation'

/** Values that the manifest has copied from elsewhere are not in it; it names where they go, as `targetPath: $.a.b`. */
export function withoutCopied(manifest: KubeObject): KubeObject {
  const notes = manifest.metadata.annotations?.[COPIES] ?? ''
  const paths = [...notes.matchAll(/targetPath"?: *"?\$\.([\w.]+)/g)].map(([, path]) => path!.split('.'))
  return paths.reduce(without, manifest as unknown as JsonValue) as unknown as KubeObject
}

function without(value: JsonValue, [name, ...rest]: readonly string[]): JsonValue {
  if (name === undefined || !isObject(value) || value[name] === undefined) return value
  const { [name]: inner, ...others } = value
  return rest.length === 0 ? others : { ...others, [name]: without(inner!, rest) }
}

/** A manifest without a namespace may have got its unit's. */
export function sameObject(manifest: KubeObject, live: KubeObject): boolean {
  const bound =
    manifest.metadata.namespace === undefined
      ? {
          ...manifest,
          metadata: {
            ...manifest.metadata,
            ...(live.metadata.namespace ? { namespace: live.metadata.namespace } : {}),
          },
        }
      : manifest
  return identity(bound) === identity(live)
}

/** Every leaf of the manifest is in the object; lists may have been completed, and are compared by length only when plain. */
export function contains(live: unknown, manifest: unknown): boolean {
  if (isObject(manifest))
    return (
      isObject(live) &&
      Object.entries(manifest).every(([k, v]) => v === null || v === undefined || contains(live[k], v))
    )
  // A server drops lists of its kinds that are empty.
  if (isArray(manifest) && manifest.length === 0) return live === undefined || isArray(live)
  if (isArray(manifest))
    return (
      isArray(live) &&
      manifest.every((m) => (isObject(m) ? live.some((l) => contains(l, m)) : live.includes(m as JsonValue)))
    )
  return live === manifest || String(live) === String(manifest)
}
