/** Charts of a repository with an index: which versions there are, and the bytes of one. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { MAX_ARCHIVE_BYTES } from './chartarchive.ts'
import type { ChartHttp, ChartHttpResponse } from './charthttp.ts'
import { addressProblem, archiveUrl, type ChartRepository, shownUrl } from './chartrepository.ts'
import { type ChartEntry, type IndexEntries, readIndexEntries } from './indexentries.ts'

/** What was read of an index last, for all who want something of it. */
export interface CachedIndex {
  readonly entries: IndexEntries
  /** How to ask whether it is still the same. */
  readonly since: Readonly<Record<string, string>>
}

/** Of one repository with one login: read by one at a time, so that the others ask whether there is news. */
export class RepositoryIndex {
  private known: CachedIndex | undefined
  private last: Promise<unknown> = Promise.resolve()
  /** Charts that somebody has asked for. */
  private readonly wanted = new Set<string>()

  /** The versions of a chart, as the server has them now. */
  versions(
    http: ChartHttp,
    repository: ChartRepository,
    chart: string,
  ): Promise<Result<readonly ChartEntry[], SourceFailure>> {
    this.wanted.add(chart)
    const mine = this.last.then(async () => {
      const known = this.known?.entries.has(chart) ? this.known : undefined
      const read = await ask(http, repository, this.wanted, known)
      if (!read.ok) return read
      this.known = read.value
      return ok(read.value.entries.get(chart) ?? [])
    })
    this.last = mine.catch(() => {})
    return mine
  }
}

function ask(
  http: ChartHttp,
  repository: ChartRepository,
  wanted: ReadonlySet<string>,
  known: CachedIndex | undefined,
): Promise<Result<CachedIndex, SourceFailure>> {
  const url = archiveUrl(repository, 'index.yaml')!
  const { authorization } = http.access
  const place = http.place(url)
  const asked = { url, headers: known?.since ?? {}, authorization, trusted: [repository.origin] }
  return http.ask(asked, async (a) => {
    if (a.status === 304 && known) return ok(known)
    if (a.status === 404)
      return err(fault('SourceUnreachable', { place, because: 'NoHelmRepository', status: a.status }))
    if (a.status !== 200) return err(a.refusal())
    const encoding = a.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      return err(fault('SourceUnreachable', { place, because: 'Encoding', name: encoding }))
    const entries = await readIndexEntries(a.pieces(), wanted)
    if (entries.ok) return ok({ entries: entries.value, since: sinceOf(a) })
    return err(
      'limit' in entries.error
        ? fault('SourceTooLarge', { place, limit: entries.error.limit })
        : fault('ArchiveRefused', { place, because: 'Invalid', error: entries.error.problem }),
    )
  })
}

/** RFC 9110 13.1: by the tag, else by the date. */
function sinceOf({ headers }: ChartHttpResponse): CachedIndex['since'] {
  const { etag, 'last-modified': modified } = headers
  if (etag !== undefined) return { 'if-none-match': etag }
  return modified === undefined ? {} : { 'if-modified-since': modified }
}

/** `sha256:…` of an entry; undefined: it has none. */
export function digestOfEntry({ digest }: ChartEntry): Result<string | undefined, string> {
  if (digest === undefined) return ok(undefined)
  const [, hex] = /^(?:sha256:)?([0-9a-fA-F]{64})$/.exec(digest) ?? []
  return hex === undefined
    ? err(`the index has digest "${digest.slice(0, 80)}", which is not SHA-256`)
    : ok(`sha256:${hex.toLowerCase()}`)
}

/** The first of these that answers. Credentials go to another host only where that is asked for. */
export async function download(
  http: ChartHttp,
  repository: ChartRepository,
  urls: readonly string[],
  o: { readonly passCredentials: boolean; readonly local: boolean },
): Promise<Result<Uint8Array, SourceFailure>> {
  let failed: SourceFailure | undefined
  const place = `helm ${repository.text}`
  for (const text of urls) {
    const url = archiveUrl(repository, text)
    const problem = url ? addressProblem(url, o.local) : 'not a URL'
    if (!url || problem !== undefined) {
      const name = url ? shownUrl(url) : text
      failed ??= fault('ArchiveRefused', { place, because: 'Url', name, error: problem ?? '' })
      continue
    }
    const trusted = [repository.origin, ...(o.passCredentials ? [url.origin] : [])]
    const got = await http.ask({ url, authorization: http.access.authorization, trusted }, async (a) =>
      a.status === 200 ? a.bytes(MAX_ARCHIVE_BYTES) : err(a.refusal()),
    )
    if (got.ok) return got
    failed ??= got.error
  }
  return err(failed ?? fault('ArchiveRefused', { place, because: 'NoUrl' }))
}
