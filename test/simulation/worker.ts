import { graphRun } from './graphs.ts'
import { randomRun } from './run.ts'
import { takeoverRun } from './takeover.ts'

const runOf = (seed: string) =>
  seed.startsWith('graph') ? graphRun : seed.startsWith('takeover') ? takeoverRun : randomRun

process.on('message', async (seeds: readonly string[]) => {
  for (const seed of seeds) process.send!(await runOf(seed)(seed))
})
