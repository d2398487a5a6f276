/** A repository as the host sees it, whatever keeps it; and what follows from its commits. */
import type { GitCommit, GitFiles, GitObjectId, HostTreeEntry } from './gitobjectid.ts'

export interface GitStore {
  /** Names without `refs/heads/`. */
  branches(): Promise<ReadonlyMap<string, GitObjectId>>
  commit(id: GitObjectId): Promise<GitCommit | undefined>
  files(commit: GitObjectId): Promise<GitFiles>
  blob(id: GitObjectId): Promise<Uint8Array>
  put(content: Uint8Array): Promise<GitObjectId>
  /** Makes a commit of entries that are there. */
  make(files: GitFiles, commit: Omit<GitCommit, 'tree'>): Promise<GitObjectId>
  /** False: the branch is not at `from` (undefined: is there). `to` undefined: deletes it. */
  move(branch: string, from: GitObjectId | undefined, to: GitObjectId | undefined): Promise<boolean>
  /** From now on pushes to these branches (`x/*`: all below) are rejected with this message; undefined: no longer. */
  reject(rule: { readonly branches: readonly string[]; readonly message: string } | undefined): Promise<void>
}

/** Commits that lead to `from` and not to `not`, children before parents. */
export async function history(
  store: GitStore,
  from: GitObjectId,
  not: GitObjectId | undefined,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly id: GitObjectId; readonly commit: GitCommit }[]> {
  const known = not === undefined ? new Set<GitObjectId>() : await ancestors(store, not)
  const found: { id: GitObjectId; commit: GitCommit }[] = []
  const seen = new Set<GitObjectId>()
  const waiting = [from]
  while (waiting.length > 0 && found.length < limit) {
    const id = waiting.shift()!
    if (seen.has(id) || known.has(id)) continue
    seen.add(id)
    const commit = await store.commit(id)
    if (!commit) continue
    found.push({ id, commit })
    waiting.push(...commit.parents)
  }
  return found
}

/** With `from` itself. */
export async function ancestors(store: GitStore, from: GitObjectId): Promise<Set<GitObjectId>> {
  const seen = new Set<GitObjectId>()
  const waiting = [from]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue
    const commit = await store.commit(id)
    if (!commit) continue
    seen.add(id)
    waiting.push(...commit.parents)
  }
  return seen
}

/** The newest commit that leads to both; undefined: they have nothing in common. */
export async function mergeBase(
  store: GitStore,
  a: GitObjectId,
  b: GitObjectId,
): Promise<GitObjectId | undefined> {
  const ofA = await ancestors(store, a)
  const waiting = [b]
  const seen = new Set<GitObjectId>()
  while (waiting.length > 0) {
    const id = waiting.shift()!
    if (ofA.has(id)) return id
    if (seen.has(id)) continue
    seen.add(id)
    waiting.push(...((await store.commit(id))?.parents ?? []))
  }
  return undefined
}

/** Entries of a commit with some files changed; undefined: removed. */
export async function changed(
  store: GitStore,
  files: GitFiles,
  changes: ReadonlyMap<string, Uint8Array | undefined>,
): Promise<Map<string, HostTreeEntry>> {
  const out = new Map(files)
  for (const [path, content] of changes) {
    if (content === undefined) out.delete(path)
    else out.set(path, { mode: files.get(path)?.mode ?? '100644', id: await store.put(content) })
  }
  return out
}

export const matches = (branch: string, pattern: string): boolean =>
  pattern.endsWith('/*') ? branch.startsWith(pattern.slice(0, -1)) : branch === pattern
