/** What moves of a name that many share: what the manifest has, and nothing else. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty, expectSeen } from '../../../../../test/property.ts'
import {
  FieldSet,
  fieldElement,
  type PathElement,
  toFieldsV1,
  valueElement,
} from '../../../../kube/src/fields/index.ts'
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
} from '../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { isOurs } from '../../fleet/connection/liveobject.ts'
import { fieldTransferOf, managedFieldsOf, ownedBy } from './fieldtransfer.ts'

const word = fc.constantFrom('a', 'b', 'c', 'd')

/** Maps, lists with a key, sets and scalars, as deep as specs go. */
const values = fc.letrec<{ map: JsonObject; value: JsonValue }>((tie) => ({
  map: fc.dictionary(word, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>('x', 'y', 1, true),
    tie('map'),
    fc
      .uniqueArray(tie('map'), { maxLength: 3 })
      .map((items) => items.map((item, i): JsonValue => ({ ...item, name: `n${i}` }))),
    fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
  ),
})).map

const nameOf = (item: JsonValue): PathElement =>
  isObject(item) ? `k:{"name":"${item.name as string}"}` : valueElement(item)

/** All that somebody owns who has set this, each map and item with it. */
function fieldsOfValue(value: JsonValue): FieldSet {
  const members = isArray(value)
    ? value.map((item) => [nameOf(item), item] as const)
    : Object.entries(value as JsonObject).map(([k, v]) => [fieldElement(k), v as JsonValue] as const)
  return FieldSet.of(
    new Map(
      members.map(([element, v]) => {
        const below = isObject(v) || isArray(v) ? fieldsOfValue(v) : FieldSet.empty
        return [element, { isMember: true, children: below.isEmpty ? undefined : below }]
      }),
    ),
  )
}

/** Some of it. */
function part(value: JsonValue, pick: () => boolean): JsonValue {
  if (isArray(value)) return value.filter(pick).map((item) => (isObject(item) ? partOf(item, pick) : item))
  return isObject(value) ? partOf(value, pick) : value
}
const partOf = (value: JsonObject, pick: () => boolean): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([k, v]): [string, JsonValue][] =>
      k === 'name' || pick() ? [[k, part(v as JsonValue, pick)]] : [],
    ),
  )

const parts = fc
  .tuple(
    values,
    fc.infiniteStream(fc.boolean()),
    fc.infiniteStream(fc.boolean()),
    fc.infiniteStream(fc.boolean()),
  )
  .map(([spec, ...streams]) => {
    const [upstream, operator, manifest] = streams.map((s) => partOf(spec, () => s.next().value as boolean))
    return { upstream: upstream!, operator: operator!, manifest: manifest! }
  })

const entryOf = (manager: string, spec: JsonObject): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'x.test/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': toFieldsV1(fieldsOfValue(spec)) },
})

const paths = (set: FieldSet): Set<string> => new Set([...set.paths()].map((p) => JSON.stringify(p)))

it('nothing is lost, nothing outside the manifest moves, and all of the manifest does', () => {
  let moves = 0
  assertProperty(
    fc.property(parts, ({ upstream, operator, manifest }) => {
      const managedFields = [entryOf('manager', upstream), entryOf('other', operator)]
      const o = {
        apiVersion: 'x.test/v1',
        kind: 'Thing',
        metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '', managedFields },
      } as Stored
      const asked: KubeObject = { apiVersion: 'x.test/v1', kind: 'Thing', metadata: {}, spec: manifest }
      const moved = fieldTransferOf(o, ['manager'], asked)
      if (!moved) return
      moves++
      const now = managedFieldsOf(o, moved)
      expect(paths(ownedBy(now))).toEqual(paths(ownedBy(managedFields)))
      expect(now.find((f) => f.manager === 'other')).toBe(managedFields[1])
      const before = paths(ownedBy([managedFields[0]!]))
      const wanted = paths(
        FieldSet.of(new Map([['f:spec', { isMember: true, children: fieldsOfValue(manifest) }]])),
      )
      const of = (is: (f: (typeof now)[number]) => boolean) => paths(ownedBy(now.filter(is)))
      expect(of(isOurs)).toEqual(new Set([...before].filter((p) => wanted.has(p))))
      expect(of((f) => f.manager === 'manager')).toEqual(new Set([...before].filter((p) => !wanted.has(p))))
      expect(now.every((f) => Object.keys(f.fieldsV1 ?? {}).length > 0)).toBe(true)
    }),
  )
  expectSeen(moves, 1 / 4)
})
