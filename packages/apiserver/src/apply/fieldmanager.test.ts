import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { deepFreeze } from '../../../kube/src/object/index.ts'
import { compileSchema } from '../schema/compileschema.ts'
import type { Schema } from '../schema/schematypes.ts'
import { createFieldManager } from './fieldmanager.ts'
import type { ApplyFailure } from './fieldmanagertypes.ts'

const widget: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        note: { type: 'string' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port'],
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, name: { type: 'string' } },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        args: { type: 'array', items: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
}
const schema = compileSchema(widget)
const fields = createFieldManager()
const time = '2024-01-01T00:00:00Z'
const reset = [['status']]

const object = (spec: unknown, metadata: object = {}): KubeObject =>
  deepFreeze({
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name: 'b', namespace: 'default', ...metadata },
    ...(spec === undefined ? {} : { spec }),
  })

function tryApply(
  live: KubeObject | undefined,
  manager: string,
  spec: unknown,
  force = false,
): ReturnType<typeof fields.apply> {
  return fields.apply({ live, config: object(spec), writer: { manager, time }, force, schema, reset })
}

function apply(live: KubeObject | undefined, manager: string, spec: unknown, force = false): KubeObject {
  const done = tryApply(live, manager, spec, force)
  if (!done.ok) throw new Error(done.error.message)
  return deepFreeze(done.value.object)
}

function failure(live: KubeObject | undefined, manager: string, spec: unknown): ApplyFailure {
  const done = tryApply(live, manager, spec)
  if (done.ok) throw new Error('expected a failure')
  return done.error
}

const update = (live: KubeObject | undefined, manager: string, next: KubeObject, at = time): KubeObject =>
  deepFreeze(fields.update({ live, next, writer: { manager, time: at }, schema, reset }))

const owners = (o: KubeObject): unknown =>
  Object.fromEntries((o.metadata.managedFields ?? []).map((e) => [`${e.manager} ${e.operation}`, e.fieldsV1]))

const A = { note: 'n', ports: [{ port: 80, name: 'h' }, { port: 81 }], tags: ['x', 'y'], args: ['1'] }

describe('apply', () => {
  const created = apply(undefined, 'A', A)

  it('owns what it mentions, not metadata', () => {
    expect(owners(created)).toEqual({
      'A Apply': {
        'f:spec': {
          'f:args': {},
          'f:note': {},
          'f:ports': {
            'k:{"port":80}': { '.': {}, 'f:name': {}, 'f:port': {} },
            'k:{"port":81}': { '.': {}, 'f:port': {} },
          },
          'f:tags': { 'v:"x"': {}, 'v:"y"': {} },
        },
      },
    })
    expect(created.metadata.managedFields?.[0]).toMatchObject({
      operation: 'Apply',
      apiVersion: 'ex.io/v1',
      time,
    })
  })

  it('is a no-op the second time', () => {
    expect(tryApply(created, 'A', A)).toEqual({ ok: true, value: { object: created, changed: false } })
    expect(apply(created, 'A', A)).toBe(created)
  })

  it('conflicts, and takes with force', () => {
    const other = { note: 'other', ports: [{ port: 80, name: 'i' }], args: ['2'] }
    expect(failure(created, 'B', other)).toEqual({
      kind: 'Conflict',
      message:
        'Apply failed with 3 conflicts: conflicts with "A":\n- .spec.args\n- .spec.note\n- .spec.ports[port=80].name',
      conflicts: ['.spec.args', '.spec.note', '.spec.ports[port=80].name'].map((path) => ({
        manager: '"A"',
        path,
      })),
    })
    expect(owners(apply(created, 'B', { note: 'other' }, true))).toMatchObject({
      'B Apply': { 'f:spec': { 'f:note': {} } },
    })
  })

  it('owns equal values together, without a time if nothing changed', () => {
    const both = apply(created, 'B', { note: 'n' })
    expect(both.metadata.managedFields?.map((e) => [e.manager, e.time])).toEqual([
      ['B', undefined],
      ['A', time],
    ])
    expect(apply(both, 'A', { tags: ['x'] }).spec).toEqual({ note: 'n', tags: ['x'] })
  })

  it('gives up everything with an empty configuration', () => {
    const empty = apply(created, 'A', undefined)
    expect(empty.metadata.managedFields).toBeUndefined()
  })

  it('refuses what does not fit', () => {
    const text = 'failed to create typed patch object (default/b; ex.io/v1, Kind=Widget): '
    expect(failure(created, 'A', { bogus: 1 }).message).toBe(
      `${text}.spec.bogus: field not declared in schema`,
    )
    expect(failure(created, 'A', { ports: [{ port: 1 }, { port: 1 }] }).message).toBe(
      `${text}.spec.ports: duplicate entries for key [port=1]`,
    )
    const config = object({}, { managedFields: [] })
    const input = { live: created, writer: { manager: 'A', time }, force: false, schema, reset }
    expect(fields.apply({ ...input, config })).toEqual({
      ok: false,
      error: { kind: 'BadRequest', message: 'metadata.managedFields must be nil' },
    })
    expect(fields.apply({ ...input, config: { ...object({}), kind: 'Gadget' } })).toMatchObject({
      error: { message: 'invalid object type: ex.io/v1, Kind=Gadget' },
    })
  })
})

