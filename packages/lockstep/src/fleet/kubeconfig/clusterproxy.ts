/**
 * Proxies that kubeconfigs on the hub may name. An editor of a namespace writes such a kubeconfig, and a proxy is a host
 * that the controller connects to: an administrator names it first.
 */
import { bareHost, err, ok, type Result } from '@lockstep/kube/env'

/** A value of `--allow-cluster-proxy`. */
export interface ClusterProxy {
  /** As in a parsed URL: in lower case, without brackets. */
  readonly host: string
  /** Undefined: every port. */
  readonly port: number | undefined
}

/** `Any`: for readers that connect to no proxy themselves. */
export type AllowedProxies = readonly ClusterProxy[] | 'Any'

const VALUE = /^(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\]+)(?::(\d{1,5}))?$/i
const HOST = /^[a-z0-9._-]+$|^\[/

/** Reads `HOST` or `HOST:PORT`; an IPv6 address is in brackets. Fails with the problem as text. */
export function parseClusterProxy(text: string): Result<ClusterProxy, string> {
  const [, given, digits] = VALUE.exec(text) ?? []
  const url = `http://${given}`
  const host = given !== undefined && URL.canParse(url) ? new URL(url).hostname : ''
  const port = digits === undefined ? undefined : Number(digits)
  if (!HOST.test(host) || (port !== undefined && (port < 1 || port > 65_535)))
    return err('must be HOST or HOST:PORT')
  return ok({ host: bareHost(host), port })
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * The URL of an HTTP proxy. `allowed` undefined: its owner chooses it. A failure has the host and no more of the URL: there
 * may be a password in it.
 */
export function proxyUrl(text: unknown, allowed: AllowedProxies | undefined): Result<string, string> {
  if (typeof text !== 'string' || !URL.canParse(text)) return err('is not a URL')
  const { protocol, hostname, port } = new URL(text)
  const standard = DEFAULT_PORTS[protocol]
  if (standard === undefined) return err(`${protocol.replace(':', '')} is not supported; use http or https`)
  if (allowed === undefined || allowed === 'Any') return ok(text)
  const at = port === '' ? standard : Number(port)
  const host = bareHost(hostname)
  if (allowed.some((a) => a.host === host && (a.port === undefined || a.port === at))) return ok(text)
  return err(
    `${hostname}:${at} is not an allowed proxy; an administrator allows it with --allow-cluster-proxy ${hostname}:${at} of the controller`,
  )
}
