/** What changed between two looks at the fleet, as lines. */
import type { FleetSnapshot, MatrixCell, MatrixRow } from '../../kit/snapshot/index.ts'

export interface DemoEvent {
  readonly module: string
  readonly clusters: readonly string[]
  readonly cell: MatrixCell
  readonly text: string
}

/** `certs@prod-eu` → its cell. */
export type Cells = ReadonlyMap<string, MatrixCell>

export function cellsOf(rows: readonly MatrixRow[], clusters: readonly string[]): Map<string, MatrixCell> {
  const out = new Map<string, MatrixCell>()
  for (const row of rows)
    for (const [i, cell] of row.cells.entries()) out.set(`${row.module.metadata.name}@${clusters[i]}`, cell)
  return out
}

/** What happened to several clusters at once is one line. */
export function eventsBetween(before: Cells, after: Cells, s: FleetSnapshot): DemoEvent[] {
  const groups = new Map<string, DemoEvent>()
  const add = (unit: string, cell: MatrixCell, text: string | undefined): void => {
    if (text === undefined) return
    const [module, cluster] = unit.split('@') as [string, string]
    const key = `${module} ${cell.state} ${text}`
    const known = groups.get(key)
    groups.set(key, { module, cell, text, clusters: [...(known?.clusters ?? []), cluster] })
  }
  for (const [unit, cell] of after) {
    const old = before.get(unit)
    if (old?.state === cell.state && old.version === cell.version && old.isOld === cell.isOld) continue
    const [module, cluster] = unit.split('@') as [string, string]
    add(unit, cell, textOf(s, module, cluster, old, cell))
  }
  for (const [unit, cell] of before)
    if (!after.has(unit) && cell.state !== 'none')
      add(unit, { state: 'none', version: '', isOld: false }, 'removed')
  return [...groups.values()]
}

function textOf(
  s: FleetSnapshot,
  module: string,
  cluster: string,
  old: MatrixCell | undefined,
  cell: MatrixCell,
): string | undefined {
  switch (cell.state) {
    case 'ready':
      return `is ready at ${cell.version}`
    case 'moving':
      if (old?.version !== cell.version) return `starts ${cell.version}`
      return old.isOld || old.state === 'failed'
        ? `deploys another revision of ${cell.version}`
        : `verifies ${cell.version} again`
    case 'failed':
      return `has failed: ${failureOf(s, module, cluster)}`
    case 'waiting':
      return old === undefined || old.state === 'none'
        ? undefined
        : `stays at ${cell.version}, waiting: ${waitOf(s, module)}`
    case 'leaving':
      return 'removing'
    case 'unreachable':
      return 'is unreachable'
    case 'none':
      return old && old.state !== 'none' ? 'removed' : undefined
  }
}

const moduleOf = (s: FleetSnapshot, name: string) => s.modules.find((m) => m.metadata.name === name)

const failureOf = (s: FleetSnapshot, module: string, cluster: string): string =>
  moduleOf(s, module)?.status?.rollout?.failed?.find((f) => f.cluster === cluster)?.message ??
  'details: lockstep why'

/** Message of the first blocker of the module. */
function waitOf(s: FleetSnapshot, module: string): string {
  const blocker = moduleOf(s, module)?.status?.blockers?.[0]
  return blocker?.message ?? 'another revision is published'
}
