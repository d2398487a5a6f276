import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../env/sim/simenv.ts'
import { type QueueRequest, type ReconcileResult, WorkQueue } from './workqueue.ts'

const item = (cluster: string, id: string): QueueRequest => ({ controller: 'unit', cluster, id })

function make(seed = 'queue') {
  const env = createSimEnv(seed)
  const queue = new WorkQueue<QueueRequest>(env)
  const later = (ms: number): Promise<unknown> => env.clock.run(() => false, ms)
  return { env, queue, later, now: () => env.clock.steady() }
}

async function takeNow(queue: WorkQueue<QueueRequest>): Promise<QueueRequest> {
  const taken = await queue.take()
  if (!taken) throw new Error('closed')
  return taken
}

/** One worker takes what comes, until the queue is closed: when, and what became of each. */
function worked(
  queue: WorkQueue<QueueRequest>,
  now: () => number,
  outcomeOf: (times: number) => ReconcileResult,
) {
  const at: number[] = []
  const work = (async () => {
    for (let i = await queue.take(); i; i = await queue.take()) {
      at.push(now())
      queue.done(i, outcomeOf(at.length))
    }
  })()
  return { at, work }
}

describe('work queue: fair shares', () => {
  it('100,000 items of one cluster, one of each of 9,999 others: the others come within the first round', async () => {
    const { queue } = make()
    for (let i = 0; i < 100_000; i++) queue.add(item('noisy', `k${i}`))
    for (let i = 0; i < 9_999; i++) queue.add(item(`quiet-${i}`, 'k'))
    const quiet = new Set<string>()
    let noisy = 0
    while (quiet.size < 9_999) {
      const taken = await takeNow(queue)
      if (taken.cluster === 'noisy') noisy++
      else quiet.add(taken.cluster)
      queue.done(taken, { ok: true })
    }
    expect(noisy).toBeLessThan(20_000)
    expect(noisy).toBe(1)
  })

  it('clusters take turns however much each has', async () => {
    const { queue } = make()
    for (let i = 0; i < 30; i++)
      for (const c of ['a', 'b', 'c']) if (c !== 'c' || i < 2) queue.add(item(c, `k${i}`))
    const order: string[] = []
    for (let i = 0; i < 9; i++) order.push((await takeNow(queue)).cluster)
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('urgent work goes first, and still leaves something to the rest', async () => {
    const { queue } = make()
    for (let i = 0; i < 100; i++) {
      queue.add(item('a', `u${i}`), 'urgent')
      queue.add(item('a', `r${i}`), 'resync')
    }
    const order: string[] = []
    for (let i = 0; i < 18; i++) order.push((await takeNow(queue)).id[0]!)
    expect(order.join('')).toBe('uuuuuuuuruuuuuuuur')
  })
})

describe('work queue: one holder', () => {
  it('an item added while it is held comes once more, after it is done', async () => {
    const { queue } = make()
    queue.add(item('a', 'k'))
    const held = await takeNow(queue)
    queue.add(item('a', 'k'))
    queue.add(item('a', 'k'))
    expect(queue.depth).toBe(0)
    queue.done(held, { ok: true })
    expect(queue.depth).toBe(1)
    queue.done(await takeNow(queue), { ok: true })
    expect(queue.depth).toBe(0)
    expect(queue.idle).toBe(true)
  })

  it('is never given to two workers, over random adds and takes', async () => {
    const { queue, env, later } = make('holders')
    const random = env.random.fork('test')
    const held = new Set<string>()
    let taken = 0
    const work = async (): Promise<void> => {
      for (let i = await queue.take(); i; i = await queue.take()) {
        const id = `${i.cluster}/${i.id}`
        expect(held.has(id)).toBe(false)
        held.add(id)
        taken++
        await new Promise<void>(
          (resolve) => void env.clock.at(env.clock.steady() + random.next() * 20, resolve),
        )
        held.delete(id)
        queue.done(i, { ok: random.next() < 0.8 })
      }
    }
    const workers = Array.from({ length: 8 }, work)
    for (let i = 0; i < 2000; i++) {
      queue.add(item(`c${Math.floor(random.next() * 3)}`, `k${Math.floor(random.next() * 20)}`))
      if (i % 10 === 0) await later(random.next() * 10)
    }
    await later(600_000)
    queue.close()
    await Promise.all(workers)
    expect(taken).toBeGreaterThan(500)
  })

  it('of several priorities the highest counts', async () => {
    const { queue } = make()
    queue.add(item('a', 'late'), 'change')
    queue.add(item('a', 'k'), 'resync')
    queue.add(item('a', 'k'), 'urgent')
    expect((await takeNow(queue)).id).toBe('k')
    expect(queue.depth).toBe(1)
  })
})

describe('work queue: times', () => {
  it('of several times the earliest counts', async () => {
    const { queue, later, now } = make()
    queue.addAfter(item('a', 'k'), 5000)
    queue.addAfter(item('a', 'k'), 1000)
    queue.addAfter(item('a', 'k'), 3000)
    const taken = queue.take().then(now)
    await later(10_000)
    expect(await taken).toBe(1000)
    expect(queue.depth).toBe(0)
  })

  it('a request that rests comes once after it, however often it is added, and at once when it is urgent', async () => {
    const { queue, later, now } = make()
    const { at, work } = worked(queue, now, () => ({ ok: true, restMs: 500 }))
    queue.add(item('a', 'k'))
    await later(10)
    for (let i = 0; i < 20; i++) {
      queue.add(item('a', 'k'), i % 2 === 0 ? 'change' : 'gate')
      await later(10)
    }
    await later(1000)
    expect(at).toEqual([0, 500])
    queue.add(item('a', 'k'))
    await later(100)
    queue.add(item('a', 'k'), 'urgent')
    await later(10)
    expect(at).toEqual([0, 500, 600])
    queue.close()
    await work
  })

  it('an add during a rest is known, and keeps its priority', async () => {
    const { queue, later } = make()
    const k = item('a', 'k')
    queue.add(k)
    queue.done(await takeNow(queue), { ok: true, restMs: 500, requeueAfterMs: 1 })
    await later(100)
    queue.add(k, 'gate')
    queue.add(k, 'change')
    expect([queue.has(k), queue.depth]).toEqual([true, 0])
    await later(300)
    expect(queue.depth).toBe(0)
    await later(100)
    expect(queue.depths).toEqual({ urgent: 0, gate: 1, change: 0, resync: 0 })
  })

  it('an add now makes a later one needless', async () => {
    const { queue, later } = make()
    queue.addAfter(item('a', 'k'), 1000)
    queue.add(item('a', 'k'))
    queue.done(await takeNow(queue), { ok: true })
    await later(5000)
    expect(queue.depth).toBe(0)
  })

  it('after a success the waits begin anew', async () => {
    const { queue, later, now } = make()
    queue.add(item('a', 'k'))
    const { at, work } = worked(queue, now, (times) => ({ ok: times === 4 }))
    await later(20_000)
    queue.add(item('a', 'k'))
    await later(1300)
    queue.close()
    await work
    expect(at).toHaveLength(6)
  })

  it('failures wait longer and longer, up to a minute', async () => {
    const { queue, later, now } = make()
    queue.add(item('a', 'k'))
    const { at, work } = worked(queue, now, () => ({ ok: false }))
    await later(400_000)
    queue.close()
    await work
    const waits = at.slice(1).map((t, i) => (t - at[i]!) / 1000)
    for (const [i, wait] of waits.entries()) {
      const base = Math.min(60, 2 ** i)
      expect(wait, `wait ${i}`).toBeGreaterThanOrEqual(base * 0.8 - 0.01)
      expect(wait, `wait ${i}`).toBeLessThanOrEqual(base * 1.2 + 0.01)
    }
    expect(waits.length).toBeGreaterThan(8)
  })

  it('who is overtaken again and again waits longer and longer, up to ten seconds; an event does not wait', async () => {
    const { queue, later, now } = make()
    queue.add(item('a', 'k'))
    // What it knows is new enough once.
    const { at, work } = worked(queue, now, (times) =>
      times === 12 ? { ok: true } : { ok: true, requeueAfterMs: 50, isOvertaken: true },
    )
    for (const ms of [32_700, 1, 1]) {
      await later(ms)
      queue.add(item('a', 'k'))
    }
    await later(60)
    queue.close()
    await work
    const waits = at.slice(1).map((t, i) => t - at[i]!)
    expect(waits.slice(0, 9)).toEqual([50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000])
    expect(waits[9]).toBe(9950)
    expect(Math.max(...waits.slice(10, 12))).toBeLessThanOrEqual(1)
    expect(waits.slice(12)).toEqual([50])
  })

  it('a closed queue lets its workers go', async () => {
    const { queue } = make()
    const waiting = queue.take()
    queue.close()
    expect(await waiting).toBeUndefined()
    expect(await queue.take()).toBeUndefined()
  })
})

describe('work queue: work without a worker', () => {
  it('is reported while a worker is free, by the oldest item', async () => {
    const { env, queue, later } = make()
    env.clock.at(1000, () => {})
    queue.add(item('a', '1'))
    await later(1000)
    queue.add(item('a', '2'), 'urgent')
    queue.add(item('a', '1'), 'urgent')
    expect([queue.stalledMs(1), queue.stalledMs(0)]).toEqual([1000, undefined])
  })

  it('is none while each worker is busy, or what waits is not due', async () => {
    const { queue } = make()
    queue.addAfter(item('a', '1'), 60_000)
    expect(queue.stalledMs(1)).toBeUndefined()
    queue.add(item('a', '2'))
    const held = await takeNow(queue)
    queue.add(item('a', '3'))
    expect(queue.stalledMs(1)).toBeUndefined()
    queue.done(held, { ok: true })
  })
})
