/** Objects as tables: the printer columns of their kind. */
import { type JsonValue, jsonPath, type Stored } from '@lockstep/kube/object'
import type { OwnKind, PrinterColumn } from '../../../api/kinds/index.ts'
import type { CommandContext } from '../index.ts'
import { ageText, textTable } from '../terminal/index.ts'

export interface TableView {
  readonly isWide: boolean
  readonly showNamespace: boolean
  readonly nowMs: number
}

/** Header and rows. */
export function objectRows(kind: OwnKind, objects: readonly Stored[], view: TableView): string[][] {
  const columns = kind.columns.filter((col) => view.isWide || (col.priority ?? 0) === 0)
  const head = [
    ...(view.showNamespace ? ['NAMESPACE'] : []),
    'NAME',
    ...columns.map((col) => col.name.toUpperCase()),
  ]
  const rows = objects.map((o) => [
    ...(view.showNamespace ? [o.metadata.namespace ?? ''] : []),
    o.metadata.name,
    ...columns.map((col) => cellOf(o, col, view.nowMs)),
  ])
  return [head, ...rows]
}

function cellOf(o: Stored, column: PrinterColumn, nowMs: number): string {
  const { instead } = column
  if (instead && jsonPath(o as unknown as JsonValue, instead.of).length > 0) return instead.text
  const found = jsonPath(o as unknown as JsonValue, column.jsonPath)[0]
  if (column.type === 'date') return ageText(typeof found === 'string' ? found : undefined, nowMs)
  return found === undefined || found === null ? '' : String(found)
}

/** Prints rows whose first is the header; wide tables are not cut. */
export function printTable(c: CommandContext, rows: readonly (readonly string[])[]): void {
  const isWide = c.globals.output === 'wide'
  const shown = c.globals.headers ? rows : rows.slice(1)
  for (const line of textTable(shown, isWide ? {} : { width: c.terminal.look.width })) c.terminal.print(line)
}
