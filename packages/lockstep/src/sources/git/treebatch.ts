/**
 * Directories of one commit that several modules want are read together: one listing, one fetch and one read of their files,
 * instead of one each.
 */
import type { Result } from '@lockstep/kube/env'
import type { SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree } from '../intake/sourcetree.ts'

type ReadTree = Result<SourceTree, SourceFailure>
/** Reads directories, by path. */
type ReadTrees = (paths: readonly string[]) => Promise<Result<ReadonlyMap<string, ReadTree>, SourceFailure>>

/** Directories of one batch: their paths are arguments of a command. */
const MOST_PATHS = 128

export class TreeBatch {
  /** Paths to read, by commit. */
  private readonly wanted = new Map<string, Set<string>>()
  /** Directories that were read with another one, until their modules take them. */
  private readonly results = new Map<string, ReadTree>()

  /** The next read of the commit includes the path. */
  want(commit: string, path: string): void {
    const paths = this.wanted.get(commit) ?? new Set()
    this.wanted.set(commit, paths.add(path))
  }

  /** A directory that was read with another one. */
  take(commit: string, path: string): ReadTree | undefined {
    const key = keyOf(commit, path)
    const found = this.results.get(key)
    this.results.delete(key)
    return found
  }

  /** Reads a directory, and all others of the commit that are wanted. A failure of these is none of the directory. */
  async read(commit: string, path: string, readTrees: ReadTrees): Promise<ReadTree> {
    const paths = this.next(commit, path)
    const found = await readTrees(paths)
    if (!found.ok) return paths.length === 1 ? found : this.read(commit, path, readTrees)
    for (const [other, tree] of found.value) if (other !== path) this.results.set(keyOf(commit, other), tree)
    for (const key of this.results.keys()) {
      if (this.results.size <= MOST_PATHS) break
      this.results.delete(key)
    }
    return found.value.get(path)!
  }

  private next(commit: string, path: string): string[] {
    const wanted = this.wanted.get(commit) ?? new Set()
    wanted.delete(path)
    const others = [...wanted].slice(0, MOST_PATHS - 1)
    for (const other of others) wanted.delete(other)
    if (wanted.size === 0) this.wanted.delete(commit)
    return [path, ...others]
  }
}

const keyOf = (commit: string, path: string): string => `${commit}\n${path}`