describe('update', () => {
  const created = update(undefined, 'U', object({ note: 'a', tags: ['x'] }, { labels: { l: '1' } }))

  it('owns what it adds and changes', () => {
    expect(owners(created)).toEqual({
      'U Update': {
        'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
        'f:spec': { '.': {}, 'f:note': {}, 'f:tags': { '.': {}, 'v:"x"': {} } },
      },
    })
    const next = update(created, 'V', { ...created, spec: { note: 'b', tags: ['x'] } })
    expect(owners(next)).toMatchObject({ 'V Update': { 'f:spec': { 'f:note': {} } } })
    expect(failure(next, 'A', { note: 'c' }).message).toBe(
      'Apply failed with 1 conflict: conflict with "V" using ex.io/v1: .spec.note',
    )
  })

  it('leaves an unchanged object as it is', () => {
    expect(update(created, 'V', created)).toBe(created)
  })

  it('resets, replaces and keeps the list of owners', () => {
    const withList = (managedFields: unknown): KubeObject =>
      update(created, 'V', { ...created, metadata: { ...created.metadata, managedFields } } as KubeObject)
    expect(withList([{}]).metadata.managedFields).toBeUndefined()
    expect(withList([]).metadata.managedFields).toBeUndefined()
    expect(withList([{ operation: 'Nonsense' }]).metadata.managedFields).toEqual(
      created.metadata.managedFields,
    )
    expect(withList(undefined).metadata.managedFields).toEqual(created.metadata.managedFields)
    const mine = [{ ...created.metadata.managedFields?.[0], manager: 'mine' }]
    expect(withList(mine).metadata.managedFields).toEqual(mine)
  })

  it('tracks again from the first apply on', () => {
    const { managedFields: _gone, ...metadata } = created.metadata
    const untracked = { ...created, metadata }
    expect(update(untracked, 'V', { ...untracked, spec: {} }).metadata.managedFields).toBeUndefined()
    expect(owners(apply(untracked, 'A', { note: 'a' }))).toEqual({
      'A Apply': { 'f:spec': { 'f:note': {} } },
      'before-first-apply Update': (owners(created) as Record<string, unknown>)['U Update'],
    })
  })

  it('folds the oldest updaters beyond ten', () => {
    let o = created
    for (let i = 0; i < 11; i++) {
      const at = `2024-01-01T00:00:${String(i + 10)}Z`
      o = update(
        o,
        `m${i}`,
        { ...o, spec: { ...(o.spec as object), tags: [...Array(i + 2).keys()].map((n) => `t${n}`) } },
        at,
      )
    }
    expect(o.metadata.managedFields?.map((e) => e.manager)).toEqual([
      'ancient-changes',
      'm2',
      'm3',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
    ])
  })
})
