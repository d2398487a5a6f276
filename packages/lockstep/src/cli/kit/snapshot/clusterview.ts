/** `lockstep status cluster/NAME`: what is on one cluster. */
import { z } from 'zod'
import { untilOf } from '../../../api/blocker.ts'
import { blocker } from '../../../api/kinds/index.ts'
import { MANAGED_BY_LABEL } from '../../../api/labels.ts'
import { adviceOf } from '../../../api/reasons/index.ts'
import { defineReport } from '../output/index.ts'
import { fit, type Terminal, textTable, withRemaining } from '../terminal/index.ts'
import { COLORS, cellOf, cellState, GLYPHS } from './matrix.ts'
import {
  clusterState,
  columnOf,
  type FleetSnapshot,
  goneClusterOf,
  inOrder,
  inventoryOf,
  isOnCluster,
} from './snapshot.ts'
import type { StatusView } from './statusview.ts'

export const clusterReport = defineReport('ClusterStatus', {
  cluster: z.string(),
  state: z.string(),
  message: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  units: z.array(
    z.strictObject({
      module: z.string(),
      state: cellState,
      version: z.string(),
      ready: z.string().optional().describe('Ready objects of all, such as 3/4.'),
      blockers: z.array(blocker).readonly(),
    }),
  ),
  others: z
    .array(
      z.strictObject({
        record: z.string().describe('KIND/NAME, as the external controller names it.'),
        assemblage: z.string(),
        managedBy: z.string(),
        state: z.string(),
        objects: z.string().optional().describe('Ready objects of all, such as 3/4.'),
        blockers: z.array(blocker).readonly(),
      }),
    )
    .describe('Assignments of external controllers.'),
})

export function clusterView(t: Terminal, s: FleetSnapshot, name: string): StatusView {
  const view = s.clusters.find((c) => c.name === name)
  const gone = goneClusterOf(s, name)
  const { state, message } = clusterState(s, name)
  const units = inOrder(s.modules)
    .map((m) => ({ module: m, cell: cellOf(s, m, name), inventory: inventoryOf(s, m.metadata.name, name) }))
    .filter((u) => u.cell.state !== 'none')
  const others = othersOn(s, name)
  const labels = Object.entries(view?.labels ?? {}).filter(([k]) => !k.startsWith('lockstep.dev/'))
  const server = view?.access.type === 'Source' ? view.access.source.endpoint.url : ''
  const namespace = view?.namespace ?? gone?.on[0]?.namespace ?? ''
  const text = gone ? `${message}; ${adviceOf(gone)}` : message
  const good = state === 'Connected'
  const lines = [
    `Cluster ${namespace}/${gone ? columnOf(s, name) : name}  ${t.paint(good ? 'green' : 'red', state)}`,
    ...(server ? [`  ${server}`] : []),
    ...(text ? [`  ${fit(t.look, text)}`] : []),
    ...(labels.length > 0 ? [`  ${labels.map(([k, v]) => `${k}=${v}`).join(' ')}`] : []),
    ...(units.length + others.length === 0 ? ['No Module targets this cluster.'] : []),
    ...textTable(
      units.map((u) => [
        t.paint(COLORS[u.cell.state], GLYPHS[u.cell.state]),
        u.module.metadata.name,
        u.cell.version,
        u.inventory?.status?.ready ? `${u.inventory.status.ready} objects` : '',
        u.cell.state === 'ready' || gone
          ? ''
          : (u.inventory?.status?.blockers?.[0]?.message ?? waitText(s, u.module.metadata.name)),
      ]),
      { indent: 2, gap: 2, width: t.look.width },
    ),
    ...otherLines(t, others),
  ]
  const facts = clusterReport.fill({
    cluster: name,
    state,
    ...(message ? { message } : {}),
    labels: Object.fromEntries(labels),
    units: units.map((u) => ({
      module: u.module.metadata.name,
      state: u.cell.state,
      version: u.cell.version,
      ready: u.inventory?.status?.ready,
      blockers: u.inventory?.status?.blockers ?? [],
    })),
    others,
  })
  const hasFailed =
    units.some((u) => u.cell.state === 'failed') ||
    others.some((o) => o.state === 'Failed') ||
    state === 'Unreachable' ||
    gone !== undefined
  return { lines, facts, names: units.map((u) => `module.lockstep.dev/${u.module.metadata.name}`), hasFailed }
}

type OtherDelivery = Readonly<z.output<typeof clusterReport.schema>>['others'][number]

/** What others have delivered there. */
function othersOn(s: FleetSnapshot, cluster: string): OtherDelivery[] {
  return s.foreign.flatMap((a) => {
    if (!isOnCluster(s, a, cluster)) return []
    const managedBy = a.metadata.labels?.[MANAGED_BY_LABEL] ?? ''
    return (a.spec.syncs ?? []).map((record): OtherDelivery => {
      const said = a.status?.syncs?.find((x) => x.kind === record.kind && x.name === record.name)
      return {
        record: `${record.kind}/${record.name}`,
        assemblage: a.metadata.name,
        managedBy,
        state: said?.state ?? 'Waiting',
        ...(said?.objects ? { objects: `${said.objects.ready}/${said.objects.total}` } : {}),
        blockers: said?.blockers ?? [],
      }
    })
  })
}

function otherLines(t: Terminal, others: readonly OtherDelivery[]): string[] {
  if (others.length === 0) return []
  const rows = others.map((o) => [
    o.state === 'Ready'
      ? t.paint('green', GLYPHS.ready)
      : t.paint(o.state === 'Failed' ? 'red' : 'yellow', GLYPHS[o.state === 'Failed' ? 'failed' : 'waiting']),
    o.record,
    o.managedBy,
    o.objects ? `${o.objects} objects` : '',
    o.state === 'Ready' ? '' : (o.blockers[0]?.message ?? o.state),
  ])
  return ['External', ...textTable(rows, { indent: 2, gap: 2, width: t.look.width })]
}

/** Without an Inventory the module itself knows why. */
function waitText(s: FleetSnapshot, module: string): string {
  const m = s.modules.find((x) => x.metadata.name === module)
  const [first] = m?.status?.blockers ?? []
  return first ? withRemaining(first.message, untilOf(first.on), s.nowMs) : 'not started'
}
