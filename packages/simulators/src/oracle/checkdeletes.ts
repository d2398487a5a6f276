/** I7 and I8: a delete has a cause that is true, and dependants have left before. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { at, type KubeObject } from '@lockstep/kube/object'
import { contains, sameObject } from './checkfollow.ts'
import { edgesOf, isOptional } from './checkgate.ts'
import {
  HUB,
  INVENTORIES,
  identity,
  identityOfEntry,
  list,
  modulesOf,
  REVISIONS,
  text,
} from './clusterhistory.ts'
import { hooksOf, isHookOver } from './hookhistory.ts'
import { inventoryByUid, isDelivery, ownerOf } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

/** The instant at which a delete was asked for: the object goes, or is marked. */
export function isDelete(c: CommitRecord): boolean {
  if (!c.old) return false
  const isMarked = c.next === undefined || c.next.metadata.deletionTimestamp !== undefined
  return isMarked && c.old.metadata.deletionTimestamp === undefined
}

export function checkDeletes(o: OracleContext, c: CommitRecord): void {
  if (!isDelivery(c) || !isDelete(c)) return
  const inventory = inventoryByUid(o.history, ownerOf(c.old) ?? '')
  if (!inventory) return
  o.tested('I7')
  const recorded = list(inventory, 'spec', 'causes')
  const causes = recorded.map((x) => text(x, 'cause'))
  const name = `${c.cluster} ${c.resource} ${c.key}`
  const isCaused =
    recorded.some((x) => isTrue(o, text(x, 'cause') ?? '', inventory, c.old!, text(x, 'uid'))) ||
    isStale(o, inventory, c.old!)
  if (!isCaused && !isReplaced(o, inventory, c.old!) && !isHookOver(inventory, c.old!)) {
    o.broken('I7', `${name} was deleted without a true cause (recorded: ${causes.join(', ') || 'none'})`)
  }
  const isLeaving = causes.some((x) => x !== 'RemovedFromBundle')
  if (isLeaving) checkReverse(o, inventory, name)
}

/** `uid`: of the module that left; another one may have its name. */
function isTrue(
  o: OracleContext,
  cause: string,
  inventory: KubeObject,
  object: KubeObject,
  uid = '',
): boolean {
  const namespace = inventory.metadata.namespace ?? ''
  const kind = text(inventory, 'spec', 'moduleRef', 'kind')
  const module = o.history.get(
    HUB,
    modulesOf(kind),
    `${namespace}/${text(inventory, 'spec', 'moduleRef', 'name')}`,
  )
  if (cause === 'ModuleDeleted') {
    const isAnother = module !== undefined && uid !== '' && module.metadata.uid !== uid
    return module === undefined || isAnother || module.metadata.deletionTimestamp !== undefined
  }
  if (cause === 'RemovedFromBundle') {
    const bundle = o.bundles.admitted(inventory)
    const isMeant = bundle !== undefined && (bundle.length > 0 || mayBeEmpty(o, inventory))
    return isMeant && !bundle.some((m) => identity(m) === identity(object))
  }
  if (cause === 'RecordRemoved') return isTakenOut(o, inventory)
  const isClusterApi = text(inventory, 'spec', 'clusterRef', 'kind') === 'ClusterAPI'
  const cluster = o.history.get(
    HUB,
    isClusterApi ? 'clusters.cluster.x-k8s.io' : 'secrets',
    `${namespace}/${text(inventory, 'spec', 'clusterRef', 'name')}`,
  )
  return cause === 'Relabelled' && cluster !== undefined && cluster.metadata.deletionTimestamp === undefined
}

/** The revision that is admitted there says that it may have no objects. */
function mayBeEmpty(
  { history }: OracleContext,
  { metadata, spec }: KubeObject & { readonly spec?: unknown },
) {
  const revision = text(spec, 'admitted', 'revision')
  for (const r of history.all(HUB, REVISIONS))
    if (r.metadata.namespace === metadata.namespace && text(r, 'data', 'revision') === revision)
      return at(r, 'data', 'spec', 'apply', 'allowEmpty') === true
  return false
}

/** Its owner has deleted the assemblage, or has taken the record out: one that is absent has said nothing. */
function isTakenOut(o: OracleContext, { metadata, spec }: KubeObject & { readonly spec?: unknown }): boolean {
  const { moduleRef } = spec as { readonly moduleRef: { kind: string; name: string; owner?: string } }
  const assemblage = o.history.get(
    HUB,
    'remoteassemblages.lockstep.dev',
    `${metadata.namespace}/${moduleRef.owner}`,
  )
  if (!assemblage) return false
  const isIts = (s: unknown): boolean =>
    text(s, 'kind') === moduleRef.kind && text(s, 'name') === moduleRef.name
  return assemblage.metadata.deletionTimestamp !== undefined || !list(assemblage, 'spec', 'syncs').some(isIts)
}

/** A hook that the bundle does not have any more. */
function isStale(o: OracleContext, inventory: KubeObject, object: KubeObject): boolean {
  const isHook = hooksOf(inventory, identity(object)).length > 0
  return isHook && isTrue(o, 'RemovedFromBundle', inventory, object)
}

/** It is announced that it is made anew, and it is not yet what it is to be. */
function isReplaced(o: OracleContext, inventory: KubeObject, object: KubeObject): boolean {
  const id = identity(object)
  const intent = list(inventory, 'spec', 'intents').find((i) => identityOfEntry(i) === id)
  if (text(intent, 'replaces', 'uid') !== object.metadata.uid) return false
  const bundle = o.bundles.admitted(inventory)
  return bundle?.some((m) => sameObject(m, object) && !contains(object, m)) === true
}

/** No unit on the cluster whose evidence names this Inventory, by a required edge, may still have objects. */
function checkReverse(o: OracleContext, inventory: KubeObject, name: string): void {
  if (o.history.reliedOn.has(inventory.metadata.uid ?? '')) o.tested('I8')
  const cluster = text(inventory, 'spec', 'clusterRef', 'name')
  for (const other of o.history.all(HUB, INVENTORIES)) {
    if (
      other.metadata.namespace !== inventory.metadata.namespace ||
      text(other, 'spec', 'clusterRef', 'name') !== cluster
    )
      continue
    const edges = edgesOf(o, other.metadata.namespace ?? '', other) ?? []
    const required = new Set(edges.filter((e) => !isOptional(e)).map((e) => text(e, 'id')))
    const relies = list(other, 'spec', 'admitted', 'evidence').some(
      (e) => text(e, 'uid') === inventory.metadata.uid && required.has(text(e, 'edge')),
    )
    if (!relies) continue
    if (list(other, 'spec', 'objects').length > 0)
      o.broken('I8', `${name} was deleted while ${other.metadata.name} relied on it`)
  }
}
