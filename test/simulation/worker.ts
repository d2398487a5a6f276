import { graphRun } from './graphs.ts'
import { randomRun } from './run.ts'

process.on('message', async (seeds: readonly string[]) => {
  for (const seed of seeds) process.send!(await (seed.startsWith('graph') ? graphRun : randomRun)(seed))
})
