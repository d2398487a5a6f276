/** `demo tenancy`: a user with the role edit in one namespace attacks the platform. Loaded only by that command. */
import { z } from 'zod'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../../kit/index.ts'
import { defineReport, printData } from '../../../kit/output/index.ts'
import { plural, wrap } from '../../../kit/terminal/index.ts'
import { startDemoFleet } from '../demofleet.ts'
import { ATTACKER, AttackPlay, type AttackResult, CLUSTER, hasSucceeded, textOf } from './attackplay.ts'
import { attacks, PLATFORM, TEAM } from './attacks.ts'
import { drawAttack, drawAttackTable } from './drawattacks.ts'

const count = z.int().min(0)

/** For programs. */
export const demoTenancyReport = defineReport('DemoTenancy', {
  seed: z.string(),
  attacks: z.array(
    z.strictObject({
      id: z.string(),
      goal: z.string(),
      refusal: z.string().optional().describe('Absent: the attack was not refused.'),
      refusedAfterMs: count.optional(),
      writesInside: count.describe('Writes to the namespace of the attacker.'),
      writesOutside: z.array(z.string()),
      reached: z.array(z.string()).describe('Writes to the objects of the attack.'),
    }),
  ),
  delivered: z
    .array(z.string())
    .describe('Modules that were delivered as usual, before and after the attacks.'),
})

const INTRODUCTION = `User ${ATTACKER} has the role edit in namespace ${TEAM} of the hub, and no other right. Lockstep reads and writes the hub for ${ATTACKER} as ServiceAccount ${TEAM}/lockstep-deployer, which has the role edit in ${TEAM}, too. Namespace ${PLATFORM} has the cluster ${CLUSTER} and its credential. Every write is counted until 30 s after each answer.`

/** Plays it; 1 when an attack was not refused, or wrote anything outside of the attacker's namespace. */
export async function runTenancy(at: CommandContext, seed: string): Promise<CommandResult> {
  const { terminal: t } = at
  const say = at.globals.output === 'table' ? t.print : t.talk
  say(
    `${t.paint('bold', 'lockstep demo tenancy')}: ${attacks.length} attacks, seed ${seed}   ${t.paint('dim', '(all in memory)')}`,
  )
  say(t.paint('dim', wrap(INTRODUCTION, t.look.width, 0)))
  const fleet = await startDemoFleet(seed, [CLUSTER])
  const play = new AttackPlay(fleet)
  const delivered: string[] = []
  const results: AttackResult[] = []
  const note = (isDone: boolean, module: string, text: string): void => {
    if (isDone) delivered.push(module)
    say('')
    say(
      `${isDone ? t.paint('green', '✔') : t.paint('red', '✗ not delivered:')} ${wrap(text, t.look.width - 2, 2)}`,
    )
  }
  const first = `${PLATFORM} delivers Module ${PLATFORM}/web to ${CLUSTER}: ready`
  note(await play.prepare(), `${PLATFORM}/web`, first)
  const own = `${ATTACKER} delivers Module ${TEAM}/own to ${TEAM}: ready`
  note(await play.deliverOwn(), `${TEAM}/own`, own)
  for (const attack of attacks) {
    if (at.signal.aborted) {
      fleet.stop()
      t.talk('Stopped. All data was in memory.')
      return { ok: true, value: INTERRUPTED }
    }
    const result = await play.play(attack)
    results.push(result)
    for (const line of ['', ...drawAttack(t, result)]) say(line)
  }
  const next = `${PLATFORM} delivers the next revision of Module ${PLATFORM}/web to ${CLUSTER}: ready`
  note(await play.deliverPlatform(), `${PLATFORM}/web again`, next)
  fleet.stop()
  for (const line of ['', ...drawAttackTable(t, results), '']) say(line)
  printData(at, demoTenancyReport.fill({ seed, attacks: results.map(factsOf), delivered }), [])
  return conclude(say, t.paint, seed, { results, delivered })
}

function conclude(
  say: (line: string) => void,
  paint: CommandContext['terminal']['paint'],
  seed: string,
  {
    results,
    delivered,
  }: { readonly results: readonly AttackResult[]; readonly delivered: readonly string[] },
): CommandResult {
  const successful = results.filter(hasSucceeded).map((r) => r.attack.id)
  if (successful.length > 0)
    return failed('E_INVARIANT', {
      problem: `seed ${seed}: ${plural(successful.length, 'attack')} of ${results.length} got through: ${successful.join(', ')}`,
    })
  const missing = [`${PLATFORM}/web`, `${TEAM}/own`, `${PLATFORM}/web again`].filter(
    (m) => !delivered.includes(m),
  )
  if (missing.length > 0)
    return failed('E_INVARIANT', { problem: `seed ${seed}: not delivered: ${missing.join(', ')}` })
  const refused = results.filter((r) => r.refusal !== undefined).length
  const outside = results.reduce((sum, r) => sum + r.outside.length, 0)
  say(paint('green', `✔ ${results.length} attacks, ${refused} refused, ${outside} writes outside ${TEAM}.`))
  say(`To repeat this run: lockstep demo tenancy --seed ${seed}`)
  return { ok: true, value: 0 }
}

const factsOf = (r: AttackResult) => ({
  id: r.attack.id,
  goal: r.attack.goal,
  ...(r.refusal === undefined ? {} : { refusal: r.refusal }),
  ...(r.refusedAfterMs === undefined ? {} : { refusedAfterMs: Math.round(r.refusedAfterMs) }),
  writesInside: r.inside,
  writesOutside: r.outside.map(textOf),
  reached: [...r.reached],
})
