/** Which proxy a URL is reached through, by the rules of Go's `golang.org/x/net/http/httpproxy`, as kubectl and git have them. */
import {
  holds,
  type IpAddress,
  isMapped,
  type Prefix,
  parseAddress,
  parsePrefix,
} from '../../fields/ipaddress.ts'
import type { Egress } from '../net.ts'

interface Exception {
  matches(host: string, address: IpAddress | undefined): boolean
  /** Empty: every port. */
  readonly port: string
}

const PROXY_PROTOCOLS = ['http:', 'https:']

/**
 * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in both cases of letters. The API server of the cluster that a Pod runs in is
 * direct, as loopback is. A proxy without a URL of `http` or `https` counts as absent: `problems` names its variable.
 */
export function proxiesOf(variables: Readonly<Record<string, string | undefined>>): {
  readonly proxyFor: Egress['proxyFor']
  readonly problems: readonly string[]
} {
  const textOf = (name: string): string => variables[name] || variables[name.toLowerCase()] || ''
  const problems: string[] = []
  const proxyOf = (name: string): string | undefined => {
    const value = textOf(name).trim()
    if (value === '') return undefined
    const url = proxyUrlOf(value)
    if (url === undefined) problems.push(`${name} is not a URL of http or https`)
    return url
  }
  const proxies = new Map([
    ['http:', proxyOf('HTTP_PROXY')],
    ['https:', proxyOf('HTTPS_PROXY')],
  ])
  const exceptions = exceptionsOf([textOf('NO_PROXY'), variables.KUBERNETES_SERVICE_HOST ?? ''].join(','))
  return {
    problems,
    proxyFor(text) {
      const { protocol, hostname, port } = new URL(text)
      const proxy = proxies.get(protocol)
      if (proxy === undefined) return undefined
      const host = hostname.replace(/^\[(.*)\]$/, '$1')
      const at = port || (protocol === 'https:' ? '443' : '80')
      return isDirect(host, at, exceptions) ? undefined : proxy
    },
  }
}

/** `proxy.example.com:3128` is a URL of http. */
function proxyUrlOf(value: string): string | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, href } = new URL(text)
  return PROXY_PROTOCOLS.includes(protocol) && hostname !== '' ? href : undefined
}

const LOOPBACKS = ['127.0.0.0/8', '::1/128'].map((text) => parsePrefix(text) as Prefix)

function isDirect(host: string, port: string, exceptions: readonly Exception[]): boolean {
  const address = addressOf(host)
  if (host === 'localhost' || (address && LOOPBACKS.some((p) => holds(p, address)))) return true
  return exceptions.some((e) => (e.port === '' || e.port === port) && e.matches(host, address))
}

/** An IPv4 address within IPv6 is that address. */
function addressOf(text: string): IpAddress | undefined {
  const parsed = parseAddress(text)
  if ('complaint' in parsed || parsed.zone !== '') return undefined
  const { address } = parsed
  return address.length === 16 && isMapped(address) ? address.slice(12) : address
}

const ALL: Exception = { port: '', matches: () => true }

function exceptionsOf(list: string): Exception[] {
  const found: Exception[] = []
  for (const entry of list.split(',').map((e) => e.trim().toLowerCase())) {
    if (entry === '*') return [ALL]
    const exception = entry === '' ? undefined : exceptionOf(entry)
    if (exception) found.push(exception)
  }
  return found
}

/** Undefined: an entry without a host. */
function exceptionOf(entry: string): Exception | undefined {
  if (entry.includes('/')) {
    const prefix = parsePrefix(entry)
    if (!('complaint' in prefix))
      return { port: '', matches: (_, address) => address !== undefined && holds(prefix, address) }
  }
  const { host, port } = placeOf(entry)
  if (host === '') return undefined
  const wanted = addressOf(host)
  if (wanted) return { port, matches: (_, address) => address !== undefined && isSame(wanted, address) }
  const name = asciiOf(host.startsWith('*.') ? host.slice(1) : host)
  const isBelow = name.startsWith('.')
  const suffix = isBelow ? name : `.${name}`
  return {
    port,
    matches: (text, address) =>
      address === undefined && (text.endsWith(suffix) || (!isBelow && text === name)),
  }
}

/** A host as URLs have it: other letters than those of ASCII are encoded. */
function asciiOf(host: string): string {
  const text = `http://${host.replace(/^\./, '')}`
  const isBelow = host.startsWith('.')
  return URL.canParse(text) ? `${isBelow ? '.' : ''}${new URL(text).hostname}` : host
}

function placeOf(entry: string): { readonly host: string; readonly port: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(entry)
  if (bracketed) return { host: bracketed[1]!, port: bracketed[2] ?? '' }
  const [, host, port] = /^([^:]*):([^:]*)$/.exec(entry) ?? []
  return host === undefined ? { host: entry, port: '' } : { host, port: port ?? '' }
}

const isSame = (a: IpAddress, b: IpAddress): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])
