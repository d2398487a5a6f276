/** Servers of this process for other programs of this machine: HTTPS on loopback, and a token that only who reads the kubeconfig has. */
import { ADMIN, type ApiServer, localGuard, serveClusters, type User } from '@lockstep/apiserver/server'
import { type Endpoint, type Env, type NetFailure, ok, type Result } from '@lockstep/kube/env'
import { createLocalCertificate } from './localcertificate.ts'
import type { ServerAccess } from './localfleet.ts'

export const LOCAL_HOST = '127.0.0.1'

export interface LocalServer {
  /** `https://127.0.0.1:port`. */
  readonly url: string
  /** For kubeconfigs; `user` absent: of the administrator. */
  accessOf(name: string, user?: User): ServerAccess
  /** For clients in this process; `user` absent: of the administrator. */
  endpointOf(name: string, user?: User): Endpoint
  close(): Promise<void>
}

const TOKEN_BYTES = 32

/** `port`: 0 for a free one. Each user has a token, the administrator too; other requests get 401. */
export async function serveLocally(
  env: Env,
  servers: ReadonlyMap<string, ApiServer>,
  port: number,
): Promise<Result<LocalServer, NetFailure>> {
  const { ca, cert, key } = await createLocalCertificate(env)
  const users = new Map<string, User>()
  const access = { tokens: users, anonymous: 'refused' } as const
  const tokenOf = (user: User): string => {
    for (const [token, known] of users) if (known.name === user.name) return token
    const token = Buffer.from(env.random.bytes(TOKEN_BYTES)).toString('base64url')
    users.set(token, user)
    return token
  }
  const handler = localGuard(serveClusters(servers, access))
  const listening = await env.net.listen({ host: LOCAL_HOST, port, tls: { cert, key } }, handler)
  if (!listening.ok) return listening
  const { url, close } = listening.value
  const urlOf = (name: string): string => `${url}/clusters/${name}`
  return ok({
    url,
    accessOf: (name, user = ADMIN) => ({ url: urlOf(name), ca, token: tokenOf(user) }),
    endpointOf: (name, user = ADMIN) => ({
      url: urlOf(name),
      tls: { ca },
      headers: { authorization: `Bearer ${tokenOf(user)}` },
    }),
    close,
  })
}
