import { randomRun } from './run.ts'

process.on('message', async (seeds: readonly string[]) => {
  for (const seed of seeds) process.send!(await randomRun(seed))
})
