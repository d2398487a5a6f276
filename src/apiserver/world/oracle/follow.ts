/** I2: what is written is in the bundle that is admitted, with its content. */
import { isArray, isObject, type JsonValue, type KubeObject } from '../../../object/object.ts'
import type { CommitRecord } from '../../trace.ts'
import type { OracleContext } from './context.ts'
import { identity, text } from './history.ts'
import { inventoryByUid, isDelivery, ownerOf } from './unit.ts'

export function checkFollow(o: OracleContext, c: CommitRecord): void {
  if (!isDelivery(c) || !c.next || c.next.metadata.deletionTimestamp !== undefined) return
  const uid = ownerOf(c.next)
  // Letting go of an object takes the marks off it.
  if (uid === undefined) return
  const inventory = inventoryByUid(o.history, uid)
  o.tested('I2')
  const name = `${c.cluster} ${c.resource} ${c.key}`
  if (!inventory) return void o.broken('I2', `${name} was written for an Inventory that does not exist`)
  const bundle = o.bundles.get(
    inventory.metadata.namespace ?? '',
    text(inventory, 'spec', 'admitted', 'bundle'),
  )
  const manifest = bundle?.find((m) => sameObject(m, c.next!))
  if (!manifest) return void o.broken('I2', `${name} was written, and is not in the admitted bundle`)
  if (!contains(c.next, manifest))
    o.broken('I2', `${name} was written with content that is not the admitted bundle's`)
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
  if (isArray(manifest))
    return (
      isArray(live) &&
      manifest.every((m) => (isObject(m) ? live.some((l) => contains(l, m)) : live.includes(m as JsonValue)))
    )
  return live === manifest || String(live) === String(manifest)
}
