/** The true history of all clusters, as the oracles see it: out of commits only. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { at, isArray, type JsonValue, type KubeObject } from '@lockstep/kube/object'

/** One version of one object, and when it was the newest: [`from`, `to`) in numbers of commits. */
export interface RecordedVersion {
  readonly object: KubeObject
  readonly from: number
  to: number
  /** When it was written, by the clock of the run. */
  readonly at: number
}

export class ClusterHistory {
  /** Monotonic milliseconds of the run. */
  readonly clock: () => number
  /** The number of the next commit; the trace's own clock. */
  now = 0
  /** uids of Inventories that the evidence of an admission ever named. */
  readonly reliedOn = new Set<string>()
  /** Identities of objects that edges name. */
  private readonly named = new Set<string>()
  private readonly live = new Map<string, KubeObject>()
  private readonly versions = new Map<string, RecordedVersion[]>()

  constructor(clock: () => number) {
    this.clock = clock
  }

  add(c: CommitRecord): void {
    this.now++
    const id = `${c.cluster} ${c.resource} ${c.key}`
    if (c.next) this.live.set(id, c.next)
    else this.live.delete(id)
    if (c.resource === INVENTORIES)
      for (const e of list(c.next, 'spec', 'admitted', 'evidence')) this.reliedOn.add(text(e, 'uid'))
    if (c.resource === REVISIONS) for (const e of list(c.next, 'data', 'spec', 'dependsOn')) this.follow(e)
    const named = this.named.size > 0 ? identity((c.next ?? c.old)!) : ''
    if (this.named.has(named)) this.keep(`${c.cluster} ${named}`, c.next)
    if (isKept(c.resource)) this.keep(id, c.next)
  }

  private keep(id: string, next: KubeObject | undefined): void {
    const past = this.versions.get(id) ?? []
    const last = past[past.length - 1]
    if (last) last.to = Math.min(last.to, this.now)
    if (next) past.push({ object: next, from: this.now, to: Number.POSITIVE_INFINITY, at: this.clock() })
    this.versions.set(id, past)
  }

  /** From now on the past of the object that an edge names is kept, wherever it is. */
  private follow(edge: JsonValue): void {
    const name = text(edge, 'object', 'name')
    if (name === '') return
    const metadata = { name, namespace: text(edge, 'object', 'namespace') }
    const id = identity({
      apiVersion: text(edge, 'object', 'apiVersion'),
      kind: text(edge, 'object', 'kind'),
      metadata,
    })
    if (this.named.has(id)) return
    this.named.add(id)
    for (const [key, object] of this.live)
      if (identity(object) === id) this.keep(`${key.slice(0, key.indexOf(' '))} ${id}`, object)
  }

  get(cluster: string, resource: string, key: string): KubeObject | undefined {
    return this.live.get(`${cluster} ${resource} ${key}`)
  }

  *all(cluster: string, resource: string): Iterable<KubeObject> {
    const prefix = `${cluster} ${resource} `
    for (const [id, object] of this.live) if (id.startsWith(prefix)) yield object
  }

  /** All objects of a cluster. */
  *on(cluster: string): Iterable<KubeObject> {
    for (const [id, object] of this.live) if (id.startsWith(`${cluster} `)) yield object
  }

  /** Versions of an object that an edge names, by `identity`. */
  versionsOfNamed(cluster: string, id: string): readonly RecordedVersion[] {
    return this.versions.get(`${cluster} ${id}`) ?? []
  }

  versionsOf(cluster: string, resource: string, key: string): readonly RecordedVersion[] {
    return this.versions.get(`${cluster} ${resource} ${key}`) ?? []
  }
}

/** Kinds whose past decides something. */
const isKept = (resource: string): boolean => resource.endsWith('.lockstep.dev')

export const HUB = 'hub'
export const REVISIONS = 'controllerrevisions.apps'
export const INVENTORIES = 'inventories.lockstep.dev'
export const UNIT = 'lockstep.dev/unit'
export const OWNER = 'lockstep.dev/inventory'
export const NONCE = 'lockstep.dev/nonce'

export const text = (v: unknown, ...path: (string | number)[]): string => {
  const found = path.length === 0 ? v : at(v, ...path)
  return typeof found === 'string' ? found : ''
}

/** Where a module's fleet is to be: what is published, unless it is led back from that. */
export const wantedRevision = (module: unknown): string =>
  text(module, 'status', 'rollout', 'revision') || text(module, 'status', 'currentRevision')

/** The release of that revision. */
export const wantedRelease = (module: unknown): string =>
  text(module, 'status', 'rollout', 'revision') === ''
    ? text(module, 'status', 'release')
    : text(module, 'status', 'rollout', 'release')

export const list = (v: unknown, ...path: (string | number)[]): readonly JsonValue[] => {
  const found = at(v, ...path)
  return isArray(found) ? found : []
}

export const keyOfMeta = (o: KubeObject): string =>
  o.metadata.namespace ? `${o.metadata.namespace}/${o.metadata.name}` : (o.metadata.name ?? '')

/** The resource of a module's kind. */
export const modulesOf = (kind: string): string =>
  kind === 'BootstrapModule' ? 'bootstrapmodules.lockstep.dev' : 'modules.lockstep.dev'

/** `group/Kind/namespace/name` of an object. */
export function identity(o: {
  apiVersion: string
  kind: string
  metadata: { namespace?: string; name?: string }
}): string {
  const slash = o.apiVersion.indexOf('/')
  return `${slash < 0 ? '' : o.apiVersion.slice(0, slash)}/${o.kind}/${o.metadata.namespace ?? ''}/${o.metadata.name ?? ''}`
}

/** The same of an entry in an Inventory. */
export const identityOfEntry = (e: JsonValue): string =>
  `${text(e, 'group')}/${text(e, 'kind')}/${text(e, 'namespace')}/${text(e, 'name')}`
