import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { ReconnectLimiter } from './reconnectlimiter.ts'

/** When each of so many clusters is tried during a minute, in milliseconds. */
async function minute(clusters: number): Promise<number[][]> {
  const env = createSimEnv(`knocks/${clusters}`)
  const knocks = new ReconnectLimiter(env)
  const times: number[][] = Array.from({ length: clusters }, () => [])
  const next = (i: number): void => {
    env.clock.at(env.clock.steady() + knocks.take(), () => {
      times[i]!.push(env.clock.steady())
      next(i)
    })
  }
  for (let i = 0; i < clusters; i++) next(i)
  await env.clock.run(() => env.clock.steady() > 60_000)
  return times
}
const gaps = (times: readonly number[]): number[] => times.slice(1).map((t, i) => t - times[i]!)

describe('clusters that somebody waits for', () => {
  it('are tried every three seconds at the latest', async () => {
    const all = await minute(20)
    expect(Math.max(...all.flatMap(gaps))).toBeLessThanOrEqual(3000 + 20 * 50)
    expect(Math.max(...(await minute(1)).flatMap(gaps))).toBeLessThanOrEqual(3000)
  })

  it('are tried 20 times a second in all, however many they are, each in its turn', async () => {
    const all = await minute(500)
    const sent = all.flat().sort((a, b) => a - b)
    expect(sent.length).toBeLessThanOrEqual(60 * 20 + 1)
    expect(Math.min(...gaps(sent))).toBeGreaterThanOrEqual(50 - 1e-6)
    expect(Math.min(...all.map((t) => t.length))).toBeGreaterThanOrEqual(1)
  })
})
