/**
 * Where a command of git may connect. A name is resolved and checked here, and git connects to the addresses that were checked:
 * it asks no name server itself, which could give it another answer.
 */
import {
  bareHost,
  type Env,
  err,
  type HostRefusal,
  type NetFailure,
  ok,
  type Provenance,
  type Result,
  unknownHere,
} from '@lockstep/kube/env'
import type { GitUrl } from './giturl.ts'

export interface GitRoute {
  /** Arguments before the command. */
  readonly settings: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/** git is not started: the host is not for the namespace, or has no address. */
export type GitRouteFailure =
  | { readonly kind: 'HostRefused'; readonly refused: HostRefusal }
  | { readonly kind: 'Unresolved'; readonly detail: string }

/** No protocol at all. */
export const OFFLINE: GitRoute = { settings: [], variables: {} }

/** For one command that asks the server. `variables`: those of all commands. */
export async function routeTo(
  net: Env['net'],
  { url, by }: { readonly url: GitUrl; readonly by: Provenance },
  variables: Readonly<Record<string, string>>,
): Promise<Result<GitRoute, GitRouteFailure>> {
  const settings = ['-c', `protocol.${url.scheme}.allow=always`]
  const proxy = url.scheme === 'https' || url.scheme === 'http' ? net.egress.proxyFor(url.text) : undefined
  const proxies: Readonly<Record<string, string>> =
    proxy === undefined ? {} : { http_proxy: proxy, https_proxy: proxy }
  if (url.scheme === 'file' || by === 'operator') return ok({ settings, variables: proxies })
  const { host, port } = placeOf(url.text)
  const found = await net.resolve(host, port, by)
  if (!found.ok) return err(unrouted(proxy === undefined ? found.error : unknownHere(found.error)))
  // The proxy gets the name, and resolves it again.
  if (proxy !== undefined) return ok({ settings, variables: proxies })
  const addresses = found.value
  if (addresses.length === 0) return err({ kind: 'Unresolved', detail: `${host} has no address` })
  if (url.scheme === 'ssh') return ok({ settings, variables: sshTo(host, port, addresses, variables) })
  if (addresses.includes(host)) return ok({ settings, variables: {} })
  const pinned = addresses.map(bracketed).join(',')
  return ok({ settings: [...settings, '-c', `http.curloptResolve=${host}:${port}:${pinned}`], variables: {} })
}

const unrouted = ({ refused, detail }: NetFailure): GitRouteFailure =>
  refused ? { kind: 'HostRefused', refused } : { kind: 'Unresolved', detail }

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22 }
const SSH_PORT = 22

function placeOf(text: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(text)
  return { host: bareHost(hostname), port: port === '' ? PORTS[protocol]! : Number(port) }
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** The host key is looked for under the name, as where ssh resolves it. */
function sshTo(
  host: string,
  port: number,
  [address = host]: readonly string[],
  { GIT_SSH_COMMAND = 'ssh' }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const alias = port === SSH_PORT ? host : `[${host}]:${port}`
  return { GIT_SSH_COMMAND: `${GIT_SSH_COMMAND} -o HostName='${address}' -o HostKeyAlias='${alias}'` }
}
