/** Waits of single units, for the search for deadlocks. */

import type { NewBlocker } from '../../api/blocker.ts'
import type { SharedLimit } from './budgets/startstop.ts'
import { holdsSlot, type Selection } from './selectstarts.ts'
import type { ClassifiedUnit, StageRun } from './stagerun.ts'
import type { ScheduleInput, UnitClass } from './types.ts'
import type { HeldLimit, RolloutWaits, UnitWait } from './unitwait.ts'

interface RolloutWaitsInput {
  readonly input: ScheduleInput
  readonly all: readonly ClassifiedUnit[]
  readonly stages: readonly StageRun[]
  readonly walk: Pick<Selection, 'stops' | 'start'>
}

export function rolloutWaits({ input, all, stages, walk }: RolloutWaitsInput): RolloutWaits {
  const limits = new Map<string, HeldLimit>()
  const units = all.flatMap((c): UnitWait[] => {
    const { cluster } = c.unit
    const blockers = blockersOf(c, input)
    const stop = walk.stops.get(cluster)
    if (blockers.length === 0 && stop === undefined) return []
    const isHolding = isHeldUp(c)
    if (stop?.type !== 'Limit') return [{ cluster, blockers, stop, isHolding }]
    const limit = limitName(stop.limit)
    if (!limits.has(limit)) {
      const clusters = walk.start.length > 0 ? undefined : holdersOf(stop.limit, all)
      limits.set(limit, { name: limit, clusters: clusters ?? [] })
    }
    return [{ cluster, blockers, stop: { type: 'Limit', limit }, isHolding }]
  })
  return { units, stages: new Map(stages.map((s) => [s.name, unfinishedOf(s)])), limits }
}

/** Classes whose next step their dependencies keep back. */
const GATED: ReadonlySet<UnitClass> = new Set(['Blocked', 'InFlight', 'Unhealthy'])

/** A unit that is not to be with its fleet counts its dependencies as they stand: they may be ready without a next step. */
function blockersOf(c: ClassifiedUnit, { target }: ScheduleInput): readonly NewBlocker[] {
  if (c.unit.clusterState !== 'Connected') return []
  if (c.class === 'Leaving') return c.unit.dependants
  return GATED.has(c.class) && c.targetRevision === target?.revision ? c.at.gate : []
}

/** Its dependencies keep it from being verified, without a deadline. */
const isHeldUp = ({ class: name, unit, entry, targetRevision, at }: ClassifiedUnit): boolean =>
  name === 'InFlight' &&
  at.gate.length > 0 &&
  entry?.revision === targetRevision &&
  unit.admittedRevision === targetRevision

/** Undefined: an unhealthy unit may become healthy, or fail and free its slot; surges are no slots. */
function holdersOf({ name, stage }: SharedLimit, all: readonly ClassifiedUnit[]): string[] | undefined {
  if (name === 'maxSurge') return undefined
  const holders = all.filter((c) => holdsSlot(c) && (stage === undefined || c.stage?.name === stage))
  return holders.every((c) => isHeldUp(c) && c.unit.healthy) ? holders.map((c) => c.unit.cluster) : undefined
}

const limitName = ({ name, stage }: SharedLimit): string =>
  stage === undefined ? name : `${name} of stage ${stage}`

/** Classes of members that a stage waits for. */
const UNFINISHED: ReadonlySet<UnitClass> = new Set(['Candidate', 'Blocked', 'InFlight', 'Unhealthy'])

const unfinishedOf = ({ members }: StageRun): string[] =>
  members.filter((c) => UNFINISHED.has(c.class)).map((c) => c.unit.cluster)
