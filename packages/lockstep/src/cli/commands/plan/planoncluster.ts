/** `lockstep plan --cluster`: what modules in files would do to one cluster. */
import type { Module } from '../../../api/registry.ts'
import { orderText } from '../../../decisions/order/ordersteps.ts'
import { textsToRedact } from '../../../deliver/state/redact.ts'
import { moduleRefOf } from '../../../deliver/plan/unitnames.ts'
import { previewUnit } from '../../../deliver/plan/preview.ts'
import type { Result } from '../../../../../kube/src/env/result.ts'
import { requestErrorText } from '../../../../../kube/src/client/requesterror.ts'
import type { Bundle } from '../../../sources/intake/bundlesecrets.ts'
import type { CommandContext } from '../../kit/command.ts'
import { changesOf } from '../../kit/diff/diffreport.ts'
import { drawDiff } from '../../kit/diff/drawdiff.ts'
import { type CliFailure, failed, type CommandResult } from '../../kit/clifailure.ts'
import { ClusterConnections, noCluster, type ClusterConnection } from '../../kit/hub/clusterconnections.ts'
import type { HubConnection } from '../../kit/hub/hub.ts'
import { nameOf } from '../../kit/knownkinds.ts'
import { printData } from '../../kit/output/printobjects.ts'
import { moduleRefusal, type FileModules } from '../../kit/render/filemodules.ts'
import { bindFileModule, renderFileModule } from '../../kit/render/renderfilemodule.ts'
import { fit } from '../../kit/terminal/wrap.ts'
import { bindObjects } from '../../kit/units/selectunits.ts'
import { clusterNames, inventoryOf, readSnapshot, type FleetSnapshot } from '../../kit/snapshot/snapshot.ts'
import { type UnitPlan, planReport } from './planreport.ts'

export async function planOnCluster(
  c: CommandContext,
  hub: HubConnection,
  cluster: string,
  written: FileModules,
): Promise<Result<UnitPlan[], CliFailure>> {
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const known = clusterNames(seen.value)
  if (!known.includes(cluster)) return noCluster(cluster, known, hub)
  const clusters = new ClusterConnections(c, hub, seen.value.clusters)
  try {
    const there = await clusters.reach(cluster)
    if (typeof there === 'string')
      return failed('E_UNREACHABLE', {
        ...{ server: cluster, problem: there, suggestion: `lockstep status cluster/${cluster}` },
      })
    return await plansOf(c, written, { hub, clusters, seen: seen.value, cluster, there })
  } finally {
    await clusters.close()
  }
}

interface PlanCluster {
  readonly hub: HubConnection
  readonly clusters: ClusterConnections
  readonly seen: FleetSnapshot
  readonly cluster: string
  readonly there: ClusterConnection
}

async function plansOf(
  c: CommandContext,
  { modules, beside }: FileModules,
  on: PlanCluster,
): Promise<Result<UnitPlan[], CliFailure>> {
  const plans: UnitPlan[] = []
  for (const module of modules) {
    const made = await renderFileModule(c, module, beside, on.hub)
    if (!made.ok) return moduleRefusal(module, made.error)
    const bound = await bindFileModule(c, module, made.value.objects, beside, on)
    if (!bound.ok) return moduleRefusal(module, bound.error)
    const { sourceRevision } = made.value
    const planned = await planOf(module, bound.value, sourceRevision, on)
    if (!planned.ok) return planned
    plans.push(planned.value)
  }
  return { ok: true, value: plans }
}

async function planOf(
  module: Module,
  { objects, values }: Pick<Bundle, 'objects' | 'values'>,
  sourceRevision: string,
  { seen, cluster, there }: PlanCluster,
): Promise<Result<UnitPlan, CliFailure>> {
  const ref = moduleRefOf(module)
  const unit = { ref, inventory: inventoryOf(seen, ref.name, cluster) }
  const bound = bindObjects(unit, module.spec, objects, there)
  if (!bound.ok) return moduleRefusal(module, bound.error)
  const changes = await previewUnit(bound.value)
  if (!changes.ok)
    return failed('E_UNREACHABLE', {
      ...{ server: cluster, problem: requestErrorText(changes.error) },
      suggestion: `lockstep status cluster/${cluster}`,
    })
  const { release } = module.spec
  return {
    ok: true,
    value: {
      ...{ kind: module.kind, module: ref.name, namespace: ref.namespace, cluster, sourceRevision },
      ...(release === undefined ? {} : { release }),
      changes: changesOf(changes.value, textsToRedact(values?.values() ?? [])),
      order: orderText(bound.value.desired.graph),
    },
  }
}

export function showUnits(c: CommandContext, plans: readonly UnitPlan[], isOrdered: boolean): CommandResult {
  const shown = isOrdered ? plans : plans.map(({ order: _, ...rest }) => rest)
  const names = plans.flatMap((p) =>
    p.changes.filter((x) => x.action !== 'none').map((x) => nameOf(x, x.name)),
  )
  const isRefused = plans.some((p) => p.changes.some((x) => x.action === 'refused'))
  if (!printData(c, planReport.fill({ modules: [...shown] }), names))
    for (const p of plans) {
      drawDiff(c.terminal, { ...p, revision: p.sourceRevision })
      if (isOrdered) for (const line of p.order ?? []) c.terminal.print(fit(c.terminal.look, `  ${line}`))
    }
  return { ok: true, value: isRefused ? 1 : 0 }
}
