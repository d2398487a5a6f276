import { expect, it } from 'vitest'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { sleep } from '../../../kube/src/env/sleep.ts'
import { type After, FluxQueue } from './fluxqueue.ts'

/** A queue whose runs take so long and end as told; gives what began and when. */
function started(workers: number, takesMs: number, after: (n: number) => After) {
  const { clock } = createSimEnv('queue')
  const runs: string[] = []
  const queue = new FluxQueue({
    clock,
    workers,
    noticeMs: 5,
    async run(key) {
      runs.push(`${clock.steady()} ${key}`)
      await sleep(clock, takesMs)
      return after(runs.filter((r) => r.endsWith(key)).length)
    },
  })
  return { clock, queue, runs }
}

it('one run for many wishes; one wish during a run is another run', async () => {
  const { clock, queue, runs } = started(4, 100, () => 'done')
  for (let i = 0; i < 3; i++) queue.add('a')
  clock.at(50, () => queue.add('a'))
  await clock.run(() => false, 1000)
  expect(runs).toEqual(['5 a', '105 a'])
})

it('as many runs at a time as there are workers', async () => {
  const { clock, queue, runs } = started(2, 100, () => 'done')
  for (const key of ['a', 'b', 'c']) queue.add(key)
  await clock.run(() => false, 1000)
  expect(runs).toEqual(['5 a', '5 b', '105 c'])
})

it('a failure is tried again after twice the time, until one goes well', async () => {
  const { clock, queue, runs } = started(1, 0, (n) => (n < 4 ? 'backoff' : n === 4 ? { ms: 30_000 } : 'done'))
  queue.add('a')
  await clock.run(() => false, 60_000)
  expect(runs).toEqual(['5 a', '755 a', '2255 a', '5255 a', '35255 a'])
})

it('the earliest of several wishes counts, and none once it is stopped', async () => {
  const { clock, queue, runs } = started(1, 0, () => ({ ms: 30_000 }))
  queue.add('a')
  clock.at(1000, () => queue.add('a'))
  clock.at(40_000, () => queue.stop())
  await clock.run(() => false, 100_000)
  expect(runs).toEqual(['5 a', '1005 a', '31005 a'])
})
