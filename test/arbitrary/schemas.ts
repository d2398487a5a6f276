/** Random schemas of limited depth, and values that fit them. */
import fc from 'fast-check'
import type { Schema } from '../../packages/apiserver/src/schema/schematypes.ts'
import type { JsonObject, JsonValue } from '../../packages/kube/src/object/index.ts'

export const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: fc.constantFrom<Schema>({ type: 'string' }, { type: 'integer' }) },
    { weight: 3, arbitrary: tie('object') },
    {
      weight: 1,
      arbitrary: tie('schema').map((s): Schema => ({ type: 'object', additionalProperties: s })),
    },
    { weight: 1, arbitrary: tie('schema').map((items): Schema => ({ type: 'array', items })) },
    {
      weight: 1,
      arbitrary: fc.constant<Schema>({
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'string' },
      }),
    },
    { weight: 2, arbitrary: tie('object').map(keyedList) },
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('schema'), { minKeys: 1, maxKeys: 4 }),
      fc.constantFrom('granular' as const, 'granular' as const, 'atomic' as const),
    )
    .map(
      ([properties, mapType]): Schema => ({ type: 'object', properties, 'x-kubernetes-map-type': mapType }),
    ),
})).object

function keyedList(items: Schema): Schema {
  const key: Schema = { type: 'string', default: 'k0' }
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['key'],
    items: { ...items, 'x-kubernetes-map-type': 'granular', properties: { ...items.properties, key } },
  }
}

export function valuesOf(s: Schema): fc.Arbitrary<JsonValue> {
  if (s.type === 'string') return fc.constantFrom('x', 'y', 'z')
  if (s.type === 'integer') return fc.integer({ min: 0, max: 3 })
  if (s.type === 'array') return listsOf(s)
  const others = s.additionalProperties
  if (typeof others === 'object')
    return fc.dictionary(fc.constantFrom('p', 'q', 'r'), valuesOf(others), { maxKeys: 3 })
  const members = Object.fromEntries(Object.entries(s.properties ?? {}).map(([k, p]) => [k, valuesOf(p)]))
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonValue>
}

function listsOf(s: Schema): fc.Arbitrary<JsonValue> {
  const items = valuesOf(s.items as Schema)
  const identity = (v: JsonValue): unknown =>
    s['x-kubernetes-list-type'] === 'map' ? ((v as JsonObject).key ?? 'k0') : v
  if (s['x-kubernetes-list-type'] === undefined) return fc.array(items, { maxLength: 3 })
  const selected = s['x-kubernetes-list-type'] === 'map' ? withKey(items) : items
  return fc.uniqueArray(selected, { maxLength: 3, selector: identity })
}

const withKey = (items: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc
    .tuple(items, fc.constantFrom('k0', 'k1', 'k2', undefined))
    .map(([item, key]) => (key === undefined ? item : { ...(item as JsonObject), key }))
