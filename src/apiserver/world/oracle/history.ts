/** The true history of all clusters, as the oracles see it: out of commits only. */
import { at, isArray, type JsonValue, type KubeObject } from '../../../object/object.ts'
import type { CommitRecord } from '../../trace.ts'

/** One version of one object, and when it was the newest: [`from`, `to`) in numbers of commits. */
export interface Version {
  readonly object: KubeObject
  readonly from: number
  to: number
}

export class History {
  /** The number of the next commit; the trace's own clock. */
  now = 0
  /** uids of Inventories that the evidence of an admission ever named. */
  readonly reliedOn = new Set<string>()
  private readonly live = new Map<string, KubeObject>()
  private readonly versions = new Map<string, Version[]>()

  add(c: CommitRecord): void {
    this.now++
    const id = `${c.cluster} ${c.resource} ${c.key}`
    if (c.next) this.live.set(id, c.next)
    else this.live.delete(id)
    if (c.resource === INVENTORIES)
      for (const e of list(c.next, 'spec', 'admitted', 'evidence')) this.reliedOn.add(text(e, 'uid'))
    if (!isKept(c.resource)) return
    const past = this.versions.get(id) ?? []
    const last = past[past.length - 1]
    if (last) last.to = Math.min(last.to, this.now)
    if (c.next) past.push({ object: c.next, from: this.now, to: Number.POSITIVE_INFINITY })
    this.versions.set(id, past)
  }

  get(cluster: string, resource: string, key: string): KubeObject | undefined {
    return this.live.get(`${cluster} ${resource} ${key}`)
  }

  *all(cluster: string, resource: string): Iterable<KubeObject> {
    const prefix = `${cluster} ${resource} `
    for (const [id, object] of this.live) if (id.startsWith(prefix)) yield object
  }

  versionsOf(cluster: string, resource: string, key: string): readonly Version[] {
    return this.versions.get(`${cluster} ${resource} ${key}`) ?? []
  }
}

/** Kinds whose past decides something. */
const isKept = (resource: string): boolean => resource.endsWith('.lockstep.dev')

export const HUB = 'hub'
export const INVENTORIES = 'inventories.lockstep.dev'
export const UNIT = 'lockstep.dev/unit'
export const OWNER = 'lockstep.dev/inventory'
export const NONCE = 'lockstep.dev/nonce'

export const text = (v: unknown, ...path: (string | number)[]): string => {
  const found = path.length === 0 ? v : at(v, ...path)
  return typeof found === 'string' ? found : ''
}

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
