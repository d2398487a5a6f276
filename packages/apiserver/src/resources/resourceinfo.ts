/** What discovery says of a resource. */
export interface ResourceInfo {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: Readonly<Record<string, SubresourceInfo>>
}

export interface SubresourceInfo {
  readonly verbs: readonly string[]
  /** Absent: those of the resource. */
  readonly kind?: string
  readonly group?: string
  readonly version?: string
}
