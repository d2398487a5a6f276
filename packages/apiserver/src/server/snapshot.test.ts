/** A cluster that starts with the objects of another one. */
import { describe, expect, it } from 'vitest'
import { connectInProcess } from '../../../kube/src/env/inprocess.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import type { Snapshot } from '../store/snapshot.ts'
import { createApiServer } from './apiserver.ts'
import { testCluster } from './testcluster.cases.ts'
import type { CommitRecord } from './tracewrites.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

/** A server with the objects of `from`, its commits, and time that can pass there. */
function opened(from: Snapshot) {
  const env = createSimEnv('other', 60_000)
  const commits: CommitRecord[] = []
  const server = createApiServer(env, { name: 'test', from, onCommit: (c) => commits.push(c) })
  return { env, server, commits, settle: () => env.clock.run(() => false, 0) }
}

const map = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...more },
})

describe('a server that starts from a snapshot', () => {
  it('has the objects, versions and identity of the first one, and writes nothing', async () => {
    const c = testCluster()
    await c.call('POST', MAPS, map('a'))
    const from = c.server.snapshot()
    const { server, commits, settle } = opened(from)
    await settle()
    expect(server.local.list('configmaps')).toEqual(c.server.local.list('configmaps'))
    expect(server.local.get('configmaps', 'default', 'a')).toBe(
      c.server.local.get('configmaps', 'default', 'a'),
    )
    expect(server.identity).toBe(c.server.identity)
    expect(server.snapshot()).toEqual(from)
    expect(commits).toEqual([])
  })

  it('counts its writes on, and shares none of them', async () => {
    const c = testCluster()
    await c.call('POST', MAPS, map('a'))
    const [from, last] = [c.server.snapshot(), c.commits.at(-1)!]
    const { server, commits } = opened(from)
    const made = server.local.create(map('b'), 'test')
    expect(made.ok && Number(made.value.metadata.resourceVersion)).toBe(Number(last.resourceVersion) + 1)
    expect(commits.map(({ seq, key }) => [seq, key])).toEqual([[last.seq + 1, 'default/b']])
    expect(made.ok && made.value.metadata.creationTimestamp).toBe('2026-01-01T00:01:00Z')
    expect(c.server.local.get('configmaps', 'default', 'b')).toBeUndefined()
  })

  it('expires watches from before the snapshot, as after a compaction', async () => {
    const c = testCluster()
    await c.call('POST', MAPS, map('a'))
    await c.call('POST', MAPS, map('b'))
    const { server } = opened(c.server.snapshot())
    const first = c.server.local.get('configmaps', 'default', 'a')!.metadata.resourceVersion
    const path = `${MAPS}?watch=true&resourceVersion=${first}`
    const answer = await connectInProcess(server.handle).request({ method: 'GET', path, headers: {} })
    if (!answer.ok) throw new Error(answer.error.detail)
    const line = await answer.value.lines()[Symbol.asyncIterator]().next()
    expect(JSON.parse(line.value ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410 } })
  })

  it('serves the kinds of its definitions', async () => {
    const c = testCluster()
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    await c.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.x.io' },
      spec: { group: 'x.io', scope: 'Namespaced', names, versions },
    })
    await c.call('POST', '/apis/x.io/v1/namespaces/default/widgets', { metadata: { name: 'w' } })
    const { server, settle } = opened(c.server.snapshot())
    expect(server.local.served('x.io/v1', 'Widget')).toEqual({ id: 'widgets.x.io', namespaced: true })
    server.local.delete('customresourcedefinitions.apiextensions.k8s.io', '', 'widgets.x.io', 'test')
    await settle()
    expect(server.local.served('x.io/v1', 'Widget')).toBeUndefined()
    expect(server.local.list('widgets.x.io')).toEqual([])
  })

  it('collects dependents of restored owners', async () => {
    const c = testCluster()
    await c.call('POST', MAPS, map('owner'))
    const { uid } = c.server.local.get('configmaps', 'default', 'owner')!.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
    await c.call('POST', MAPS, map('dependent', { ownerReferences }))
    const { server, settle } = opened(c.server.snapshot())
    server.local.delete('configmaps', 'default', 'owner', 'test')
    await settle()
    expect(server.local.list('configmaps', 'default')).toEqual([])
  })

  it('continues to empty a namespace that was deleted', async () => {
    const c = testCluster()
    await c.call('POST', '/api/v1/namespaces', { metadata: { name: 'q' } })
    await c.call('POST', '/api/v1/namespaces/q/configmaps', { metadata: { name: 'a' } })
    await c.call('DELETE', '/api/v1/namespaces/q')
    const { server, settle } = opened(c.server.snapshot())
    await settle()
    expect(server.local.get('namespaces', '', 'q')).toBeUndefined()
  })
})
