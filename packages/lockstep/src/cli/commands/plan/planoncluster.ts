/** `lockstep plan --cluster`: what modules in files would do to one cluster. */
import type { Module } from '../../../api/registry.ts'
import { orderText } from '../../../decisions/order/ordersteps.ts'
import { textsToRedact } from '../../../deliver/state/redact.ts'
import { moduleRefOf } from '../../../deliver/plan/unitnames.ts'
import { previewUnit } from '../../../deliver/plan/preview.ts'
import type { Result } from '../../../../../kube/src/env/result.ts'
import { requestErrorText } from '../../../../../kube/src/client/requesterror.ts'
import type { Bundle } from '../../../sources/intake/bundlesecrets.ts'
import type { Context } from '../../kit/command.ts'
import { changesOf } from '../../kit/diff/diffreport.ts'
import { drawDiff } from '../../kit/diff/drawdiff.ts'
import { type CliFailure, failed, type Outcome } from '../../kit/clifailure.ts'
import { Clusters, noCluster, type Reached } from '../../kit/hub/clusterconnections.ts'
import type { Hub } from '../../kit/hub/hub.ts'
import { nameOf } from '../../kit/knownkinds.ts'
import { printData } from '../../kit/output/printobjects.ts'
import { refused, type Written } from '../../kit/render/filemodules.ts'
import { boundWritten, makeWritten } from '../../kit/render/renderfilemodule.ts'
import { fit } from '../../kit/terminal/wrap.ts'
import { bindObjects } from '../../kit/units/selectunits.ts'
import { clusterNames, inventoryOf, readSnapshot, type Snapshot } from '../../kit/snapshot/snapshot.ts'
import { type ModulePlan, planReport } from './planreport.ts'

export async function planOnCluster(
  c: Context,
  hub: Hub,
  cluster: string,
  written: Written,
): Promise<Result<ModulePlan[], CliFailure>> {
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const known = clusterNames(seen.value)
  if (!known.includes(cluster)) return noCluster(cluster, known, hub)
  const clusters = new Clusters(c, hub, seen.value.clusters)
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

interface On {
  readonly hub: Hub
  readonly clusters: Clusters
  readonly seen: Snapshot
  readonly cluster: string
  readonly there: Reached
}

async function plansOf(
  c: Context,
  { modules, beside }: Written,
  on: On,
): Promise<Result<ModulePlan[], CliFailure>> {
  const plans: ModulePlan[] = []
  for (const module of modules) {
    const made = await makeWritten(c, module, beside, on.hub)
    if (!made.ok) return refused(module, made.error)
    const bound = await boundWritten(c, module, made.value.objects, beside, on)
    if (!bound.ok) return refused(module, bound.error)
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
  { seen, cluster, there }: On,
): Promise<Result<ModulePlan, CliFailure>> {
  const ref = moduleRefOf(module)
  const unit = { ref, inventory: inventoryOf(seen, ref.name, cluster) }
  const bound = bindObjects(unit, module.spec, objects, there)
  if (!bound.ok) return refused(module, bound.error)
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

export function showUnits(c: Context, plans: readonly ModulePlan[], isOrdered: boolean): Outcome {
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
