/** `lockstep plan --cluster`: what modules in files would do to one cluster. */

import { requestErrorText } from '@lockstep/kube/client'
import type { Result } from '@lockstep/kube/env'
import type { Module } from '../../../api/kinds/index.ts'
import { orderText } from '../../../decisions/order/index.ts'
import { moduleRefOf, previewUnit } from '../../../deliver/plan/index.ts'
import { textsToRedact } from '../../../deliver/state/index.ts'
import type { Bundle } from '../../../sources/intake/index.ts'
import { changesOf, drawDiff } from '../../kit/diff/index.ts'
import {
  type ClusterConnection,
  ClusterConnections,
  type HubConnection,
  noCluster,
} from '../../kit/hub/index.ts'
import { type CliFailure, type CommandContext, type CommandResult, failed, nameOf } from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { bindFileModule, type FileModules, moduleRefusal, renderFileModule } from '../../kit/render/index.ts'
import { clusterNames, type FleetSnapshot, inventoryOf, readSnapshot } from '../../kit/snapshot/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { bindObjects } from '../../kit/units/index.ts'
import { planReport, type UnitPlan } from './planreport.ts'

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
        server: cluster,
        problem: there,
        suggestion: `lockstep status cluster/${cluster}`,
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
  bundle: Pick<Bundle, 'objects' | 'values' | 'holders'>,
  sourceRevision: string,
  { seen, cluster, there }: PlanCluster,
): Promise<Result<UnitPlan, CliFailure>> {
  const ref = moduleRefOf(module)
  const unit = { ref, inventory: inventoryOf(seen, ref.name, cluster) }
  const bound = bindObjects(unit, module.spec, bundle, there)
  if (!bound.ok) return moduleRefusal(module, bound.error)
  const changes = await previewUnit(bound.value)
  if (!changes.ok)
    return failed('E_UNREACHABLE', {
      server: cluster,
      problem: requestErrorText(changes.error),
      suggestion: `lockstep status cluster/${cluster}`,
    })
  const { release } = module.spec
  return {
    ok: true,
    value: {
      kind: module.kind,
      module: ref.name,
      namespace: ref.namespace,
      cluster,
      sourceRevision,
      ...(release === undefined ? {} : { release }),
      changes: changesOf(changes.value, textsToRedact(bundle.values?.values() ?? [])),
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
