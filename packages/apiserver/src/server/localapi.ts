import { type Cancel, err, ok, type Result } from '@lockstep/kube/env'
import type { JsonValue, KubeObject } from '@lockstep/kube/object'
import { AUTHENTICATED, MASTERS } from '../auth/user.ts'
import { asObject, type ObjectDraft, within } from '../resources/objectdraft.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, notFound } from '../status/apifailure.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { createObject } from '../write/createobject.ts'
import { decodeBody } from '../write/decodebody.ts'
import type { DeleteOptions } from '../write/deleteobject.ts'
import { deleteObject, PLAIN_DELETE } from '../write/deleteobject.ts'
import { serverApply } from '../write/serverapply.ts'
import { updateObject } from '../write/updateobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import type { WriteResult } from '../write/writeresult.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import type { EmbeddedCluster } from './embeddedcluster.ts'

/** A resource as `deployments.apps` or `configmaps`. */
export type ResourceId = string

export interface LocalEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
  /** The object before, unless it is new. */
  readonly old: KubeObject | undefined
}

/**
 * The API without HTTP, for controllers in this process. Synchronous; writes take the same way as HTTP's (defaults,
 * validation, policies, managedFields, watches); everybody here is an administrator. Objects are frozen.
 */
export interface LocalApi {
  list(resource: ResourceId, namespace?: string): readonly KubeObject[]
  get(resource: ResourceId, namespace: string, name: string): KubeObject | undefined
  /**
   * Every write from now on, in order; called before the writer goes on, or right after a write under way. The resource
   * may be one that a definition brings later.
   */
  watch(resource: ResourceId, fn: (event: LocalEvent) => void): Cancel
  create(object: KubeObject, manager: string): Result<KubeObject, ApiFailure>
  update(object: KubeObject, manager: string): Result<KubeObject, ApiFailure>
  updateStatus(object: KubeObject, manager: string): Result<KubeObject, ApiFailure>
  /** Server-side apply. `dryRun`: what it would come to, or why it would be refused. */
  apply(
    object: KubeObject,
    manager: string,
    options?: { readonly force?: boolean; readonly dryRun?: boolean },
  ): Result<KubeObject, ApiFailure>
  /** The resource of a type; undefined: no such kind is served. */
  served(
    apiVersion: string,
    kind: string,
  ): { readonly id: ResourceId; readonly namespaced: boolean } | undefined
  delete(
    resource: ResourceId,
    namespace: string,
    name: string,
    manager: string,
    options?: Partial<DeleteOptions>,
  ): Result<undefined, ApiFailure>
}

export function localApi(cluster: EmbeddedCluster): LocalApi {
  return {
    list(resource, namespace = '') {
      const kind = kindFor(cluster, resource)
      if (!kind) return []
      const prefix = namespace === '' ? '' : `${namespace}/`
      const keys = [...kind.table.live.keys(prefix, prefix)]
      return keys.map((k) => seen(kind, kind.table.live.get(k)!).object)
    },
    get(resource, namespace, name) {
      const kind = kindFor(cluster, resource)
      const stored = kind?.table.live.get(storeKey(kind, namespace, name))
      return kind && stored ? seen(kind, stored).object : undefined
    },
    watch(resource, fn) {
      return cluster.store.subscribe(resource, (e) => {
        const kind = kindFor(cluster, resource)
        const show = (s: StoredObject): KubeObject => (kind ? seen(kind, s) : s).object
        const old = e.prev && show(e.prev)
        if (e.next) fn({ type: e.prev ? 'MODIFIED' : 'ADDED', object: show(e.next), old })
        else fn({ type: 'DELETED', object: show(e.gone()), old })
      })
    },
    create: (object, manager) =>
      write(cluster, object, manager, (kind, draft, options) =>
        createObject(cluster, kind, String(within(draft, 'metadata')?.namespace ?? ''), draft, options),
      ),
    update: (object, manager) => write(cluster, object, manager, (...w) => change(cluster, ...w)),
    updateStatus: (object, manager) =>
      write(cluster, object, manager, (kind, draft, options) =>
        change(cluster, kind, draft, { ...options, subresource: 'status' }),
      ),
    apply: (object, manager, wanted = {}) =>
      applied(cluster, object, { ...optionsFor(manager), force: false, dryRun: false, ...wanted }),
    served(apiVersion, kind) {
      const info = cluster.kinds.byType(apiVersion, kind)?.info
      if (!info) return undefined
      const { group, plural, namespaced } = info
      return { id: group === '' ? plural : `${plural}.${group}`, namespaced }
    },
    delete(resource, namespace, name, manager, options = {}) {
      const kind = kindFor(cluster, resource)
      const stored = kind?.table.live.get(storeKey(kind, namespace, name))
      if (!kind || !stored) return err(notFound({ group: '', name: resource }, name))
      const done = deleteObject(cluster, kind, stored, { ...PLAIN_DELETE, ...options }, optionsFor(manager))
      return done.ok ? ok(undefined) : done
    },
  }
}

const optionsFor = (manager: string): ServerWriteOptions => ({
  manager,
  user: { name: manager, groups: [MASTERS, AUTHENTICATED] },
  dryRun: false,
  validation: 'Ignore',
  force: false,
  warn: () => {},
})

function kindFor(cluster: EmbeddedCluster, resource: ResourceId): ServedKind | undefined {
  const dot = resource.indexOf('.')
  return dot < 0
    ? cluster.kinds.byResource('', resource)
    : cluster.kinds.byResource(resource.slice(dot + 1), resource.slice(0, dot))
}

function write(
  cluster: EmbeddedCluster,
  object: KubeObject,
  manager: string,
  act: (kind: ServedKind, draft: ObjectDraft, options: ServerWriteOptions) => WriteResult,
): Result<KubeObject, ApiFailure> {
  const kind = cluster.kinds.byType(object.apiVersion, object.kind)
  if (!kind) return err(badRequest(`no matches for kind "${object.kind}" in version "${object.apiVersion}"`))
  const options = optionsFor(manager)
  const draft = decodeBody(kind, object as unknown as JsonValue, options)
  if (!draft.ok) return draft
  const done = act(kind, draft.value, options)
  return done.ok ? ok(seen(kind, done.value.stored).object) : done
}

function applied(
  cluster: EmbeddedCluster,
  object: KubeObject,
  options: ServerWriteOptions,
): Result<KubeObject, ApiFailure> {
  const kind = cluster.kinds.byType(object.apiVersion, object.kind)
  if (!kind) return err(badRequest(`no matches for kind "${object.kind}" in version "${object.apiVersion}"`))
  const { namespace = '', name = '' } = object.metadata
  const stored = kind.table.live.get(storeKey(kind, namespace, name))
  const done = serverApply(
    cluster,
    kind,
    { namespace, name, stored },
    object as unknown as JsonValue,
    options,
  )
  return done.ok ? ok(seen(kind, done.value.stored).object) : done
}

function change(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  draft: ObjectDraft,
  options: ServerWriteOptions,
): WriteResult {
  const { namespace = '', name = '' } = asObject(draft).metadata
  const stored = kind.table.live.get(storeKey(kind, namespace, name))
  if (!stored) return err(notFound(resourceOf(kind), name))
  return updateObject(
    cluster,
    kind,
    stored,
    { next: asObject(draft), needsVersion: true, verb: 'update' },
    options,
  )
}
