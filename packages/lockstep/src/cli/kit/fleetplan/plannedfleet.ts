/** A plan of the fleet: what there is, what files would publish, and what the controllers would do with it. */

import type { Result } from '@lockstep/kube/env'
import { type ControllerRevision, controllerRevisionKind } from '@lockstep/kube/kinds'
import { approvalKind, disruptionBudgetKind, holdKind } from '../../../api/kinds/index.ts'
import { MODULE_LABEL } from '../../../api/labels.ts'
import { type RevisionRecord, revisionRecordOf } from '../../../controllers/cache/index.ts'
import {
  type FleetObjects,
  type FleetPlan,
  type PlannedHandover,
  planFleet,
} from '../../../controllers/plan/index.ts'
import { moduleId } from '../../../decisions/graph/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import type { FileModules } from '../render/index.ts'
import { readSnapshot } from '../snapshot/index.ts'
import { handoversOfPlan } from './handoversofplan.ts'
import { mergeClusters, mergeObjects } from './mergemodules.ts'
import { type PlannedModule, planModules } from './plannedmodule.ts'

export interface PlannedFleet {
  readonly namespace: string
  readonly clusters: readonly ClusterView[]
  readonly plan: FleetPlan
  /** By `moduleId`. */
  readonly brought: ReadonlyMap<string, PlannedModule>
  readonly history: readonly RevisionRecord[]
  readonly nowMs: number
  readonly calendar: CommandContext['env']['calendar']
  readonly handovers: readonly PlannedHandover[]
}

/** A unit is removed, or a revision lacks objects of the one before. */
const deletes = (plan: FleetPlan, brought: PlannedFleet['brought']): boolean =>
  plan.starts.some((s) => s.kind === 'Remove') ||
  [...brought.values()].some(({ changes }) => !changes || changes.some((x) => x.action === 'delete'))

export async function planOfFleet(
  c: CommandContext,
  hub: HubConnection,
  written: FileModules,
  maxRemoval: string,
): Promise<Result<PlannedFleet, CliFailure>> {
  const scope = { namespace: hub.namespace }
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const revisions = await listAll<ControllerRevision>(c, hub, controllerRevisionKind, {
    ...scope,
    labelSelector: MODULE_LABEL,
  })
  if (!revisions.ok) return revisions
  const holds = await listAll(c, hub, holdKind, scope)
  if (!holds.ok) return holds
  const approvals = await listAll(c, hub, approvalKind, scope)
  if (!approvals.ok) return approvals
  const budgets = await listAll(c, hub, disruptionBudgetKind, scope)
  if (!budgets.ok) return budgets
  const history = revisions.value.map(revisionRecordOf)
  const known = { modules: seen.value.modules, nowMs: seen.value.nowMs }
  const { modules, brought } = await planModules(c, { hub, written, history, ...known })
  const next = [...brought.values()].flatMap((b) => (b.next ? [b.next.stored] : []))
  const fresh = next.filter((n) => !revisions.value.some((r) => r.metadata.name === n.metadata.name))
  const { nowMs, inventories, assemblages } = seen.value
  const objects: FleetObjects = {
    namespace: hub.namespace,
    modules,
    inventories,
    assemblages,
    clusters: mergeClusters(seen.value.clusters, written.beside),
    holds: mergeObjects(holdKind, holds.value, written.others),
    approvals: mergeObjects(approvalKind, approvals.value, written.others),
    disruptionBudgets: mergeObjects(disruptionBudgetKind, budgets.value, written.others),
    revisions: [...revisions.value, ...fresh],
  }
  const plan = planFleet({
    ...objects,
    nowMs,
    publishes: new Map(
      next.map((n) => {
        const { module, revision } = revisionRecordOf(n)
        return [moduleId(module), revision]
      }),
    ),
    calendar: c.env.calendar,
    maxRemoval,
  })
  const { calendar } = c.env
  const { clusters } = objects
  const handovers = await handoversOfPlan(c, hub, { objects, plan, isDeleting: deletes(plan, brought) })
  return {
    ok: true,
    value: {
      namespace: hub.namespace,
      clusters,
      plan,
      handovers,
      brought,
      history: [...history, ...fresh.map(revisionRecordOf)],
      nowMs,
      calendar,
    },
  }
}
