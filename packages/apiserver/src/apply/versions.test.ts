import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { deepFreeze } from '../../../kube/src/object/index.ts'
import { builtinSchema } from '../schema/builtinresource.ts'
import { compileSchema } from '../schema/compileschema.ts'
import type { Schema, SchemaOps } from '../schema/schematypes.ts'
import { createFieldManager } from './fieldmanager.ts'
import type { VersionConverter } from './fieldmanagertypes.ts'
import { ownersFromScale, scaleOwners } from './scaleowners.ts'
import { withoutNewTimes } from './withoutnewtimes.ts'

const fields = createFieldManager()
const time = '2024-01-01T00:00:00Z'

const kind = (spec: Schema): SchemaOps => compileSchema({ type: 'object', properties: { spec } })
const object = (apiVersion: string, spec: unknown, metadata: object = {}): KubeObject =>
  deepFreeze({ apiVersion, kind: 'Widget', metadata: { name: 'w', ...metadata }, spec }) as KubeObject

function apply(
  live: KubeObject | undefined,
  manager: string,
  config: KubeObject,
  schema: SchemaOps,
  versions?: VersionConverter,
): KubeObject {
  const done = fields.apply({
    live,
    config,
    writer: { manager, time },
    force: false,
    schema,
    reset: [],
    versions,
  })
  if (!done.ok) throw new Error(done.error.message)
  return deepFreeze(done.value.object)
}

const owners = (o: KubeObject): unknown =>
  Object.fromEntries(
    (o.metadata.managedFields ?? []).map((e) => [`${e.manager} ${e.apiVersion}`, e.fieldsV1]),
  )

describe('schema changes', () => {
  const map = (type: 'atomic' | 'granular'): SchemaOps =>
    kind({
      type: 'object',
      properties: {
        m: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': type },
      },
    })

  it('from granular to atomic and back keep every owner', () => {
    const granular = apply(
      apply(undefined, 'one', object('v1', { m: { a: '1' } }), map('granular')),
      'two',
      object('v1', { m: { b: '2' } }),
      map('granular'),
    )
    const atomic = fields.update({
      live: granular,
      next: { ...granular, metadata: { ...granular.metadata, labels: { l: '1' } } },
      writer: { manager: 'u', time },
      schema: map('atomic'),
      reset: [],
    })
    expect(owners(atomic)).toMatchObject({
      'one v1': { 'f:spec': { 'f:m': {} } },
      'two v1': { 'f:spec': { 'f:m': {} } },
    })
    expect(() => apply(atomic, 'one', object('v1', { m: { a: '9' } }), map('atomic'))).toThrow(
      'Apply failed with 1 conflict: conflict with "two": .spec.m',
    )
    expect(
      owners(apply(atomic, 'one', object('v1', { m: { a: '1', b: '2' } }), map('granular'))),
    ).toMatchObject({
      'one v1': { 'f:spec': { 'f:m': { 'f:a': {}, 'f:b': {} } } },
      'two v1': { 'f:spec': { 'f:m': {} } },
    })
  })
})

describe('several versions', () => {
  const v1 = kind({ type: 'object', properties: { size: { type: 'integer' }, note: { type: 'string' } } })
  const v2 = kind({ type: 'object', properties: { count: { type: 'integer' }, note: { type: 'string' } } })
  let conversions = 0
  const versions: VersionConverter = {
    convert(o, apiVersion) {
      conversions++
      const { size, count, note } = o.spec as { size?: number; count?: number; note?: string }
      const n = size ?? count
      const rest = note === undefined ? {} : { note }
      if (apiVersion === 'ex.io/v1')
        return { object: { ...o, apiVersion, spec: { size: n, ...rest } }, schema: v1 }
      if (apiVersion === 'ex.io/v2')
        return { object: { ...o, apiVersion, spec: { count: n, ...rest } }, schema: v2 }
      return undefined
    },
  }
  const first = apply(undefined, 'one', object('ex.io/v1', { size: 1 }), v1)
  const inV2 = { ...first, apiVersion: 'ex.io/v2', spec: { count: 1 } }

  it('are compared after conversion', () => {
    conversions = 0
    expect(() => apply(inV2, 'two', object('ex.io/v2', { count: 2 }), v2, versions)).toThrow(
      'conflict with "one": .spec.size',
    )
    expect(conversions).toBeLessThanOrEqual(2)
    const both = apply(inV2, 'two', object('ex.io/v2', { note: 'x' }), v2, versions)
    expect(owners(both)).toEqual({
      'one ex.io/v1': { 'f:spec': { 'f:size': {} } },
      'two ex.io/v2': { 'f:spec': { 'f:note': {} } },
    })
  })

  it('that are not served any more own nothing', () => {
    const old = {
      ...inV2,
      metadata: {
        ...inV2.metadata,
        managedFields: [{ ...first.metadata.managedFields?.[0], apiVersion: 'ex.io/v0' }],
      },
    }
    const after = apply(old as KubeObject, 'two', object('ex.io/v2', { count: 2 }), v2, versions)
    expect(owners(after)).toEqual({ 'two ex.io/v2': { 'f:spec': { 'f:count': {} } } })
  })

  it('fail with their converter, and lose nothing', () => {
    const broken: VersionConverter = {
      convert() {
        throw new Error('webhook is down')
      },
    }
    expect(() => apply(inV2, 'two', object('ex.io/v2', { count: 2 }), v2, broken)).toThrow('webhook is down')
  })
})

