/** What the headers of Git hosts say: limits, how long to wait, whether there is another page. Pure. */
import { parseHttpDateMs } from '@lockstep/kube/object'
import type { RequestBudget } from '../gitprovider.ts'

type HeaderMap = Readonly<Record<string, string>>

/**
 * 429 everywhere; GitHub also answers 403, told by its headers or its words ("Exceeding the rate limit", the same page;
 * "abuse detection" is what older ones of GitHub Enterprise say).
 */
export function isLimited(a: {
  readonly status: number
  readonly headers: HeaderMap
  readonly message: string
}): boolean {
  if (a.status === 429) return true
  if (a.status !== 403) return false
  const saysSo = a.headers['retry-after'] !== undefined || a.headers['x-ratelimit-remaining'] === '0'
  return saysSo || /rate limit|abuse detection/i.test(a.message)
}

/** Milliseconds: `retry-after`, else until the limit begins anew where nothing remains. Undefined: they do not say. */
export function waitOf(headers: HeaderMap, now: number): number | undefined {
  const after = headers['retry-after']
  if (after !== undefined && /^\d+$/.test(after)) return Number(after) * 1000
  const date = parseHttpDateMs(after ?? '')
  if (date !== undefined) return Math.max(1000, date - hostNow(headers, now))
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']
  const reset = resetsIn(headers, now)
  if (reset !== undefined && (remaining === undefined || Number(remaining) === 0))
    return Math.max(1000, reset)
  return undefined
}

/**
 * GitHub: `x-ratelimit-*`, of an hour; GitLab: `RateLimit-*`, of a minute (docs.gitlab.com "User and IP rate limits"); both in
 * seconds since the epoch.
 */
export function budgetOfRateLimitHeaders(headers: HeaderMap, now: number): RequestBudget | undefined {
  const get = (name: string): number =>
    Number(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`] ?? 'none')
  const [limit, remaining, resetsInMs] = [get('limit'), get('remaining'), resetsIn(headers, now)]
  if (!(limit > 0) || !(remaining >= 0) || resetsInMs === undefined) return undefined
  const windowMs = headers['x-ratelimit-limit'] === undefined ? 60_000 : 3_600_000
  return { limit, remaining, resetsInMs: Math.max(0, resetsInMs), windowMs }
}

function resetsIn(headers: HeaderMap, now: number): number | undefined {
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? 'none')
  return Number.isFinite(reset) ? reset * 1000 - hostNow(headers, now) : undefined
}

/** The host's clock, where it says it: ours may be wrong by an hour. */
function hostNow(headers: HeaderMap, now: number): number {
  return parseHttpDateMs(headers.date ?? '') ?? now
}

/** By `link` (RFC 8288), which all three send; a proxy may take it away: then a full page has another one after it. */
export function hasNextPage(headers: HeaderMap, found: number, most: number): boolean {
  const { link } = headers
  if (link !== undefined && link !== '') return /;\s*rel="?next"?/.test(link)
  return found >= most
}
