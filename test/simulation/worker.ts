import { deathsRun } from '../promote/deaths.ts'
import { promoteRun } from '../promote/random/run.ts'
import { applicationsRun } from './applications.ts'
import { campaignRun } from './campaign/run.ts'
import { graphRun } from './graphs.ts'
import { groupRun } from './groups.ts'
import { randomRun } from './run.ts'
import { setRun } from './sets/run.ts'
import { takeoverRun } from './takeover.ts'

const RUNS = {
  applications: applicationsRun,
  graph: graphRun,
  group: groupRun,
  takeover: takeoverRun,
  rollout: campaignRun,
  deaths: deathsRun,
  promote: promoteRun,
  set: setRun,
}

const runOf = (seed: string) =>
  Object.entries(RUNS).find(([prefix]) => seed.startsWith(prefix))?.[1] ?? randomRun

process.on('message', async (seeds: readonly string[]) => {
  for (const seed of seeds) process.send!(await runOf(seed)(seed))
})
