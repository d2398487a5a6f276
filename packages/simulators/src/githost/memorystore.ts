/** A repository in memory: no process, no file, the same ids as git's. For simulations. */
import { blobId, commitId, type GitCommit, type GitFiles, type GitObjectId, treeId } from './gitobjectid.ts'
import { type GitStore, matches } from './gitstore.ts'

export class MemoryStore implements GitStore {
  private readonly refs = new Map<string, GitObjectId>()
  private readonly blobs = new Map<GitObjectId, Uint8Array>()
  private readonly commits = new Map<GitObjectId, { readonly commit: GitCommit; readonly files: GitFiles }>()
  private rejected: { readonly branches: readonly string[]; readonly message: string } | undefined

  async branches(): Promise<ReadonlyMap<string, GitObjectId>> {
    return new Map([...this.refs].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  async commit(id: GitObjectId): Promise<GitCommit | undefined> {
    return this.commits.get(id)?.commit
  }

  async files(commit: GitObjectId): Promise<GitFiles> {
    return this.commits.get(commit)?.files ?? new Map()
  }

  async blob(id: GitObjectId): Promise<Uint8Array> {
    const found = this.blobs.get(id)
    if (!found) throw new Error(`blob ${id} is not in this repository`)
    return found
  }

  async put(content: Uint8Array): Promise<GitObjectId> {
    const id = blobId(content)
    this.blobs.set(id, content)
    return id
  }

  async make(files: GitFiles, c: Omit<GitCommit, 'tree'>): Promise<GitObjectId> {
    const commit: GitCommit = { ...c, tree: treeId(files) }
    const id = commitId(commit)
    this.commits.set(id, { commit, files: new Map(files) })
    return id
  }

  async move(branch: string, from: GitObjectId | undefined, to: GitObjectId | undefined): Promise<boolean> {
    if (this.refs.get(branch) !== from) return false
    if (to === undefined) this.refs.delete(branch)
    else this.refs.set(branch, to)
    return true
  }

  async reject(
    rule: { readonly branches: readonly string[]; readonly message: string } | undefined,
  ): Promise<void> {
    this.rejected = rule
  }

  /** Why a push to this branch is rejected: what a hook says in a real repository. */
  rejection(branch: string): string | undefined {
    return this.rejected?.branches.some((b) => matches(branch, b)) ? this.rejected.message : undefined
  }
}
