/** Modules as authors write them, with sources that nobody has checked. */
import fc from 'fast-check'
import { cronCalendar } from '../../packages/kube/src/env/calendar.ts'
import { err, ok } from '../../packages/kube/src/env/result.ts'
import {
  digestOf,
  encodeYaml,
  type JsonObject,
  type KubeObject,
  sha256Hex,
} from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { rolloutSpec } from '../../packages/lockstep/src/api/kinds/module/rolloutspec.ts'
import { type ModuleSpec, moduleSpec } from '../../packages/lockstep/src/api/kinds/module/spec.ts'
import { edgesOf, type RevisionRecord } from '../../packages/lockstep/src/controllers/cache/revisions.ts'
import type { PublishDecisionInput } from '../../packages/lockstep/src/controllers/publish/publishdecision.ts'
import type { ModuleEdge } from '../../packages/lockstep/src/decisions/graph/moduleref.ts'
import { contentOfSpec } from '../../packages/lockstep/src/decisions/revision/contentofspec.ts'
import { revisionOf } from '../../packages/lockstep/src/decisions/revision/revision.ts'
import type { HubReader } from '../../packages/lockstep/src/sources/intake/resolvedsource.ts'
import { fault } from '../../packages/lockstep/src/sources/intake/sourcefailure.ts'
import type { SourceFetcher } from '../../packages/lockstep/src/sources/intake/sourcefetcher.ts'
import { resolveSource } from '../../packages/lockstep/src/sources/registry.ts'
import { hostile } from './arbitraryjson.ts'
import { manifests } from './manifests.ts'

const REF = { kind: 'Module', namespace: 'platform', name: 'web' } as const

/** What people put where manifests belong. */
const TEXTS = [
  '',
  '# nothing\n',
  '---\n---\n',
  'hello',
  'a: [1, 2\nb: 3\n',
  'a: &a [*a]\n',
  '- 1\n- {kind: ConfigMap}\n',
  'apiVersion: v1\nkind: ConfigMap\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata: {x: "1"}\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {a: 1}}\n',
  'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: 1}}]\n',
  'apiVersion: v1\nkind: ConfigMapList\nitems: [null, {metadata: {name: __proto__}}]\n',
  'apiVersion: v1\nkind: constructor\nmetadata: {name: c}\n__proto__: {status: {}}\n',
  'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {argocd.argoproj.io/hook: Sync}}\n',
  'apiVersion: [v1]\nkind: {}\nmetadata: 7\n',
]

const written = fc.sample(manifests, { numRuns: 200, seed: 2 }).map((o) => textOf(o))

/** YAML of an object; integers that YAML's writer does not know are left to the other texts. */
function textOf(o: KubeObject): string {
  const plain = JSON.parse(JSON.stringify(o, (_, v) => (typeof v === 'bigint' ? Number(v) : v)))
  return encodeYaml(plain)
}

const text = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom(...written) },
)

const FETCH = { interval: '5m', timeout: '60s' } as const

/** Nothing is known of anything outside. */
const OUTSIDE: SourceFetcher = {
  commit: () => err(fault('Fetching', { state: 'Fetching', place: 'git' }, true)),
  tree: () => err(fault('Fetching', { state: 'Fetching', place: 'git' }, true)),
  kustomized: () => err(fault('Fetching', { state: 'Fetching', place: 'git' }, true)),
  templated: () => err(fault('Fetching', { state: 'Fetching', place: 'git' }, true)),
  chart: () => err(fault('Fetching', { state: 'Fetching', place: 'helm' }, true)),
  chartTree: () => err(fault('Fetching', { state: 'Fetching', place: 'helm' }, true)),
}

const maps = fc.dictionary(
  fc.constantFrom('one', 'two'),
  fc.dictionary(fc.constantFrom('a', 'b'), text, { maxKeys: 2 }),
)
const mapItem = fc.record(
  {
    name: fc.constantFrom('one', 'two', 'constructor'),
    key: fc.constantFrom('a', 'constructor', '__proto__'),
  },
  { requiredKeys: ['name'] },
)

const source = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(mapItem, { maxLength: 2 }).map((configMaps) => ({ ...FETCH, configMaps })),
  },
  {
    weight: 2,
    arbitrary: fc.array(mapItem, { maxLength: 2 }).map((secrets) => ({ ...FETCH, secrets })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof(hostile, manifests), { maxLength: 2 })
      .map((objects) => ({ ...FETCH, inline: { objects } })),
  },
  { weight: 1, arbitrary: fc.constant(FETCH) },
)

const edge = fc.record({
  id: fc.constantFrom('a', 'b'),
  module: fc.record({ kind: fc.constant('Module' as const), name: fc.constantFrom('web', 'a', 'b') }),
  release: fc.constant('Same' as const),
  optional: fc.boolean(),
})

const DEFAULTS = moduleSpec.parse({ source: { inline: { objects: [] } } })
const STAGE = rolloutSpec.parse({ strategy: 'Staged', stages: [{ name: 'all', clusterSelector: {} }] })
  .stages![0]!

