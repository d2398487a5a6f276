/** What sources hold: objects in versions, and what people do to the text that they stand in. */

import { encodeYaml, type KubeObject, sha256Hex } from '../../../packages/kube/src/object/index.ts'
import { defineKind, type Kind } from '../../../packages/kube/src/object/kind.ts'
import { manifest, yaml } from '../../fleet/setstory.ts'
import type { ItemKind, RandomSourcePlan } from './setsplan.ts'

/** Unreadable; with an object that has no namespace; without any object; not there. */
export type SourceState = 'Good' | 'BadYaml' | 'Nowhere' | 'Empty' | 'Missing'

interface SourceItem {
  readonly kind: ItemKind
  readonly name: string
  version: number
}

/** A ConfigMap, or a Secret, of which only people know what is meant by it. */
export class RandomSource {
  readonly name: string
  readonly set: string
  state: SourceState = 'Good'
  items: SourceItem[] = []
  private count = 0

  constructor(set: string, { name, items }: RandomSourcePlan) {
    this.set = set
    this.name = name
    for (const kind of items) this.add(kind)
  }

  add(kind: ItemKind): void {
    this.items.push({ kind, name: `${this.name}-${++this.count}`, version: 1 })
  }

  get resource(): 'secrets' | 'configmaps' {
    return this.name.startsWith('secret-') ? 'secrets' : 'configmaps'
  }

  manifests(): KubeObject[] {
    return this.state === 'Empty' ? [] : this.items.flatMap(manifestsOf)
  }

  /** Values by their keys: as many as there are items to share them. */
  data(): Record<string, string> {
    if (this.state === 'Empty') return { 'a.yaml': '# nothing' }
    const half = Math.ceil(this.items.length / 2)
    const parts = [this.items.slice(0, half), this.items.slice(half)].filter((p) => p.length > 0)
    const data = Object.fromEntries(
      parts.map((p, i) => [`${'ab'[i]}.yaml`, yaml(...p.flatMap(manifestsOf).reverse())]),
    )
    if (this.state === 'BadYaml') return { ...data, 'x.json': '[{"kind":' }
    const lost = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${this.name}-lost` } }
    return this.state === 'Nowhere' ? { ...data, 'x.yaml': encodeYaml(lost) } : data
  }
}

/** By which bindings know it: over the values, in the order of their keys. */
export const hashOf = (data: Readonly<Record<string, string>>): string =>
  `sha256:${sha256Hex(
    Object.keys(data)
      .sort()
      .map((k) => data[k])
      .join(''),
  )}`

function manifestsOf({ kind, name, version }: SourceItem): KubeObject[] {
  const v = `${version}`
  switch (kind) {
    case 'config':
      return [manifest('ConfigMap', name, { data: { v } })] as KubeObject[]
    case 'secret':
      return [manifest('Secret', name, { type: 'Opaque', data: { v: btoa(v) } })] as KubeObject[]
    case 'account':
      return [
        manifest('ServiceAccount', name, { automountServiceAccountToken: version % 2 === 0 }),
      ] as KubeObject[]
    case 'deployment':
      return [deployment(name, `${name}:v${v}`)]
    case 'space':
      return [
        manifest('Namespace', `${name}-ns`),
        { ...manifest('ConfigMap', name, { data: { v } }), metadata: { name, namespace: `${name}-ns` } },
      ] as KubeObject[]
    case 'definition':
      return [definition(`${name}.test`), instance(`${name}.test`, name, v)]
  }
}

const deployment = (name: string, image: string): KubeObject =>
  manifest('Deployment', name, {
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
    },
  }) as KubeObject

const definition = (group: string) =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: OPEN } }],
    },
  }) as unknown as KubeObject

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const instance = (group: string, name: string, v: string) =>
  ({
    apiVersion: `${group}/v1`,
    kind: 'Gadget',
    metadata: { name, namespace: 'default' },
    spec: { v },
  }) as unknown as KubeObject

const PLURALS: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
  Namespace: 'namespaces',
  Deployment: 'deployments.apps',
  CustomResourceDefinition: 'customresourcedefinitions.apiextensions.k8s.io',
}

/** As commits name it. */
export const resourceOf = ({ apiVersion, kind }: KubeObject): string =>
  PLURALS[kind] ?? `gadgets.${apiVersion.split('/')[0]}`

/** `configmaps default/s1-a-1`. */
export function idOf(o: KubeObject): string {
  const { namespace, name } = o.metadata
  return `${resourceOf(o)} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** All that a manifest says stands in the object: of a list all of its elements, in their order. */
export function says(live: unknown, asked: unknown): boolean {
  if (Array.isArray(asked))
    return Array.isArray(live) && live.length === asked.length && asked.every((a, i) => says(live[i], a))
  if (typeof asked !== 'object' || asked === null) return live === asked
  if (typeof live !== 'object' || live === null) return false
  return Object.entries(asked).every(([key, value]) => says((live as Record<string, unknown>)[key], value))
}

/** `deployments.apps`; all that is delivered here is of v1. */
export function kindFor(resource: string): Kind {
  const [plural = '', ...group] = resource.split('.')
  return defineKind({
    group: group.join('.'),
    version: 'v1',
    kind: '',
    plural,
    namespaced: !GLOBAL.has(plural),
  })
}

const GLOBAL: ReadonlySet<string> = new Set(['namespaces', 'customresourcedefinitions'])
