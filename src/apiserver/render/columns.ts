import type { JsonValue, KubeObject } from '../../object/object.ts'
import { workloadColumns } from './workloads.ts'
import { coreColumns } from './core.ts'

export type Cell = JsonValue

/** A column of a Table; `afterAge`: it stands behind the age, only in wide output. */
export interface PrintedColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly afterAge?: boolean
  readonly cell: (o: KubeObject, now: number) => Cell
}

const ALL: Readonly<Record<string, readonly PrintedColumn[]>> = { ...workloadColumns, ...coreColumns }

/** Columns between name and age (kubernetes pkg/printers/internalversion); undefined: name and creation time only. */
export function builtinColumns(group: string, kind: string): readonly PrintedColumn[] | undefined {
  const id = group === '' ? kind : `${kind}.${group}`
  return Object.hasOwn(ALL, id) ? ALL[id] : undefined
}
