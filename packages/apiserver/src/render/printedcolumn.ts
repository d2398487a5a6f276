import type { JsonValue, KubeObject } from '@lockstep/kube/object'

export type TableCell = JsonValue

/** A column of a Table; `afterAge`: it stands behind the age, only in wide output. */
export interface PrintedColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly afterAge?: boolean
  readonly cell: (o: KubeObject, now: number) => TableCell
}
