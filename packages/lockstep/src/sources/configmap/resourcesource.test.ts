import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { bytesToBase64 } from '../../../../kube/src/object/index.ts'
import { type ResourceSetSourceRef, SET_SECRET_TYPE } from '../../api/kinds/clusterresourceset/spec.ts'
import { sourceHash } from '../../decisions/resourceset/sourcehash.ts'
import type { HubReader } from '../intake/resolvedsource.ts'
import { fault } from '../intake/sourcefailure.ts'
import { parsedResource, resolveResourceSource, resourceHash } from './resourcesource.ts'

const a: ResourceSetSourceRef = { kind: 'ConfigMap', name: 'a' }
const b: ResourceSetSourceRef = { kind: 'Secret', name: 'b' }
const yaml = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n`
const metadata = { name: 'a', namespace: 'platform', uid: '1', resourceVersion: '1' }
const configMap = { metadata, data: { 'a.yaml': yaml('x') } } as never
const secret = {
  metadata: { ...metadata, name: 'b' },
  type: SET_SECRET_TYPE,
  data: { 'b.yaml': bytesToBase64(new TextEncoder().encode(yaml('z'))) },
} as never

const reading = (there: Readonly<Record<string, never>>): HubReader => ({
  namespace: 'platform',
  name: 'm',
  find: ({ kind, name }) => ok(there[`${kind}/${name}`]),
  keyed: () => err(fault('HubUnreachable', { because: 'Error', error: 'nobody asks for it' })),
})
const BOTH = reading({ 'ConfigMap/a': configMap, 'Secret/b': secret })

const resolved = (from: HubReader, ordering?: 'Listed') => {
  const found = resolveResourceSource({ resources: [a, b], ordering } as never, from)
  if (!found.ok) throw new Error(found.error.message)
  return found.value
}

describe('resources', () => {
  it('are told apart by the hashes of Cluster API, one an input', () => {
    const { inputs, sensitive, lacking } = resolved(BOTH)
    expect(lacking).toBeUndefined()
    expect(resourceHash(inputs, a)).toBe(sourceHash({ kind: 'ConfigMap', data: { 'a.yaml': yaml('x') } }))
    expect(resourceHash(inputs, b)).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(resourceHash(inputs, { kind: 'Secret', name: 'a' })).toBeUndefined()
    expect(sensitive).toBe(true)
  })

  it('are of one revision where the hashes are the same, whatever their versions', () => {
    const later = { ...(configMap as object), metadata: { ...metadata, resourceVersion: '9' } } as never
    const other = resolved(reading({ 'ConfigMap/a': later, 'Secret/b': secret }))
    expect(other.sourceRevision).toBe(resolved(BOTH).sourceRevision)
  })

  it('give their objects in the order of the list; in steps where that is asked for', () => {
    const texts = (ordering?: 'Listed') => {
      const found = resolved(BOTH, ordering).manifests()
      return found.ok
        ? found.value.map((m) => [
            m.object.metadata.name,
            m.object.metadata.annotations?.['lockstep.dev/step'],
          ])
        : []
    }
    expect(texts()).toEqual([
      ['x', undefined],
      ['z', undefined],
    ])
    expect(texts('Listed')).toEqual([
      ['x', '0'],
      ['z', '1'],
    ])
  })

  it('that are not there are said, and the others are as they are', () => {
    const { inputs, lacking } = resolved(reading({ 'ConfigMap/a': configMap }))
    expect(inputs).toHaveLength(1)
    expect(lacking).toMatchObject([
      {
        path: 'source.resources[Secret/b]',
        failure: {
          reason: 'ResourceNotFound',
          message: 'spec.source.resources[1]: Secret platform/b does not exist',
        },
      },
    ])
  })

  it('of another type, or that hold what is no manifest, are refused by themselves', () => {
    const opaque = { ...(secret as object), type: 'Opaque' } as never
    const broken = { metadata, data: { 'a.yaml': '[{"kind":' } } as never
    const { lacking, inputs } = resolved(reading({ 'ConfigMap/a': broken, 'Secret/b': opaque }))
    expect(inputs).toEqual([])
    expect(lacking?.map((l) => l.failure.reason)).toEqual(['InvalidResource', 'WrongSecretType'])
  })

  it('without any object are an accident, until it is said that they are meant so', () => {
    const empty = { metadata, data: { 'a.yaml': '# nothing yet' } } as never
    const from = reading({ 'ConfigMap/a': empty, 'Secret/b': secret })
    expect(resolved(from).inputs.map((i) => i.path)).toEqual(['source.resources[Secret/b]'])
    expect(resolved(from).lacking?.map((l) => l.failure)).toMatchObject([
      {
        reason: 'EmptyRender',
        message:
          'spec.source.resources[0]: ConfigMap platform/a has no objects and apply.allowEmpty is false; the deployed objects stay',
      },
    ])
    const meant = resolveResourceSource({ resources: [a, b] } as never, from, true)
    expect(meant.ok && [meant.value.inputs.length, meant.value.lacking]).toEqual([2, undefined])
  })

  it('are parsed once, as long as they are the same', () => {
    expect(parsedResource('ConfigMap', configMap)).toBe(parsedResource('ConfigMap', configMap))
  })
})
