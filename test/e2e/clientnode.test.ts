import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiServer, serveClusters } from '../../src/apiserver/apiserver.ts'
import type { Listening } from '../../src/env/net.ts'
import { nodeLog } from '../../src/env/node/log.ts'
import { createNodeEnv } from '../../src/env/node/node.ts'

describe('@kubernetes/client-node against the embedded API', () => {
  const env = createNodeEnv(nodeLog('silent'))
  const config = new KubeConfig()
  let listening: Listening

  beforeAll(async () => {
    const server = createApiServer(env, { name: 'c' })
    const opened = await env.net.listen(
      { host: '127.0.0.1', port: 0 },
      serveClusters(new Map([['c', server]])),
    )
    if (!opened.ok) throw new Error(opened.error.detail)
    listening = opened.value
    config.loadFromClusterAndUser(
      { name: 'c', server: `${listening.url}/clusters/c`, skipTLSVerify: true },
      { name: 'u' },
    )
  })

  afterAll(() => listening.close())

  it('creates, reads, lists, replaces and deletes', async () => {
    const api = config.makeApiClient(CoreV1Api)
    const namespace = 'default'
    const made = await api.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'a' }, data: { k: '1' } },
    })
    expect(made.metadata?.uid).toBeDefined()
    const changed = await api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...made, data: { k: '2' } },
    })
    expect(changed.data).toEqual({ k: '2' })
    expect((await api.listNamespacedConfigMap({ namespace })).items.map((i) => i.metadata?.name)).toEqual([
      'a',
    ])
    await api.deleteNamespacedConfigMap({ namespace, name: 'a' })
    await expect(api.readNamespacedConfigMap({ namespace, name: 'a' })).rejects.toMatchObject({ code: 404 })
  })

  it('watches', async () => {
    const seen: string[] = []
    let stop = () => {}
    const done = new Promise<void>((resolve) => {
      void new Watch(config)
        .watch(
          '/api/v1/namespaces/default/configmaps',
          {},
          (type: string, object: { metadata: { name: string } }) => {
            seen.push(`${type} ${object.metadata.name}`)
            if (seen.length === 2) resolve()
          },
          () => resolve(),
        )
        .then((controller) => {
          stop = () => controller.abort()
        })
    })
    const api = config.makeApiClient(CoreV1Api)
    await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'w' } } })
    await api.deleteNamespacedConfigMap({ namespace: 'default', name: 'w' })
    await done
    stop()
    expect(seen).toEqual(['ADDED w', 'DELETED w'])
  })
})
