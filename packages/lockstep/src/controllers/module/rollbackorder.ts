/**
 * Who goes back before the turn of its stage: what a unit that goes back relies on cannot go before it does (I8). So whose
 * turn it is says when both go (ADR 0045).
 */
import { clusterOf, type GatedUnit, isUnitRollback, type Observation } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleEdges } from '../../decisions/graph/index.ts'
import { frozenBy, recordedStage, type StageMember, stagesOf } from '../../decisions/rollout/index.ts'
import { type FleetReader, selectsCluster } from '../../fleet/clusters/index.ts'
import type { HubCaches } from '../cache/index.ts'
import { unitOrder } from './unitorder.ts'

interface Sight {
  readonly hub: HubCaches
  readonly fleet: FleetReader
  readonly seen: Observation
}

/** A unit that it relies on goes back as well, and it is that one's turn, or that one is waited for in its turn. */
export function isDueInRollbackOrder(s: Sight, unit: GatedUnit): boolean {
  if (!isUnitRollback(unit, s.seen)) return false
  return moduleEdges(unit.published.edges).some((e) => {
    const cluster = clusterOf(e, unit.cluster, s.seen)
    const published = s.seen.module(e.to)?.published
    const below = published && { module: e.to, cluster, published }
    if (!below || e.release !== 'Same' || !isUnitRollback(below, s.seen)) return false
    return hasTurn(s, e.to, cluster) || isDueInRollbackOrder(s, below)
  })
}

/** The stage of its module that it is in has begun. */
function hasTurn({ hub, fleet }: Pick<Sight, 'hub' | 'fleet'>, ref: ModuleRef, cluster: string): boolean {
  const module = hub.module(ref)
  if (!module) return false
  const { rollout } = module.status ?? {}
  if (module.spec.rollout.strategy !== 'Staged') return true
  const known = rollout?.stages ?? []
  const inFlight = new Map((rollout?.ledger ?? []).map((e) => [e.cluster, e.stage]))
  const startedIn = (name: string): string | undefined => {
    const record = hub.assignment(ref, name)
    return inFlight.get(name) ?? recordedStage(record?.revision, record?.stage, rollout?.revision)
  }
  const members = [...fleet.of(ref.namespace)]
    .filter((c) => selectsCluster(module.spec.targets, c))
    .map((c): StageMember => ({ cluster: c.name, labels: c.labels, order: unitOrder(module, c.uid) }))
  const stages = stagesOf(module.spec.rollout, members, frozenBy(known), startedIn)
  const stage = stages.find((x) => x.members.some((m) => m.cluster === cluster))
  return known.some((s) => s.name === stage?.name && s.openedAt !== undefined)
}