describe('kubectl', () => {
  const schema = kind({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } })
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const config = object('ex.io/v1', { a: '1', b: '2' })
  const created = deepFreeze(
    fields.update({
      live: undefined,
      next: object('ex.io/v1', config.spec, { annotations: { [annotation]: JSON.stringify(config) } }),
      writer: { manager: 'kubectl-client-side-apply', time },
      schema,
      reset: [],
    }),
  )

  it('takes over what it applied on the client side, and keeps the annotation', () => {
    expect(() => apply(created, 'other', object('ex.io/v1', { a: '2' }), schema)).toThrow('1 conflict')
    const taken = apply(created, 'kubectl', object('ex.io/v1', { a: '2', b: '2' }), schema)
    expect(taken.spec).toEqual({ a: '2', b: '2' })
    expect(taken.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"a":"2","b":"2"}}\n',
    )
  })
})

describe('built-in kinds', () => {
  const schema = builtinSchema({ group: 'apps', version: 'v1', kind: 'Deployment' }) as SchemaOps

  it('do not own what Go has anyway', () => {
    const next = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { template: { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] } } },
    } as unknown as KubeObject
    const made = fields.update({ live: undefined, next, writer: { manager: 'c', time }, schema, reset: [] })
    expect(made.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"a"}': {
                '.': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                },
              },
            },
          },
        },
      },
    })
  })

  it('keep a map that is owned when it gets empty', () => {
    const volume = (emptyDir: object): KubeObject =>
      deepFreeze({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { template: { spec: { volumes: [{ name: 'v', emptyDir }] } } },
      }) as unknown as KubeObject
    const before = apply(undefined, 'one', volume({ sizeLimit: '1Gi' }), schema)
    const after = apply(before, 'one', volume({}), schema)
    expect(after.spec).toMatchObject({ template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } })
    expect(apply(after, 'one', volume({}), schema)).toBe(after)
  })
})

describe('scale', () => {
  const entry = (manager: string, operation: 'Apply' | 'Update', fieldsV1: unknown): never =>
    ({ manager, operation, apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1, time }) as never
  const paths = { 'apps/v1': ['spec', 'replicas'] }
  const parent = [entry('a', 'Apply', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } })]

  it('has the owners of the replicas', () => {
    expect(scaleOwners(parent, paths)).toMatchObject([
      { manager: 'a', apiVersion: 'autoscaling/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ])
  })

  it('takes the replicas from whoever lost them', () => {
    const scale = [
      {
        manager: 'hpa',
        operation: 'Update',
        apiVersion: 'autoscaling/v1',
        subresource: 'scale',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ] as never
    expect(ownersFromScale(parent, scale, 'apps/v1', paths)).toMatchObject([
      { manager: 'a', fieldsV1: { 'f:spec': { 'f:paused': {} } } },
      {
        manager: 'hpa',
        apiVersion: 'apps/v1',
        subresource: 'scale',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ])
  })
})

describe('times', () => {
  it('alone are no change', () => {
    const a = object('v1', {}, { managedFields: [{ manager: 'a', operation: 'Apply', time }] })
    const later = {
      ...a,
      metadata: {
        ...a.metadata,
        managedFields: [{ manager: 'a', operation: 'Apply' as const, time: 'later' }],
      },
    }
    expect(withoutNewTimes(a, later)).toBe(a)
    const other = { ...later, spec: { x: 1 } }
    expect(withoutNewTimes(a, other)).toBe(other)
  })
})
