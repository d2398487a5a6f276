/** A cluster Secret that names a host of the controller: nothing is connected to, and the Module says what to do. */
import { expect, it } from 'vitest'
import type { Net } from '../../packages/kube/src/env/net.ts'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { ClusterProxy } from '../../packages/lockstep/src/fleet/kubeconfig/clusterproxy.ts'
import { clientOf, clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

async function leadTo(story: Story, server: string): Promise<void> {
  const secret = clusterSecret('c1', { env: 'prod' })
  const kubeconfig = atob(secret.data.kubeconfig).replace('https://c1.test', server)
  const data = { kubeconfig: bytesToBase64(new TextEncoder().encode(kubeconfig)) }
  must(await story.during(story.fleet.hub.apply(secretKind, { ...secret, data }, WRITE)))
}

it.each([
  ['https://169.254.169.254', '169.254.169.254 is link-local: --allow-host'],
  ['https://meta.evil.example', 'meta.evil.example (169.254.169.254) is link-local: --allow-host'],
])('A15: a cluster at %s is refused, and connects once it leads elsewhere', async (server, message) => {
  const story = await Story.begin(`a15 ${server}`, ['c1'])
  let requests = 0
  story.fleet.env.net.name('meta.evil.example', ['169.254.169.254'])
  story.fleet.env.net.serve(server, async () => {
    requests++
    return { status: 200, headers: {}, body: '{}' }
  })
  await leadTo(story, server)
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { targets: { clusters: ['c1'] } })
  const says = (): string => story.blockers('web').join('\n')
  expect(await story.until(() => says().includes(`HostRefused: ${message}`))).toBe(true)
  await story.pass(120)
  expect([requests, says().includes(`HostRefused: ${message}`)]).toEqual([0, true])
  await leadTo(story, 'https://c1.test')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
})

it('A15: http:// in a Secret is refused, also to this machine', async () => {
  const story = await Story.begin('a15-http', ['c1'])
  await leadTo(story, 'http://127.0.0.1:7476/latest/meta-data')
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { targets: { clusters: ['c1'] } })
  const refused = `CredentialRefused: credential of cluster c1 refused: Secret ${NAMESPACE}/c1: kubeconfig: clusters[0].cluster.server: http://127.0.0.1:7476/latest/meta-data: only https is allowed`
  expect(await story.until(() => story.blockers('web').includes(refused))).toBe(true)
})

/** The controller begins again with these proxies; the returned list gets each proxy that it connects through. */
function restartWith(story: Story, clusterProxies: readonly ClusterProxy[]): string[] {
  story.manager.stop()
  const used: string[] = []
  const { env } = story.fleet
  const net: Net = {
    ...env.net,
    connect(target, by) {
      if (target.proxy !== undefined) used.push(target.proxy)
      return env.net.connect(target, by)
    },
  }
  story.manager = startManager({ ...env, net }, clientOf(env, 'hub', 'lockstep-controller'), {
    clusterProxies,
  })
  return used
}

it('a proxy in a Secret is refused until the controller is started with --allow-cluster-proxy', async () => {
  const story = await Story.begin('cluster-proxy', ['c1'])
  const proxy = 'http://me:pass@proxy.test:3128'
  await leadTo(story, `https://c1.test", "proxy-url": "${proxy}`)
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { targets: { clusters: ['c1'] } })
  const refused = `CredentialRefused: credential of cluster c1 refused: Secret ${NAMESPACE}/c1: kubeconfig: clusters[0].cluster.proxy-url: proxy.test:3128 is not an allowed proxy; an administrator allows it with --allow-cluster-proxy proxy.test:3128 of the controller`
  const others = restartWith(story, [{ host: 'other.test', port: undefined }])
  expect(await story.until(() => story.blockers('web').includes(refused))).toBe(true)
  await story.pass(60)
  expect([others, story.isReady('web')]).toEqual([[], false])
  const used = restartWith(story, [{ host: 'proxy.test', port: 3128 }])
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  expect(new Set(used)).toEqual(new Set([proxy]))
})
