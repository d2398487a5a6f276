/** How a kind of host speaks: its paths, fields, statuses and messages. */
import { type JsonObject, type JsonValue, timestamp } from '@lockstep/kube/object'
import type { HostedPull } from './hostedpull.ts'
import type { HostedRepository, MergeSettings } from './hostedrepository.ts'

export interface HostRequest {
  readonly method: string
  /** Below the prefix of the API, escaped. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: JsonObject
  /** `https://host`: what links begin with. */
  readonly origin: string
  /** `https://host/api/…` with the path: what links to other pages begin with. */
  readonly self: string
  repository(name: string): HostedRepository | undefined
}

export interface HostReply {
  readonly status: number
  readonly json?: JsonValue
  readonly headers?: Readonly<Record<string, string>>
}

export interface HostDialect {
  /** The first that a path begins with is taken away. */
  readonly prefixes: readonly string[]
  readonly ways: MergeSettings
  readonly unauthorized: HostReply
  answer(asked: HostRequest): Promise<HostReply>
  /** `status`: where the host has a choice. */
  limited(which: 'primary' | 'secondary', seconds: number, now: number, status?: 403 | 429): HostReply
  /** Of each answer. `remaining` of `limit` requests until `resetsAt`, in milliseconds. */
  headers(limit: {
    readonly limit: number
    readonly remaining: number
    readonly resetsAt: number
  }): Record<string, string>
}

/** One page of a list, and links to the others (RFC 8288), as all three send them. */
export function page(
  asked: HostRequest,
  pulls: readonly HostedPull[],
  size: { readonly name: string; readonly usual: number; readonly most: number },
): {
  readonly pulls: readonly HostedPull[]
  readonly headers: Record<string, string>
  readonly next: number | undefined
} {
  const per = Math.min(Number(asked.query.get(size.name) ?? size.usual) || size.usual, size.most)
  const at = Math.max(1, Number(asked.query.get('page') ?? 1) || 1)
  const last = Math.max(1, Math.ceil(pulls.length / per))
  const link = (to: number, rel: string): string => {
    const query = new URLSearchParams(asked.query)
    query.set('page', String(to))
    return `<${asked.self}?${query}>; rel="${rel}"`
  }
  const links = [
    ...(at > 1 ? [link(1, 'first'), link(at - 1, 'prev')] : []),
    ...(at < last ? [link(at + 1, 'next'), link(last, 'last')] : []),
  ]
  return {
    pulls: pulls.slice((at - 1) * per, at * per),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
    next: at < last ? at + 1 : undefined,
  }
}

export const newestFirst = (pulls: readonly HostedPull[]): HostedPull[] => [...pulls].reverse()

/** A member of a body that has to be a text. */
export const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

export const stamp = (ms: number | undefined): string | null => (ms === undefined ? null : timestamp(ms))
