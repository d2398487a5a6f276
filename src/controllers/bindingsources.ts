/** What bindings are made of, out of the caches; who asked for what, so that its changes find the module. */
import type { Secret } from '../api/kinds/foreign.ts'
import { fieldPathOf, fieldText } from '../core/binding/fieldpath.ts'
import type { FieldRef, Look, Sources } from '../core/binding/resolve.ts'
import type { ModuleRef } from '../core/graph/module.ts'
import { type ClusterView, clusterText, HUB_CLUSTER } from '../fleet/cluster.ts'
import { type Selection, selectionId } from '../fleet/selections.ts'
import { at, base64ToBytes, isString, type KubeObject } from '../object/object.ts'
import type { Context } from './context.ts'
import { inputSelection, seenInput } from './inputs.ts'
import { askedKey } from './onlookers.ts'

const found = (text: string | undefined, missing: string): Look =>
  text === undefined ? { type: 'Missing', text: missing } : { type: 'Found', text }

/** Looks of one module during one decision about it. */
export class BindingSources {
  private readonly c: Context
  private readonly ref: ModuleRef
  private readonly asked = new Set<string>()

  constructor(context: Context, ref: ModuleRef) {
    this.c = context
    this.ref = ref
  }

  /** What all clusters share. */
  shared(): Sources {
    return {
      given: () => undefined,
      cluster: () => ({ type: 'Missing', text: 'there is no cluster to ask,' }),
      key: (kind, name, key) => this.key(kind, name, key),
      object: (_where, ref) => this.hubObject(ref),
    }
  }

  of(cluster: ClusterView): Sources {
    return {
      given: (name) => givenOf(cluster, name),
      cluster: (what) => clusterLook(cluster, what),
      key: (kind, name, key) => this.key(kind, name, key),
      object: (where, ref) => (where === 'Hub' ? this.hubObject(ref) : this.field(cluster, ref)),
    }
  }

  /** What was not asked for in this decision is watched for it no more. */
  close(): void {
    for (const { view, id } of this.c.onlookers.modules.keep(this.ref, this.asked)) {
      if (view === undefined) this.c.hub.secrets.release(id)
      else this.c.fleet.session(view)?.selections.release(id)
    }
  }

  private key(kind: 'ConfigMap' | 'Secret', name: string, key: string): Look {
    const { namespace } = this.ref
    const what = `${kind} ${namespace}/${name}`
    this.note(undefined, inputSelection(kind, { namespace, name }))
    const seen = seenInput(this.c.hub, namespace, { kind, name })
    switch (seen.state) {
      case 'Syncing':
        return { type: 'Pending', text: `${what} is being read` }
      case 'Failed':
        return { type: 'Pending', text: seen.failure.message }
      case 'Read':
        break
    }
    return keyLook({ kind, namespace, name, key }, seen.object)
  }

  private hubObject(ref: FieldRef): Look {
    const { namespace } = this.ref
    return this.field(this.c.fleet.view(namespace, HUB_CLUSTER)!, { ...ref, namespace })
  }

  private field(view: ClusterView, ref: FieldRef): Look {
    const { apiVersion, kind, namespace, name } = ref
    const place = view.access.type === 'Hub' ? 'the hub' : view.name
    const what = fieldOwner(ref, place)
    const session = this.c.fleet.session(view)
    if (session?.state !== 'Connected') return { type: 'Pending', text: `${place} is not connected` }
    const selection = { apiVersion, kind, namespace, name }
    this.note(view, selection)
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
    return fieldLook(ref, place, seen.objects[0])
  }

  /** Before the watch begins: its first event asks who looks. `view` undefined: an input beside the module. */
  private note(view: ClusterView | undefined, selection: Selection): void {
    const id = selectionId(selection)
    this.asked.add(askedKey(view, id))
    this.c.onlookers.modules.add(this.ref, view, id)
  }
}

export const givenOf = ({ name, namespace }: ClusterView, given: string): string =>
  given === 'CLUSTER_NAME' ? name : namespace

/** What a ConfigMap or a Secret says; undefined: it is not there. */
export function keyLook(
  { kind, namespace, name, key }: { readonly [k in 'kind' | 'namespace' | 'name' | 'key']: string },
  object: KubeObject | undefined,
): Look {
  const what = `${kind} ${namespace}/${name}`
  if (!object) return { type: 'Missing', text: `${what} does not exist; create it` }
  const value = at(object, 'data', key)
  if (!isString(value)) return { type: 'Missing', text: `${what} has no key ${key}; set it` }
  return kind === 'ConfigMap' ? { type: 'Found', text: value } : secretText(value, `${what} key ${key}`)
}

const fieldOwner = ({ kind, namespace, name }: FieldRef, place: string): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} on ${place}`

/** What an object says; undefined: it is not there. */
export function fieldLook(ref: FieldRef, place: string, object: KubeObject | undefined): Look {
  const what = fieldOwner(ref, place)
  if (!object) return { type: 'Missing', text: `${what} does not exist; create it` }
  const path = fieldPathOf(ref.fieldPath)
  return found(path.ok ? fieldText(object, path.value) : undefined, `${what} has no ${ref.fieldPath}; set it`)
}

/** What the hub knows of a cluster. */
export function clusterLook(cluster: ClusterView, what: Parameters<Sources['cluster']>[0]): Look {
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

const ownText = (of: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined

function secretText(encoded: NonNullable<Secret['data']>[string], what: string): Look {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(base64ToBytes(encoded))
    return { type: 'Found', text, secret: true }
  } catch {
    return { type: 'Missing', text: `${what} is no text in UTF-8; write it as text,` }
  }
}
