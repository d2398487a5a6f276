/** Hub and clusters as embedded API servers behind real sockets, in real time. */
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { createLocalCertificate } from '../../packages/lockstep/src/cli/kit/localfleet/localcertificate.ts'
import { startWorld } from '../../packages/simulators/src/world/startworld.ts'
import { type AuditEntry, auditedHandler } from '../audit/auditentry.ts'
import { recordingContacts } from '../egress/contacts.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import { type FleetSubject, fleetOf } from './fleetsubject.ts'

/** Quick, but not at once: what is not waited for would show. */
export const DELAYS = { notice: [1, 10], start: [50, 150] } as const

export async function embeddedFleet(): Promise<FleetSubject> {
  const { env, contacts } = recordingContacts(loopbackEnv())
  const { ca, cert, key } = await createLocalCertificate(env)
  const audit: AuditEntry[] = []
  const serve = async (name: string) => {
    const api = createApiServer(env, { name })
    const world = startWorld(env, api.local, { name, delays: DELAYS })
    const handler = name === 'hub' ? auditedHandler(api.handle, (e) => audit.push(e)) : api.handle
    const listening = await env.net.listen({ host: '127.0.0.1', port: 0, tls: { cert, key } }, handler)
    if (!listening.ok) throw new Error(listening.error.detail)
    const { url, close } = listening.value
    const endpoint = { url, tls: { ca } }
    const client = createHttpClient(env, name, env.net.connect(endpoint, 'operator'), 'test')
    return { client, kubeconfig: kubeconfig(name, url, ca), world, endpoint, close }
  }
  const [hub, c1, c2] = [await serve('hub'), await serve('c1'), await serve('c2')]
  const stop = async (servers: readonly (typeof hub)[]): Promise<void> => {
    for (const s of servers) {
      s.world.stop()
      await s.client.close()
      await s.close()
    }
  }
  const under = ({ endpoint, ...rest }: typeof hub, stopped: readonly (typeof hub)[]): FleetSubject => ({
    ...fleetOf(env, endpoint, { hub: rest, c1, c2 }),
    stop: () => stop(stopped),
    async withOtherHub() {
      const other = await serve('other')
      return under(other, [other])
    },
  })
  return { ...under(hub, [hub, c1, c2]), audit, contacts }
}

const kubeconfig = (name: string, server: string, ca: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server, 'certificate-authority-data': btoa(ca) } }],
    users: [{ name, user: { token: 'nobody-asks' } }],
  })
