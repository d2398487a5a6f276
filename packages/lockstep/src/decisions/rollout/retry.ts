/** What somebody asks to be tried again: a moment, and the clusters that are meant. */
import { schedule } from './schedule.ts'
import type { InFlightEntry, ScheduleInput, ScheduleOutput } from './types.ts'

/** As an annotation has it: two requests within a second are two. No clusters: all of them. */
export const retryText = (at: string, clusters: readonly string[]): string => [at, ...clusters].join(' ')

/** Undefined: all of them. */
export function clustersOfRetry(text: string): readonly string[] | undefined {
  const [, ...clusters] = text.split(' ').filter((x) => x !== '')
  return clusters.length === 0 ? undefined : clusters
}

/**
 * What has failed there is tried again; what has failed elsewhere goes on counting, and by that it is judged anew whether the
 * rollout is halted. Answered once none of them has failed any more: it has got over it, or is under way again.
 */
export function retriedOn(input: ScheduleInput, clusters: readonly string[]): ScheduleOutput {
  const rollout = schedule(forgivenOn(input, new Set(clusters)))
  const failed = new Set(rollout.ledger.filter(hasFailed).map((e) => e.cluster))
  return { ...rollout, retried: !clusters.some((cluster) => failed.has(cluster)) }
}

const hasFailed = (e: InFlightEntry): boolean => e.failed !== undefined

/** As if nothing had failed there; where nothing has, nothing is otherwise. */
function forgivenOn(input: ScheduleInput, clusters: ReadonlySet<string>): ScheduleInput {
  const meant = new Set(input.ledger.filter((e) => hasFailed(e) && clusters.has(e.cluster)))
  if (meant.size === 0) return input
  const ledger = input.ledger.map((e) => {
    if (!meant.has(e)) return e
    const { failed: _, ...entry } = e
    return { ...entry, runSeconds: 0, readySeconds: 0 }
  })
  const names = new Set([...meant].map((e) => e.cluster))
  const clocks = new Map([...input.clocks].filter(([cluster]) => !names.has(cluster)))
  return { ...input, haltedAt: undefined, ledger, clocks }
}
