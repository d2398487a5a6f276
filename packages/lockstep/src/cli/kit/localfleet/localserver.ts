/** Servers of this process for other programs of this machine: HTTPS on loopback, and a token that only who reads the kubeconfig has. */
import { ADMIN, type ApiServer, localGuard, serveClusters } from '@lockstep/apiserver/server'
import { type Endpoint, type Env, type NetFailure, ok, type Result } from '@lockstep/kube/env'
import { createLocalCertificate } from './localcertificate.ts'
import type { ServerAccess } from './localfleet.ts'

export const LOCAL_HOST = '127.0.0.1'

export interface LocalServer {
  /** `https://127.0.0.1:port`. */
  readonly url: string
  /** For kubeconfigs. */
  accessOf(name: string): ServerAccess
  /** For clients in this process. */
  endpointOf(name: string): Endpoint
  close(): Promise<void>
}

const TOKEN_BYTES = 32

/** `port`: 0 for a free one. The bearer of the token is an administrator; other requests get 401. */
export async function serveLocally(
  env: Env,
  servers: ReadonlyMap<string, ApiServer>,
  port: number,
): Promise<Result<LocalServer, NetFailure>> {
  const { ca, cert, key } = await createLocalCertificate(env)
  const token = Buffer.from(env.random.bytes(TOKEN_BYTES)).toString('base64url')
  const access = { tokens: new Map([[token, ADMIN]]), anonymous: 'refused' } as const
  const handler = localGuard(serveClusters(servers, access))
  const listening = await env.net.listen({ host: LOCAL_HOST, port, tls: { cert, key } }, handler)
  if (!listening.ok) return listening
  const { url, close } = listening.value
  const urlOf = (name: string): string => `${url}/clusters/${name}`
  return ok({
    url,
    accessOf: (name) => ({ url: urlOf(name), ca, token }),
    endpointOf: (name) => ({ url: urlOf(name), tls: { ca }, headers: { authorization: `Bearer ${token}` } }),
    close,
  })
}
