import { describe, expect, it } from 'vitest'
import { testCluster } from './testcluster.cases.ts'

const configMap = (name: string, data: object = { a: '1' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
const CMS = '/api/v1/namespaces/default/configmaps'

describe('the embedded API', () => {
  it('creates, reads, changes and deletes an object', async () => {
    const { call } = testCluster()
    const made = await call('POST', CMS, configMap('a'))
    expect(made.status).toBe(201)
    expect(made.body.metadata).toMatchObject({ name: 'a', namespace: 'default', uid: expect.any(String) })
    expect((await call('GET', `${CMS}/a`)).body).toEqual(made.body)
    const changed = await call('PUT', `${CMS}/a`, { ...made.body, data: { a: '2' } })
    expect(changed).toMatchObject({ status: 200, body: { data: { a: '2' } } })
    expect(changed.body.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion)
    const gone = await call('DELETE', `${CMS}/a`)
    expect(gone.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: made.body.metadata.uid },
    })
    expect(await call('GET', `${CMS}/a`)).toMatchObject({
      status: 404,
      body: { message: 'configmaps "a" not found', reason: 'NotFound' },
    })
  })

  it('patches with merge patch and JSON patch', async () => {
    const { call } = testCluster()
    await call('POST', CMS, configMap('a', { a: '1', b: '2' }))
    const merged = await call(
      'PATCH',
      `${CMS}/a`,
      { data: { a: null, c: '3' } },
      'application/merge-patch+json',
    )
    expect(merged.body.data).toEqual({ b: '2', c: '3' })
    const ops = [{ op: 'replace', path: '/data/b', value: '9' }]
    expect((await call('PATCH', `${CMS}/a`, ops, 'application/json-patch+json')).body.data).toEqual({
      b: '9',
      c: '3',
    })
  })
})

describe('lists and watches', () => {
  it('list with one version for all resources', async () => {
    const { call } = testCluster()
    await call('POST', CMS, configMap('b'))
    const second = await call('POST', CMS, configMap('a'))
    const list = await call('GET', CMS)
    expect(list.body.items.map((o: { metadata: { name: string } }) => o.metadata.name)).toEqual(['a', 'b'])
    expect(list.body.metadata.resourceVersion).toBe(second.body.metadata.resourceVersion)
    expect((await call('GET', '/api/v1/namespaces')).body.metadata.resourceVersion).toBe(
      second.body.metadata.resourceVersion,
    )
  })

  it('watch from a version on, in write order, without timers', async () => {
    const { call, watch } = testCluster()
    const made = await call('POST', CMS, configMap('a'))
    const events = watch(`${CMS}?watch=true&resourceVersion=${made.body.metadata.resourceVersion}`)
    await call('POST', CMS, configMap('b'))
    await call('PATCH', `${CMS}/b`, { data: { a: '2' } }, 'application/merge-patch+json')
    await call('DELETE', `${CMS}/b`)
    const seen = await events.take(3)
    expect(seen.map((e) => [e.type, e.object.metadata.name])).toEqual([
      ['ADDED', 'b'],
      ['MODIFIED', 'b'],
      ['DELETED', 'b'],
    ])
    const versions = seen.map((e) => Number(e.object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((a, b) => a - b))
  })
})

describe('a cluster', () => {
  it('has the namespaces of every cluster; the uid of kube-system names it', async () => {
    const { call, server } = testCluster()
    const list = await call('GET', '/api/v1/namespaces')
    expect(list.body.items.map((o: { metadata: { name: string } }) => o.metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ])
    expect(list.body.items[3].metadata.uid).toBe(server.identity)
  })

  it('refuses a stale version, an absent namespace and a second object of a name', async () => {
    const { call } = testCluster()
    const made = await call('POST', CMS, configMap('a'))
    await call('PUT', `${CMS}/a`, { ...made.body, data: { a: '2' } })
    const stale = await call('PUT', `${CMS}/a`, { ...made.body, data: { a: '3' } })
    expect(stale).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      },
    })
    expect(await call('POST', '/api/v1/namespaces/nope/configmaps', configMap('a'))).toMatchObject({
      status: 404,
      body: { message: 'namespaces "nope" not found' },
    })
    expect(await call('POST', CMS, configMap('a'))).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists' },
    })
  })
})
