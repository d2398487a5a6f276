import { expect, it } from 'vitest'
import { randomRun } from './run.ts'

/** Runs the seeds of one shard; a failure names its seed and how to replay it. */
export function runSeeds(from: number, to: number): void {
  it(`seeds ${from} to ${to - 1} hold every invariant and converge`, { timeout: 3_600_000 }, async () => {
    const failures: string[] = []
    for (let seed = from; seed < to && failures.length < 3; seed++) {
      const { problems } = await randomRun(String(seed))
      if (problems.length > 0)
        failures.push(
          `seed ${seed}: ${problems.join('\n  ')}\n  replay: LOCKSTEP_SEED=${seed} npx vitest run test/simulation/replay.test.ts`,
        )
    }
    expect(failures.join('\n')).toBe('')
  })
}
