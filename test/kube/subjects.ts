/** Servers for the client's case table. */
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import type { ClientSubject } from '../../packages/kube/src/client/client.cases.ts'
import type { Log } from '../../packages/kube/src/env/env.ts'
import { connectInProcess } from '../../packages/kube/src/env/inprocess.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet }

/** The embedded API, called in this process. */
export async function inProcess(): Promise<ClientSubject> {
  const env = createNodeEnv(quiet)
  const api = createApiServer(env, { name: 'inprocess' })
  return { env, connect: () => connectInProcess(api.handle), stop: async () => {} }
}

/** The embedded API behind a socket. */
export async function overHttp(): Promise<ClientSubject> {
  const env = createNodeEnv(quiet)
  const api = createApiServer(env, { name: 'http' })
  const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, api.handle)
  if (!listening.ok) throw new Error(listening.error.detail)
  const { url, close } = listening.value
  return { env, connect: () => env.net.connect({ url }, 'operator'), stop: close }
}
