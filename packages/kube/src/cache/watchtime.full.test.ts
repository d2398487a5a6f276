/** How long watches last, and what ends them before their time. In virtual time. */
import { describe, expect, it } from 'vitest'
import { createApiServer } from '../../../apiserver/src/server/index.ts'
import { configMap, value, WRITE } from '../client/client.cases.ts'
import { createHttpClient } from '../client/httpclient.ts'
import type { RequestError } from '../client/requesterror.ts'
import { connectInProcess } from '../env/inprocess.ts'
import type { Connection, NetResponse } from '../env/net.ts'
import { createSimEnv } from '../env/sim/simenv.ts'
import { configMapKind } from '../kinds/types.ts'
import { startInformer, type WatchTime } from './informer.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function served(seed: string) {
  const env = createSimEnv(seed)
  const api = createApiServer(env, { name: 'a' })
  env.net.serve('https://a.test', api.handle)
  const watches: { readonly at: number; readonly query: URLSearchParams }[] = []
  let lists = 0
  let isDeaf = false
  let spoiled: number | undefined
  const inner = env.net.connect({ url: 'https://a.test' }, 'operator')
  const connection: Connection = {
    ...inner,
    async request(request) {
      const query = new URL(request.path, 'https://a.test').searchParams
      if (query.get('watch') !== 'true') {
        if (request.method === 'GET') lists++
        return inner.request(request)
      }
      watches.push({ at: env.clock.steady(), query })
      if (spoiled) return { ok: true, value: await ended(spoiled) }
      const answer = await inner.request(request)
      return answer.ok && isDeaf ? { ok: true, value: deaf(answer.value, request.signal) } : answer
    },
  }
  const client = createHttpClient(env, 'a', connection)
  return {
    env,
    client,
    watches,
    lists: () => lists,
    /** Watches that are opened from now on say nothing. */
    deafen: (on: boolean) => {
      isDeaf = on
    },
    /** Watches are answered with this status, or end at once. */
    spoil: (status: number | undefined) => {
      spoiled = status
    },
    start: (
      lasts?: WatchTime,
      onMute = (_: number | undefined) => {},
      onHealth = (_: RequestError | undefined) => {},
    ) =>
      startInformer(env, client, {
        onMute,
        onHealth,
        kind: configMapKind,
        namespace: 'default',
        project: (o) => o.data ?? {},
        ...(lasts ? { lasts } : {}),
      }),
    pass: (ms: number) => env.clock.run(() => false, ms),
  }
}

/** An answer without a body. */
async function ended(status: number): Promise<NetResponse> {
  const headers = { 'content-type': 'application/json' }
  const answer = await connectInProcess(async () => ({ status, headers, body: '' })).request({
    method: 'GET',
    path: '/',
    headers: {},
  })
  if (!answer.ok) throw new Error(answer.error.detail)
  return answer.value
}

/** A connection that was lost where nobody said so. */
const deaf = (answer: NetResponse, signal: AbortSignal | undefined): NetResponse => ({
  ...answer,
  async *lines() {
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
    yield* answer.lines()
  },
})

