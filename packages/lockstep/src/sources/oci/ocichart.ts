/**
 * Charts in an OCI registry: a tag is a version, a manifest names the archive. Every body is what its digest says, or it is
 * refused.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, isArray, isString, type JsonValue, sha256Hex } from '@lockstep/kube/object'
import type { FactsOf } from '../../api/reasons/index.ts'
import { MAX_ARCHIVE_BYTES } from '../helmrepository/chartarchive.ts'
import type { ChartHttp, ChartHttpRequest, ChartHttpResponse } from '../helmrepository/charthttp.ts'
import { parseVersion } from '../intake/semverrange.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { challengeIn, registryAuthToken } from './registryauth.ts'

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const MANIFESTS =
  'application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json;q=0.5, application/vnd.docker.distribution.manifest.v2+json;q=0.4'
/** distribution-spec: registries should take manifests of at least 4 MiB, and this is one with a single layer. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024
const MAX_PAGES = 100
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** `+` is no character of a tag: helm writes `_` for it. */
export const tagOf = (version: string): string => version.replaceAll('+', '_')
const versionOf = (tag: string): string => tag.replaceAll('_', '+')

interface OciLayer {
  readonly digest: string
  readonly size: number
}

type OciPromise<T> = Promise<Result<T, SourceFailure>>

/** One chart in one registry, for one job. */
export class OciChart {
  private readonly http: ChartHttp
  private readonly origin: string
  /** `parent/chart` */
  private readonly name: string
  private authorization: string | undefined

  constructor(http: ChartHttp, origin: string, name: string) {
    this.http = http
    this.origin = origin
    this.name = name
  }

  /** Digest of the manifest that the tag is now; undefined: there is no such tag. */
  async digestOf(version: string): OciPromise<string | undefined> {
    const url = this.url(`manifests/${encodeURIComponent(tagOf(version))}`)
    // What is only looked at is no pull: some registries count those.
    const head = await this.ask<{ digest: string | undefined }>(
      { url, method: 'HEAD', headers: { accept: MANIFESTS } },
      async (a) => {
        if (a.status === 404) return ok({ digest: undefined })
        if (a.status !== 200 && a.status !== 405) return err(a.refusal())
        return ok({ digest: a.headers['docker-content-digest'] ?? '' })
      },
    )
    if (!head.ok) return head
    const { digest } = head.value
    if (digest === undefined || DIGEST.test(digest)) return ok(digest)
    return this.ask({ url, headers: { accept: MANIFESTS } }, async (a) => {
      if (a.status === 404) return ok(undefined)
      if (a.status !== 200) return err(a.refusal())
      const body = await a.bytes(MAX_MANIFEST_BYTES)
      return body.ok ? ok(`sha256:${sha256Hex(body.value)}`) : body
    })
  }

  /** Versions of all tags that are some. */
  async versions(): OciPromise<string[]> {
    const out: string[] = []
    let url: URL | undefined = this.url('tags/list?n=1000')
    for (let page = 0; url; page++) {
      const at: URL = url
      if (page === MAX_PAGES)
        return err(
          fault('SourceTooLarge', { place: this.http.place(at), limit: `${MAX_PAGES} pages of tags` }),
        )
      const found: Result<{ tags: string[]; next: URL | undefined }, SourceFailure> = await this.ask(
        { url: at, headers: { accept: 'application/json' } },
        (a) => this.page(at, a),
      )
      if (!found.ok) return found
      out.push(...found.value.tags.map(versionOf).filter((v) => parseVersion(v) !== undefined))
      url = found.value.next
    }
    return ok(out)
  }

  /** What the manifest names as the chart's archive. */
  async layerOf(digest: string): OciPromise<OciLayer> {
    const url = this.url(`manifests/${digest}`)
    const json = await this.ask({ url, headers: { accept: MANIFESTS } }, async (a) => {
      if (a.status === 404)
        return err(fault('RefNotFound', { place: this.http.place(url), because: 'NoManifest' }))
      if (a.status !== 200) return err(a.refusal())
      const body = await this.checked(url, a, digest, MAX_MANIFEST_BYTES)
      return body.ok ? ok(jsonOf(body.value)) : body
    })
    if (!json.ok) return json
    const manifests = at(json.value, 'manifests')
    if (isArray(manifests)) {
      const only = at(json.value, 'manifests', 0, 'digest')
      if (manifests.length !== 1 || !isString(only) || !DIGEST.test(only) || only === digest)
        return err(
          this.refused(url, { because: 'Invalid', error: `an index with ${manifests.length} manifests` }),
        )
      return this.layerOf(only)
    }
    return this.layerIn(url, json.value)
  }

