/** URLs of chart repositories: what is taken, and why the rest is not. */
import { bareHost, err, isLoopback, ok, type Result } from '@lockstep/kube/env'

export interface ChartRepository {
  readonly text: string
  /** `index`: index.yaml and archives over HTTP. `oci`: a registry. */
  readonly kind: 'index' | 'oci'
  /** `https://host:port`: where requests go, and what credentials are bound to. */
  readonly origin: string
  /** `registry.example.com:5000`, as people write it. */
  readonly host: string
  /** Without a slash at either end; may be empty. */
  readonly path: string
}

/** A component of a repository's name (distribution-spec). */
const NAME = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/

/** What a name is served as, where that is not its own host: as docker and helm have it. */
const SERVED_BY: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' }

/**
 * The problem is for people: it says what to write instead. `local`: `http://` to this machine is taken, and `oci://` to it is
 * spoken without TLS; with `tls`, where the registry's certificate is asked for, it is not.
 */
export function parseChartRepository(
  text: string,
  o: { readonly local: boolean; readonly tls: boolean },
): Result<ChartRepository, string> {
  if (!URL.canParse(text)) return err(`"${text}" is not a URL; write https://host/path or oci://host/path`)
  const url = new URL(text)
  const scheme = url.protocol.slice(0, -1)
  if (scheme !== 'https' && scheme !== 'http' && scheme !== 'oci')
    return err(`${scheme}:// is not supported; write https:// or oci://`)
  if (url.username !== '' || url.password !== '')
    return err('holds credentials; put them into a Secret and name it in secretRef')
  if (url.search !== '' || url.hash !== '') return err('has a query or a fragment; leave it out')
  const path = url.pathname.replace(/^\/+|\/+$/g, '')
  if (scheme === 'oci') return ociOf(text, url, path, o)
  const problem = addressProblem(url, o.local)
  if (problem !== undefined) return err(problem)
  return ok({ text, kind: 'index', origin: url.origin, host: url.host, path })
}

function ociOf(
  text: string,
  url: URL,
  path: string,
  o: { readonly local: boolean; readonly tls: boolean },
): Result<ChartRepository, string> {
  if (url.host === '') return err('names no host; write oci://host/path')
  const odd = path === '' ? undefined : path.split('/').find((part) => !NAME.test(part))
  if (odd !== undefined)
    return err(`"${odd}" is not a part of a repository name: write lower case, without a tag or a digest`)
  // The URL standard lower-cases hosts of schemes that it knows.
  const host = url.host.toLowerCase()
  const scheme = o.local && !o.tls && isLoopback(bareHost(hostnameOf(host))) ? 'http' : 'https'
  const at = new URL(`${scheme}://${SERVED_BY[host] ?? host}`)
  const problem = addressProblem(at, o.local)
  return problem === undefined ? ok({ text, kind: 'oci', origin: at.origin, host, path }) : err(problem)
}

const hostnameOf = (host: string): string => host.replace(/:\d+$/, '')

/** Undefined: a request may go there. */
export function addressProblem(url: URL, local: boolean): string | undefined {
  if (url.protocol === 'http:' && !(local && isLoopback(bareHost(url.hostname))))
    return 'http:// is not encrypted; write https://'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${url.protocol}// is not supported`
  return url.username !== '' || url.password !== '' ? 'holds credentials' : undefined
}

/** The name of a chart in a registry, or what is wrong with it. */
export function ociName(repository: ChartRepository, chart: string): Result<string, string> {
  if (!NAME.test(chart))
    return err(
      `"${chart}" is not a name in a registry: write lower-case letters and digits, with . _ - between`,
    )
  return ok(repository.path === '' ? chart : `${repository.path}/${chart}`)
}

/**
 * A URL of an index, which may be relative to the repository (Helm: not to where a redirect led). Undefined: it is none.
 */
export function archiveUrl(repository: ChartRepository, text: string): URL | undefined {
  const base = `${repository.origin}/${repository.path === '' ? '' : `${repository.path}/`}`
  return URL.canParse(text, base) ? new URL(text, base) : undefined
}

/** For messages: a query may be a signature. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}`
