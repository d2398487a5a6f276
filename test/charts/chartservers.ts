/** A Helm repository and an OCI registry as handlers: served over sockets or inside the process alike. */
import { createHash } from 'node:crypto'
import type { Handler, ServerRequest, ServerResponse } from '../../packages/kube/src/env/net.ts'
import { chartArchive } from './archive.ts'

export interface ServedRequest {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly headers: ServerRequest['headers']
}

type Intercept = (request: ServerRequest) => ServerResponse | undefined

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const answer = (
  status: number,
  headers: Record<string, string> = {},
  body: ServerResponse['body'] = '',
): ServerResponse => ({ status, headers, body })

/** What both have: requests that are written down, and answers that go wrong. */
abstract class TestServer {
  readonly seen: ServedRequest[] = []
  /** Answers itself, or leaves it to the server. */
  intercept: Intercept | undefined
  /** `Authorization` that is wanted; undefined: anybody may read. */
  wants: string | undefined

  get urls(): string[] {
    return this.seen.map((s) => `${s.method} ${s.url}`)
  }

  readonly handler: Handler = async (request) => {
    const { method, url, headers } = request
    this.seen.push({ method, url, authorization: headers.authorization, headers })
    return this.intercept?.(request) ?? this.serve(request)
  }

  protected abstract serve(request: ServerRequest): ServerResponse
}

interface ServedEntry {
  readonly chart: string
  readonly version: string
  readonly digest: string | undefined
  readonly urls: readonly string[]
}

/** `index.yaml` and archives below `/charts`. */
export class TestChartRepository extends TestServer {
  readonly files = new Map<string, Uint8Array>()
  private entries: ServedEntry[] = []

  /** A version of a chart, with its digest and a relative URL unless something else is said. */
  add(
    chart: string,
    version: string,
    o: {
      readonly files?: Readonly<Record<string, string>>
      readonly archive?: Uint8Array
      readonly digest?: string | undefined
      readonly urls?: readonly string[]
    } = {},
  ): string {
    const archive = o.archive ?? chartArchive(chart, version, o.files)
    const name = `${chart}-${version}.tgz`
    this.files.set(`/charts/${name}`, archive)
    const digest = 'digest' in o ? o.digest : sha256(archive)
    this.entries.push({ chart, version, digest, urls: o.urls ?? [name] })
    return `sha256:${sha256(archive)}`
  }

  remove(chart: string, version: string): void {
    this.entries = this.entries.filter((e) => e.chart !== chart || e.version !== version)
  }

  /** As `helm repo index` writes it. */
  get index(): string {
    const charts = [...new Set(this.entries.map((e) => e.chart))]
    const lines = charts.flatMap((chart) => [
      `  ${chart}:`,
      ...this.entries.filter((e) => e.chart === chart).flatMap(linesOf),
    ])
    return ['apiVersion: v1', 'entries:', ...lines, 'generated: "2026-11-23T10:00:00Z"', ''].join('\n')
  }

  protected serve({ url, headers }: ServerRequest): ServerResponse {
    if (this.wants !== undefined && headers.authorization !== this.wants) return answer(401)
    if (url === '/charts/index.yaml') {
      const body = this.index
      const etag = `"${sha256(body).slice(0, 12)}"`
      if (headers['if-none-match'] === etag) return answer(304, { etag })
      return answer(200, { etag, 'content-type': 'text/yaml' }, body)
    }
    const file = this.files.get(url)
    return file ? answer(200, { 'content-type': 'application/gzip' }, file) : answer(404)
  }
}

const linesOf = (e: ServedEntry): string[] => [
  '  - apiVersion: v2',
  '    description: |',
  `      Of ${e.chart}.`,
  '      version: 9.9.9',
  ...(e.digest === undefined ? [] : [`    digest: ${e.digest}`]),
  `    name: ${e.chart}`,
  '    urls:',
  ...e.urls.map((url) => `    - ${url}`),
  `    version: ${e.version}`,
]

export const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/** Repositories below `/v2`, with token authentication where `token` is set. */
export class TestRegistry extends TestServer {
  readonly blobs = new Map<string, Uint8Array>()
  readonly manifests = new Map<string, string>()
  /** By repository, then by tag. */
  readonly tags = new Map<string, Map<string, string>>()
  /** Where tokens are given, and to whom; absent: anybody may read. */
  token: { readonly realm: string; readonly login: string | undefined } | undefined
  pageSize = 1000

  /** Digest of the manifest. */
  push(
    repository: string,
    version: string,
    o: { readonly archive?: Uint8Array; readonly layer?: object } = {},
  ): string {
    const archive = o.archive ?? chartArchive(repository.split('/').at(-1)!, version)
    const digest = `sha256:${sha256(archive)}`
    this.blobs.set(digest, archive)
    const layer = { mediaType: CHART_LAYER, digest, size: archive.length, ...o.layer }
    return this.put(repository, version.replaceAll('+', '_'), { mediaType: MANIFEST, layers: [layer] })
  }

  put(repository: string, tag: string, manifest: object): string {
    const body = JSON.stringify({ schemaVersion: 2, ...manifest })
    const digest = `sha256:${sha256(body)}`
    this.manifests.set(digest, body)
    const tags = this.tags.get(repository) ?? new Map<string, string>()
    this.tags.set(repository, tags.set(tag, digest))
    return digest
  }

  protected serve(request: ServerRequest): ServerResponse {
    const { method, headers } = request
    const url = new URL(request.url, 'https://registry')
    if (url.pathname === '/token') return this.give(request, url)
    const [, repository = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs|tags)\/(.+)$/.exec(url.pathname) ?? []
    const scope = `repository:${repository}:pull`
    if (this.token && headers.authorization !== `Bearer ${tokenFor(scope)}`)
      return answer(401, {
        'www-authenticate': `Bearer realm="${this.token.realm}",service="registry",scope="${scope}"`,
      })
    if (this.wants !== undefined && headers.authorization !== this.wants)
      return answer(401, { 'www-authenticate': 'Basic realm="registry"' })
    if (kind === 'tags') return this.list(repository, url)
    if (kind === 'blobs') {
      const blob = this.blobs.get(reference)
      return blob ? answer(200, {}, blob) : answer(404)
    }
    const digest = reference.startsWith('sha256:') ? reference : this.tags.get(repository)?.get(reference)
    const body = digest === undefined ? undefined : this.manifests.get(digest)
    if (digest === undefined || body === undefined) return answer(404)
    const about = { 'docker-content-digest': digest, 'content-type': MANIFEST }
    return answer(200, about, method === 'HEAD' ? '' : body)
  }

  private give({ headers }: ServerRequest, url: URL): ServerResponse {
    if (this.token?.login !== undefined && headers.authorization !== this.token.login) return answer(401)
    return answer(200, {}, JSON.stringify({ token: tokenFor(url.searchParams.get('scope') ?? '') }))
  }

  private list(repository: string, url: URL): ServerResponse {
    const tags = this.tags.get(repository)
    if (!tags) return answer(404)
    const all = [...tags.keys()]
    const from = all.indexOf(url.searchParams.get('last') ?? '') + 1
    const page = all.slice(from, from + this.pageSize)
    const isLast = from + page.length >= all.length
    const link = `</v2/${repository}/tags/list?n=${this.pageSize}&last=${page.at(-1)}>; rel="next"`
    return answer(200, isLast ? {} : { link }, JSON.stringify({ name: repository, tags: page }))
  }
}

export const tokenFor = (scope: string): string => `token-${sha256(scope).slice(0, 8)}`