  /** The bytes of the archive. */
  blob({ digest, size }: OciLayer): OciPromise<Uint8Array> {
    const url = this.url(`blobs/${digest}`)
    return this.ask({ url }, async (a) => {
      if (a.status !== 200) return err(a.refusal())
      const body = await this.checked(url, a, digest, MAX_ARCHIVE_BYTES)
      if (!body.ok || body.value.length === size) return body
      return err(
        this.refused(url, { because: 'Size', found: String(body.value.length), expected: String(size) }),
      )
    })
  }

  private layerIn(url: URL, json: JsonValue | undefined): Result<OciLayer, SourceFailure> {
    const layers = at(json, 'layers')
    const all = isArray(layers) ? layers : []
    const layer = all.find((l) => at(l, 'mediaType') === CHART_LAYER)
    const [digest, size] = [at(layer, 'digest'), at(layer, 'size')]
    if (layer === undefined) {
      const types = all.map((l) => at(l, 'mediaType')).filter(isString)
      return err(this.refused(url, { because: 'NotAChart', expected: CHART_LAYER, types: types.slice(0, 5) }))
    }
    if (!isString(digest) || !DIGEST.test(digest) || typeof size !== 'number')
      return err(this.refused(url, { because: 'Layer' }))
    return ok({ digest, size })
  }

  private async page(
    url: URL,
    a: ChartHttpResponse,
  ): Promise<Result<{ readonly tags: string[]; readonly next: URL | undefined }, SourceFailure>> {
    if (a.status === 404)
      return err(fault('RefNotFound', { place: this.http.place(url), because: 'NoChart', name: this.name }))
    if (a.status !== 200) return err(a.refusal())
    const body = await a.bytes(MAX_MANIFEST_BYTES)
    if (!body.ok) return body
    const tags = at(jsonOf(body.value), 'tags')
    return ok({ tags: isArray(tags) ? tags.filter(isString) : [], next: this.next(url, a.headers.link) })
  }

  /** `</v2/…>; rel="next"`: below this registry, or not followed. */
  private next(url: URL, link = ''): URL | undefined {
    const [, to] = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(link) ?? []
    if (to === undefined || !URL.canParse(to, url.href)) return undefined
    const next = new URL(to, url.href)
    return next.origin === this.origin ? next : undefined
  }

  private async checked(
    url: URL,
    a: ChartHttpResponse,
    digest: string,
    limit: number,
  ): OciPromise<Uint8Array> {
    const body = await a.bytes(limit)
    if (!body.ok) return body
    const is = `sha256:${sha256Hex(body.value)}`
    const said = a.headers['docker-content-digest']
    if (is !== digest) return err(this.refused(url, { because: 'Digest', found: is, expected: digest }))
    return said === undefined || said === digest
      ? body
      : err(this.refused(url, { because: 'Digest', found: said, expected: digest }))
  }

  /** Asks without credentials first: what the registry says then decides how it is asked. */
  private async ask<T>(
    asked: Omit<ChartHttpRequest, 'trusted'>,
    read: (a: ChartHttpResponse) => OciPromise<T>,
  ): OciPromise<T> {
    for (let isLast = false; ; isLast = true) {
      const done = await this.http.ask(
        { ...asked, authorization: this.authorization, trusted: [this.origin] },
        async (
          a,
        ): OciPromise<
          { readonly refused: string; readonly failure: SourceFailure } | { readonly value: T }
        > => {
          if (a.status === 401)
            return ok({ refused: a.headers['www-authenticate'] ?? '', failure: a.refusal() })
          const found = await read(a)
          return found.ok ? ok({ value: found.value }) : found
        },
      )
      if (!done.ok) return done
      if ('value' in done.value) return ok(done.value.value)
      const login = isLast ? ok(undefined) : await this.login(done.value.refused)
      if (!login.ok) return login
      if (login.value === undefined) return err(done.value.failure)
      this.authorization = login.value
    }
  }

  /** Undefined: nothing else can be tried. */
  private async login(header: string): OciPromise<string | undefined> {
    const { authorization } = this.http.access
    const challenge = challengeIn(header)
    if (challenge?.scheme !== 'bearer' || authorization?.startsWith('Bearer ')) return ok(authorization)
    return registryAuthToken(this.http, challenge, `repository:${this.name}:pull`)
  }

  private refused(url: URL, facts: Omit<FactsOf<'ArchiveRefused'>, 'place'>): SourceFailure {
    return fault('ArchiveRefused', { place: this.http.place(url), ...facts })
  }

  private url(path: string): URL {
    return new URL(`${this.origin}/v2/${this.name}/${path}`)
  }
}

/** Undefined: it is none. */
function jsonOf(body: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as JsonValue
  } catch {
    return undefined
  }
}
