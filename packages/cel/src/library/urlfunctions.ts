import { type CelValue, failure, list } from '../value/celvalue.ts'
import { mapValueOf } from '../value/mapvalue.ts'
import { quoted, utf8Bytes } from '../value/utf8text.ts'
import { dataOf, opaqueValue } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'

/** A URL in the parts in which Go's `net/url` keeps it. */
interface Url {
  readonly text: string
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string
}

/** Parses what may stand in a request: absolute, or a path from the root. A complaint is in Go's words. */
export function parseUrl(text: string): Url | { readonly complaint: string } {
  const complaint = (what: string) => ({ complaint: `parse ${quoted(text)}: ${what}` })
  if (text === '') return complaint('empty url')
  if ([...text].some((c) => c < ' ' || c === '\x7f'))
    return complaint('net/url: invalid control character in URL')
  const m = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text)!
  const [, scheme = '', authority, path = '', query = ''] = m
  if (scheme === '' && /^[^/?#]*:/.test(text))
    return complaint(
      text.startsWith(':') ? 'missing protocol scheme' : 'first path segment in URL cannot contain colon',
    )
  if (scheme === '' && !text.startsWith('/')) return complaint('invalid URI for request')
  const host = (authority ?? '').replace(/^.*@/, '')
  const wrong = wrongEscape(path) ?? wrongHost(host)
  if (wrong !== undefined) return complaint(wrong)
  return { text, scheme: scheme.toLowerCase(), host, path, query }
}

function wrongEscape(text: string): string | undefined {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)
  return bad ? `invalid URL escape ${quoted(bad[0])}` : undefined
}

function wrongHost(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host"
  const port = /^(?:\[[^\]]*\]|[^:]*)(.*)$/.exec(host)![1]!
  if (port !== '' && !/^:\d*$/.test(port)) return `invalid port ${quoted(port)} after host`
  const odd = /[\s"<>\\^`{|}]/.exec(host.replace(/%25/g, ''))
  return odd ? `invalid character ${quoted(odd[0])} in host name` : undefined
}

const convert = (text: string): CelValue => {
  const url = parseUrl(text)
  if ('complaint' in url) return failure(`URL parse error during conversion from string: ${url.complaint}`)
  return opaqueValue('url', url, (a, b) => a.text === b.text)
}

const hostname = ({ host }: Url): string => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
const port = ({ host }: Url): string => /:(\d*)$/.exec(host)?.[1] ?? ''

/** The path with what may not stand in one escaped; escapes that are there stay. */
function escapedPath({ path }: Url): string {
  return path.replace(/[^A-Za-z0-9\-._~$&+,/:;=@%!'()*[\]]/gu, (c) =>
    Array.from(utf8Bytes(c), (b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
}

/** Each parameter with its values, in order; pairs with a broken escape are left out. */
function query(url: Url): CelValue {
  const values = new Map<string, CelValue[]>()
  for (const pair of url.query.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const [name, ...rest] = pair.split('=')
    const key = unescaped(name!)
    const value = unescaped(rest.join('='))
    if (key === undefined || value === undefined) continue
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return mapValueOf([...values].map(([key, items]) => [key, list(items)]))
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const part = (id: string, method: string, of: (u: Url) => CelValue, type = 'string'): Overload =>
  overload(id, `url.${method}(): ${type}`, (u: CelValue) => of(dataOf<Url>(u)))

export const urlFunctions: readonly Overload[] = [
  overload('string_to_url', 'url(string): url', convert),
  overload('is_url_string', 'isURL(string): bool', (text: string) => !('complaint' in parseUrl(text))),
  part('url_get_scheme', 'getScheme', (u) => u.scheme),
  part('url_get_host', 'getHost', (u) => u.host),
  part('url_get_hostname', 'getHostname', hostname),
  part('url_get_port', 'getPort', port),
  part('url_get_escaped_path', 'getEscapedPath', escapedPath),
  part('url_get_query', 'getQuery', query, 'map<string, list<string>>'),
]
