import { describe, expect, it } from 'vitest'
import type { Module } from '../../api/kinds/index.ts'
import { combined, fault, inField } from '../../sources/intake/sourcefailure.ts'
import { failureBlockers } from './failureblockers.ts'

const moduleOf = (source: object): Module =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: 'web', namespace: 'platform' },
    spec: { source },
  }) as unknown as Module

const SELF = { kind: 'Module', name: 'web', namespace: 'platform' }
const configMap = (name: string) => ({
  kind: 'Object',
  name,
  namespace: 'platform',
  object: { apiVersion: 'v1', kind: 'ConfigMap' },
})

describe('blockers of a failure to publish', () => {
  it.each<[string, object, unknown[]]>([
    ['a Git URL', { git: { url: 'https://g/a.git' } }, [SELF, { kind: 'Source', name: 'https://g/a.git' }]],
    [
      'objects of the hub',
      { configMaps: [{ name: 'a' }, { name: 'b' }] },
      [SELF, configMap('a'), configMap('b')],
    ],
    ['the spec alone', { inline: { objects: [] } }, [SELF]],
  ])('refer to %s', (_, source, on) => {
    const [blocker] = failureBlockers(fault('EmptyRender', {}), moduleOf(source))
    expect(blocker).toMatchObject({ reason: 'EmptyRender', on, facts: {} })
  })

  it('have at most 8 references', () => {
    const configMaps = Array.from({ length: 20 }, (_, i) => ({ name: `m${i}` }))
    expect(failureBlockers(fault('EmptyRender', {}), moduleOf({ configMaps }))[0]!.on).toHaveLength(8)
  })

  it('keep the references of the failure', () => {
    const missing = fault(
      'ResourceNotFound',
      { field: 'spec.source.configMaps[0]', object: 'ConfigMap platform/a' },
      true,
      [configMap('a') as never],
    )
    const [blocker] = failureBlockers(missing, moduleOf({ configMaps: [{ name: 'a' }, { name: 'b' }] }))
    expect(blocker).toMatchObject({
      on: [configMap('a')],
      message: 'spec.source.configMaps[0]: ConfigMap platform/a does not exist',
    })
  })

  it('are one for each object, 20 at most', () => {
    const all = Array.from({ length: 30 }, (_, i) =>
      fault('InvalidObject', { place: `doc ${i}`, problem: 'kind is missing' }),
    )
    const blockers = failureBlockers(combined(all), moduleOf({ inline: { objects: [] } }))
    expect(blockers).toHaveLength(20)
    expect(blockers.slice(0, 2).map((b) => b.message)).toEqual([
      'doc 0: kind is missing',
      'doc 1: kind is missing',
    ])
  })

  it('have the field that names a shared source', () => {
    const failure = inField(
      fault('SourceTooLarge', { place: 'git https://g/a.git', limit: '64 MiB' }),
      'spec.x',
    )
    expect(failure).toMatchObject({
      facts: { field: 'spec.x', limit: '64 MiB' },
      message: 'spec.x: git https://g/a.git: more than 64 MiB',
    })
  })
})
