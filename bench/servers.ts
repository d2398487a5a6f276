/** A hub and clusters behind real sockets, in a process of their own: it tells when both ends of a measurement were seen. */
import type { AccessOptions } from '../packages/apiserver/src/server/index.ts'
import type { CommitRecord } from '../packages/apiserver/src/server/tracewrites.ts'
import type { Endpoint, Handler } from '../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../packages/kube/src/env/node/nodeenv.ts'
import { at, type KubeObject } from '../packages/kube/src/object/index.ts'
import { furnish, HUB, startLocalFleet } from '../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { serveLocally } from '../packages/lockstep/src/cli/kit/localfleet/localserver.ts'
import { quiet } from '../test/kube/subjects.ts'

export type ToServers = { type: 'measure'; what: 'edge' | 'raw'; release: string } | { type: 'stop' }
export type FromServers =
  | { type: 'ready'; hub: Endpoint; c0: Endpoint }
  | { type: 'armed' }
  | { type: 'measured'; ms: number }

const env = createNodeEnv(quiet)
const say = (m: FromServers): boolean => process.send!(m)
let measuring: 'edge' | 'raw' | undefined
let release = ''
let from: number | undefined

/** The first end: what others wait for is written. */
function committed(c: CommitRecord): void {
  if (c.cluster !== HUB || !c.next) return
  const isHealthy =
    c.resource === 'inventories.lockstep.dev' && c.key.endsWith('m.a.c0') && isVerified(c.next)
  const isBegin = measuring === 'edge' ? isHealthy : measuring === 'raw' && c.key.endsWith('/raw-trigger')
  if (isBegin) from ??= performance.now()
}

const isVerified = (o: KubeObject): boolean =>
  at(o, 'spec', 'admitted', 'release') === release &&
  at(o, 'status', 'health') === 'Healthy' &&
  at(o, 'status', 'admittedSerial') === at(o, 'spec', 'admitted', 'serial') &&
  at(o, 'status', 'verifiedGateDigest') === at(o, 'spec', 'admitted', 'gateDigest')

/** The second end: a request for the dependent arrives. */
function arrived(method: string, path: string): void {
  if (from === undefined || !['PATCH', 'POST', 'PUT'].includes(method)) return
  const [name] = path.split('?')
  const isEnd =
    measuring === 'edge'
      ? name === '/api/v1/namespaces/default/configmaps/b' ||
        (method === 'POST' && name === '/api/v1/namespaces/default/configmaps')
      : name === '/api/v1/namespaces/default/configmaps/raw-patched'
  if (!isEnd) return
  say({ type: 'measured', ms: performance.now() - from })
  measuring = undefined
  from = undefined
}

const fleet = startLocalFleet(env, {
  clusters: Array.from({ length: Number(process.argv[2]) }, (_, i) => `c${i}`),
  delays: { notice: [1, 1], start: [1, 1] },
  onCommit: committed,
})
const watched =
  (handle: Handler): Handler =>
  (request) => {
    arrived(request.method, request.url)
    return handle(request)
  }
const c0 = fleet.clusters.get('c0')!
const handlers = new Map([
  [HUB, fleet.hub],
  ...fleet.clusters,
  ['c0', { ...c0, handleFor: (access: AccessOptions) => watched(c0.handleFor(access)) }],
])
const served = await serveLocally(env, handlers, 0)
if (!served.ok) throw new Error(served.error.detail)
const { accessOf, endpointOf, close } = served.value
furnish(fleet, accessOf)

process.on('message', (m: ToServers) => {
  if (m.type === 'measure') {
    measuring = m.what
    release = m.release
    from = undefined
    say({ type: 'armed' })
    return
  }
  fleet.stop()
  void close().then(() => process.exit(0))
})
say({ type: 'ready', hub: endpointOf(HUB), c0: endpointOf('c0') })
