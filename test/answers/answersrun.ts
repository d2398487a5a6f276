/** I36 in simulations: a run of another kind, whose states are judged by what every surface shows of them. */
import type { SimFleet } from '../fleet/simfleet.ts'
import { campaignRun } from '../simulation/campaign/campaignrun.ts'
import { graphRun } from '../simulation/graphs.ts'
import { handoverRun } from '../simulation/handover/handoverrun.ts'
import { randomRun } from '../simulation/randomrun.ts'
import { setRun } from '../simulation/sets/setrun.ts'
import type { RunResult } from '../simulation/trace.ts'
import { disagreements } from './agreement.ts'
import { Sampler } from './sampler.ts'
import { shownOf } from './shown.ts'

type Look = (fleet: SimFleet) => void

/** The run that the prefix of a seed names. */
export function playRun(seed: string, look: Look): Promise<RunResult> {
  if (seed.startsWith('graph')) return graphRun(seed, look)
  if (seed.startsWith('handover')) return handoverRun(seed, look)
  if (seed.startsWith('rollout')) return campaignRun(seed, look)
  if (seed.startsWith('set')) return setRun(seed, undefined, (story) => look(story.fleet))
  return randomRun(seed, look)
}

/** `answers-rollout-3`: the states of `rollout-3`. Problems of the run itself are the business of its own test. */
export async function answersRun(seed: string): Promise<RunResult> {
  let sampler: Sampler | undefined
  const result = await playRun(seed.replace(/^answers-/, ''), (fleet) => {
    sampler = new Sampler(fleet)
  })
  const problems = new Set<string>()
  const tested = { states: 0, atRest: 0, waiting: 0 }
  for (const { start, isAtRest } of sampler!.samples) {
    const shown = await shownOf(start)
    const units = shown.flatMap((m) => m.units)
    tested.states += shown.length + units.length
    if (isAtRest) tested.atRest += shown.length + units.length
    tested.waiting += units.filter((u) => u.why.state !== 'ready').length
    for (const line of disagreements(shown, { isAtRest, hasEvents: false }))
      problems.add(`${line} (after ${start.at} ms)`)
  }
  return { ...result, seed, tested, problems: [...problems] }
}
