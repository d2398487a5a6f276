import { describe, expect, it } from 'vitest'
import { builtinResources, builtinSchema, resolveBuiltin } from './builtinresource.ts'
import type { SchemaOps } from './schematypes.ts'

const schemaOf = (group: string, version: string, kind: string): SchemaOps =>
  builtinSchema({ group, version, kind }) as SchemaOps

describe('built-in kinds', () => {
  it('are known by group, version and kind', () => {
    const deployment = builtinResources().find((r) => r.plural === 'deployments')
    expect(deployment).toMatchObject({
      group: 'apps',
      kind: 'Deployment',
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: { scale: { kind: 'Scale', group: 'autoscaling', version: 'v1' } },
    })
    expect(builtinSchema({ group: 'apps', version: 'v1beta1', kind: 'Deployment' })).toBeUndefined()
    expect(schemaOf('apps', 'v1', 'Deployment')).toBe(schemaOf('apps', 'v1', 'Deployment'))
    expect(schemaOf('autoscaling', 'v1', 'Scale').schema).toBeDefined()
  })

  it('all have schemas whose references lead somewhere', () => {
    for (const r of builtinResources()) {
      const ops = builtinSchema(r)
      expect(ops?.schema, r.type).toBeDefined()
      expect(resolveBuiltin({ $ref: r.type })).toBe(ops?.schema)
    }
  })

  it('say what Go has before anything is said', () => {
    expect(schemaOf('apps', 'v1', 'Deployment').zero).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {},
      spec: { strategy: {}, template: { metadata: {}, spec: { containers: null } } },
      status: {},
    })
  })

  it('prune metadata and keep what is free', () => {
    const { value, dropped } = schemaOf('', 'v1', 'ConfigMap').prune({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', nonsense: 1 },
      data: { a: 'b' },
      dta: {},
    })
    expect(dropped).toEqual(['dta', 'metadata.nonsense'])
    expect(value).toMatchObject({ data: { a: 'b' } })
  })

  it('tell types', () => {
    const errors = schemaOf('apps', 'v1', 'Deployment').validate({ spec: { replicas: 'x' } })
    expect(errors.map((e) => `${e.field}: ${e.message}`)).toContain(
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    )
  })
})
