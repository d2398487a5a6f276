/** `demo clustergroup`: the race of two operators, with and without sequencing. Loaded only by that command. */
import { z } from 'zod'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../../kit/index.ts'
import { defineReport, printData } from '../../../kit/output/index.ts'
import { wrap } from '../../../kit/terminal/index.ts'
import { drawMeanwhile, drawRace } from './drawrace.ts'
import { faultsOf, lagOf, MILESTONES } from './milestones.ts'
import { playRace, type RaceResult } from './playrace.ts'
import { RACE_PLAYERS } from './raceplayers.ts'

const milliseconds = z.int().min(0).optional()
const count = z.int().min(0)

/** For programs. Milliseconds since the group was written; absent: it never came to that. */
export const clusterGroupReport = defineReport('DemoClusterGroup', {
  seed: z.string(),
  players: z.array(
    z.strictObject({
      name: z.string(),
      hasWaves: z.boolean(),
      hasSequenceJob: z.boolean(),
      sequencing: z.enum(['Jobs', 'Native']),
      storageSubscribedMs: milliseconds,
      storageHealthyMs: milliseconds,
      classMs: milliseconds,
      virtualizationSubscribedMs: milliseconds,
      /** From the class to the subscription that needs it; negative: that was too early. */
      lagMs: z.int().optional(),
      podsRun: count,
      jobsMade: count,
      /** What the module said of itself while the class was not there. */
      meanwhile: z.strictObject({ isReady: z.boolean(), waitsFor: z.array(z.string()) }),
    }),
  ),
})

const INTRODUCTION =
  'A cluster group installs two operators. The storage operator is healthy soon, but creates its StorageClass much later. The virtualization operator needs that class. Lockstep deploys the group four times: without waves; with waves; with a sequenceJob that the chart renders as a Job; with the same sequenceJob as a wait. Times count from the first write of the group.'

const MEANING =
  'A wave ends when its Subscriptions are healthy, before their operators have created anything. A sequenceJob checks for the created object. As a Job it is a Pod that polls every 5 s. As a wait it is a watch, and the status names the missing object.'

/** Plays it; 1 when native waits were too early, too late, or left anything on the cluster. */
export async function runClusterGroup(at: CommandContext, seed: string): Promise<CommandResult> {
  const { terminal: t } = at
  const say = at.globals.output === 'table' ? t.print : t.talk
  say(`${t.paint('bold', 'lockstep demo clustergroup')}: seed ${seed}   ${t.paint('dim', '(all in memory)')}`)
  say(t.paint('dim', wrap(INTRODUCTION, t.look.width, 0)))
  say('')
  const played: RaceResult[] = []
  for (const player of RACE_PLAYERS) {
    if (at.signal.aborted) {
      t.talk('Stopped. All data was in memory.')
      return { ok: true, value: INTERRUPTED }
    }
    played.push(await playRace(seed, player))
  }
  for (const line of [...drawRace(t, played), '', ...drawMeanwhile(t, played), '']) say(line)
  say(wrap(MEANING, t.look.width, 0))
  say('')
  printData(at, clusterGroupReport.fill({ seed, players: played.map(factsOf) }), [])
  return conclude(at, seed, played, say)
}

function conclude(
  at: CommandContext,
  seed: string,
  played: readonly RaceResult[],
  say: (line: string) => void,
): CommandResult {
  const native = played.find(({ player }) => player.sequencing === 'Native')!
  const faults = faultsOf(native.milestones)
  if (faults.length > 0)
    return failed('E_INVARIANT', { problem: `seed ${seed}: ${native.player.name}: ${faults.join('; ')}` })
  say(
    at.terminal.paint(
      'green',
      `✔ ${native.player.name}: started after the class at once, without Pods or Jobs.`,
    ),
  )
  say(`To repeat this run: lockstep demo clustergroup --seed ${seed}`)
  return { ok: true, value: 0 }
}

function factsOf({ player, milestones, meanwhile }: RaceResult) {
  const { podsRun, jobsMade } = milestones
  const lag = lagOf(milestones)
  const times = MILESTONES.flatMap((m) => {
    const ms = milestones[m]
    return ms === undefined ? [] : [[m, Math.round(ms)] as const]
  })
  return {
    ...player,
    ...Object.fromEntries(times),
    ...(lag === undefined ? {} : { lagMs: Math.round(lag) }),
    podsRun,
    jobsMade,
    meanwhile: { ...meanwhile, waitsFor: [...meanwhile.waitsFor] },
  }
}
