import type { ModuleRef } from '../core/graph/module.ts'
import { digestOf, type KubeObject, short10 } from '../object/object.ts'

const LETTER = { Module: 'm', BootstrapModule: 'b' } as const

/** A label value holds 63 characters: what is longer is cut and told apart by a hash. */
const cut = (text: string, max: number, keep: number): string =>
  text.length <= max ? text : `${text.slice(0, keep)}.${short10(digestOf('name/1', text))}`

/** Value of the label `lockstep.dev/unit` on everything that a module applies. */
export const unitLabel = (m: ModuleRef): string => cut(`${LETTER[m.kind]}.${m.namespace}.${m.name}`, 63, 52)

/** Name of the Inventory of a module on a cluster; it lives in the module's namespace. */
export const inventoryName = (m: ModuleRef, cluster: string): string =>
  cut(`${LETTER[m.kind]}.${m.name}.${cluster}`, 211, 200)

export const moduleRefOf = (o: KubeObject): ModuleRef => ({
  kind: o.kind as ModuleRef['kind'],
  namespace: o.metadata.namespace ?? '',
  name: o.metadata.name ?? '',
})

const BUCKETS = 256

/**
 * Value of the label `lockstep.dev/bucket`: several processes can share a fleet by it, each watching what it has to do with.
 * By the cluster's name, which is known before anybody has reached it, and is the same for all that is about it.
 */
export const bucketOf = (namespace: string, cluster: string): string =>
  String(Number.parseInt(short10(digestOf('bucket/1', [namespace, cluster])).slice(0, 8), 16) % BUCKETS)
