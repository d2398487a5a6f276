/** What follows where clusters leave a module because nothing selects them any more. */

import { parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
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
  type TooManyRemovals,
} from '../../decisions/rollout/index.ts'
import type { ModuleDeps, ModuleLimits } from './moduledeps.ts'
import type { RemovalVerdict } from './removalguard.ts'
import type { UnitFacts } from './unitviews.ts'

type RemovalStatus = NonNullable<RolloutStatus['removals']>

/** Whoever tells of those that leave, and so many may. */
export interface MembershipDeps {
  readonly events: Pick<ModuleDeps['events'], 'record'>
  readonly maxRemoval: ModuleLimits['maxRemoval']
}

/**
 * The units; those that leave are kept where nobody has confirmed that or they are too many, until somebody allows it. Whoever
 * leaves is told of before anything of it goes. `told`: of whom that was done.
 */
export function retainedMembers(
  c: MembershipDeps,
  module: Stored<Module>,
  told: Set<string>,
  units: readonly UnitFacts[],
  { unconfirmed, tooMany }: RemovalVerdict,
  nowMs: number,
): readonly UnitFacts[] {
  if (module.metadata.deletionTimestamp !== undefined)
    return heldBy(units, unconfirmed ?? (isRemovalAllowed(module) ? undefined : tooMany))
  const members = membersOf(c, module, units, tooMany, nowMs)
  const { leave, join } = members
  if (leave.some((cluster) => !told.has(cluster))) {
    const text = `deselected ${leave.length} cluster${leave.length === 1 ? '' : 's'}, selected ${join.length}`
    c.events.record(module, [{ type: 'Normal', reason: 'SelectorChanged', action: 'Rollout', text }])
  }
  told.clear()
  for (const cluster of leave) told.add(cluster)
  if (members.tooMany === undefined) return units
  return heldBy(units, tooMany ?? ofModule(module, members.tooMany))
}

function ofModule(module: Stored<Module>, tooMany: TooManyRemovals): NewBlocker {
  const on = [namedModule(`${module.kind}/${module.metadata.name}`)] as const
  const allowance = { annotation: ALLOW_REMOVAL_ANNOTATION, allowance: nextAllowance(module) }
  return blocked('RemovalTooLarge', on, { because: 'Module', ...tooMany, ...allowance })
}

/** Those that would leave, and whose removal has not begun, wait. */
const heldBy = (units: readonly UnitFacts[], kept: NewBlocker | undefined): readonly UnitFacts[] =>
  kept === undefined
    ? units
    : units.map((u) =>
        u.view.selected || u.view.leaving ? u : { ...u, view: { ...u.view, dependants: [kept] } },
      )

/** What is kept of a decision: committed with the ledger, before any record says that something goes. */
export function removalsAfter(
  c: Pick<MembershipDeps, 'maxRemoval'>,
  module: Stored<Module>,
  units: readonly UnitFacts[],
  { start }: Pick<ScheduleOutput, 'start'>,
  { tooMany }: RemovalVerdict,
  nowMs: number,
): { readonly removals?: RemovalStatus } {
  if (module.metadata.deletionTimestamp !== undefined) return {}
  const members = membersOf(c, module, units, tooMany, nowMs)
  const open = removalsWith(members, start, ledgerOf(module), nowMs)
  const given = module.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION]
  // One that is there while nothing is held back has allowed what there was: it is good for nothing that comes later.
  const isUsed = members.tooMany === undefined && given === nextAllowance(module)
  const used = isUsed ? given : usedOf(module)
  if (!open && used === undefined) return {}
  return { removals: { ...(open ? written(open) : {}), ...(used === undefined ? {} : { allowance: used }) } }
}

/** Somebody has allowed that more of the units of this Module are removed together; for clusters that leave, once. */
export const isRemovalAllowed = (module: Stored<Module>): boolean =>
  isAllowedNow(module) || module.status?.rollout?.removals?.allowed !== undefined

const isAllowedNow = (module: Stored<Module>): boolean =>
  module.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION] === nextAllowance(module)

function membersOf(
  { maxRemoval }: Pick<MembershipDeps, 'maxRemoval'>,
  module: Stored<Module>,
  units: readonly UnitFacts[],
  tooMany: NewBlocker | undefined,
  nowMs: number,
): Membership {
  return membershipOf({
    units: units.map((u) => u.view),
    maxRemoval,
    removals: removalsOf(module),
    ledger: ledgerOf(module),
    limit: removalPolicy(module, 'Relabelled') === 'Orphan' ? 'None' : tooMany ? 'Hub' : 'Share',
    isAllowed: isAllowedNow(module),
    nowMs,
  })
}

const ledgerOf = ({ status }: Stored<Module>) => status?.rollout?.ledger ?? []

/** For this spec, and once: `7`, and where that was used, `7-2`. */
export function nextAllowance(module: Stored<Module>): string {
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
