import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const get = (c: ReturnType<typeof testCluster>, path: string, headers: Record<string, string> = {}) =>
  c.call('GET', path, undefined, undefined, headers)

const CRD = {
  metadata: { name: 'things.ex.io' },
  spec: {
    group: 'ex.io',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

describe('discovery', () => {
  it.each([
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
    'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
    'application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList;profile=nopeer',
  ])('is one document for %s, and 304 for its own tag', async (accept) => {
    const c = testCluster()
    const first = await get(c, '/apis', { accept })
    expect(first).toMatchObject({ status: 200, body: { kind: 'APIGroupDiscoveryList' } })
    const etag = first.headers.etag!
    expect((await get(c, '/apis', { accept, 'if-none-match': etag })).status).toBe(304)
    await c.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', CRD)
    const after = await get(c, '/apis', { accept, 'if-none-match': etag })
    expect(after.status).toBe(200)
    expect(after.headers.etag).not.toBe(etag)
  })

  it('names what is served, and nothing else', async () => {
    const c = testCluster()
    const core = (await get(c, '/api/v1')).body.resources.map((r: { name: string }) => r.name)
    expect(core).toEqual(expect.arrayContaining(['pods', 'pods/status', 'configmaps', 'namespaces/finalize']))
    expect(await get(c, '/apis/nope.io/v1')).toMatchObject({ status: 404, body: '404 page not found\n' })
    const groups = (await get(c, '/apis')).body.groups.map((g: { name: string }) => g.name)
    expect(groups).toContain('apps')
    expect((await get(c, '/version')).body).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: 'v1.36.4+lockstep',
    })
    expect((await get(c, '/readyz?verbose')).body).toContain('[+]ping ok\n')
  })

  it('refuses by name what this version does not serve', async () => {
    const c = testCluster()
    await c.call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'c' }] },
    })
    expect(await get(c, '/api/v1/namespaces/default/pods/p/exec')).toMatchObject({
      status: 501,
      body: { message: 'pods/exec is not served by the embedded API' },
    })
    const cbor = await c.call('POST', '/api/v1/namespaces/default/configmaps', 'x', 'application/cbor')
    expect(cbor.status).toBe(415)
  })
})

describe('OpenAPI v3', () => {
  it('has a document a group version, found by its hash', async () => {
    const c = testCluster()
    const url = (await get(c, '/openapi/v3')).body.paths['apis/apps/v1'].serverRelativeURL
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/)
    const document = await get(c, url)
    expect(document.headers['cache-control']).toContain('immutable')
    const patch = document.body.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'].patch
    expect(patch['x-kubernetes-group-version-kind']).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    })
    expect(patch.parameters.map((p: { name: string }) => p.name)).toEqual(
      expect.arrayContaining(['fieldValidation', 'dryRun']),
    )
    expect((await get(c, '/openapi/v3/apis/apps/v1?hash=0')).status).toBe(301)
  })
})