export const specs: fc.Arbitrary<ModuleSpec> = fc
  .record({
    release: fc.constantFrom(undefined, 'r1', 'r2'),
    source,
    dependsOn: fc.uniqueArray(edge, { selector: (e) => e.id, maxLength: 2 }),
    targets: fc.constantFrom<ModuleSpec['targets']>(
      undefined,
      { hub: true },
      { hub: true, clusters: ['a'] },
      {
        clusterSelector: {},
      },
    ),
    maxUnavailable: fc.constantFrom<number | string | undefined>(undefined, 1, 0, '0%', '25%'),
    schedule: fc.constantFrom(undefined, undefined, '0 22 * * 1-5', '0 0 31 2 *', '0 25 * * *'),
    gateExpr: fc.constantFrom(undefined, undefined, 'stage.failed == 0', 'stage.nowhere == 1', '1 +'),
    allowEmpty: fc.boolean(),
  })
  .map(({ maxUnavailable, schedule, gateExpr, allowEmpty, ...rest }) => ({
    ...DEFAULTS,
    ...rest,
    rollout: {
      ...DEFAULTS.rollout,
      maxUnavailable,
      windows:
        schedule === undefined
          ? undefined
          : [{ action: 'Allow' as const, schedule, durationSeconds: 600, timeZone: 'UTC' }],
      stages: gateExpr === undefined ? undefined : [{ ...STAGE, gateExpr }],
    },
    apply: { ...DEFAULTS.apply, allowEmpty },
  }))

export const moduleOf = (spec: ModuleSpec, over: Partial<Pick<Module, 'status'>> = {}): Stored<Module> => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: {
    name: REF.name,
    namespace: REF.namespace,
    uid: 'module-1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec,
  ...over,
})

/** The record of a revision with this spec; what its inputs were, an earlier state of the same source may say. */
export function recordOf(spec: ModuleSpec, inputs: RevisionRecord['inputs']): RevisionRecord {
  const revision = revisionOf(REF.kind, spec as unknown as JsonObject, inputs)
  return {
    name: 'web-1',
    namespace: REF.namespace,
    module: REF,
    revision,
    bundle: 'v1:b',
    release: spec.release,
    sourceRevision: 'configMaps@sha256:1',
    number: 1,
    publishedAt: 0,
    completedAt: undefined,
    createdAt: '2026-01-01T00:00:00Z',
    spec: contentOfSpec(spec as unknown as JsonObject) as unknown as RevisionRecord['spec'],
    inputs,
    values: undefined,
    mentions: [],
    claims: [],
    applications: [],
    edges: edgesOf(spec.dependsOn, REF.namespace),
    stored: {
      name: 'web-1',
      namespace: REF.namespace,
      uid: 'revision-1',
      resourceVersion: '6',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  }
}

const inputOf = (kind: string, name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: REF.namespace },
  data:
    kind === 'Secret'
      ? Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')]))
      : data,
})

const edgesOfOthers = fc.dictionary(
  fc.constantFrom('a', 'b'),
  fc.array(fc.constantFrom('web', 'a', 'b'), { maxLength: 2 }),
)

const edgesById = (edges: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ModuleEdge[]> =>
  new Map(
    Object.entries(edges).map(([name, to]) => [
      `Module/platform/${name}`,
      to.map((name, i): ModuleEdge => {
        const ref = { kind: 'Module', namespace: REF.namespace, name } as const
        return { id: `e${i}`, to: ref, release: 'Same', optional: false }
      }),
    ]),
  )

export const publishInputs: fc.Arbitrary<PublishDecisionInput> = fc
  .record({
    spec: specs,
    before: fc.constantFrom('nothing', 'this', 'this, with other inputs', 'this, with other edges'),
    maps,
    edges: edgesOfOthers,
    specs: edgesOfOthers,
  })
  .map(({ spec, before, maps: data, edges, specs: written }) => {
    const reading: HubReader = {
      namespace: REF.namespace,
      name: REF.name,
      find: ({ kind, name }) => ok(Object.hasOwn(data, name) ? inputOf(kind, name, data[name]!) : undefined),
      keyed: () => ok((domain, value) => `v1:kid:${sha256Hex(digestOf(`keyed ${domain}`, value))}`),
    }
    const resolved = resolveSource(spec, reading, OUTSIDE)
    const old = before === 'this, with other edges' ? { ...spec, dependsOn: [] } : spec
    const inputs = before === 'this' && resolved.ok ? resolved.value.inputs : []
    const published = edgesById(edges)
    const pending = edgesById(written)
    return {
      ref: REF,
      module: moduleOf(spec),
      current: before === 'nothing' ? undefined : recordOf(old, inputs),
      find: reading.find,
      keyed: reading.keyed,
      shared: ok(new Map()),
      outside: OUTSIDE,
      edgesOfPublished: (id) => published.get(id) ?? [],
      edgesOfSpec: (id) => pending.get(id) ?? [],
      nextNumber: 2,
      now: 0,
      calendar: cronCalendar,
    }
  })
