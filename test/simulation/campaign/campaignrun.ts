/**
 * Rollouts under everything at once: random stages, budgets, consents, windows and Holds; releases that are good, bad or
 * bad somewhere; two replicas that die, stand still and are cut off; clusters that leave, join and fall silent. What is
 * checked are the invariants of rollouts, at each commit, and that a good release gets everywhere in the end.
 */

import { seededRandom } from '../../../packages/kube/src/env/sim/seededrandom.ts'
import type { Stored } from '../../../packages/kube/src/object/kind.ts'
import type { Module } from '../../../packages/lockstep/src/api/kinds/module/columns.ts'
import { type SimFleet, simFleet } from '../../fleet/simfleet.ts'
import { Fences } from '../fences.ts'
import { judgeEachRest } from '../rest.ts'
import { startReplicas } from '../simreplicas.ts'
import { type RunResult, traceOf } from '../trace.ts'
import { CampaignPeople } from './campaignpeople.ts'
import { randomPlan } from './campaignplan.ts'

const MOVES = { least: 5, more: 5 }
/** Between two things that people do: from an instant to as long as a rollout takes. */
const GAP_MS = { least: 200, most: 60_000 }
/** Longer than windows are shut and soaks take, one module after the other. */
const END_MS = 60 * 60_000
const APPROVE_MS = 20_000
/** Longer than a status waits for its debounce. */
const REST_MS = 60_000

export async function campaignRun(
  seed: string,
  look: (fleet: SimFleet) => void = () => {},
): Promise<RunResult> {
  const random = seededRandom(`campaign/${seed}`)
  const plan = randomPlan(random.fork('plan'))
  const fleet = await simFleet(`campaign/${seed}`, plan.clusters)
  look(fleet)
  judgeEachRest(fleet)
  const { clock } = fleet.env
  const fences = new Fences(() => clock.steady())
  // Commits are looked at when they are made: the check knows the time.
  const push = fleet.commits.push.bind(fleet.commits)
  fleet.commits.push = (...commits) => {
    for (const [i, c] of commits.entries()) fences.see(c, fleet.commits.length + i)
    return push(...commits)
  }
  const replicas = startReplicas(fleet, ['one', 'other'])
  const people = new CampaignPeople(fleet, plan, random.fork('people'))
  await people.publish('')
  const moves = random.fork('moves')
  for (let i = MOVES.least + Math.floor(moves.next() * MOVES.more); i > 0; i--) {
    const { least, most } = GAP_MS
    await clock.run(() => false, least * (most / least) ** moves.next())
    await people.act()
  }
  replicas.calm()
  await people.settle()
  const problems = await unfinished(fleet, people)
  await clock.run(() => false, REST_MS)
  fleet.oracles.atRest()
  // What arrives late was in the bundle that was admitted when it was sent; that it goes again is looked at in the end.
  const violations = fleet.oracles.violations.filter((v) => v.invariant !== 'I2' || !fences.late.has(v.at))
  const { tested, ...trace } = traceOf(fleet)
  return {
    seed,
    problems: [
      ...violations.map((v) => `${v.invariant} at commit ${v.at}: ${v.message}`),
      ...fences.problems,
      ...fleet.rollouts.problems,
      ...problems,
    ],
    tested: { ...tested, ...fleet.rollouts.tested, ...replicas.fates, ...people.done, I10: fences.tested },
    ...trace,
  }
}

async function unfinished(fleet: SimFleet, people: CampaignPeople): Promise<string[]> {
  const { clock } = fleet.env
  const end = clock.steady() + END_MS
  let left: string[] = []
  while (clock.steady() < end) {
    await people.approve()
    await clock.run(() => false, APPROVE_MS)
    const modules = await people.modules()
    const stuck = modules.filter(isStuck).map((m) => m.metadata.name)
    left = modules.flatMap((m) => {
      const isReady = m.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True')
      const isNow = m.status?.observedGeneration === m.metadata.generation
      const isDone = isReady && isNow && m.status?.release === `r${people.release}`
      const needs = people.plan.modules.find((p) => p.name === m.metadata.name)?.needs ?? []
      const isExcused = [m.metadata.name, ...needs].some((n) => stuck.includes(n))
      return isDone || isExcused
        ? []
        : [`not converged: ${m.metadata.name}: ${JSON.stringify(m.status?.blockers)}`]
    })
    if (left.length === 0) break
  }
  return left
}

/** What a bad release has left unhealthy takes the last slot, and its own stage is a later one: for people, who are told. */
const isStuck = (m: Stored<Module>): boolean =>
  m.status?.blockers?.some((b) => b.reason === 'RolloutLimit' && Number(b.facts?.unhealthyCount) > 0) ?? false
