/** The files of one revision of a source, in memory. Nothing of it is ever executed, and no link leads out of it. */

export interface TreeFile {
  /** From the root of the tree, with `/`, without a leading one. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface SourceTree {
  /** Sorted by path. */
  readonly files: readonly TreeFile[]
  /** What was passed over, for people. */
  readonly warnings: readonly string[]
}

/** Limits of one tree. */
export const MAX_FILES = 10_000
export const MAX_TREE_BYTES = 64 * 1024 * 1024
