import type { Module } from '../../api/registry.ts'
import { orderText } from '../../core/order/steps.ts'
import { hiddenTexts } from '../../deliver/hidden.ts'
import { moduleRefOf } from '../../deliver/names.ts'
import { previewUnit } from '../../deliver/preview.ts'
import type { Result } from '../../env/result.ts'
import { kubeErrorText } from '../../kube/error.ts'
import type { Bundle } from '../../source/bundle.ts'
import { type Command, type Context, isSet, listFlag, textFlag } from '../command.ts'
import { changesOf } from '../diff/diff.ts'
import { drawDiff } from '../diff/draw.ts'
import { filenameOption } from '../documents/read.ts'
import { type CliFailure, failed, type Outcome } from '../failure.ts'
import { Clusters, noCluster, type Reached } from '../hub/clusters.ts'
import { type Hub, openHub } from '../hub/hub.ts'
import { nameOf } from '../kinds.ts'
import { printData } from '../output/objects.ts'
import { modulesIn, refused, titleOf, type Written } from '../render/files.ts'
import { type ModulePlan, planReport } from '../render/plan.ts'
import { boundWritten, makeWritten } from '../render/written.ts'
import { fit } from '../terminal/wrap.ts'
import { bindObjects } from '../units/units.ts'
import { clusterNames, inventoryOf, readSnapshot, type Snapshot } from '../view/snapshot.ts'

/** `lockstep plan`. */
export const plan: Command = {
  name: 'plan',
  summary: 'Show what modules in files would do to a cluster',
  detail:
    'Makes the objects of each module as lockstep render does, and compares them with what is there by dry runs on the cluster itself; nothing is written. With --order also the steps: what each waits for, and which annotation, or what in a manifest, says so. Exit 1 when the cluster would refuse something.',
  options: [
    filenameOption,
    { flags: '--cluster <name>', completes: 'cluster', text: 'the cluster (required)' },
    { flags: '--order', text: 'the steps of each module too' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['What would this module change on one cluster?', 'plan -f module.yaml --cluster prod-eu -n platform'],
    ['In which order, and why?', 'plan -f module.yaml --cluster prod-eu --order -n platform'],
    ['The same, for scripts', 'plan -f module.yaml --cluster prod-eu --order -o json -n platform'],
  ],
  async run(c, _args, flags) {
    const paths = listFlag(flags, 'filename')
    const cluster = textFlag(flags, 'cluster')
    if (paths.length === 0 || cluster === undefined)
      return failed('E_USAGE', {
        problem: 'plan takes -f and --cluster',
        suggestion: 'For example lockstep plan -f module.yaml --cluster prod-eu.',
      })
    const written = await modulesIn(c, paths)
    if (!written.ok) return written
    const hub = await openHub(c)
    if (!hub.ok) return hub
    try {
      const plans = await planOn(c, hub.value, cluster, written.value)
      return plans.ok ? show(c, plans.value, isSet(flags, 'order')) : plans
    } finally {
      await hub.value.client.close()
    }
  },
}

async function planOn(
  c: Context,
  hub: Hub,
  cluster: string,
  written: Written,
): Promise<Result<ModulePlan[], CliFailure>> {
  const { namespace } = hub
  const stranger = written.modules.find((m) => m.metadata.namespace !== namespace)
  // Clusters belong to a namespace; those of another one may have the same names.
  if (stranger)
    return failed('E_USAGE', {
      problem: `${titleOf(stranger)} is not in namespace ${namespace}, whose clusters are meant`,
      suggestion: `Plan it with -n ${stranger.metadata.namespace}.`,
    })
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
      ...{ server: cluster, problem: kubeErrorText(changes.error) },
      suggestion: `lockstep status cluster/${cluster}`,
    })
  const { release } = module.spec
  return {
    ok: true,
    value: {
      ...{ kind: module.kind, module: ref.name, namespace: ref.namespace, cluster, sourceRevision },
      ...(release === undefined ? {} : { release }),
      changes: changesOf(changes.value, hiddenTexts(values?.values() ?? [])),
      order: orderText(bound.value.desired.graph),
    },
  }
}

function show(c: Context, plans: readonly ModulePlan[], isOrdered: boolean): Outcome {
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
