import { describe, expect, it } from 'vitest'
import { randomRun } from './run.ts'

describe('a run is made of its seed alone (I18)', () => {
  it('gives the same trace twice', async () => {
    const [first, second] = [await randomRun('determinism'), await randomRun('determinism')]
    expect(first.commits).toBeGreaterThan(60)
    expect(second).toEqual(first)
  })

  it('gives another trace for another seed', async () => {
    expect((await randomRun('one')).trace).not.toBe((await randomRun('two')).trace)
  })

  const seed = process.env.LOCKSTEP_SEED
  it.runIf(seed !== undefined)(`replays seed ${seed}`, async () => {
    expect((await randomRun(seed!)).problems).toEqual([])
  })
})
