import { rmSync } from 'node:fs'
import { answersRun } from '../answers/answersrun.ts'
import { remedyRun } from '../answers/remedyrun.ts'
import { forgetSurroundings, missedWakeups } from '../missedwakeups.ts'
import { deathsRun } from '../promote/deathsrun.ts'
import { promoteRun } from '../promote/random/promoterun.ts'
import { applicationsRun } from './applicationsrun.ts'
import { campaignRun } from './campaign/campaignrun.ts'
import { graphRun } from './graphs.ts'
import { groupRun } from './groups.ts'
import { handoverRun } from './handover/handoverrun.ts'
import { randomRun } from './randomrun.ts'
import { setRun } from './sets/setrun.ts'
import { takeoverRun } from './takeoverrun.ts'

const RUNS = {
  answers: answersRun,
  remedy: remedyRun,
  applications: applicationsRun,
  graph: graphRun,
  group: groupRun,
  handover: handoverRun,
  takeover: takeoverRun,
  rollout: campaignRun,
  deaths: deathsRun,
  promote: promoteRun,
  set: setRun,
}

const runOf = (seed: string) =>
  Object.entries(RUNS).find(([prefix]) => seed.startsWith(prefix))?.[1] ?? randomRun

process.on('message', async (seed: string) => {
  const result = await runOf(seed)(seed)
  process.send!({ ...result, problems: [...result.problems, ...missedWakeups()] })
  forgetSurroundings()
})

// The process of the tests has ended, maybe by a signal, and cannot remove the bundle.
process.on('disconnect', () => {
  rmSync(import.meta.dirname, { recursive: true, force: true })
  process.exit()
})
