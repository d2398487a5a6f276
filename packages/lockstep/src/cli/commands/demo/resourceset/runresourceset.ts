/** `demo resourceset`: one set of resources under Cluster API and under Lockstep. Loaded only by that command. */
import { z } from 'zod'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../../kit/index.ts'
import { defineReport, printData } from '../../../kit/output/index.ts'
import { type Terminal, textTable, wrap } from '../../../kit/terminal/index.ts'
import { playSteps, type StepPlayer, type StepResults } from './playsteps.ts'
import { SET_STEPS, type SetStep } from './setsteps.ts'

const PLAYERS: readonly StepPlayer[] = [
  { name: 'ApplyOnce', strategy: 'ApplyOnce', runs: 'ClusterAPI' },
  { name: 'Reconcile', strategy: 'Reconcile', runs: 'ClusterAPI' },
  { name: 'Continuous', strategy: 'Continuous', runs: 'Lockstep' },
]

/** For programs. Absent: it never came to that. */
export const resourceSetReport = defineReport('DemoResourceSet', {
  seed: z.string(),
  systems: z.array(
    z.strictObject({
      strategy: z.string(),
      runs: z.enum(['ClusterAPI', 'Lockstep']),
      steps: z.array(
        z.strictObject({ step: z.string(), expected: z.string(), afterMs: z.int().min(0).optional() }),
      ),
    }),
  ),
})

const INTRODUCTION =
  'A ConfigMap on the hub has a Namespace and three ConfigMaps for each new cluster. A simulated Cluster API 1.13 runs ApplyOnce and Reconcile, Lockstep runs Continuous. Each strategy is observed for 20 minutes after each step; a missing effect then never happens.'

/** Plays it; 1 when Lockstep does not do what is expected. */
export async function runResourceSet(at: CommandContext, seed: string): Promise<CommandResult> {
  const { terminal: t } = at
  const say = at.globals.output === 'table' ? t.print : t.talk
  say(`${t.paint('bold', 'lockstep demo resourceset')}: seed ${seed}   ${t.paint('dim', '(all in memory)')}`)
  say(t.paint('dim', wrap(INTRODUCTION, t.look.width, 0)))
  say('')
  const played: StepResults[] = []
  for (const player of PLAYERS) {
    if (at.signal.aborted) {
      t.talk('Stopped. All data was in memory.')
      return { ok: true, value: INTERRUPTED }
    }
    played.push(await playSteps(seed, player))
  }
  for (const line of [...drawSteps(t, played), '']) say(line)
  printData(at, resourceSetReport.fill({ seed, systems: played.map(factsOf) }), [])
  const missed = SET_STEPS.filter((s) => played.some((p) => p.player.runs === 'Lockstep' && isMissed(p, s)))
  if (missed.length > 0)
    return failed('E_INVARIANT', {
      problem: `seed ${seed}: Continuous missed expected effects: ${missed.map((s) => s.text).join('; ')}`,
    })
  say(t.paint('green', '✔ Continuous: deployed, updated, drift reverted, pruned.'))
  say(`To repeat this run: lockstep demo resourceset --seed ${seed}`)
  return { ok: true, value: 0 }
}

const isMissed = ({ afterMs }: StepResults, { id }: SetStep): boolean => afterMs.get(id) === undefined

function drawSteps(t: Terminal, played: readonly StepResults[]): string[] {
  const cell = (p: StepResults, s: SetStep): string => {
    const ms = p.afterMs.get(s.id)
    return ms === undefined ? t.paint('red', '✗ never') : t.paint('green', `✔ ${timeText(ms)}`)
  }
  return textTable(
    [
      ['', '', ...played.map(({ player }) => t.paint('bold', player.name))],
      ...SET_STEPS.map((s) => [s.text, t.paint('dim', s.expected), ...played.map((p) => cell(p, s))]),
    ],
    { indent: 0, width: t.look.width },
  )
}

const timeText = (ms: number): string =>
  ms < 1 ? 'at once' : ms < 1000 ? `${Math.round(ms)}ms` : `${(ms / 1000).toFixed(1)}s`

const factsOf = ({ player: { strategy, runs }, afterMs }: StepResults) => ({
  strategy,
  runs,
  steps: SET_STEPS.map(({ id, expected }) => {
    const ms = afterMs.get(id)
    return { step: id, expected, ...(ms === undefined ? {} : { afterMs: Math.round(ms) }) }
  }),
})
