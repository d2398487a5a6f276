import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const THINGS = '/apis/ex.io/v1/namespaces/default/things'
const MERGE = 'application/merge-patch+json'
const crd = (more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.ex.io' },
  spec: {
    group: 'ex.io',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } }, ...more },
            },
          },
        },
      },
    ],
  },
})
const thing = (name: string, finalizers?: string[]) => ({
  apiVersion: 'ex.io/v1',
  kind: 'Thing',
  metadata: { name, finalizers },
  spec: {},
})

describe('a CustomResourceDefinition', () => {
  it('is established, served and discovered in the tick in which it is created', async () => {
    const { call } = testCluster()
    expect((await call('GET', '/apis/ex.io/v1')).status).toBe(404)
    await call('POST', CRDS, crd())
    const { conditions } = (await call('GET', `${CRDS}/things.ex.io`)).body.status
    expect(conditions.map((c: { type: string; status: string }) => `${c.type}=${c.status}`)).toEqual([
      'NamesAccepted=True',
      'Established=True',
    ])
    expect((await call('GET', '/apis/ex.io/v1')).body.resources[0].name).toBe('things')
    expect((await call('POST', THINGS, thing('a'))).body.spec).toEqual({ size: 3 })
  })

  it('does not get names that another one has', async () => {
    const { call } = testCluster()
    await call('POST', CRDS, crd())
    const other = crd()
    other.metadata.name = 'others.ex.io'
    other.spec.names = { plural: 'others', kind: 'Thing', shortNames: ['ot'] }
    await call('POST', CRDS, other)
    const { conditions } = (await call('GET', `${CRDS}/others.ex.io`)).body.status
    expect(conditions[0]).toMatchObject({
      type: 'NamesAccepted',
      status: 'False',
      reason: 'ListKindConflict',
    })
    expect(conditions[1]).toMatchObject({ type: 'Established', status: 'False', reason: 'NotAccepted' })
  })
})

describe('a deleted CustomResourceDefinition', () => {
  it('waits for the finalizers of its objects, takes no new ones, and goes with the last', async () => {
    const { call, settle, watch } = testCluster()
    await call('POST', CRDS, crd())
    await call('POST', THINGS, thing('held', ['x.io/f']))
    await call('POST', THINGS, thing('free'))
    const events = watch(`${THINGS}?watch=true`)
    await events.take(2)
    await call('DELETE', `${CRDS}/things.ex.io`)
    expect((await call('GET', `${THINGS}/free`)).status).toBe(404)
    expect(await call('POST', THINGS, thing('new'))).toMatchObject({
      status: 403,
      body: {
        message: expect.stringContaining(
          'create not allowed while custom resource definition is terminating',
        ),
      },
    })
    const verbs = (await call('GET', '/apis/ex.io/v1')).body.resources[0].verbs
    expect(verbs).not.toContain('create')
    const { conditions } = (await call('GET', `${CRDS}/things.ex.io`)).body.status
    expect(conditions[2]).toMatchObject({
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
    })
    await call('PATCH', `${THINGS}/held`, { metadata: { finalizers: null } }, MERGE)
    await settle()
    expect((await call('GET', `${CRDS}/things.ex.io`)).status).toBe(404)
    expect((await call('GET', '/apis/ex.io/v1')).status).toBe(404)
    await events.done
    expect(events.got.at(-1)).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'held' } } })
  })

  it('leaves nothing to a new one of its name', async () => {
    const { call } = testCluster()
    await call('POST', CRDS, crd())
    await call('POST', THINGS, thing('a'))
    await call('DELETE', `${CRDS}/things.ex.io`)
    expect((await call('POST', CRDS, crd())).status).toBe(201)
    expect((await call('GET', THINGS)).body.items).toEqual([])
    expect((await call('POST', THINGS, thing('a'))).status).toBe(201)
  })
})
