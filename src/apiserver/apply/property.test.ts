import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RUNS } from '../../../test/arbitrary/decision.ts'
import type { FieldPath, PathElement } from '../../object/fields/fields.ts'
import { parseFieldsV1, printPath } from '../../object/fields/fields.ts'
import type { JsonObject, JsonValue, KubeObject } from '../../object/object.ts'
import { deepFreeze } from '../../object/object.ts'
import { compileSchema } from '../schema/compile.ts'
import type { Schema, SchemaOps } from '../schema/types.ts'
import { createFieldManager } from './fieldmanager.ts'
import { withoutNewTimes } from './times.ts'
import { itemElement } from './typed/item.ts'
import type { TypeRef } from './typed/typed.ts'
import { memberType, typeOfSchema } from './typed/typed.ts'

/** Random schemas of limited depth, and values that fit them. */
const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
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

function valuesOf(s: Schema): fc.Arbitrary<JsonValue> {
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

interface Step {
  readonly op: 'apply' | 'force' | 'update'
  readonly manager: string
  readonly value: JsonValue
}

const scenarios = schemas.chain((schema) =>
  fc.record({
    schema: fc.constant(schema),
    steps: fc.array(
      fc.record({
        op: fc.constantFrom('apply' as const, 'force' as const, 'update' as const),
        manager: fc.constantFrom('one', 'two', 'three'),
        value: valuesOf(schema),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
)

const fields = createFieldManager()
const time = '2024-01-01T00:00:00Z'

/** What a server does with a step: the object it stores, or the one it had if the step is refused. */
function perform(live: KubeObject | undefined, schema: SchemaOps, step: Step): KubeObject | undefined {
  const writer = { manager: step.manager, time }
  // Everybody owns something: an object without owners gets `before-first-apply` at its next apply.
  const metadata = { name: 'w', labels: { [step.manager]: 'x' } }
  const given = { apiVersion: 'ex.io/v1', kind: 'Widget', metadata, spec: step.value }
  if (step.op === 'update') {
    const next = schema.defaults(given) as unknown as KubeObject
    return deepFreeze(fields.update({ live, next, writer, schema, reset: [] }))
  }
  const config = deepFreeze(given)
  const done = fields.apply({ live, config, writer, force: step.op === 'force', schema, reset: [] })
  if (!done.ok) {
    if (done.error.kind !== 'Conflict') throw new Error(done.error.message)
    return live
  }
  if (!done.value.changed) return done.value.object
  const next = schema.defaults(done.value.object as unknown as JsonValue) as unknown as KubeObject
  return deepFreeze(live === undefined ? next : withoutNewTimes(live, next))
}

/** Whether a path of a set leads to something in the object. */
function exists(value: JsonValue | undefined, path: FieldPath, type: TypeRef | undefined): boolean {
  const [element, ...rest] = path
  if (element === undefined) return value !== undefined
  if (value === undefined || value === null || type === undefined) return false
  const [next, nextType] = step(value, element, type)
  return next.some((v) => exists(v, rest, nextType))
}

function step(value: JsonValue, element: PathElement, type: TypeRef): [JsonValue[], TypeRef | undefined] {
  const { map, list } = type.atom
  if (element.startsWith('f:') && map) {
    const v = (value as JsonObject)[element.slice(2)]
    return [v === undefined ? [] : [v], memberType(map, element.slice(2))]
  }
  if (!list) return [[], undefined]
  return [(value as JsonValue[]).filter((item) => itemElement(list, item) === element), list.element]
}

const runs = { numRuns: RUNS }

describe('random schemas and sequences', () => {
  it('apply again without a change, own only what there is, change nothing they are given', () => {
    fc.assert(
      fc.property(scenarios, ({ schema: spec, steps }) => {
        const schema = compileSchema({ type: 'object', properties: { spec } })
        const type = typeOfSchema(schema.schema, schema.resolve)
        let live: KubeObject | undefined
        for (const s of steps) {
          const before = live
          live = perform(live, schema, s)
          if (live === undefined || live === before) continue
          for (const entry of live.metadata.managedFields ?? [])
            for (const path of parseFieldsV1(entry.fieldsV1).paths())
              if (!exists(live as unknown as JsonValue, path, type))
                expect.fail(`${entry.manager} owns ${printPath(path)}, which is not there`)
          // Two managers may own what an update of a third one changed: only an apply settles that.
          if (s.op !== 'update') expect(perform(live, schema, { ...s, op: 'apply' })).toBe(live)
        }
      }),
      runs,
    )
  }, 300_000)
})
