/** `demo versioned`: one release, written in the wrong order, under three systems. Loaded only by that command. */

import { FLUX } from '@lockstep/simulators/flux'
import { z } from 'zod'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../../kit/index.ts'
import { defineReport, printData } from '../../../kit/output/index.ts'
import { plural, wrap } from '../../../kit/terminal/index.ts'
import { drawTimelines, drawViolationCounts, drawViolations } from './drawtimelines.ts'
import { playFlux } from './playflux.ts'
import { playNative } from './playnative.ts'
import { doneAfterMs } from './timeline.ts'
import type { VersionedTrace } from './versionedtrace.ts'

const NATIVE = 'Lockstep'
const milliseconds = z.int().min(0)

/** The verdict for programs. Times are milliseconds since the release was written; absent: it never came to that. */
export const versionedReport = defineReport('DemoVersioned', {
  seed: z.string(),
  systems: z.array(
    z.strictObject({
      name: z.string(),
      checkedAfterMs: milliseconds.optional(),
      healthyAfterMs: milliseconds.optional(),
      violations: z.array(
        z.strictObject({
          atMs: milliseconds,
          kind: z.enum(['TooEarly', 'Deleted', 'Reverted', 'Leaked', 'Unchecked']),
          unit: z.string(),
          object: z.string(),
          message: z.string(),
        }),
      ),
    }),
  ),
})

const INTRODUCTION = `A release replaces the machines of a cluster. The new network must be healthy first. Then a checkpoint checks all machines, they are replaced one by one, and addons follow. The objects are written in reverse order, and the new network takes 45 s. The simulation is of Flux 2 (kustomize-controller ${FLUX.kustomizeController}).`

/** Plays it; 1 when Lockstep did anything too early. */
export async function runVersionedDemo(at: CommandContext, seed: string): Promise<CommandResult> {
  const { terminal: t } = at
  const say = at.globals.output === 'table' ? t.print : t.talk
  say(`${t.paint('bold', 'lockstep demo versioned')}: seed ${seed}   ${t.paint('dim', '(all in memory)')}`)
  say(t.paint('dim', wrap(INTRODUCTION, t.look.width, 0)))
  say('')
  const plays = [
    () => playFlux(seed, 'Flux 2', {}),
    () => playFlux(seed, 'Flux 2, renamed units', { suffix: 'checkpoints' }),
    () => playNative(seed, NATIVE),
  ]
  const traces: VersionedTrace[] = []
  for (const play of plays) {
    if (at.signal.aborted) {
      t.talk('Stopped. All data was in memory.')
      return { ok: true, value: INTERRUPTED }
    }
    traces.push(await play())
  }
  for (const line of [
    ...drawTimelines(t, traces),
    '',
    ...drawViolations(t, traces),
    ...drawViolationCounts(t, traces),
    '',
  ])
    say(line)
  printData(at, versionedReport.fill({ seed, systems: traces.map(factsOf) }), [])
  return conclude(at, seed, traces, say)
}

function conclude(
  at: CommandContext,
  seed: string,
  traces: readonly VersionedTrace[],
  say: (line: string) => void,
): CommandResult {
  const { terminal: t } = at
  const { violations } = traces.find((x) => x.system === NATIVE)!
  if (violations.length > 0)
    return failed('E_INVARIANT', {
      problem: `seed ${seed}: ${NATIVE} broke the order ${plural(violations.length, 'time')}`,
    })
  say(t.paint('green', '✔ Lockstep: nothing too early, nothing deleted, no leftovers.'))
  say(`To repeat this run: lockstep demo versioned --seed ${seed}`)
  return { ok: true, value: 0 }
}

function factsOf(trace: VersionedTrace) {
  const { system, begunMs, checkedMs, violations } = trace
  const healthyAfterMs = doneAfterMs(trace)
  return {
    name: system,
    ...(checkedMs === undefined ? {} : { checkedAfterMs: Math.round(checkedMs - begunMs) }),
    ...(healthyAfterMs === undefined ? {} : { healthyAfterMs }),
    violations: violations.map((v) => ({ ...v, atMs: Math.round(v.atMs - begunMs) })),
  }
}
