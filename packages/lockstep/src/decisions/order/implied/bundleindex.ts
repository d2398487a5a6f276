/** The objects of a bundle, found by what others call them. */
import {
  at,
  isObject,
  isString,
  type JsonValue,
  type KubeObject,
  parseApiVersion,
} from '@lockstep/kube/object'
import { definedKind } from '../definedkind.ts'
import { manifestValues } from '../manifestvalues.ts'
import { podLabelsOf } from './podspec.ts'

export class BundleIndex {
  readonly objects: readonly KubeObject[]
  private readonly byId = new Map<string, KubeObject>()
  private readonly named = new Map<string, KubeObject[]>()
  private readonly byKind = new Map<string, KubeObject[]>()
  private readonly bindingsOf = new Map<string, KubeObject[]>()
  private readonly crds = new Map<string, KubeObject>()
  private readonly content = new Map<string, KubeObject[]>()
  /** Objects that make Pods, by namespace. */
  private readonly workloads = new Map<string, KubeObject[]>()

  constructor(objects: readonly KubeObject[]) {
    this.objects = objects
    for (const o of objects) {
      const { group } = parseApiVersion(o.apiVersion)
      this.byId.set(key(group, o.kind, o.metadata.namespace, o.metadata.name), o)
      append(this.byKind, `${group}/${o.kind}`, o)
      append(this.named, o.kind, o)
      if (o.metadata.namespace) append(this.content, o.metadata.namespace, o)
      const defined = definedKind(o)
      if (defined !== undefined) this.crds.set(defined, o)
      if (o.kind === 'RoleBinding' || o.kind === 'ClusterRoleBinding') this.indexBinding(o)
      if (podLabelsOf(o) !== undefined) append(this.workloads, o.metadata.namespace ?? '', o)
    }
  }

  find(group: string, kind: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.byId.get(key(group, kind, namespace, name))
  }

  /** All of a kind. */
  all(group: string, kind: string): readonly KubeObject[] {
    return this.byKind.get(`${group}/${kind}`) ?? []
  }

  /** All of a kind of any group. */
  called(kind: string): readonly KubeObject[] {
    return this.named.get(kind) ?? []
  }

  /** What is in a namespace. */
  within(namespace: string): readonly KubeObject[] {
    return this.content.get(namespace) ?? []
  }

  crdOf(group: string, kind: string): KubeObject | undefined {
    return this.crds.get(`${group}/${kind}`)
  }

  /** Bindings that name this service account. */
  bindings(namespace: string, account: string): readonly KubeObject[] {
    return this.bindingsOf.get(`${namespace}/${account}`) ?? []
  }

  /** What makes Pods in a namespace. */
  workloadsIn(namespace: string): readonly KubeObject[] {
    return this.workloads.get(namespace) ?? []
  }

  /** The Service that a `{namespace, name}` names. */
  serviceAt(reference: JsonValue | undefined): KubeObject | undefined {
    const [namespace, name] = [at(reference, 'namespace'), at(reference, 'name')]
    return isString(namespace) && isString(name) ? this.find('', 'Service', namespace, name) : undefined
  }

  /** What makes the Pods that a Service sends to. */
  backing(service: KubeObject | undefined): readonly KubeObject[] {
    const selector = at(service, 'spec', 'selector')
    if (service === undefined || !isObject(selector)) return []
    const wanted = Object.entries(selector)
    if (wanted.length === 0) return []
    return this.workloadsIn(service.metadata.namespace ?? '').filter((w) =>
      wanted.every(([k, v]) => at(podLabelsOf(w), k) === v),
    )
  }

  private indexBinding(binding: KubeObject): void {
    for (const s of manifestValues(at(binding, 'subjects'))) {
      if (at(s, 'kind') !== 'ServiceAccount') continue
      const namespace = at(s, 'namespace') ?? binding.metadata.namespace ?? ''
      const name = at(s, 'name')
      if (isString(namespace) && isString(name)) append(this.bindingsOf, `${namespace}/${name}`, binding)
    }
  }
}

const key = (group: string, kind: string, namespace: string | undefined, name: string | undefined): string =>
  `${group}/${kind}/${namespace ?? ''}/${name ?? ''}`

function append<T>(map: Map<string, T[]>, at: string, value: T): void {
  const there = map.get(at)
  if (there) there.push(value)
  else map.set(at, [value])
}
