/** One patch in place of an apply, on any kind of object: an apply would have left the same, now and later. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { schemas, valuesOf } from '../../../../../test/arbitrary/schemas.ts'
import { assertProperty, expectSeen } from '../../../../../test/property.ts'
import { createFieldManager } from '../../../../apiserver/src/apply/fieldmanager.ts'
import { compileSchema } from '../../../../apiserver/src/schema/compileschema.ts'
import type { SchemaOps } from '../../../../apiserver/src/schema/schematypes.ts'
import {
  deepFreeze,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { isOurs } from '../../fleet/connection/liveobject.ts'
import { markedBody } from '../plan/desiredstate.ts'
import { MARK_FIELDS, ownedBy } from './fieldtransfer.ts'
import { ownershipTransfer, ownersOnlyPatch } from './ownershippatch.ts'

const fields = createFieldManager()
const time = '2024-01-01T00:00:00Z'
const MARKS = { unit: 'm.app.web', inventoryUid: 'ours' }

const written = (value: JsonValue, metadata: object = {}): KubeObject =>
  deepFreeze({
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', ...metadata },
    spec: value,
  }) as KubeObject

function update(
  schema: SchemaOps,
  manager: string,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  const whole = schema.defaults(next as unknown as JsonValue) as unknown as KubeObject
  return deepFreeze(fields.update({ live, next: whole, writer: { manager, time }, schema, reset: [] }))
}

/** As we apply it: by force, with our marks. */
function applied(schema: SchemaOps, live: KubeObject, value: JsonValue): KubeObject {
  const config = deepFreeze(markedBody(written(value), MARKS.unit, MARKS.inventoryUid, undefined))
  const done = fields.apply({
    live,
    config,
    writer: { manager: 'lockstep', time },
    force: true,
    schema,
    reset: [],
  })
  if (!done.ok) throw new Error(JSON.stringify(done.error))
  return deepFreeze(schema.defaults(done.value.object as unknown as JsonValue)) as unknown as KubeObject
}

/** A merge patch as the server takes it. */
function patched(schema: SchemaOps, live: KubeObject, patch: JsonValue): KubeObject {
  return update(schema, 'lockstep', live, merge(live as unknown as JsonValue, patch) as unknown as KubeObject)
}
function merge(live: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const out: Record<string, JsonValue> = { ...(isObject(live) ? (live as Record<string, JsonValue>) : {}) }
  for (const [k, v] of Object.entries(patch)) {
    if (v === null) delete out[k]
    else out[k] = merge(out[k], v as JsonValue)
  }
  return out
}

const oursOf = (o: KubeObject) =>
  ownedBy((o.metadata.managedFields ?? []).filter(isOurs))
    .difference(MARK_FIELDS)
    .leaves()

const scenarios = schemas.chain((spec) =>
  fc.record({
    spec: fc.constant(spec),
    first: valuesOf(spec),
    second: fc.option(valuesOf(spec)),
    mine: fc.option(valuesOf(spec)),
    later: valuesOf(spec),
    asked: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, valuesOf(spec)),
  }),
)

it('nothing is left to apply after it, and what leaves the manifest later goes as if it had been applied', () => {
  let settled = 0
  assertProperty(
    fc.property(scenarios, ({ spec, first, second, mine, later, asked }) => {
      const schema = compileSchema({ type: 'object', properties: { spec } })
      const marked = {
        labels: { [UNIT_LABEL]: 'm.app.old' },
        annotations: { [INVENTORY_ANNOTATION]: 'theirs' },
      }
      let live = update(schema, 'manager', undefined, written(first, { labels: { a: 'b' } }))
      if (second !== null) live = update(schema, 'other', live, { ...live, spec: second } as KubeObject)
      if (mine !== null) {
        live = applied(schema, live, mine)
        live = update(schema, 'lockstep', live, { ...live, metadata: { ...live.metadata, ...marked } })
      }
      const manifest = written(asked ?? mine ?? first)
      const value = (manifest as unknown as JsonObject).spec as JsonValue
      const patch = ownersOnlyPatch(live as Stored, ['manager'], manifest, MARKS)
      if (patch === undefined) return
      settled++
      const now = patched(schema, live, patch)
      expect(now.spec).toEqual(live.spec)
      const again = applied(schema, now, value)
      expect(again.spec).toEqual(live.spec)
      expect(again.metadata.labels).toEqual(now.metadata.labels)
      expect(oursOf(again).leaves().isSubsetOf(oursOf(now))).toBe(true)
      // The longer way, by an apply after the owners have moved, comes to the same.
      const moved = ownershipTransfer(live as Stored, ['manager'], manifest)
      const long = applied(schema, moved === undefined ? live : patched(schema, live, moved), value)
      expect(long.spec).toEqual(live.spec)
      expect(applied(schema, now, later).spec).toEqual(applied(schema, long, later).spec)
    }),
  )
  expectSeen(settled, 1 / 10)
})
