/** Clusters that a Module deselects, and units whose removal is held back. */

import { parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { Module, RolloutStatus } from '../../../api/kinds/index.ts'
import { ALLOW_REMOVAL_ANNOTATION } from '../../../api/labels.ts'
import { namedModule } from '../../../decisions/graph/index.ts'
import {
  type Membership,
  membershipOf,
  type Removals,
  removalsWith,
  type ScheduleOutput,
  type TooManyRemovals,
} from '../../../decisions/rollout/index.ts'
import type { EventRecorder } from '../../runtime/index.ts'
import type { UnitFacts } from '../unitviews.ts'
import type { RemovalVerdict } from './removalguard.ts'
import { isAllowedNow, isRemovalAllowed, nextAllowance, removalPolicy, usedOf } from './removalpolicy.ts'

type RemovalStatus = NonNullable<RolloutStatus['removals']>

/** Events about deselected clusters, and their limit. */
export interface MembershipDeps {
  readonly events: Pick<EventRecorder, 'record'>
  readonly maxRemoval: number | string
}

/**
 * The units, with a blocker on those whose removal is held back. An event reports deselected clusters before a removal begins.
 * `told`: clusters that were reported.
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
    const of = [...leave].sort().join(' ')
    c.events.record(module, [{ type: 'Normal', reason: 'SelectorChanged', action: 'Rollout', text, of }])
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

/** Units whose removal has not begun wait. */
const heldBy = (units: readonly UnitFacts[], kept: NewBlocker | undefined): readonly UnitFacts[] =>
  kept === undefined
    ? units
    : units.map((u) =>
        u.view.selected || u.view.leaving ? u : { ...u, view: { ...u.view, dependants: [kept] } },
      )

/** Part of the status that is written with the ledger, before an assignment requests a removal. */
export function removalsAfter(
  c: Pick<MembershipDeps, 'maxRemoval'>,
  module: Stored<Module>,
  units: readonly UnitFacts[],
  { start, removals }: Pick<ScheduleOutput, 'start' | 'removals'>,
  { tooMany }: RemovalVerdict,
  nowMs: number,
): { readonly removals?: RemovalStatus } {
  const counted = removals ? { total: removals.total } : {}
  if (module.metadata.deletionTimestamp !== undefined) return removals ? { removals: counted } : {}
  const members = membersOf(c, module, units, tooMany, nowMs)
  const open = removalsWith(members, start, ledgerOf(module), nowMs)
  const given = module.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION]
  // An allowance without a held removal has allowed the removals until now; later ones need another.
  const isUsed = members.tooMany === undefined && given === nextAllowance(module)
  const used = isUsed ? given : usedOf(module)
  if (!open && used === undefined && !removals) return {}
  const allowance = used === undefined ? {} : { allowance: used }
  return { removals: { ...(open ? written(open) : {}), ...allowance, ...counted } }
}

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
