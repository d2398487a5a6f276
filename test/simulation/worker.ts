import { campaignRun } from './campaign/run.ts'
import { graphRun } from './graphs.ts'
import { randomRun } from './run.ts'
import { takeoverRun } from './takeover.ts'

const RUNS = { graph: graphRun, takeover: takeoverRun, rollout: campaignRun }

const runOf = (seed: string) =>
  Object.entries(RUNS).find(([prefix]) => seed.startsWith(prefix))?.[1] ?? randomRun

process.on('message', async (seeds: readonly string[]) => {
  for (const seed of seeds) process.send!(await runOf(seed)(seed))
})
