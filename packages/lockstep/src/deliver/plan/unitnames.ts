import { digestOf, type KubeObject, short10 } from '@lockstep/kube/object'
import type { Inventory } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'

const LETTER: Readonly<Record<string, string>> = {
  Module: 'm',
  BootstrapModule: 'b',
  ClusterResourceSet: 's',
}

/** What tells units of one place apart: of somebody else's record the assemblage, the kind and the name. */
const nameIn = ({ kind, name, owner }: ModuleRef): string =>
  owner === undefined ? name : `${owner}.${kind.toLowerCase()}.${name}`
const letterOf = ({ kind, owner }: ModuleRef): string => (owner === undefined ? (LETTER[kind] ?? 'x') : 'x')

const MOST_LABEL = 63

/** A label value holds 63 characters: what is longer is cut and told apart by a hash. */
const cut = (text: string, max: number, keep: number): string =>
  text.length <= max ? text : `${text.slice(0, keep)}.${short10(digestOf('name/1', text))}`

/** Value of the label `lockstep.dev/unit` on everything that a module applies. */
export const unitName = (m: ModuleRef): string =>
  cut(`${letterOf(m)}.${m.namespace}.${nameIn(m)}`, MOST_LABEL, 52)

const KIND: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LETTER).map(([kind, letter]) => [letter, kind]),
)

/**
 * `Module platform/web`, as a label value says it. Undefined: it is somebody else's, or it may have been cut.
 */
export function parseUnitName(label: string): Pick<ModuleRef, 'kind' | 'namespace' | 'name'> | undefined {
  const [, letter = '', namespace = '', name = ''] = /^([a-z])\.([^.]+)\.(.+)$/.exec(label) ?? []
  const kind = KIND[letter]
  return kind === undefined || label.length >= MOST_LABEL ? undefined : { kind, namespace, name }
}

/** Name of the Inventory of a module on a cluster; it lives in the module's namespace. */
export const inventoryName = (m: ModuleRef, cluster: string): string =>
  cut(`${letterOf(m)}.${nameIn(m)}.${cluster}`, 211, 200)

/** Whose unit an Inventory is of. */
export const refOfInventory = ({
  metadata: { namespace = '' },
  spec: { moduleRef },
}: Pick<Inventory, 'metadata' | 'spec'>): ModuleRef => {
  const { kind, name, owner } = moduleRef
  return { kind, namespace, name, ...(owner === undefined ? {} : { owner }) }
}

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
