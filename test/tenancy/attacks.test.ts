import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { createLocalCertificate } from '../../packages/lockstep/src/cli/kit/localfleet/localcertificate.ts'
import { startWorld } from '../../packages/simulators/src/world/startworld.ts'
import { type AuditEntry, auditedHandler } from '../audit/auditentry.ts'
import { OpenWatches } from '../audit/openwatches.ts'
import { DELAYS } from '../integration/embeddedfleet.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import { runAttacks } from './runattacks.ts'
import type { TenancyServers } from './tenancystage.ts'

const tokens = new Map([
  ['admin-token', { name: 'admin', groups: ['system:masters'] }],
  ['dev-token', { name: 'dev', groups: [] }],
])

async function embedded(): Promise<TenancyServers> {
  const env = loopbackEnv()
  const audit: AuditEntry[] = []
  const watches = new OpenWatches()
  const { ca, cert, key } = await createLocalCertificate(env)
  const serve = async (name: string, isOpen: boolean) => {
    const access = isOpen ? { anonymous: 'admin' as const } : { anonymous: 'nobody' as const, tokens }
    const api = createApiServer(env, { name, access })
    const world = startWorld(env, api.local, { name, delays: DELAYS })
    const handler = isOpen ? api.handle : auditedHandler(watches.around(api.handle), (e) => audit.push(e))
    const listening = await env.net.listen({ host: '127.0.0.1', port: 0, tls: { cert, key } }, handler)
    if (!listening.ok) throw new Error(listening.error.detail)
    const { url, close } = listening.value
    const stop = async (): Promise<void> => {
      world.stop()
      await close()
    }
    return { url, stop }
  }
  const [hub, c1] = [await serve('hub', false), await serve('c1', true)]
  const as = (token: string) => ({ url: hub.url, tls: { ca }, headers: { authorization: `Bearer ${token}` } })
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
      clusters: [{ name: 'c1', cluster: { server: c1.url, 'certificate-authority-data': btoa(ca) } }],
      users: [{ name: 'c1', user: { token: 'nobody-asks' } }],
    }),
    audit: async () => audit,
    openWatches: async (user) => watches.of(user),
    async stop() {
      await hub.stop()
      await c1.stop()
    },
  }
}

runAttacks(embedded)
