/** What bindings are made of, out of the caches; who asked for what, so that its changes find the module. */
import type { Secret } from '@lockstep/kube/kinds'
import {
  apiVersionOf,
  at,
  base64ToBytes,
  isString,
  type KubeObject,
  parseApiVersion,
} from '@lockstep/kube/object'
import { type AccessRight, type Account, missingRightText } from '../../api/account.ts'
import {
  type BindingLookup,
  type FieldRef,
  fieldPathOf,
  fieldText,
  type ValueSources,
} from '../../decisions/binding/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { type ClusterView, clusterText, HUB_CLUSTER } from '../../fleet/clusters/index.ts'
import { type ClusterSession, type ObjectSelection, selectionId } from '../../fleet/connection/index.ts'
import { objectKindsOf } from '../../fleet/inventories/index.ts'
import { inputRight, inputSelection, moduleRequest, observeInput } from '../cache/index.ts'
import type { PublishDeps } from './publishdeps.ts'

const found = (text: string | undefined, missing: string): BindingLookup =>
  text === undefined ? { type: 'Missing', text: missing } : { type: 'Found', text }

/** Looks of one module during one decision about it. */
export class BindingSources {
  private readonly c: PublishDeps
  private readonly ref: ModuleRef
  private readonly account: Account
  private readonly asked = new Set<string>()
  /** Rights of the account without which nothing of this decision may be used. */
  readonly rights: AccessRight[] = []
  /** Objects of clusters by name, by kind of inventory and namespace. */
  private readonly objects = new Map<string, ReadonlyMap<string, KubeObject>>()

  /** `account`: with whose rights the hub is read. */
  constructor(context: PublishDeps, ref: ModuleRef, account: Account) {
    this.c = context
    this.ref = ref
    this.account = account
  }

  /** What all clusters share. */
  shared(): ValueSources {
    return {
      given: () => undefined,
      cluster: () => ({ type: 'Missing', text: 'there is no cluster to ask,' }),
      key: (kind, name, key) => this.key(kind, name, key),
      object: (_where, ref) => this.hubObject(ref),
    }
  }

  of(cluster: ClusterView): ValueSources {
    return {
      given: (name) => givenOf(cluster, name),
      cluster: (what) =>
        what.fieldPath === undefined
          ? lookupCluster(cluster, what)
          : this.clusterField(cluster, what.fieldPath),
      key: (kind, name, key) => this.key(kind, name, key),
      object: (where, ref) => (where === 'Hub' ? this.hubObject(ref) : this.field(cluster, ref)),
    }
  }

  /** What was not asked for in this decision is watched for it no more. */
  close(): void {
    for (const { view, id } of this.c.watchIndex.keep(moduleRequest(this.ref), this.asked)) {
      if (view === undefined) this.c.hub.secrets.release(id)
      else {
        this.c.fleet.session(view, this.account)?.selections.release(id)
        if (view.access.type === 'Hub') this.c.fleet.clusterObjects?.release(id)
      }
    }
  }

  private key(kind: 'ConfigMap' | 'Secret', name: string, key: string): BindingLookup {
    const { namespace } = this.ref
    const what = `${kind} ${namespace}/${name}`
    this.note(undefined, inputSelection(kind, { namespace, name }))
    this.rights.push(inputRight(namespace, { kind, name }))
    const seen = observeInput(this.c.hub, this.account, { kind, name })
    switch (seen.state) {
      case 'Syncing':
        return { type: 'Pending', text: `${what} is being read` }
      case 'Failed':
        return {
          type: seen.failure.reason === 'Forbidden' ? 'Refused' : 'Pending',
          text: seen.failure.message,
        }
      case 'Read':
        break
    }
    return lookupKey({ kind, namespace, name, key }, seen.object)
  }

  private hubObject(ref: FieldRef): BindingLookup {
    const { namespace } = this.ref
    return this.field(this.c.fleet.view(namespace, HUB_CLUSTER)!, { ...ref, namespace })
  }

  private field(view: ClusterView, ref: FieldRef): BindingLookup {
    const { apiVersion, kind, namespace, name } = ref
    const place = view.access.type === 'Hub' ? 'the hub' : view.name
    const what = fieldOwner(ref, place)
    const session = this.c.fleet.session(view, this.account)
    if (session?.state !== 'Connected') return { type: 'Pending', text: `${place} is not connected` }
    const selection = { apiVersion, kind, namespace, name }
    this.note(view, selection)
    const refused = view.access.type === 'Hub' ? this.hubRefusal(session, selection) : undefined
    if (refused) return refused
    const seen = session.selections.select(selection)
    switch (seen.type) {
      case 'Syncing':
        return { type: 'Pending', text: `${what} is being read` }
      case 'NotServed':
        return { type: 'Missing', text: `${what}: ${seen.detail}; install it,` }
      case 'Unread':
        return {
          type: seen.forbidden ? 'Missing' : 'Pending',
          text: `${what} cannot be read: ${seen.detail};`,
        }
      case 'Read':
        break
    }
    return lookupField(ref, place, seen.objects[0])
  }

  /** Without the right to read an object, its binding has no value, not even a default. */
  private hubRefusal(session: ClusterSession, s: ObjectSelection): BindingLookup | undefined {
    const { group, version } = parseApiVersion(s.apiVersion)
    const resource = session.served(group, s.kind, version)
    if (!resource) return undefined
    const { plural } = resource
    const right = { verb: 'get', group, resource: plural, namespace: s.namespace, name: s.name }
    this.rights.push(right)
    const { hub } = this.c
    const refused = hub.reviews.lastRefusal(this.account, right)
    if (refused) return { type: 'Refused', text: missingRightText(refused) }
    const seen = session.selections.select(s)
    if (seen.type !== 'Unread' || !seen.forbidden) return undefined
    const access = { ...hub.reviews.refusedRead(this.account, right), verb: seen.forbidden }
    return { type: 'Refused', text: missingRightText(access) }
  }

