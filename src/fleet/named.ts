/** Objects on one cluster that edges name, whoever made them: each is watched alone. */
import { defineKind } from '../api/kind.ts'
import type { ObjectSeen } from '../core/gate/observation.ts'
import { type ObjectRef, objectId } from '../core/graph/module.ts'
import type { Env } from '../env/env.ts'
import type { KubeClient, ServedResource } from '../kube/client.ts'
import { type KubeError, kubeErrorText } from '../kube/error.ts'
import { type Informer, startInformer } from '../kube/informer.ts'
import { type KubeObject, parseApiVersion } from '../object/object.ts'

/** What the cluster serves; undefined while it has not said. */
export type Served = (group: string, kind: string, version: string) => ServedResource | undefined

interface Watched {
  readonly informer: Informer<KubeObject, KubeObject>
  error: KubeError | undefined
}

export class NamedObjects {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly served: Served
  /** Something about the object with this `objectId` changed; false: nobody asks for it any more. */
  private readonly changed: (id: string) => boolean
  private readonly watched = new Map<string, Watched>()

  constructor(env: Env, client: KubeClient, served: Served, changed: (id: string) => boolean) {
    this.env = env
    this.client = client
    this.served = served
    this.changed = changed
  }

  /** As the cache has it; the first to ask opens the watch. */
  get(ref: ObjectRef): ObjectSeen {
    const place = placeOf(ref, this.served)
    if ('type' in place) return place
    const id = objectId(ref)
    const { informer, error } = this.watched.get(id) ?? this.open(id, ref, place.resource)
    const object = informer.store.get(ref)
    if (error) return { type: 'Unread', detail: `it cannot be read: ${kubeErrorText(error)}` }
    if (object) return { type: 'Present', object }
    return informer.store.freshness.state === 'Syncing'
      ? { type: 'Unread', detail: 'it is being read' }
      : { type: 'Absent' }
  }

  /** As it is now. Errors of the connection are errors; what the server says of the object is an answer. */
  async read(ref: ObjectRef): Promise<{ ok: true; value: ObjectSeen } | { ok: false; error: KubeError }> {
    const place = placeOf(ref, this.served)
    if ('type' in place) return { ok: true, value: place }
    const found = await this.client.get(defineKind(place.resource), ref, { why: 'admission' })
    if (found.ok) return { ok: true, value: { type: 'Present', object: found.value } }
    if (found.error.kind === 'NotFound') return { ok: true, value: { type: 'Absent' } }
    if (found.error.kind !== 'Forbidden') return found
    return { ok: true, value: { type: 'Unread', detail: `it cannot be read: ${kubeErrorText(found.error)}` } }
  }

  stop(): void {
    for (const { informer } of this.watched.values()) informer.stop()
    this.watched.clear()
  }

  private open(id: string, ref: ObjectRef, resource: ServedResource): Watched {
    const informer = startInformer<KubeObject, KubeObject>(this.env, this.client, {
      kind: defineKind(resource),
      ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
      fieldSelector: `metadata.name=${ref.name}`,
      project: withoutManagers,
      onHealth: (error) => {
        watched.error = error
        this.tell(id)
      },
    })
    const watched: Watched = { informer, error: undefined }
    this.watched.set(id, watched)
    informer.store.subscribe(() => this.tell(id))
    informer.store.onSynced(() => this.tell(id))
    return watched
  }

  private tell(id: string): void {
    if (this.changed(id)) return
    this.watched.get(id)?.informer.stop()
    this.watched.delete(id)
  }
}

function placeOf(ref: ObjectRef, served: Served): { resource: ServedResource } | ObjectSeen {
  const { group, version } = parseApiVersion(ref.apiVersion)
  const resource = served(group, ref.kind, version)
  if (!resource) return { type: 'Absent', detail: `no API serves ${ref.apiVersion} ${ref.kind}` }
  if (resource.namespaced && ref.namespace === undefined)
    return { type: 'Absent', detail: `${ref.kind} is namespaced: set object.namespace` }
  if (!resource.namespaced && ref.namespace !== undefined)
    return { type: 'Absent', detail: `${ref.kind} has no namespace: remove object.namespace` }
  return { resource }
}

function withoutManagers(o: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = o.metadata
  return { ...o, metadata }
}
