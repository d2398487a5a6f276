import { coreColumns } from './corecolumns.ts'
import type { PrintedColumn } from './printedcolumn.ts'
import { workloadColumns } from './workloadcolumns.ts'

const ALL: Readonly<Record<string, readonly PrintedColumn[]>> = { ...workloadColumns, ...coreColumns }

/** Columns between name and age (kubernetes pkg/printers/internalversion); undefined: name and creation time only. */
export function builtinColumns(group: string, kind: string): readonly PrintedColumn[] | undefined {
  const id = group === '' ? kind : `${kind}.${group}`
  return Object.hasOwn(ALL, id) ? ALL[id] : undefined
}
