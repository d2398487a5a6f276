import type { Encoding, StoredObject } from './storedobject.ts'

/** The objects of a cluster at one version. Stored objects are immutable, so any number of stores can share them. */
export interface Snapshot {
  readonly version: number
  readonly tables: readonly SnapshotTable[]
}

export interface SnapshotTable {
  readonly id: string
  readonly encoding: Encoding
  /** In the order of their keys. */
  readonly objects: readonly StoredObject[]
}
