import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hostile } from '../../../../../test/arbitrary/arbitraryjson.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import {
  encodeJson,
  encodeYaml,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  parseYamlStream,
} from '../../../../kube/src/object/index.ts'
import type { ModuleBinding } from '../../api/kinds/module/modulebindings.ts'
import { bindingProblem, sharedOf } from './bindingreferences.ts'
import { fieldPathOf, fieldText } from './fieldpath.ts'
import { type BoundValue, boundObject, mentioned, type Values } from './mention.ts'
import { type BindingLookup, resolveBindings, type ValueSources } from './resolvebindings.ts'

const NAMES = ['a', 'b', 'c', 'CLUSTER_NAME', '__proto__'] as const
const name = fc.constantFrom(...NAMES)
const piece = fc.oneof(
  name.map((n) => `$(${n})`),
  name.map((n) => `$$(${n})`),
  fc.constantFrom('', '$', '$$', '(', ')', 'x', '"\n---\nkind: Secret', ': ', '# ', '$(other)'),
)
const text = fc.array(piece, { maxLength: 4 }).map((p) => p.join(''))

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(text, fc.constantFrom<JsonValue>(1, true, null, 'x'))
const tree: fc.Arbitrary<JsonValue> = fc.letrec<{ t: JsonValue }>((tie) => ({
  t: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('t'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('k', 'data')), tie('t'), { maxKeys: 3 }),
  ),
})).t

const object = fc
  .record({ kind: fc.constantFrom('ConfigMap', 'Secret'), data: tree, spec: tree })
  .map(
    ({ kind, data, spec }): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, data, spec }),
  )

const bound = fc
  .record({ value: fc.oneof(text, tree), secret: fc.boolean() })
  .map(({ value, secret }): BoundValue => (secret ? { value, secret: true } : { value }))
const values = fc.array(fc.tuple(name, bound), { maxLength: 5 }).map((pairs): Values => new Map(pairs))

/** As many scalars, and members of the same names, but for values that have members themselves. */
const shape = (v: unknown): unknown =>
  Array.isArray(v)
    ? v.map(shape)
    : typeof v === 'object' && v !== null
      ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, shape(x)]))
      : 'scalar'

it('an object with its mentions replaced', () => {
  decidesAlike(fc.tuple(object, values), ([o, v]) => boundObject(o, v), {
    'is one document of the same shape, whatever stands in a text': ([o, v], out) => {
      const texts = new Map([...v].map(([n, b]) => [n, { value: encodeJson(b.value) }]))
      const plain = boundObject(o, texts)
      expect(shape(plain)).toEqual(shape(o))
      expect(parseYamlStream(encodeYaml(out))).toHaveLength(1)
    },
    'mentions what it mentioned, where nothing has a value': ([o]) => {
      expect(jsonEqual(boundObject(o, new Map()), o)).toBe(true)
    },
    'is the same again, where no value mentions anything': ([o, v]) => {
      const plain: Values = new Map([...v.keys()].map((n) => [n, { value: 'x' }]))
      const once = boundObject(withoutEscapes(o), plain)
      expect(jsonEqual(boundObject(once, plain), once)).toBe(true)
    },
    'knows no name that is not in the list of mentions': ([o, v], out) => {
      const names = new Set(mentioned([o]))
      const known: Values = new Map([...v].filter(([n]) => names.has(n)))
      expect(jsonEqual(boundObject(o, known), out)).toBe(true)
    },
  })
})

/** An escape is taken off: what it leaves is a mention. */
const withoutEscapes = (o: KubeObject): KubeObject => JSON.parse(encodeJson(o).replace(/\$\$+\(/g, '$('))

const source = fc.oneof(
  text.map((value) => ({ value })),
  fc.constantFrom<Partial<ModuleBinding>>(
    { cluster: { label: 'region' } },
    { cluster: { name: true } },
    { configMapKeyRef: { name: 'm-$(b)', key: 'k' } },
    { secretKeyRef: { name: 's', key: 'k' } },
    { workloadFieldRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'w', fieldPath: 'data.x' } },
  ),
)
const declared = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '__proto__'), { maxLength: 4 }),
    fc.array(source, { minLength: 4, maxLength: 4 }),
    fc.constantFrom<ModuleBinding['type']>('String', 'String', 'Integer', 'Boolean', 'JSON'),
    fc.constantFrom(undefined, undefined, '7'),
  )
  .map(([names, sources, type, fallback]) =>
    names.map(
      (n, i): ModuleBinding => ({ name: n, type, ...sources[i], ...(fallback ? { default: fallback } : {}) }),
    ),
  )

const look = fc.oneof(
  text.map((t): BindingLookup => ({ type: 'Found', text: t })),
  fc.constantFrom<BindingLookup>(
    { type: 'Found', text: 'hunter2', secret: true },
    { type: 'Missing', text: 'it is not there; create it' },
    { type: 'Pending', text: 'it is being read' },
  ),
)
const sources = fc.tuple(look, look, look).map(
  ([one, other, third]): ValueSources => ({
    given: () => 'c1',
    cluster: () => one,
    key: (kind) => (kind === 'Secret' && other.type === 'Found' ? { ...other, secret: true } : other),
    object: () => third,
  }),
)

it('bindings are resolved, whatever they are', () => {
  const input = fc.tuple(declared, sources, fc.nat())
  decidesAlike(input, ([b, s]) => resolveBindings(b, NAMES, new Map(), s), {
    'the order of the list is nothing': ([b, s, n], out) => {
      sameAnswer(out, resolveBindings(shuffled(b, n), shuffled([...NAMES], n), new Map(), s))
    },
    'no message has a value of a Secret in it': (_, out) => {
      if (!out.ok) expect(JSON.stringify(out.error)).not.toContain('hunter2')
    },
    'what is made of a Secret is one': ([b], out) => {
      if (!out.ok) return
      for (const x of b)
        if (x.secretKeyRef && x.default === undefined) expect(out.value.get(x.name)?.secret).toBe(true)
    },
    'a circle is found before, and only then': ([b], out) => {
      const isMadeOfItself = !out.ok && out.error.some((f) => f.facts.because === 'Cycle')
      if (isMadeOfItself) expect(bindingProblem(b)).toContain(' → ')
    },
    'what all clusters share asks no cluster': ([b, s]) => {
      const asked: ValueSources = {
        ...s,
        given: () => expect.fail('no cluster'),
        cluster: () => expect.fail('no cluster'),
        object: (where) => (where === 'Hub' ? s.object('Hub', FIELD) : expect.fail('no cluster')),
      }
      const shared = sharedOf(b)
      resolveBindings(
        shared,
        shared.map((x) => x.name),
        new Map(),
        asked,
      )
    },
  })
})

const FIELD = { apiVersion: 'v1', kind: 'ConfigMap', name: 'w', fieldPath: 'data.x' }

it('a field is a text, or is not there', () => {
  const path = fc.constantFrom('a', 'a.b', 'a[0]', 'a[*]', 'a[*].b', '$.a["b"]', '.constructor', 'a.length')
  decidesAlike(
    fc.tuple(hostile, path),
    ([value, p]) => {
      const found = fieldPathOf(p)
      return found.ok ? fieldText({ a: value }, found.value) : expect.fail(p)
    },
    {
      'never what JavaScript has of its own': (_, out) => {
        expect(out === undefined || typeof out === 'string').toBe(true)
      },
    },
  )
})
