/** Hostile answers, their targets, and the report that each of them causes. */
import type { Handler, ServerRequest, ServerResponse } from '../../packages/kube/src/env/net.ts'
import { StreamBroken } from '../../packages/kube/src/env/net.ts'
import type { SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'

export type Target = 'identity' | 'discovery' | 'list' | 'watch' | 'write' | 'log'

/** Makes a false answer of an honest one. */
type Spoil = (
  honest: (url?: string) => Promise<ServerResponse>,
  env: SimEnv,
  url: string,
) => Promise<ServerResponse>

export interface HostileAnswer {
  readonly name: string
  /** Answers of one rule fail alike; the short tier plays one of them. */
  readonly rule: string
  readonly spoil: Spoil
  readonly targets: readonly Target[]
  /** Lists that are answered so; absent: all. Each costs 100 MiB. */
  readonly lists?: RegExp
  /** The problem in the report, by target; absent: nothing is reported as refused. */
  readonly problem?: Readonly<Partial<Record<Target, RegExp>>> | RegExp
}

const JSON_TYPE = { 'content-type': 'application/json' }
const answer = (body: ServerResponse['body'], more: Partial<ServerResponse> = {}): ServerResponse => ({
  status: 200,
  headers: JSON_TYPE,
  body,
  ...more,
})

const READS: readonly Target[] = ['identity', 'discovery', 'list']
const ALL: readonly Target[] = [...READS, 'watch', 'write', 'log']

/** The text of a body; empty for a stream. */
const textOf = (body: ServerResponse['body']): string =>
  typeof body === 'string' ? body : body instanceof Uint8Array ? new TextDecoder().decode(body) : ''

/** The honest answer, changed as JSON. Streams are changed line by line. */
export const changed =
  (change: (o: Record<string, unknown>) => unknown): Spoil =>
  async (honest) => {
    const response = await honest()
    const { body } = response
    const lineOf = (line: string): string =>
      line.trim() === '' ? line : `${JSON.stringify(change(JSON.parse(line)))}\n`
    if (typeof body === 'string' || body instanceof Uint8Array)
      return textOf(body).startsWith('{') ? { ...response, body: lineOf(textOf(body)) } : response
    return { ...response, body: mapped(body, lineOf) }
  }

async function* mapped(body: AsyncIterable<string>, line: (text: string) => string): AsyncIterable<string> {
  for await (const piece of body) for (const text of piece.split('\n')) if (text !== '') yield line(text)
}

/** An object, or the object of an event, or each of a list. */
export const eachObject =
  (change: (o: Record<string, unknown>) => unknown) =>
  (o: Record<string, unknown>): unknown => {
    if (Array.isArray(o.items))
      return { ...o, items: o.items.map((i) => change(i as Record<string, unknown>)) }
    return o.object ? { ...o, object: change(o.object as Record<string, unknown>) } : change(o)
  }

const withMeta = (meta: Readonly<Record<string, unknown>>) =>
  changed(eachObject((o) => ({ ...o, metadata: { ...(o.metadata as Record<string, unknown>), ...meta } })))

/** Large, so that a test makes few of them. */
const ENDLESS = `{"a":"${'x'.repeat(4 * 1024 * 1024)}"},`

async function* endless(piece: string): AsyncIterable<string> {
  yield '{"items":['
  for (;;) yield piece
}

async function* dripping(env: SimEnv): AsyncIterable<string> {
  for (;;) {
    await sleep(env.clock, 1000)
    yield ' '
  }
}

/** The first half of the first piece, and then a reset. */
async function* torn(body: ServerResponse['body']): AsyncIterable<string> {
  if (typeof body === 'string' || body instanceof Uint8Array) yield textOf(body).slice(0, 20)
  else
    for await (const piece of body) {
      yield piece.slice(0, piece.length / 2)
      break
    }
  throw new StreamBroken({ phase: 'receive', detail: 'read ECONNRESET' })
}

/** Each event twice, and only the last of those that come together. */
async function* repeated(body: AsyncIterable<string>): AsyncIterable<string> {
  for await (const piece of body) {
    const lines = piece.split('\n').filter((line) => line !== '')
    const last = lines.at(-1)
    if (last !== undefined) yield `${last}\n${last}\n`
  }
}

const status = (code: number, reason: string, headers: Readonly<Record<string, string>> = {}) =>
  answer(
    JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message: reason }),
    {
      status: code,
      headers: { ...JSON_TYPE, ...headers },
    },
  )

