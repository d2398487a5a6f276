/** `lockstep status cluster/NAME`: what is on one cluster. */
import { z } from 'zod'
import { blocker } from '../../api/kinds/scalars.ts'
import { defineReport } from '../output/report.ts'
import { table } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { COLOURS, cellOf, cellState, GLYPHS } from './matrix.ts'
import { clusterState, inOrder, inventoryOf, type Snapshot } from './snapshot.ts'
import type { View } from './view.ts'

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
      ready: z.string().optional().describe('3/4: objects.'),
      blockers: z.array(blocker).readonly(),
    }),
  ),
})

export function clusterView(t: Terminal, s: Snapshot, name: string): View {
  const view = s.clusters.find((c) => c.name === name)!
  const { state, message } = clusterState(s, name)
  const units = inOrder(s.modules)
    .map((m) => ({ module: m, cell: cellOf(s, m, name), inventory: inventoryOf(s, m.metadata.name, name) }))
    .filter((u) => u.cell.state !== 'none')
  const labels = Object.entries(view.labels).filter(([k]) => !k.startsWith('lockstep.dev/'))
  const server = view.access.type === 'Kubeconfig' ? view.access.endpoint.url : ''
  const good = state === 'Connected'
  const lines = [
    `Cluster ${view.namespace}/${name}  ${t.paint(good ? 'green' : 'red', state)}  ${server}`.trimEnd(),
    ...(message ? [`  ${message}`] : []),
    ...(labels.length > 0 ? [`  ${labels.map(([k, v]) => `${k}=${v}`).join(' ')}`] : []),
    ...(units.length === 0 ? ['No module selects it.'] : []),
    ...table(
      units.map((u) => [
        t.paint(COLOURS[u.cell.state], GLYPHS[u.cell.state]),
        u.module.metadata.name,
        u.cell.version,
        u.inventory?.status?.ready ? `${u.inventory.status.ready} objects` : '',
        u.cell.state === 'ready'
          ? ''
          : (u.inventory?.status?.blockers?.[0]?.message ?? waitText(s, u.module.metadata.name)),
      ]),
      { indent: 2, gap: 2, width: t.look.width },
    ),
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
  })
  const hasFailed = units.some((u) => u.cell.state === 'failed') || state === 'Unreachable'
  return { lines, facts, names: units.map((u) => `module.lockstep.dev/${u.module.metadata.name}`), hasFailed }
}

/** Without an Inventory the module itself knows why. */
function waitText(s: Snapshot, module: string): string {
  const m = s.modules.find((x) => x.metadata.name === module)
  return m?.status?.blockers?.[0]?.message ?? 'not started'
}
