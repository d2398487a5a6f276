/** Requests to the servers of a kubeconfig of `lockstep up`, as a client sends them that is not ours. */
import { readFileSync } from 'node:fs'
import { Agent, fetch, type RequestInit, type Response } from 'undici'
import { parse } from 'yaml'

interface UpKubeconfig {
  readonly clusters: readonly {
    readonly name: string
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string }
  }[]
  readonly users: readonly { readonly user: { readonly token: string } }[]
}

/** `kubeconfig`: path of the file. `path` begins with a slash. */
export async function kubeFetch(
  kubeconfig: string,
  server: string,
  path: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const config: UpKubeconfig = parse(readFileSync(kubeconfig, 'utf8'))
  const cluster = config.clusters.find((c) => c.name === server)?.cluster
  if (cluster === undefined) throw new Error(`${kubeconfig} has no server ${server}`)
  const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString()
  const authorization = `Bearer ${config.users[0]!.user.token}`
  return fetch(`${cluster.server}${path}`, {
    ...init,
    headers: { ...init.headers, authorization },
    dispatcher: new Agent({ connect: { ca }, keepAliveTimeout: 1 }),
  })
}