  /** One watch serves all clusters of a namespace. */
  private clusterField(cluster: ClusterView, fieldPath: string): BindingLookup {
    const hub = this.c.fleet.view(this.ref.namespace, HUB_CLUSTER)!
    const { clusterObjects } = this.c.fleet
    if (!clusterObjects) return { type: 'Pending', text: 'the hub is not connected' }
    const { kind, namespace } = cluster
    const known = this.objects.get(`${kind} ${namespace}`)
    if (known) return lookupClusterField(cluster, fieldPath, known.get(cluster.objectName))
    let unread: BindingLookup | undefined
    for (const k of objectKindsOf(cluster)) {
      this.note(hub, { apiVersion: apiVersionOf(k), kind: k.kind, namespace })
      const seen = clusterObjects.select(k, namespace)
      if (seen.type === 'NotServed') continue
      if (seen.type === 'Read') {
        const byName = new Map(seen.objects.map((o) => [o.metadata.name ?? '', o]))
        this.objects.set(`${kind} ${namespace}`, byName)
        return lookupClusterField(cluster, fieldPath, byName.get(cluster.objectName))
      }
      const what = clusterText(cluster)
      unread =
        seen.type === 'Syncing'
          ? { type: 'Pending', text: `${what} is being read` }
          : { type: seen.forbidden ? 'Missing' : 'Pending', text: `${what} cannot be read: ${seen.detail};` }
      break
    }
    return unread ?? lookupWithoutFields(cluster)
  }

  /** Before the watch begins: its first event asks who looks. `view` undefined: an input beside the module. */
  private note(view: ClusterView | undefined, selection: ObjectSelection): void {
    const watched = { view, id: selectionId(selection) }
    this.asked.add(this.c.watchIndex.add(moduleRequest(this.ref), watched))
  }
}

export const givenOf = ({ name, namespace }: ClusterView, given: string): string =>
  given === 'CLUSTER_NAME' ? name : namespace

/** What a ConfigMap or a Secret says; undefined: it is not there. */
export function lookupKey(
  { kind, namespace, name, key }: { readonly [k in 'kind' | 'namespace' | 'name' | 'key']: string },
  object: KubeObject | undefined,
): BindingLookup {
  const what = `${kind} ${namespace}/${name}`
  if (!object) return { type: 'Missing', text: `${what} does not exist; create it` }
  const value = at(object, 'data', key)
  if (!isString(value)) return { type: 'Missing', text: `${what} has no key ${key}; set it` }
  return kind === 'ConfigMap' ? { type: 'Found', text: value } : secretText(value, `${what} key ${key}`)
}

const fieldOwner = ({ kind, namespace, name }: FieldRef, place: string): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} on ${place}`

/** What an object says; undefined: it is not there. */
export function lookupField(ref: FieldRef, place: string, object: KubeObject | undefined): BindingLookup {
  const what = fieldOwner(ref, place)
  if (!object) return { type: 'Missing', text: `${what} does not exist; create it` }
  const path = fieldPathOf(ref.fieldPath)
  return found(path.ok ? fieldText(object, path.value) : undefined, `${what} has no ${ref.fieldPath}; set it`)
}

/** What the hub knows of a cluster. */
export function lookupCluster(
  cluster: ClusterView,
  what: Parameters<ValueSources['cluster']>[0],
): BindingLookup {
  const { label, annotation, property } = what
  const lacks = (text: string): string => `cluster ${cluster.name} has no ${text}; set it`
  if (label !== undefined) return found(ownText(cluster.labels, label), lacks(`label ${label}`))
  if (annotation !== undefined)
    return found(ownText(cluster.annotations, annotation), lacks(`annotation ${annotation}`))
  if (property !== undefined)
    return found(ownText(cluster.properties, property), lacks(`property ${property}`))
  if (what.name) return { type: 'Found', text: cluster.name }
  if (what.namespace) return { type: 'Found', text: cluster.namespace }
  if (what.uid) return { type: 'Found', text: cluster.uid }
  return { type: 'Missing', text: `${clusterText(cluster)}: nothing of it is asked for;` }
}

/** What the object of a cluster says. */
export function lookupClusterField(
  cluster: ClusterView,
  fieldPath: string,
  object: KubeObject | undefined,
): BindingLookup {
  const path = fieldPathOf(fieldPath)
  const text = object && path.ok ? fieldText(object, path.value) : undefined
  return found(text, `${clusterText(cluster)} has no ${fieldPath}; set it`)
}

/** Of what its fields are not read. */
export const lookupWithoutFields = (cluster: ClusterView): BindingLookup => ({
  type: 'Missing',
  text:
    cluster.access.type === 'Hub'
      ? 'the hub has no object with fields; use name,'
      : `${clusterText(cluster)} is not read field by field; use label or annotation,`,
})

const ownText = (of: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined

function secretText(encoded: NonNullable<Secret['data']>[string], what: string): BindingLookup {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(base64ToBytes(encoded))
    return { type: 'Found', text, secret: true }
  } catch {
    return { type: 'Missing', text: `${what} is not a text in UTF-8; write it as text,` }
  }
}
