import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemas, valuesOf } from '../../../../test/arbitrary/schemas.ts'
import { assertProperty } from '../../../../test/property.ts'
import type { FieldPath, PathElement } from '../../../kube/src/fields/index.ts'
import { parseFieldsV1, printPath } from '../../../kube/src/fields/index.ts'
import type { JsonObject, JsonValue, KubeObject } from '../../../kube/src/object/index.ts'
import { deepFreeze } from '../../../kube/src/object/index.ts'
import { compileSchema } from '../schema/compileschema.ts'
import type { SchemaOps } from '../schema/schematypes.ts'
import { createFieldManager } from './fieldmanager.ts'
import type { TypeRef } from './typed/index.ts'
import { memberType, typeOfSchema } from './typed/index.ts'
import { itemElement } from './typed/itemelement.ts'
import { withoutNewTimes } from './withoutnewtimes.ts'

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

describe('random schemas and sequences', () => {
  it('apply again without a change, own only what there is, change nothing they are given', () => {
    assertProperty(
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
    )
  }, 300_000)
})
