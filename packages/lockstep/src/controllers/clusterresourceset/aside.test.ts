import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { sleep } from '../../../../kube/src/env/sleep.ts'
import { unsupervised } from '../../../../kube/src/env/supervise.ts'
import type { ReconcileResult } from '../../../../kube/src/workqueue/workqueue.ts'
import { objectKey, type Request, requestOf } from '../runtime/requestkeys.ts'
import { Aside } from './aside.ts'

const item = (name: string): Request => requestOf('c', objectKey.of({ name }))

function begin() {
  const { clock } = createSimEnv('aside')
  const again: string[] = []
  const aside = new Aside({ clock, supervisor: unsupervised }, ({ id }) => again.push(id.slice(1)))
  const taking = (ms: number, outcome: ReconcileResult) => async () => {
    await sleep(clock, ms)
    return outcome
  }
  /** What came of it, and after how long. */
  const run = async (
    key: string,
    ms: number,
    outcome: ReconcileResult = { ok: true, requeueAfterMs: 7 },
    owner = 'set',
  ) => {
    const from = clock.steady()
    const done = aside.run(item(key), owner, taking(ms, outcome)).then((o) => [o, clock.steady() - from])
    await clock.run(() => false, 300)
    return done
  }
  return { clock, aside, again, run }
}

it('work that is quick is waited for', async () => {
  const { run, aside, again } = begin()
  expect(await run('a', 100)).toEqual([{ ok: true, requeueAfterMs: 7 }, 100])
  expect([aside.underWay(item('a')), again]).toEqual([undefined, []])
})

it('work that takes long is let go of after a moment; its end brings the item back, which is told once', async () => {
  const { run, aside, again, clock } = begin()
  expect(await run('a', 60_000, { ok: false })).toEqual([{ ok: true }, 250])
  await clock.run(() => false, 61_000)
  expect(again).toEqual(['a'])
  expect([aside.underWay(item('a')), aside.underWay(item('a'))]).toEqual([{ ok: false }, undefined])
})

it('what comes meanwhile is looked at afterwards', async () => {
  const { run, aside, clock } = begin()
  await run('a', 60_000)
  expect(aside.underWay(item('a'))).toEqual({ ok: true })
  await clock.run(() => false, 61_000)
  expect(aside.underWay(item('a'))).toEqual({ ok: true, requeueAfterMs: 1 })
})

it('a bug is thrown at whoever takes the item next, and once', async () => {
  const { aside, clock } = begin()
  const done = aside.run(item('a'), 'set', async () => {
    await sleep(clock, 1000)
    throw new Error('a bug')
  })
  await clock.run(() => false, 2000)
  expect(await done).toEqual({ ok: true })
  expect(() => aside.underWay(item('a'))).toThrow('a bug')
  expect(aside.underWay(item('a'))).toBe(undefined)
})

it('of an owner that is slow nobody waits, as long as it is; of others all the same', async () => {
  const { run, clock } = begin()
  await run('a', 60_000)
  expect(await run('b', 60_000)).toEqual([{ ok: true }, 0])
  expect(await run('c', 100, { ok: true }, 'another')).toEqual([{ ok: true }, 100])
  await clock.run(() => false, 61_000)
  expect(await run('d', 100)).toEqual([{ ok: true, requeueAfterMs: 7 }, 100])
})
