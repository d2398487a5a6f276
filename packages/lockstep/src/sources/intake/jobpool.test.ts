import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { JobPool } from './jobpool.ts'

/** Jobs that take their time, in virtual time. */
function stage() {
  const env = createSimEnv('jobs')
  const woken: string[] = []
  const starts: string[] = []
  const pool = new JobPool(env, (who) => woken.push(who))
  const job = (name: string, namespace: string, tookMs: number, timeoutMs = 600_000): void =>
    pool.run(name, { who: name, namespace, timeoutMs }, async (signal) => {
      starts.push(name)
      await new Promise<void>((done) => {
        const cancel = env.clock.at(env.clock.steady() + tookMs, done)
        signal.addEventListener('abort', () => {
          cancel()
          done()
        })
      })
    })
  const pass = (ms: number) => env.clock.run(() => false, ms)
  return { pool, job, pass, woken, starts }
}

it('what several ask for is done once, and all are woken', async () => {
  const { pool, pass, woken } = stage()
  let runs = 0
  for (const who of ['a', 'b']) pool.run('k', { who, namespace: 'n', timeoutMs: 1 }, async () => void runs++)
  await pass(1)
  expect([runs, woken, pool.idle]).toEqual([1, ['a', 'b'], true])
})

it('one namespace runs six at most, and namespaces take turns', async () => {
  const { job, pass, starts } = stage()
  for (let i = 0; i < 9; i++) job(`a${i}`, 'team-a', 1000)
  expect(starts).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5'])
  for (let i = 0; i < 3; i++) job(`b${i}`, 'team-b', 1000)
  for (let i = 0; i < 3; i++) job(`c${i}`, 'team-c', 1000)
  expect(starts.slice(6)).toEqual(['b0', 'b1'])
  await pass(1000)
  expect(starts.slice(8, 11)).toEqual(['c0', 'a6', 'b2'])
})

it('a waiting job names the namespace before it', () => {
  const { pool, job } = stage()
  for (let i = 0; i < 6; i++) job(`a${i}`, 'team-a', 1000)
  for (let i = 0; i < 2; i++) job(`b${i}`, 'team-b', 1000)
  job('c', 'team-c', 1000)
  expect(pool.before('c')).toEqual({ running: 8, most: 6, namespace: 'team-a' })
  expect([pool.before('a0'), pool.before('none')]).toEqual([undefined, undefined])
})

it('W7: three namespaces with nine dripping servers each; a fourth one starts within 35 s, and a clone of 100 s completes', async () => {
  const { job, pass, starts, woken } = stage()
  for (const namespace of ['a', 'b', 'c'])
    for (let i = 0; i < 9; i++) job(`${namespace}${i}`, namespace, 3_600_000)
  job('honest', 'd', 100_000)
  await pass(35_000)
  expect(starts).toContain('honest')
  await pass(110_000)
  expect(woken).toEqual(['honest'])
})

it('an honest clone of a namespace that is over its share gets longer slices until it completes', async () => {
  const { job, pass, starts, woken } = stage()
  // The others end at their timeout.
  job('clone', 'a', 100_000, 120_000)
  for (const namespace of ['a', 'b', 'c'])
    for (let i = 0; i < 9; i++) job(`${namespace}${i}`, namespace, 120_000, 120_000)
  await pass(900_000)
  expect(woken).toContain('clone')
  const begun = starts.filter((name) => name === 'clone').length
  expect(begun).toBeGreaterThan(1)
  expect(begun).toBeLessThanOrEqual(3)
})

it('no job is canceled while no other namespace waits', async () => {
  const { job, pass, starts, woken } = stage()
  for (let i = 0; i < 9; i++) job(`a${i}`, 'a', 500_000)
  await pass(1_100_000)
  expect([starts.length, woken.length]).toEqual([9, 9])
})
