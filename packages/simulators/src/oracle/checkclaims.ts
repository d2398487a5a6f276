/** I34: an object that a unit other than its holder keeps or uses is not deleted. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { at, isObject, isString, type KubeObject, matchesSelector } from '@lockstep/kube/object'
import { isDelete } from './checkdeletes.ts'
import { sameObject } from './checkfollow.ts'
import {
  HUB,
  INVENTORIES,
  identity,
  keyOfMeta,
  list,
  modulesOf,
  REVISIONS,
  text,
  wantedRevision,
} from './clusterhistory.ts'
import { hooksOf } from './hookhistory.ts'
import { inventoryByUid, isDelivery, ownerOf } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

const KINDS = ['Module', 'BootstrapModule']

export function checkClaims(o: OracleContext, c: CommitRecord): void {
  if (!isDelivery(c) || !isDelete(c)) return
  const holder = inventoryByUid(o.history, ownerOf(c.old) ?? '')
  if (!holder || hooksOf(holder, identity(c.old!)).length > 0) return
  const namespace = holder.metadata.namespace ?? ''
  const cluster = text(holder, 'spec', 'clusterRef', 'name')
  for (const module of KINDS.flatMap((kind) => [...o.history.all(HUB, modulesOf(kind))])) {
    if (module.metadata.namespace !== namespace || isHolder(module, holder)) continue
    if (!isClaiming(o, module, namespace, cluster)) continue
    o.tested('I34')
    const why = bundlesOf(o, module, cluster)
      .map((bundle) => claimIn(bundle, c.old!))
      .find((x) => x !== undefined)
    if (why !== undefined)
      o.broken(
        'I34',
        `${c.cluster} ${c.resource} ${c.key} was deleted, and ${module.kind} ${module.metadata.name} ${why}`,
      )
  }
}

const isHolder = (module: KubeObject, holder: KubeObject): boolean =>
  text(holder, 'spec', 'moduleRef', 'kind') === module.kind &&
  text(holder, 'spec', 'moduleRef', 'name') === module.metadata.name

/** The Module exists, is not being deleted, and selects the cluster now and a moment ago. */
function isClaiming(o: OracleContext, module: KubeObject, namespace: string, cluster: string): boolean {
  if (module.metadata.deletionTimestamp !== undefined) return false
  // Another controller decides which of its units are delivered.
  if (text(module, 'spec', 'rollout', 'strategy') === 'External') return false
  const key = `${namespace}/${cluster}`
  const secret = o.history.get(HUB, 'secrets', key)
  const earlier = o.lately.versions(HUB, 'secrets', key)
  const specs = [module, ...o.lately.versions(HUB, modulesOf(module.kind), keyOfMeta(module))]
  return (
    secret !== undefined &&
    specs.every((m) => [secret, ...earlier].every((s) => selects(at(m, 'spec', 'targets'), s)))
  )
}

/** As the simulated platforms select clusters: by label or name. */
function selects(targets: unknown, { metadata: { name = '', labels = {} } }: KubeObject): boolean {
  const selector = at(targets as never, 'clusterSelector')
  const excluded = at(targets as never, 'exclude')
  if (isObject(excluded) && matchesSelector(excluded as never, labels)) return false
  const isNamed = list(targets, 'clusters').includes(name)
  return isNamed || (isObject(selector) && matchesSelector(selector as never, labels))
}

/** Bundles of the target revision, the published one, and that of the admission. */
function bundlesOf(o: OracleContext, module: KubeObject, cluster: string): (readonly KubeObject[])[] {
  const namespace = module.metadata.namespace ?? ''
  const inventory = [...o.history.all(HUB, INVENTORIES)].find(
    (i) =>
      i.metadata.namespace === namespace &&
      isHolder(module, i) &&
      text(i, 'spec', 'clusterRef', 'name') === cluster,
  )
  const wanted = new Set([wantedRevision(module), text(module, 'status', 'currentRevision')])
  const found: (readonly KubeObject[])[] = []
  for (const r of o.history.all(HUB, REVISIONS)) {
    if (r.metadata.namespace !== namespace || !wanted.has(text(r, 'data', 'revision'))) continue
    const bundle = o.bundles.get(namespace, text(r, 'data', 'bundle'))
    const home = text(r, 'data', 'spec', 'render', 'namespace')
    if (bundle) found.push(home === '' ? bundle : bundle.map((m) => inNamespace(m, home)))
  }
  const admitted = inventory && o.bundles.admitted(inventory)
  return admitted ? [...found, admitted] : found
}

const inNamespace = (m: KubeObject, namespace: string): KubeObject =>
  m.metadata.namespace === undefined && m.kind !== 'Namespace'
    ? { ...m, metadata: { ...m.metadata, namespace } }
    : m

/** How a bundle claims an object; undefined: it does not. */
function claimIn(bundle: readonly KubeObject[], object: KubeObject): string | undefined {
  const claimed = bundle.filter(isOwned)
  if (claimed.some((m) => sameObject(m, object))) return 'has it'
  if (object.kind === 'Namespace' && claimed.some((m) => m.metadata.namespace === object.metadata.name))
    return 'has an object in it'
  const defined = object.kind === 'CustomResourceDefinition' ? at(object, 'spec', 'names', 'kind') : undefined
  const group = text(object, 'spec', 'group')
  const isOfKind = (m: KubeObject): boolean => m.kind === defined && m.apiVersion.startsWith(`${group}/`)
  return isString(defined) && claimed.some(isOfKind) ? 'has objects of its kind' : undefined
}

/** Hooks and objects that are left alone say so in an annotation. */
const isOwned = (m: KubeObject): boolean =>
  Object.keys(m.metadata.annotations ?? {}).every((name) => !/hook|noop|reconcile|ssa|\/apply$/.test(name))
