/** What follows where clusters leave a module because nothing selects them any more. */

import { parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import type { Assignment, Module, RolloutStatus } from '../../api/kinds/index.ts'
import { ALLOW_REMOVAL_ANNOTATION } from '../../api/labels.ts'
import { namedModule } from '../../decisions/graph/index.ts'
import { setOf } from '../../decisions/resourceset/index.ts'
import {
  type Membership,
  membershipOf,
  type Removals,
  removalsWith,
  type ScheduleOutput,
} from '../../decisions/rollout/index.ts'
import type { ModuleDeps, ModuleLimits } from './moduledeps.ts'
import type { UnitFacts } from './unitviews.ts'

type RemovalStatus = NonNullable<RolloutStatus['removals']>

/** Whoever tells of those that leave, and so many may. */
export interface MembershipDeps {
  readonly events: Pick<ModuleDeps['events'], 'record'>
  readonly maxRemoval: ModuleLimits['maxRemoval']
}

/**
 * The units; those that leave are kept where they are too many, until somebody allows it. Whoever leaves is told of before
 * anything of it goes. `told`: of whom that was done.
 */
export function retainedMembers(
  c: MembershipDeps,
  module: Stored<Module>,
  told: Set<string>,
  units: readonly UnitFacts[],
  nowMs: number,
): readonly UnitFacts[] {
  const { leave, join, tooMany } = membersOf(c, module, units, nowMs)
  if (leave.some((cluster) => !told.has(cluster))) {
    const text = `deselected ${leave.length} cluster${leave.length === 1 ? '' : 's'}, selected ${join.length}`
    c.events.record(module, [{ type: 'Normal', reason: 'SelectorChanged', action: 'Rollout', text }])
  }
  told.clear()
  for (const cluster of leave) told.add(cluster)
  if (tooMany === undefined) return units
  const on = [namedModule(`${module.kind}/${module.metadata.name}`)] as const
  const allowance = { annotation: ALLOW_REMOVAL_ANNOTATION, allowance: nextAllowance(module) }
  const kept = blocked('RemovalTooLarge', on, { ...tooMany, ...allowance })
  return units.map((u) => (told.has(u.view.cluster) ? { ...u, view: { ...u.view, dependants: [kept] } } : u))
}

/** What is kept of a decision: committed with the ledger, before any record says that something goes. */
export function removalsAfter(
  c: Pick<MembershipDeps, 'maxRemoval'>,
  module: Stored<Module>,
  units: readonly UnitFacts[],
  { start }: Pick<ScheduleOutput, 'start'>,
  nowMs: number,
): { readonly removals?: RemovalStatus } {
  if (module.metadata.deletionTimestamp !== undefined) return {}
  const members = membersOf(c, module, units, nowMs)
  const open = removalsWith(members, start, ledgerOf(module), nowMs)
  const given = module.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION]
  // One that is there while nothing is held back has allowed what there was: it is good for nothing that comes later.
  const isUsed = members.tooMany === undefined && given === nextAllowance(module)
  const used = isUsed ? given : usedOf(module)
  if (!open && used === undefined) return {}
  return { removals: { ...(open ? written(open) : {}), ...(used === undefined ? {} : { allowance: used }) } }
}

function membersOf(
  { maxRemoval }: Pick<MembershipDeps, 'maxRemoval'>,
  module: Stored<Module>,
  units: readonly UnitFacts[],
  nowMs: number,
): Membership {
  return membershipOf({
    units: units.map((u) => u.view),
    maxRemoval,
    removals: removalsOf(module),
    ledger: ledgerOf(module),
    isAllowed: module.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION] === nextAllowance(module),
    nowMs,
  })
}

const ledgerOf = ({ status }: Stored<Module>) => status?.rollout?.ledger ?? []

/** For this spec, and once: `7`, and where that was used, `7-2`. */
function nextAllowance(module: Stored<Module>): string {
  const generation = String(module.metadata.generation)
  const used = usedOf(module)
  if (used === undefined) return generation
  return `${generation}-${Number(used.split('-')[1] ?? 1) + 1}`
}

/** The last one that was used, of those for this spec. */
function usedOf({ metadata, status }: Stored<Module>): string | undefined {
  const used = status?.rollout?.removals?.allowance
  return used?.split('-')[0] === String(metadata.generation) ? used : undefined
}

function removalsOf({ status }: Stored<Module>): Removals | undefined {
  const { since, of, begun, allowed } = status?.rollout?.removals ?? {}
  const sinceMs = parseTimestampMs(since ?? '')
  if (sinceMs === undefined || of === undefined) return undefined
  return { sinceMs, of, begun: begun ?? 0, ...(allowed === undefined ? {} : { allowed }) }
}

const written = ({ sinceMs, of, begun, allowed }: Removals): RemovalStatus => ({
  since: timestamp(sinceMs),
  of,
  begun,
  ...(allowed === undefined ? {} : { allowed }),
})

/** Why a unit leaves; of a cluster that is not selected any more, the version of its object by which that was judged. */
export function removalOf(module: Stored<Module>, { cluster }: UnitFacts): UnitRemoval {
  const cause = module.metadata.deletionTimestamp !== undefined ? 'ModuleDeleted' : 'Relabelled'
  const policy = removalPolicy(module, cause)
  if (cause === 'ModuleDeleted') return { cause, policy }
  const { uid: clusterUid, resourceVersion } = cluster ?? {}
  const seen = resourceVersion === undefined ? {} : { clusterUid, resourceVersion }
  return { cause, policy, ...seen }
}

type UnitRemoval = NonNullable<Assignment['removal']>

/**
 * What becomes of the objects. Of a ClusterResourceSet the policy is that of its own deletion: what leaves a cluster that is
 * not selected any more leaves it as from the sources.
 */
export function removalPolicy(
  { metadata, spec: { apply } }: Stored<Module>,
  cause: UnitRemoval['cause'],
): UnitRemoval['policy'] {
  if (cause !== 'Relabelled' || !setOf(metadata)) return apply.deletionPolicy
  return apply.prune ? 'Delete' : 'Orphan'
}

/** It was told to leave, and is selected again before anything of it was deleted: that is written down before. */
export function isReselected({ view, record, inventory }: UnitFacts): boolean {
  if (record?.removal?.cause !== 'Relabelled' || !view.selected || !inventory?.spec.admitted) return false
  return !(inventory.spec.causes ?? []).some((c) => c.cause === 'Relabelled' && c.begun)
}
