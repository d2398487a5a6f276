import type { GaugeValue, WatchCount } from '@lockstep/kube/env'
import type { LeaderTerm } from '@lockstep/kube/leaderelection'

export interface ProcessFacts {
  readonly version: string
  readonly node: string
  /** Controllers run in this process. */
  readonly leads: boolean
  /** Undefined without an election, and while another process leads. */
  readonly term: Pick<LeaderTerm, 'isHeld' | 'leftMs'> | undefined
  /** Undefined: not known yet. */
  readonly isHubUp: boolean | undefined
  readonly watches: Pick<WatchCount, 'all' | 'silenceMs'>
  /** Steady milliseconds. */
  readonly now: number
}

/** Gauges of one process: pure. */
export function processGauges(facts: ProcessFacts): GaugeValue[] {
  const { version, node, leads, term, isHubUp, watches, now } = facts
  const isLeader = leads && (term?.isHeld ?? true)
  const out: GaugeValue[] = [
    { name: 'lockstep_build_info', labels: { version, node }, value: 1 },
    { name: 'lockstep_leader', labels: {}, value: Number(isLeader) },
  ]
  if (isLeader && term)
    out.push({ name: 'lockstep_lease_remaining_seconds', labels: {}, value: term.leftMs / 1000 })
  if (isHubUp !== undefined) out.push({ name: 'lockstep_hub_up', labels: {}, value: Number(isHubUp) })
  for (const { scope, state, value } of watches.all())
    out.push({ name: 'lockstep_watches', labels: { scope, state }, value })
  for (const scope of ['hub', 'cluster'] as const) {
    const silenceMs = watches.silenceMs(scope, now)
    if (silenceMs !== undefined)
      out.push({ name: 'lockstep_watch_silence_seconds', labels: { scope }, value: silenceMs / 1000 })
  }
  return out
}
