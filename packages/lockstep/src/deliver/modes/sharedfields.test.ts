/** Whose the fields of a set's objects are after an apply. */
import { describe, expect, it } from 'vitest'
import { at, type JsonObject, type ManagedFieldsEntry } from '../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { markedBody } from '../plan/desiredstate.ts'
import { hasForeignFields, sharedFieldsPatch } from './sharedfields.ts'

const entry = (manager: string, names: readonly string[], more: Partial<ManagedFieldsEntry> = {}) =>
  ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': Object.fromEntries(names.map((n) => [`f:${n}`, {}])) },
    ...more,
  }) as ManagedFieldsEntry
const ours = (...names: readonly string[]) => entry('lockstep', names, { operation: 'Apply' })
const key = { name: 'x', namespace: 'default' }
const stored = (...managedFields: readonly ManagedFieldsEntry[]): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key, uid: 'u', resourceVersion: '1', creationTimestamp: '', managedFields },
})
const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { a: '1', b: '1' } }
const body = markedBody(manifest, 's.platform.crs1', 'ours', undefined)
const moved = (o: Stored) => {
  const move = sharedFieldsPatch(o, body)
  return move && { isMore: move.isMore, entries: at(move.patch as JsonObject, 'metadata', 'managedFields') }
}

describe('after an apply', () => {
  it('nothing moves where it is all ours, or of others', () => {
    expect(sharedFieldsPatch(stored(ours('a', 'b'), entry('somebody', ['a', 'z'])), body)).toBeUndefined()
    expect(sharedFieldsPatch(stored(ours('a', 'b'), entry('manager', ['z'])), body)).toBeUndefined()
  })
  it("of Cluster API's name what the manifest has becomes ours alone: nothing is left to apply", () => {
    expect(moved(stored(ours('a', 'b'), entry('manager', ['a', 'z'])))).toEqual({
      isMore: false,
      entries: [entry('manager', ['z']), ours('a', 'b')],
    })
  })
  it("what we had set by an update is the apply's: another one takes off what the manifest lacks", () => {
    expect(moved(stored(ours('a', 'b'), entry('lockstep', ['a', 'old'])))).toEqual({
      isMore: true,
      entries: [ours('a', 'b', 'old')],
    })
  })
})

it.each([
  ['something of that name is left', [entry('manager', ['z'])], true],
  ['nothing is', [ours('a'), entry('somebody', ['z'])], false],
  ['only what a controller says of its status', [entry('manager', ['z'], { subresource: 'status' })], false],
  [
    'only what an apply has set, which takes it off itself',
    [entry('manager', ['z'], { operation: 'Apply' })],
    false,
  ],
] as const)('fields may remain, where %s: %j', (_, entries, may) => {
  expect(hasForeignFields(stored(...entries))).toBe(may)
})
