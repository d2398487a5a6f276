import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shuffled } from '../../../../../../test/conformance/clustergroup/shuffle.ts'
import { assertProperty, expectSeen, inputsOf } from '../../../../../../test/property.ts'
import {
  encodeJson,
  encodeYaml,
  type JsonObject,
  type JsonValue,
} from '../../../../../kube/src/object/index.ts'
import { checkClusterGroup } from '../../../tools/clustergroupcheck/checkclustergroup.ts'
import { SEQUENCE_JOB_KEYS, SUBSCRIPTION_KEYS } from '../schema/clustergroupshape.ts'
import { renderClusterGroup } from './renderclustergroup.ts'

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    '5.10',
    'yes',
    'a: b',
    '{{ .Values.global.pattern }}',
    '{{ x }}',
    'false',
    ' ~ ',
    '__proto__',
  ),
  fc.string({ maxLength: 6 }),
)
const key = fc.constantFrom(
  'name',
  'disabled',
  'labels',
  'annotations',
  'argocd.argoproj.io/sync-wave',
  'constructor',
  'a',
  'on',
)

const { any, map } = fc.letrec<{ any: JsonValue; map: JsonObject }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false, 0, 1, 5.1, 1e6, 1e21, 9007199254740993n),
    fc.array(tie('any'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
}))

const word = fc.constantFrom<JsonValue>('a', '5.10', 'yes', 'b c', 7, true, null)
/** What fits, as a rule. */
const mostly = (fitting: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 60, arbitrary: fitting }, { weight: 1, arbitrary: any })
const words = mostly(fc.dictionary(key, word, { maxKeys: 3 }))
const list = (item: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  mostly(fc.array(item, { maxLength: 3 }))

/** A map of some of these keys. */
const some = (keys: readonly string[], value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 5 })

const LISTS = new Set(['namespaces', 'channels', 'command'])
const subscription = fc
  .record({
    texts: some(
      SUBSCRIPTION_KEYS.filter((k) => !LISTS.has(k) && !['annotations', 'config', 'sequenceJob'].includes(k)),
      mostly(word),
    ),
    lists: some(['namespaces', 'channels'], list(word)),
    annotations: words,
    sequenceJob: some(
      SEQUENCE_JOB_KEYS.filter((k) => !LISTS.has(k)),
      mostly(word),
    ),
  })
  .map(({ texts, lists, ...rest }): JsonObject => ({ name: 'a', ...texts, ...lists, ...rest }))
const override = fc.record({
  name: word,
  value: fc.constantFrom<JsonValue>('a', 1, true, '{{ .Values.global.pattern }}'),
})
const application = fc
  .record({
    texts: some(
      ['repoURL', 'chart', 'chartVersion', 'path', 'kustomize', 'syncPolicy', 'project'],
      mostly(word),
    ),
    maps: some(['plugin', 'annotations', 'ignoreDifferences'], words),
    lists: some(['extraValueFiles', 'extraNamespaceFields'], list(word)),
    overrides: list(override),
  })
  .map(
    ({ texts, maps, lists, overrides }): JsonObject => ({
      name: 'a',
      ...texts,
      ...maps,
      ...lists,
      overrides,
    }),
  )
const named = (entry: fc.Arbitrary<JsonValue>) => mostly(fc.dictionary(key, mostly(entry), { maxKeys: 3 }))
const described = some(['labels', 'annotations'], words)

const group = fc.record<JsonObject>(
  {
    namespaces: fc.oneof(named(described), list(fc.constantFrom('a', 'b'))),
    subscriptions: named(subscription),
    applications: named(application),
    extraObjects: fc.dictionary(key, map, { maxKeys: 3 }),
    nodes: list(described.map((d) => ({ a: d }))),
    argoProjects: fc.oneof(named(any), list(fc.constant('a'))),
    indexImages: list(fc.constant({ image: 'a/b:c' })),
    operatorgroupExcludes: list(fc.constant('a')),
    sharedValueFiles: list(word),
  },
  { requiredKeys: [] },
)
const values = fc
  .record(
    {
      global: some(
        ['pattern', 'clusterPlatform', 'repoURL', 'other'],
        mostly(fc.constantFrom('a', '5.10', 'on')),
      ),
      clusterGroup: group,
      extraParametersNested: words,
    },
    { requiredKeys: [] },
  )
  .map((v) => v as JsonObject)

const files = (layers: readonly JsonObject[]) =>
  layers.map((v, i) => ({ file: `${i}.yaml`, text: encodeYaml(v) }))

/** Rendering is expensive. */
const PART = 1 / 5

it('whatever values are, there are objects or reasons, the same in whichever order they are written', () => {
  let rendered = 0
  assertProperty(
    fc.property(fc.array(values, { minLength: 1, maxLength: 3 }), fc.integer(), (layers, seed) => {
      const made = renderClusterGroup({ files: files(layers) })
      const again = renderClusterGroup({ files: files(layers.map((v) => shuffled(v, seed) as JsonObject)) })
      expect(encodeJson(again)).toBe(encodeJson(made))
      if (made.ok) rendered++
      else for (const { text: line } of made.error) expect(line).toMatch(/^(?:\d\.yaml: )?\S/)
      if (!made.ok) expect(made.error.length).toBeGreaterThan(0)
    }),
    { part: PART },
  )
  expectSeen(rendered, 1 / 5, inputsOf(PART))
})

it('a layer of nothing changes nothing', () => {
  assertProperty(
    fc.property(values, (v) => {
      const [alone, below, above] = [[v], [v, {}], [{}, v]].map((layers) =>
        renderClusterGroup({ files: files(layers) }),
      )
      const objects = (r: typeof alone) => (r!.ok ? r!.value.objects : r!.error.length)
      expect(encodeJson([objects(below), objects(above)])).toBe(encodeJson([objects(alone), objects(alone)]))
    }),
    { part: PART },
  )
})

it('what is checked has a place, and is refused there if it is not rendered', () => {
  const REFUSED = ['G2', 'G5', 'G6', 'V1', 'V2']
  assertProperty(
    fc.property(fc.array(values, { minLength: 1, maxLength: 2 }), (layers) => {
      const made = renderClusterGroup({ files: files(layers) })
      const checked = checkClusterGroup(files(layers))
      const found = checked.ok ? checked.value : []
      expect(checked.ok && found.some((f) => REFUSED.includes(f.rule))).toBe(!made.ok)
      for (const { place, path, message, fix } of found) {
        expect([place.file, place.line > 0, place.column > 0]).toEqual([
          expect.stringMatching(/^\d\.yaml$/),
          true,
          true,
        ])
        for (const text of [path, message, fix]) expect(text).not.toBe('')
      }
    }),
    { part: PART },
  )
})
