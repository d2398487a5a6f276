/** Random sequences of applies, patches and updates by several managers, on kinds with every type of list and map. */
import type { Random } from '../../packages/kube/src/env/env.ts'
import type { JsonObject, JsonValue } from '../../packages/kube/src/object/index.ts'

export type ScriptStep =
  | { readonly type: 'apply'; readonly manager: string; readonly force: boolean; readonly body: JsonObject }
  | { readonly type: 'merge'; readonly manager: string; readonly body: JsonObject }
  | { readonly type: 'strategic'; readonly manager: string; readonly body: JsonObject }
  /** A read of the live object, these parts changed, written back. */
  | { readonly type: 'update'; readonly manager: string; readonly body: JsonObject }

export interface ScriptSubject {
  readonly name: string
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  readonly strategic: boolean
  body(random: Random): JsonObject
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!
const some = <T>(random: Random, list: readonly T[], p = 0.5): T[] => list.filter(() => random.next() < p)
const maybe = (random: Random, p: number, key: string, value: () => JsonValue): JsonObject =>
  random.next() < p ? { [key]: value() } : {}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const keyed = list.map((v) => ({ v, k: random.next() }))
  return keyed.sort((a, b) => a.k - b.k).map((x) => x.v)
}

const mapOf = (random: Random, keys: readonly string[]): JsonObject =>
  Object.fromEntries(some(random, keys).map((k) => [k, pick(random, ['1', '2', '3'])]))

function metadata(random: Random): JsonObject {
  return {
    ...maybe(random, 0.4, 'labels', () => mapOf(random, ['l1', 'l2', 'l3'])),
    ...maybe(random, 0.3, 'annotations', () => mapOf(random, ['x.test/a1', 'x.test/a2'])),
    ...maybe(random, 0.15, 'finalizers', () =>
      shuffled(random, some(random, ['x.test/f1', 'x.test/f2', 'x.test/f3'])),
    ),
  }
}

function container(random: Random, name: string): JsonObject {
  return {
    name,
    image: pick(random, ['app:v1', 'app:v2']),
    ...maybe(random, 0.5, 'env', () =>
      shuffled(random, some(random, ['A', 'B', 'C'])).map((n) => ({
        name: n,
        value: pick(random, ['1', '2']),
      })),
    ),
    ...maybe(random, 0.4, 'ports', () =>
      shuffled(random, some(random, [80, 81, 82])).map((p) => ({ containerPort: p, name: `p${p}` })),
    ),
    ...maybe(random, 0.3, 'args', () => some(random, ['-a', '-b', '-c'])),
    ...maybe(random, 0.2, 'resources', () => ({ limits: { cpu: pick(random, ['1', '500m', '0.5']) } })),
  }
}

export const subjects = (namespace: string): readonly ScriptSubject[] => [
  {
    name: 'ConfigMap',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    strategic: true,
    body: (r) => ({ metadata: metadata(r), ...maybe(r, 0.8, 'data', () => mapOf(r, ['a', 'b', 'c', 'd'])) }),
  },
  {
    name: 'Service',
    path: `/api/v1/namespaces/${namespace}/services`,
    apiVersion: 'v1',
    kind: 'Service',
    strategic: true,
    body: (r) => ({
      metadata: metadata(r),
      spec: {
        ...maybe(r, 0.5, 'selector', () => mapOf(r, ['app', 'tier'])),
        ports: shuffled(r, [80, ...some(r, [81, 82, 83])]).map((port) => ({
          port,
          name: `p${port}`,
          ...maybe(r, 0.4, 'targetPort', () => pick(r, [8080, 'http'])),
          ...maybe(r, 0.3, 'protocol', () => 'TCP'),
        })),
      },
    }),
  },
  {
    name: 'Deployment',
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    strategic: true,
    body: (r) => ({
      metadata: metadata(r),
      spec: {
        ...maybe(r, 0.5, 'replicas', () => pick(r, [1, 2, 3])),
        selector: { matchLabels: { app: 'x' } },
        template: {
          metadata: { labels: { app: 'x', ...mapOf(r, ['l1']) } },
          spec: {
            containers: shuffled(r, ['main', ...some(r, ['side', 'more'], 0.4)]).map((n) => container(r, n)),
            ...maybe(r, 0.2, 'nodeSelector', () => mapOf(r, ['zone', 'disk'])),
            ...maybe(r, 0.3, 'tolerations', () =>
              some(r, ['t1', 't2']).map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' })),
            ),
            ...maybe(r, 0.3, 'volumes', () => some(r, ['v1', 'v2']).map((name) => ({ name, emptyDir: {} }))),
          },
        },
      },
    }),
  },
  {
    name: 'custom resource',
    path: `/apis/twin.x.test/v1/namespaces/${namespace}/things`,
    apiVersion: 'twin.x.test/v1',
    kind: 'Thing',
    strategic: false,
    body: (r) => ({
      metadata: metadata(r),
      spec: {
        ...maybe(r, 0.6, 'items', () =>
          shuffled(r, some(r, ['a', 'b', 'c', 'd'])).map((key) => ({
            key,
            ...maybe(r, 0.6, 'value', () => pick(r, [1, 2])),
            ...maybe(r, 0.3, 'more', () => mapOf(r, ['x', 'y'])),
          })),
        ),
        ...maybe(r, 0.6, 'tags', () => shuffled(r, some(r, ['t1', 't2', 't3', 't4']))),
        ...maybe(r, 0.4, 'plain', () => some(r, [1, 2, 3])),
        ...maybe(r, 0.4, 'open', () => mapOf(r, ['o1', 'o2'])),
        ...maybe(r, 0.4, 'whole', () => mapOf(r, ['w1', 'w2'])),
        ...maybe(r, 0.3, 'nested', () => ({ ...maybe(r, 0.5, 'deep', () => mapOf(r, ['d1', 'd2'])) })),
      },
    }),
  },
]

export const thingDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.twin.x.test' },
  spec: {
    group: 'twin.x.test',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: thingFields() } },
          },
        },
      },
    ],
  },
}

function thingFields(): JsonObject {
  const text = { type: 'string' }
  const texts = { type: 'object', additionalProperties: text }
  return {
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: {
        type: 'object',
        required: ['key'],
        properties: { key: text, value: { type: 'integer', default: 1 }, more: texts },
      },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    plain: { type: 'array', items: { type: 'integer' } },
    open: texts,
    whole: { ...texts, 'x-kubernetes-map-type': 'atomic' },
    nested: { type: 'object', properties: { deep: texts } },
  }
}

const MANAGERS = ['alice', 'bob', 'carol'] as const

export function script(random: Random, subject: ScriptSubject, length: number): ScriptStep[] {
  return Array.from({ length }, (_, i): ScriptStep => {
    const manager = pick(random, MANAGERS)
    const body = subject.body(random)
    const p = random.next()
    if (i === 0 || p < 0.6) return { type: 'apply', manager, force: random.next() < 0.6, body }
    if (p < 0.75) return { type: 'update', manager, body }
    if (p < 0.88 || !subject.strategic) return { type: 'merge', manager, body }
    return { type: 'strategic', manager, body }
  })
}
