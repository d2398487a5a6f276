export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly priority?: number
  /** In tables of ours: what the cell says where there is something at a path. A server knows columns of one path only. */
  readonly instead?: { readonly of: string; readonly text: string }
}

export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

export const statusColumn: PrinterColumn = {
  name: 'Status',
  type: 'string',
  jsonPath: ".status.conditions[?(@.type=='Ready')].message",
}

/** Column with the reason of a condition, which is one word. */
export const stateColumn = (condition: string): PrinterColumn => ({
  name: 'State',
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=='${condition}')].reason`,
})
