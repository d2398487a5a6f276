/** The loop that the simulated controllers share: caches, and keys that are looked at again after a delay. */
import type { Cancel, Env, Random } from '@lockstep/kube/env'
import { at, type JsonValue, jsonEqual, type KubeObject, timestamp } from '@lockstep/kube/object'
import type { Behavior } from './behavior.ts'
import type { WorldApi } from './worldapi.ts'

/** How long things take, in milliseconds: drawn uniformly from [least, most]. */
export interface Delays {
  /** A controller notices a change. */
  readonly notice: readonly [number, number]
  /** A Pod becomes ready, or a Job's Pod ends. */
  readonly start: readonly [number, number]
}

export const INSTANT: Delays = { notice: [0, 0], start: [0, 0] }
export const LIFELIKE: Delays = { notice: [5, 40], start: [200, 900] }

export interface WorldContext {
  readonly env: Env
  readonly api: WorldApi
  readonly random: Random
  readonly delays: Delays
  readonly behavior: Behavior
}

/** One kind of controller: looks at an object of its resource and acts. */
export type WorldStep = (object: KubeObject, world: Engine) => void

export class Engine {
  readonly context: WorldContext
  private readonly caches = new Map<string, Map<string, KubeObject>>()
  private readonly children = new Map<string, Map<string, KubeObject>>()
  private readonly looks = new Map<string, WorldStep>()
  private readonly pending = new Map<string, Cancel>()
  private readonly cancels: Cancel[] = []
  private stopped = false

  constructor(context: WorldContext) {
    this.context = context
  }

  /** Runs `look` for each object of `resource` whenever it, or something that it owns, changes. */
  control(resource: string, look: WorldStep): void {
    this.looks.set(resource, look)
    this.follow(resource)
  }

  /** Everything begins only once all controllers are there. */
  start(): void {
    for (const resource of this.caches.keys()) this.open(resource)
  }

  stop(): void {
    this.stopped = true
    for (const cancel of [...this.cancels, ...this.pending.values()]) cancel()
  }

  follow(resource: string): void {
    if (!this.caches.has(resource)) this.caches.set(resource, new Map())
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.caches.get(resource)?.get(key)
  }

  all(resource: string): KubeObject[] {
    return [...(this.caches.get(resource)?.values() ?? [])]
  }

  /** What an object owns, of one resource, by name. */
  owned(resource: string, owner: KubeObject): KubeObject[] {
    const found = [...(this.children.get(`${resource} ${owner.metadata.uid}`)?.values() ?? [])]
    return found.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  }

  /** Looks at an object again, after a while; an earlier plan for it is replaced only by an earlier time. */
  again(resource: string, object: KubeObject, range: readonly [number, number]): void {
    const key = keyOfObject(object)
    const id = `${resource} ${key}`
    if (this.stopped || this.pending.has(id)) return
    const { clock } = this.context.env
    const [least, most] = range
    const ms = least + Math.floor(this.context.random.next() * (most - least + 1))
    const cancel = clock.at(clock.steady() + ms, () => {
      this.pending.delete(id)
      const now = this.get(resource, key)
      if (now) this.looks.get(resource)?.(now, this)
    })
    this.pending.set(id, cancel)
  }

  /** Everything is looked at again: the behavior of the world has changed. */
  stir(): void {
    for (const [resource, cache] of this.caches) {
      if (!this.looks.has(resource)) continue
      for (const object of cache.values()) this.again(resource, object, this.context.delays.notice)
    }
  }

  now(): string {
    return timestamp(this.context.env.clock.now())
  }

  /** Writes a status only if it says something new. */
  report(object: KubeObject, status: { readonly [key: string]: JsonValue | undefined }): void {
    if (jsonEqual(status, at(object, 'status') ?? {})) return
    this.context.api.writeStatus({ ...object, status })
  }

  private open(resource: string): void {
    const cache = this.caches.get(resource)!
    const cancel = this.context.api.follow(resource, (object, gone) => {
      const key = keyOfObject(object)
      if (gone) cache.delete(key)
      else cache.set(key, object)
      this.adopt(resource, object, gone)
      if (!gone && this.looks.has(resource)) this.again(resource, object, this.context.delays.notice)
    })
    this.cancels.push(cancel)
  }

  private adopt(resource: string, object: KubeObject, gone: boolean): void {
    for (const owner of object.metadata.ownerReferences ?? []) {
      if (!owner.controller) continue
      const id = `${resource} ${owner.uid}`
      const family = this.children.get(id) ?? new Map<string, KubeObject>()
      if (gone) family.delete(keyOfObject(object))
      else family.set(keyOfObject(object), object)
      this.children.set(id, family)
      const ownerResource = RESOURCE_OF[owner.kind]
      const parent = ownerResource && this.get(ownerResource, `${object.metadata.namespace}/${owner.name}`)
      if (parent) this.again(ownerResource, parent, this.context.delays.notice)
    }
  }
}

const RESOURCE_OF: Readonly<Record<string, string>> = {
  Deployment: 'deployments.apps',
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
  DaemonSet: 'daemonsets.apps',
  Job: 'jobs.batch',
  MachineDeployment: 'machinedeployments.cluster.x-k8s.io',
}

export const keyOfObject = (o: KubeObject): string => `${o.metadata.namespace ?? ''}/${o.metadata.name}`

/** A condition with its transition time kept while its status is the same. */
export function condition(
  old: KubeObject,
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
  now: string,
): { readonly [key: string]: JsonValue } {
  const list = at(old, 'status', 'conditions')
  const before = Array.isArray(list) ? list.find((c) => at(c, 'type') === type) : undefined
  const since =
    before !== undefined && at(before, 'status') === status ? (at(before, 'lastTransitionTime') ?? now) : now
  return { type, status, reason, message, lastTransitionTime: since }
}
