import { describe, expect, it } from 'vitest'
import { testCluster } from './testcluster.cases.ts'

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'c:1' }] } },
  },
}

describe('the API without HTTP', () => {
  it('takes the same way as HTTP: defaults, managedFields, status apart', async () => {
    const { server, call } = testCluster()
    const made = server.local.create(deployment, 'controller')
    expect(made).toMatchObject({ ok: true, value: { spec: { replicas: 1 }, metadata: { generation: 1 } } })
    const live = server.local.get('deployments.apps', 'default', 'd')!
    server.local.updateStatus(
      { ...live, spec: {}, status: { replicas: 1, observedGeneration: 1 } },
      'controller',
    )
    const { body } = await call('GET', '/apis/apps/v1/namespaces/default/deployments/d')
    expect(body).toMatchObject({ spec: { replicas: 1 }, status: { observedGeneration: 1 } })
    expect(
      body.metadata.managedFields.map((e: { manager: string; subresource?: string }) => [
        e.manager,
        e.subresource,
      ]),
    ).toEqual([
      ['controller', undefined],
      ['controller', 'status'],
    ])
  })

  it('refuses what HTTP refuses', () => {
    const { server } = testCluster()
    const made = server.local.create(
      { ...deployment, metadata: { name: 'Bad_Name', namespace: 'default' } },
      'c',
    )
    expect(made).toMatchObject({ ok: false, error: { code: 422 } })
    expect(server.local.delete('deployments.apps', 'default', 'none', 'c')).toMatchObject({
      ok: false,
      error: { code: 404 },
    })
  })

  it('tells each write in order, also those made while telling', () => {
    const { server } = testCluster()
    const seen: string[] = []
    const cm = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
    })
    server.local.watch('configmaps', (e) => {
      if (e.type === 'ADDED' && e.object.metadata.name === 'a') server.local.create(cm('b'), 'c')
    })
    const stop = server.local.watch('configmaps', (e) => seen.push(`${e.type} ${e.object.metadata.name}`))
    server.local.create(cm('a'), 'c')
    server.local.delete('configmaps', 'default', 'a', 'c')
    stop()
    server.local.delete('configmaps', 'default', 'b', 'c')
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'DELETED a'])
  })
})

describe('a watch without HTTP', () => {
  it('follows a resource that comes later, and again when it was gone', async () => {
    const { server, call } = testCluster()
    const seen: string[] = []
    server.local.watch('things.ex.io', (e) => seen.push(e.type))
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.ex.io' },
      spec: {
        group: 'ex.io',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    }
    for (let i = 0; i < 2; i++) {
      expect(server.local.create(crd, 'c').ok).toBe(true)
      server.local.create({ apiVersion: 'ex.io/v1', kind: 'Thing', metadata: { name: 'a' } }, 'c')
      await call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.ex.io')
    }
    expect(seen).toEqual(['ADDED', 'DELETED', 'ADDED', 'DELETED'])
  })
})

describe('the trace of writes', () => {
  it('names each committed write once, with who made it', async () => {
    const { commits, call } = testCluster()
    const from = commits.length
    await call('POST', '/api/v1/namespaces/default/configmaps?fieldManager=me', { metadata: { name: 'a' } })
    await call('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'b' } })
    await call('DELETE', '/api/v1/namespaces/default/configmaps/a', undefined, undefined, {
      'user-agent': 'kubectl/v1',
      'impersonate-user': 'pat',
      'impersonate-group': 'system:masters',
    })
    const got = commits.slice(from)
    expect(got.map((c) => [c.verb, c.resource, c.key, c.actor])).toEqual([
      ['create', 'configmaps', 'default/a', 'me'],
      ['delete', 'configmaps', 'default/a', 'kubectl'],
    ])
    expect(got.map((c) => c.user)).toEqual(['admin', 'pat'])
    expect(got[1]).toMatchObject({
      seq: got[0]!.seq + 1,
      old: got[0]!.next,
      next: undefined,
      uid: got[0]!.uid,
    })
  })
})
