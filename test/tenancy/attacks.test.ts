import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { startWorld } from '../../packages/simulators/src/world/startworld.ts'
import { DELAYS } from '../integration/embeddedfleet.ts'
import { quiet } from '../kube/subjects.ts'
import { runAttacks } from './runattacks.ts'
import type { TenancyServers } from './tenancystage.ts'

const tokens = new Map([
  ['admin-token', { name: 'admin', groups: ['system:masters'] }],
  ['dev-token', { name: 'dev', groups: [] }],
])

async function embedded(): Promise<TenancyServers> {
  const env = createNodeEnv(quiet)
  const serve = async (name: string, isOpen: boolean) => {
    const access = isOpen ? { anonymous: 'admin' as const } : { anonymous: 'nobody' as const, tokens }
    const api = createApiServer(env, { name, access })
    const world = startWorld(env, api.local, { name, delays: DELAYS })
    const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, api.handle)
    if (!listening.ok) throw new Error(listening.error.detail)
    const { url, close } = listening.value
    const stop = async (): Promise<void> => {
      world.stop()
      await close()
    }
    return { url, stop }
  }
  const [hub, c1] = [await serve('hub', false), await serve('c1', true)]
  const as = (token: string) => ({ url: hub.url, headers: { authorization: `Bearer ${token}` } })
  return {
    env,
    admin: as('admin-token'),
    dev: as('dev-token'),
    devName: 'dev',
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c1',
      contexts: [{ name: 'c1', context: { cluster: 'c1', user: 'c1' } }],
      clusters: [{ name: 'c1', cluster: { server: c1.url } }],
      users: [{ name: 'c1', user: {} }],
    }),
    async stop() {
      await hub.stop()
      await c1.stop()
    },
  }
}

runAttacks(embedded)
