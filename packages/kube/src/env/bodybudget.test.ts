/** Limits of bodies, in virtual time. */
import { describe, expect, it } from 'vitest'
import { BodyBudget, linesOf, textOf } from './bodybudget.ts'
import type { Connection } from './net.ts'
import { StreamBroken } from './net.ts'
import { createSimEnv } from './sim/simenv.ts'
import { sleep } from './sleep.ts'

const KIB = 1024
const MIB = KIB * KIB

interface Drip {
  readonly size: number
  readonly everyMs: number
  readonly times?: number
  readonly with?: string
}

/** A server that sends pieces of one size, one after another, for ever if no number is given. */
function dripping(name: string, { size, everyMs, times = Number.POSITIVE_INFINITY, with: char = 'x' }: Drip) {
  const env = createSimEnv(name)
  let sent = 0
  let isLeft = false
  env.net.serve('https://a.test', async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      try {
        for (let i = 0; i < times; i++) {
          if (everyMs > 0) await sleep(env.clock, everyMs)
          sent += size
          yield char.repeat(size)
        }
      } finally {
        isLeft = true
      }
    })(),
  }))
  const connection: Connection = env.net.connect({ url: 'https://a.test' }, 'operator')
  const ask = async () => {
    const answer = await connection.request({ method: 'GET', path: '/', headers: {} })
    if (!answer.ok) throw new Error(answer.error.detail)
    return answer.value
  }
  return { env, ask, sent: () => sent, isLeft: () => isLeft }
}

/** The end of a promise, and when it came by the virtual clock, in milliseconds. */
async function outcome<T>(env: ReturnType<typeof createSimEnv>, promise: Promise<T>) {
  let done: { readonly value: T } | undefined
  const running = promise.then((value) => {
    done = { value }
  })
  await env.clock.run(() => done !== undefined, 600_000)
  await running
  return { value: done!.value, at: env.clock.steady() }
}

const limit = (detail: string) => ({ ok: false, error: { phase: 'limit', detail } })

describe('a body', () => {
  it.each<[what: string, drip: Drip, detail: string, atMs: number]>([
    ['without an end is left at 32 MiB', { size: MIB, everyMs: 0 }, 'over 32 MiB', 0],
    ['that stops is left after 10 s', { size: 10, everyMs: 3_600_000 }, 'below 1 KiB/s', 10_000],
    ['that drips is left after 10 s', { size: 100, everyMs: 1000 }, 'below 1 KiB/s', 10_000],
    [
      'that begins fast and drips then is left at 1 KiB/s',
      { size: 20 * KIB, everyMs: 9000 },
      'not complete after 60s',
      60_000,
    ],
    ['at any speed is left after 60 s', { size: 2 * KIB, everyMs: 1000 }, 'not complete after 60s', 60_000],
  ])('%s', async (what, drip, detail, atMs) => {
    const { env, ask, isLeft } = dripping(what, drip)
    const { value, at } = await outcome(
      env,
      ask().then((answer) => answer.text()),
    )
    expect(value).toEqual(limit(detail))
    expect(at).toBe(atMs)
    await env.clock.run(isLeft, drip.everyMs)
    expect(isLeft()).toBe(true)
  })

  it('that comes at 2 KiB/s within a minute is read', async () => {
    const { env, ask } = dripping('slow', { size: 2 * KIB, everyMs: 1000, times: 50 })
    const { value } = await outcome(
      env,
      ask().then((answer) => answer.text()),
    )
    expect(value).toEqual({ ok: true, value: 'x'.repeat(100 * KIB) })
  })

  it('has the limit that is asked for', async () => {
    const { env, ask, sent } = dripping('error', { size: KIB, everyMs: 0 })
    const { value } = await outcome(
      env,
      ask().then((answer) => answer.text(64 * KIB)),
    )
    expect([value, sent()]).toEqual([limit('over 64 KiB'), 65 * KIB])
  })
})

describe('the lines of a stream', () => {
  async function read(what: string, drip: Drip) {
    const { env, ask } = dripping(what, drip)
    const lines: number[] = []
    const reading = ask().then(async (answer) => {
      try {
        for await (const line of answer.lines()) lines.push(line.length)
        return 'all'
      } catch (e) {
        return (e as StreamBroken).failure.detail
      }
    })
    const { value, at } = await outcome(env, reading)
    return { value, at, lines }
  }

  it('have 8 MiB at most', async () =>
    expect(await read('endless', { size: MIB, everyMs: 0 })).toEqual({
      value: 'a line over 8 MiB',
      at: 0,
      lines: [],
    }))

  it('have to end: at 1 KiB/s, and within a minute', async () => {
    expect((await read('drop', { size: 1, everyMs: 900 })).value).toBe('below 1 KiB/s')
    expect((await read('long', { size: 5 * KIB, everyMs: 2000 })).at).toBe(62_000)
  })

  it('come whenever they come', async () => {
    const { value, lines } = await read('seldom', { size: 1, everyMs: 150_000, times: 3, with: '\n' })
    expect([value, lines]).toEqual(['all', [0, 0, 0]])
  })
})

describe('many bodies', () => {
  it('have one memory: who finds it full waits, without its time passing, and the oldest never does', async () => {
    const env = createSimEnv('budget')
    const budget = new BodyBudget(4 * MIB)
    let taken = 0
    let most = 0
    const body = async (name: string): Promise<string> => {
      let mine = 0
      const pieces = (async function* () {
        for (let i = 0; i < 3; i++) {
          await sleep(env.clock, 5000)
          mine += MIB
          taken += MIB
          most = Math.max(most, taken)
          yield new Uint8Array(MIB).fill(0x78)
        }
      })()
      const text = await textOf({ pieces, cancel: () => {}, clock: env.clock, budget }, 32 * MIB)
      taken -= mine
      return text.ok ? name : text.error.detail
    }
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const { value, at } = await outcome(env, Promise.all(names.map(body)))
    expect(value).toEqual(names)
    // Each has read one piece before it counts, and the oldest may continue.
    expect(most).toBeLessThanOrEqual(4 * MIB + (names.length + 1) * MIB)
    expect(at).toBeGreaterThan(15_000)
  })

  it('that are small do not wait for it', async () => {
    const budget = new BodyBudget(MIB)
    const [old, large] = [{}, {}]
    await budget.claim(old, MIB)
    let isIn = false
    const waiting = budget.claim(large, MIB).then(() => {
      isIn = true
    })
    await budget.claim({}, 1000)
    expect(isIn).toBe(false)
    budget.release(old)
    await waiting
  })
})

it('a line that is not read to its end gives its memory back', async () => {
  const budget = new BodyBudget(MIB)
  const pieces = (async function* () {
    for (;;) yield new Uint8Array(300 * KIB).fill(0x78)
  })()
  const lines = linesOf({ pieces, cancel: () => {}, budget })
  await expect(lines[Symbol.asyncIterator]().next()).rejects.toThrow(StreamBroken)
  await budget.claim({}, MIB)
})