export const HOSTILE: readonly HostileAnswer[] = [
  {
    name: '{}',
    rule: 'content',
    spoil: async (honest) => ({ ...(await honest()), status: 200, headers: JSON_TYPE, body: '{}\n' }),
    targets: ALL,
    problem: /no kind where|no discovery of APIs|event of an unknown type/,
  },
  {
    name: 'a login page',
    rule: 'head',
    spoil: async () => answer('<html>', { headers: { 'content-type': 'text/html' } }),
    targets: ALL,
    problem: /200 text\/html where JSON was expected \(a login page or proxy\?\)/,
  },
  {
    name: 'cut JSON',
    rule: 'content',
    spoil: async (honest) => {
      const response = await honest()
      const text = textOf(response.body)
      return { ...response, body: text === '' ? '{"type":"ADDED","obj\n' : text.slice(0, text.length / 2) }
    },
    targets: ALL,
    problem: /broken JSON at offset/,
  },
  {
    name: 'another kind',
    rule: 'content',
    spoil: changed(eachObject((o) => ({ ...o, apiVersion: 'v1', kind: 'Pod' }))),
    targets: ['identity', 'list', 'watch', 'write'],
    problem: /Pod where/,
  },
  {
    name: 'another name',
    rule: 'content',
    spoil: withMeta({ name: 'kube-public' }),
    targets: ['identity', 'write'],
    problem: /another object, kube-public/,
  },
  {
    name: 'a foreign namespace',
    rule: 'content',
    spoil: withMeta({ namespace: '' }),
    targets: ['list', 'watch', 'write'],
    // Bookmarks have none: lists repair what single events miss.
    problem: { list: /metadata\.namespace is missing/, write: /metadata\.namespace/ },
  },
  {
    name: 'no uid',
    rule: 'content',
    spoil: withMeta({ uid: undefined }),
    targets: ['identity', 'list', 'watch', 'write'],
    problem: {
      identity: /metadata\.uid is missing/,
      list: /metadata\.uid is missing/,
      write: /metadata\.uid is missing/,
    },
  },
  {
    name: 'packed',
    rule: 'head',
    spoil: async (honest) => {
      const response = await honest()
      return { ...response, headers: { ...response.headers, 'content-encoding': 'gzip' } }
    },
    targets: [...READS, 'watch', 'write'],
    problem: /content encoding that was not requested/,
  },
  {
    name: 'an unknown event',
    rule: 'event',
    spoil: changed((o) => ({ ...o, type: 'CHANGED' })),
    targets: ['watch'],
    problem: /event of an unknown type/,
  },
  {
    name: 'without an end',
    rule: 'endless',
    lists: /\/(lockstep\.dev\/v1alpha1\/modules|configmaps)$/,
    spoil: async () => answer(endless(ENDLESS)),
    targets: ALL,
    problem: {
      identity: /over 32 MiB/,
      discovery: /over 32 MiB/,
      // Its first item is refused before the limit.
      list: /items\[0\]: metadata is missing/,
      watch: /a line over 8 MiB/,
      write: /over 32 MiB/,
    },
  },
  {
    name: 'the same page again',
    rule: 'endless',
    spoil: (honest, env, url) =>
      changed((o) => ({ ...o, metadata: { ...(o.metadata as object), continue: 'again' } }))(
        () => honest(url.replace(/&?continue=[^&]*/, '')),
        env,
        url,
      ),
    targets: ['list'],
    problem: /repeats its continue token/,
  },
  {
    name: 'drop by drop',
    rule: 'slow',
    spoil: async (_, env) => answer(dripping(env)),
    targets: [...READS, 'watch', 'write', 'log'],
    problem: /below 1 KiB\/s/,
  },
  {
    name: 'a head that comes late',
    rule: 'slow',
    spoil: async (honest, env) => {
      await sleep(env.clock, 25_000)
      return honest()
    },
    targets: ALL,
  },
  {
    name: 'reset in the middle',
    rule: 'reset',
    spoil: async (honest) => {
      const response = await honest()
      return { ...response, body: torn(response.body) }
    },
    targets: ALL,
  },
  {
    name: '410 for ever',
    rule: 'status',
    spoil: async () => status(410, 'Expired'),
    targets: ['list', 'watch'],
  },
  {
    name: 'wait for years',
    rule: 'status',
    spoil: async () => status(429, 'TooManyRequests', { 'retry-after': '99999999' }),
    targets: [...READS, 'watch', 'write', 'log'],
  },
  {
    name: 'events twice, and some not at all',
    rule: 'events',
    spoil: async (honest) => {
      const response = await honest()
      const { body } = response
      return typeof body === 'string' || body instanceof Uint8Array
        ? response
        : { ...response, body: repeated(body) }
    },
    targets: ['watch'],
  },
]

/** The problem that is reported for a target. */
export function problemOf({ problem }: HostileAnswer, target: Target): RegExp | undefined {
  return problem instanceof RegExp || problem === undefined ? problem : problem[target]
}

/** Whether a request is of the target. */
export function isOf(target: Target, { method, url }: ServerRequest): boolean {
  const [path = '', query = ''] = url.split('?')
  const isWatch = /\bwatch=true\b/.test(query)
  const isIdentity = path === '/api/v1/namespaces/kube-system'
  switch (target) {
    case 'identity':
      return isIdentity
    case 'discovery':
      return path === '/api' || path === '/apis'
    case 'list':
      return method === 'GET' && !isWatch && /\/[a-z]+s$/.test(path) && path !== '/apis'
    case 'watch':
      return isWatch && !/\/namespaces$/.test(path)
    case 'write':
      return method !== 'GET' && !path.includes('/leases')
    case 'log':
      return path.endsWith('/log')
  }
}

/** A server whose answers to the controllers are spoilt while `isOn` holds. */
export function hostileHandler(
  env: SimEnv,
  honest: Handler,
  { spoil, lists = /./ }: HostileAnswer,
  target: Target,
  isOn: () => boolean,
): Handler {
  return (request) => {
    const isTheirs = request.headers['user-agent'] === 'lockstep-controller'
    const isMeant = target !== 'list' || lists.test(request.url.split('?')[0] ?? '')
    return isOn() && isTheirs && isMeant && isOf(target, request)
      ? spoil((url = request.url) => honest({ ...request, url }), env, request.url)
      : honest(request)
  }
}
