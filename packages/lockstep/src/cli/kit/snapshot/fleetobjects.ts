/** Lists of a namespace from which controllers decide, beside a snapshot. */
import { ok, type Result } from '@lockstep/kube/env'
import { type ControllerRevision, controllerRevisionKind, crdKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import {
  approvalKind,
  type ClusterResourceSet,
  disruptionBudgetKind,
  type ExternalAssemblage,
  resourceSetKinds,
} from '../../../api/kinds/index.ts'
import { MODULE_LABEL } from '../../../api/labels.ts'
import type { FleetObjects } from '../../../controllers/plan/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import { fit } from '../terminal/index.ts'
import { type FleetSnapshot, type ListScope, readSnapshot } from './snapshot.ts'

/** Five more lists; ClusterResourceSets only where an edge names one. */
export async function readFleetObjects(
  c: CommandContext,
  hub: HubConnection,
  s: FleetSnapshot,
  scope: ListScope = { namespace: hub.namespace },
): Promise<Result<FleetObjects, CliFailure>> {
  const revisions = await listAll<ControllerRevision>(c, hub, controllerRevisionKind, {
    ...scope,
    labelSelector: MODULE_LABEL,
  })
  if (!revisions.ok) return revisions
  const approvals = await listAll(c, hub, approvalKind, scope)
  if (!approvals.ok) return approvals
  const disruptionBudgets = await listAll(c, hub, disruptionBudgetKind, scope)
  if (!disruptionBudgets.ok) return disruptionBudgets
  const { modules, inventories, assemblages, holds, clusters } = s
  const hasSets = modules.some((m) => m.spec.dependsOn?.some((e) => e.module?.kind === 'ClusterResourceSet'))
  return ok({
    namespace: hub.namespace,
    modules,
    inventories,
    assemblages,
    holds,
    clusters,
    foreign: s.foreign as unknown as readonly Stored<ExternalAssemblage>[],
    revisions: revisions.value,
    approvals: approvals.value,
    disruptionBudgets: disruptionBudgets.value,
    sets: hasSets ? await readSets(c, hub) : undefined,
  })
}

/** Modules of other namespaces may have the same objects: they are read where the user may. */
export async function readAllFleetObjects(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<FleetObjects, CliFailure>> {
  const lists = async (scope: ListScope): Promise<Result<FleetObjects, CliFailure>> => {
    const seen = await readSnapshot(c, hub, scope)
    return seen.ok ? readFleetObjects(c, hub, seen.value, scope) : seen
  }
  const all = await lists({})
  if (all.ok) return all
  const own = await lists({ namespace: hub.namespace })
  if (own.ok)
    c.terminal.talk(fit(c.terminal.look, `Modules of other namespaces were not read: ${all.error.message}`))
  return own
}

/** Undefined where the hub does not serve them. */
async function readSets(c: CommandContext, hub: HubConnection): Promise<FleetObjects['sets']> {
  const [kind] = resourceSetKinds
  if (!kind) return undefined
  const call = { purpose: 'user', signal: c.signal } as const
  const definition = await hub.client.get(crdKind, { name: `${kind.plural}.${kind.group}` }, call)
  const all = await listAll<ClusterResourceSet>(c, hub, kind, { namespace: hub.namespace })
  if (!definition.ok || !all.ok) return undefined
  return {
    get: (key) => all.value.find((s) => s.metadata.name === (key as { name: string }).name),
    labels: definition.value.metadata.labels ?? {},
  }
}
