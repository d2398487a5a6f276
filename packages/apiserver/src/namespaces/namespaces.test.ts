import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const NS = '/api/v1/namespaces'
const MERGE = 'application/merge-patch+json'

async function withNamespace() {
  const c = testCluster()
  await c.call('POST', NS, { metadata: { name: 'q' } })
  return c
}

describe('a namespace', () => {
  it('is made Active, with its name as a label', async () => {
    const c = testCluster()
    expect((await c.call('POST', NS, { metadata: { name: 'q' } })).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'q' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
  })

  it('whose labels ask for Pod Security is told once that nobody enforces it', async () => {
    const c = testCluster()
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    const made = await c.call('POST', NS, { metadata: { name: 'q', labels } })
    expect(made.headers.warning).toMatch(/Pod Security are stored but not enforced/)
    const changed = await c.call('PUT', `${NS}/q`, { metadata: { name: 'q', labels: { ...labels, a: 'b' } } })
    expect([changed.status, changed.headers.warning]).toEqual([200, undefined])
  })

  it('takes its content with it', async () => {
    const c = await withNamespace()
    await c.call('POST', `${NS}/q/configmaps`, { metadata: { name: 'a' } })
    expect((await c.call('DELETE', `${NS}/q`)).body.status.phase).toBe('Terminating')
    await c.settle()
    expect((await c.call('GET', `${NS}/q`)).status).toBe(404)
    expect((await c.call('GET', '/api/v1/configmaps')).body.items).toEqual([])
  })

  it('that is terminating takes nothing new, lets changes pass, and says what holds it', async () => {
    const c = await withNamespace()
    await c.call('POST', `${NS}/q/configmaps`, { metadata: { name: 'a', finalizers: ['x.io/f'] } })
    await c.call('DELETE', `${NS}/q`)
    await c.settle()
    expect(await c.call('POST', `${NS}/q/configmaps`, { metadata: { name: 'b' } })).toMatchObject({
      status: 403,
      body: {
        message:
          'configmaps "b" is forbidden: unable to create new content in namespace q because it is being terminated',
        details: { causes: [{ reason: 'NamespaceTerminating' }] },
      },
    })
    const { conditions } = (await c.call('GET', `${NS}/q`)).body.status
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        reason: 'SomeFinalizerRemain',
      }),
    )
    await c.call('PATCH', `${NS}/q/configmaps/a`, { metadata: { finalizers: null } }, MERGE)
    await c.settle()
    expect((await c.call('GET', `${NS}/q`)).status).toBe(404)
  })

  it('that every cluster needs is not deleted', async () => {
    const c = testCluster()
    expect(await c.call('DELETE', `${NS}/kube-system`)).toMatchObject({
      status: 403,
      body: { message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted' },
    })
  })
})