describe('a watch', () => {
  it('lasts half an hour to an hour, the first one a part of that', async () => {
    const s = served('lasts')
    for (let i = 0; i < 60; i++) s.start()
    await s.pass(4 * HOUR)
    const asked = s.watches.map(({ query }) => Number(query.get('timeoutSeconds')))
    const [first, later] = [asked.slice(0, 60), asked.slice(60)]
    expect(first.every((seconds) => seconds >= 1 && seconds < 3600)).toBe(true)
    const isShort = (seconds: number): boolean => seconds < 900
    expect(first.filter(isShort).length).toBeGreaterThan(10)
    expect(Math.min(...later.filter((seconds) => !first.includes(seconds)))).toBeGreaterThanOrEqual(1800)
    expect(Math.max(...later)).toBeLessThan(3600)
    // Each goes on where the one before it has ended.
    expect(s.lists()).toBe(60)
  })

  it('of many that begin together none begins anew together, from the first time on', async () => {
    const s = served('spread')
    const MANY = 300
    for (let i = 0; i < MANY; i++) s.start()
    await s.pass(1.5 * HOUR)
    // One watch lasts 45 minutes in the middle: in five minutes a ninth of them ends.
    const inFive = new Array<number>(18).fill(0)
    for (const { at } of s.watches.slice(MANY)) inFive[Math.floor(at / (5 * MINUTE))]!++
    expect(Math.max(...inFive)).toBeLessThan((2 * MANY) / 9)
    expect(Math.min(...inFive)).toBeGreaterThan(0.5 * (MANY / 9))
  })

  it('lasts as long as it is asked to', async () => {
    const s = served('asked')
    s.start({ leastSeconds: 240, mostSeconds: 360 })
    await s.pass(HOUR)
    const [first, ...asked] = s.watches.map(({ query }) => Number(query.get('timeoutSeconds')))
    expect(first).toBeLessThan(360)
    expect(asked.length).toBeGreaterThanOrEqual(10)
    expect(asked.length).toBeLessThanOrEqual(15)
    expect(asked.every((seconds) => seconds >= 240 && seconds < 360)).toBe(true)
  })

  it('that says nothing, not even that it is there, is begun anew with a list', async () => {
    const s = served('deaf')
    value(await s.client.create(configMapKind, configMap('default', 'before'), WRITE))
    s.deafen(true)
    const { store } = s.start()
    await s.pass(1000)
    value(await s.client.create(configMapKind, configMap('default', 'after'), WRITE))
    s.deafen(false)
    await s.pass(140_000)
    expect([store.freshness.state, s.watches.length]).toEqual(['Live', 1])
    await s.pass(15_000)
    expect([store.get({ namespace: 'default', name: 'after' }), s.watches.length]).toEqual([{}, 2])
    expect([store.freshness.state, s.lists()]).toEqual(['Live', 2])
  })

  it('is mute after two silences with changes: the kind is listed each minute, until a watch delivers', async () => {
    const s = served('mute')
    s.deafen(true)
    const mute: (number | undefined)[] = []
    const { store } = s.start(undefined, (lastEventAt) => mute.push(lastEventAt))
    const began = s.env.clock.now()
    const change = async (name: string) => {
      value(await s.client.create(configMapKind, configMap('default', name), WRITE))
    }
    const isKnown = (name: string) => store.get({ namespace: 'default', name }) !== undefined
    await s.pass(1000)
    await change('first')
    await s.pass(150_000)
    expect([isKnown('first'), s.lists(), mute]).toEqual([true, 2, []])
    // A silence in which nothing happened says nothing.
    await s.pass(150_000)
    expect([s.lists(), mute]).toEqual([3, []])
    await change('second')
    await s.pass(150_000)
    expect([isKnown('second'), s.lists(), mute]).toEqual([true, 4, [began]])
    await change('third')
    await s.pass(61_000)
    expect([isKnown('third'), s.lists()]).toEqual([true, 5])
    s.deafen(false)
    await s.pass(150_000)
    expect(mute).toEqual([began, undefined])
    const lists = s.lists()
    await change('fourth')
    await s.pass(300_000)
    expect([isKnown('fourth'), s.lists()]).toEqual([true, lists])
  })

  it.each([
    ['too old for ever', 410],
    ['ended at once for ever', 200],
  ])('that is %s is begun at most each half minute', async (name, status) => {
    const s = served(name)
    s.spoil(status)
    const health: (string | undefined)[] = []
    s.start(undefined, undefined, (error) => health.push(error?.kind))
    await s.pass(HOUR)
    expect(s.watches.length).toBeLessThan(160)
    expect(s.lists()).toBeLessThan(160)
    expect(health.includes('Unreachable')).toBe(status === 200)
    s.spoil(undefined)
    await s.pass(40_000)
    const { length } = s.watches
    await s.pass(10_000)
    expect(s.watches.length).toBe(length)
  })

  it('that says each minute that it is there goes on, however little happens', async () => {
    const s = served('quiet')
    const { store } = s.start()
    await s.pass(2 * HOUR)
    expect(store.freshness.state).toBe('Live')
    const ends = s.watches.map(({ at, query }) => at + 1000 * Number(query.get('timeoutSeconds')))
    expect(s.watches.slice(1).map(({ at }) => at)).toEqual(ends.slice(0, -1))
    expect(ends.length).toBeGreaterThan(2)
  })
})
