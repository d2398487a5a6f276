/** The decision about a rollout as a text, and made again on the caches of another time: sends and remembers nothing. */
import { waitsText } from '../../api/blocker.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { ScheduleOutput } from '../../decisions/rollout/index.ts'
import { findRevisionRecord, type HubCaches, observationOf, publishedFrom } from '../cache/index.ts'
import {
  decideSchedule,
  desiredStateFor,
  type RolloutMemory,
  type ScheduleRequest,
  type SchedulerDeps,
} from './schedule.ts'

/** Inputs of the first decision that are not read from the caches of the hub. */
type KeptInputs = Pick<ScheduleRequest, 'bindings' | 'budgets' | 'guard'>

/** Events are recorded by the decision that is acted on. */
const NO_EVENTS: SchedulerDeps['events'] = { record: () => {} }

export function decideAgain(
  c: SchedulerDeps & { readonly hub: HubCaches },
  ref: ModuleRef,
  memory: RolloutMemory,
  kept: KeptInputs,
): string {
  const module = c.hub.module(ref)
  if (!module) return 'deleted'
  const current = findRevisionRecord(c.hub, ref, module.status?.currentRevision)
  const { goal, wanted, target } = desiredStateFor(c.hub, ref, module, current)
  const { rollout } = decideSchedule(
    { ...c, events: NO_EVENTS },
    {
      ...kept,
      ref,
      module,
      memory: { ...memory, leaving: new Set(memory.leaving) },
      published: wanted && publishedFrom(wanted, module),
      target,
      seen: observationOf(c, ref.namespace),
      cause: goal?.cause,
    },
  )
  return scheduleOutcome(rollout)
}

/** Starts, withdrawn records, and blockers. */
export function scheduleOutcome({ start, withdraw, blockers }: ScheduleOutput): string {
  const starts = start.map((s) => `${s.kind} ${s.cluster}`).sort()
  return `${starts.join(', ')} - ${[...withdraw].sort().join(', ')}: ${waitsText(blockers)}`
}
