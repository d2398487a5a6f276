/**
 * Addresses that a namespace may name. A tenant writes URLs into objects, and the controller connects: to what only it reaches,
 * such as its own machine and the metadata service of a cloud, it does so for operators alone. Private networks are allowed.
 */
import {
  holds,
  type IpAddress,
  isMapped,
  type Prefix,
  parseAddress,
  parsePrefix,
} from '../fields/ipaddress.ts'
import type { Endpoint, Net, NetFailure } from './net.ts'
import type { AddressClass, AllowedHost, HostRefusal, Provenance, Tenant } from './provenance.ts'
import { err, ok, type Result } from './result.ts'

const CLASSES: readonly (readonly [AddressClass, readonly string[]])[] = [
  ['Loopback', ['127.0.0.0/8', '::1/128']],
  ['LinkLocal', ['169.254.0.0/16', 'fe80::/10']],
  ['Unspecified', ['0.0.0.0/8', '::/128']],
  ['Multicast', ['224.0.0.0/4', 'ff00::/8', '255.255.255.255/32']],
]

/** Prefixes of 96 bits, before an IPv4 address: compatible, translated (NAT64, RFC 6052, RFC 8215). */
const CARRIERS = ['::/96', '64:ff9b::/96', '64:ff9b:1::/96'].map(prefixOf)

const RANGES = CLASSES.flatMap(([because, texts]) =>
  texts.map((text) => ({ because, prefix: prefixOf(text) })),
)

function prefixOf(text: string): Prefix {
  const parsed = parsePrefix(text)
  if ('complaint' in parsed) throw new Error(parsed.complaint)
  return parsed
}

/** Undefined: every namespace may connect there. */
function classOf(address: IpAddress): AddressClass | undefined {
  return RANGES.find(({ prefix }) => holds(prefix, address))?.because
}

/** The address and, where it carries an IPv4 address, that one too. */
function meanings(text: string): readonly IpAddress[] {
  const parsed = parseAddress(text)
  if ('complaint' in parsed) return []
  const { address } = parsed
  const isCarrier = isMapped(address) || CARRIERS.some((c) => holds(c, address))
  return isCarrier ? [address, address.slice(12)] : [address]
}

/** A host name of a URL without the brackets of an IPv6 address. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * The first of the resolved addresses that is refused. `host` and `port` are those of the URL: of a host that is an address, the
 * only resolved one is itself.
 */
export function hostRefusal(
  by: Provenance,
  host: string,
  port: number,
  addresses: readonly string[],
): HostRefusal | undefined {
  if (by === 'operator') return undefined
  const allowed = allowedOf(by)
  for (const address of addresses) {
    const all = meanings(address)
    const because = all.map(classOf).find((c) => c !== undefined)
    if (because === undefined || allowed.some((a) => allows(a, host, port, address, all))) continue
    return { host, port, address, because }
  }
  return undefined
}

const allowedOf = ({ namespace, allowed = [] }: Tenant): readonly AllowedHost[] =>
  allowed.filter((a) => a.namespace === undefined || a.namespace === namespace)

/** Whether `--allow-host` names this host for a tenant. */
export const isNamedHost = (by: Tenant, host: string, port: number): boolean =>
  allowedOf(by).some(({ to }) => !('bits' in to) && to.host === host.toLowerCase() && to.port === port)

/** A name of a tenant that may be one that only a proxy knows. */
export const unknownHere = (failure: NetFailure): NetFailure =>
  failure.refused
    ? failure
    : { ...failure, detail: `${failure.detail}; a name that only the proxy knows needs --allow-host` }

function allows(
  { to }: AllowedHost,
  host: string,
  port: number,
  address: string,
  all: readonly IpAddress[],
): boolean {
  if ('bits' in to) return all.some((a) => holds(to, a))
  return to.port === port && [host.toLowerCase(), address].includes(to.host)
}

/** `--allow-host` of everything on this machine. */
export const LOOPBACK: readonly AllowedHost[] = RANGES.filter((r) => r.because === 'Loopback').map(
  ({ prefix }) => ({ namespace: undefined, to: prefix }),
)

/** Whether a host of a URL is this machine, by its text: no name is resolved. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || meanings(host).some((a) => classOf(a) === 'Loopback')

/** A value of `--allow-host`: `[NAMESPACE=]HOST:PORT`, or a CIDR in place of HOST:PORT. Fails with the problem as text. */
export function parseAllowedHost(text: string): Result<AllowedHost, string> {
  const mark = text.indexOf('=')
  const namespace = mark < 0 ? undefined : text.slice(0, mark)
  const place = text.slice(mark + 1)
  if (namespace === '') return err('the namespace before = is missing')
  if (place.includes('/')) {
    const prefix = parsePrefix(place)
    return 'complaint' in prefix ? err(`"${place}" is not a CIDR`) : ok({ namespace, to: prefix })
  }
  const m = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(place)
  const port = Number(m?.[2])
  if (!m || port < 1 || port > 65_535) return err(`"${place}" is not HOST:PORT or a CIDR`)
  return ok({ namespace, to: { host: bareHost(m[1]!).toLowerCase(), port } })
}

/** The same network, where tenants may also connect to these hosts. */
export const allowingHosts = (net: Net, allowed: readonly AllowedHost[]): Net => {
  const having = (by: Provenance): Provenance =>
    by === 'operator' ? by : { ...by, allowed: [...(by.allowed ?? []), ...allowed] }
  return {
    connect: (target, by) => net.connect(target, having(by)),
    resolve: (host, port, by) => net.resolve(host, port, having(by)),
    listen: (options, handler) => net.listen(options, handler),
    egress: net.egress,
  }
}

/** Host and port of a URL of `https` or `http`. */
export function hostOf({ url }: Pick<Endpoint, 'url'>): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(url)
  return { host: bareHost(hostname), port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}

/** The failure of a connection that was not opened. */
export function refusedHost(refused: HostRefusal): NetFailure {
  return { phase: 'connect', detail: refusalText(refused), refused }
}

const TEXTS: Readonly<Record<AddressClass, string>> = {
  Loopback: 'loopback',
  LinkLocal: 'link-local',
  Unspecified: 'unspecified',
  Multicast: 'multicast',
}

/** `169.254.169.254 is link-local: --allow-host`. */
export function refusalText({ host, address, because }: Omit<HostRefusal, 'port'>): string {
  return `${host}${address === host ? '' : ` (${address})`} is ${TEXTS[because]}: --allow-host`
}
