/** A repository as the host sees it, whatever keeps it; and what follows from its commits. */
import type { Commit, Entry, Files, ObjectId } from './gitobjectid.ts'

export interface GitStore {
  /** Names without `refs/heads/`. */
  branches(): Promise<ReadonlyMap<string, ObjectId>>
  commit(id: ObjectId): Promise<Commit | undefined>
  files(commit: ObjectId): Promise<Files>
  blob(id: ObjectId): Promise<Uint8Array>
  put(content: Uint8Array): Promise<ObjectId>
  /** Makes a commit of entries that are there. */
  make(files: Files, commit: Omit<Commit, 'tree'>): Promise<ObjectId>
  /** False: the branch is not at `from` (undefined: is there). `to` undefined: deletes it. */
  move(branch: string, from: ObjectId | undefined, to: ObjectId | undefined): Promise<boolean>
  /** From now on pushes to these branches (`x/*`: all below) are rejected with this message; undefined: no longer. */
  reject(rule: { readonly branches: readonly string[]; readonly message: string } | undefined): Promise<void>
}

/** Commits that lead to `from` and not to `not`, children before parents. */
export async function history(
  store: GitStore,
  from: ObjectId,
  not: ObjectId | undefined,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly id: ObjectId; readonly commit: Commit }[]> {
  const known = not === undefined ? new Set<ObjectId>() : await ancestors(store, not)
  const found: { id: ObjectId; commit: Commit }[] = []
  const seen = new Set<ObjectId>()
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
export async function ancestors(store: GitStore, from: ObjectId): Promise<Set<ObjectId>> {
  const seen = new Set<ObjectId>()
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
export async function mergeBase(store: GitStore, a: ObjectId, b: ObjectId): Promise<ObjectId | undefined> {
  const ofA = await ancestors(store, a)
  const waiting = [b]
  const seen = new Set<ObjectId>()
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
  files: Files,
  changes: ReadonlyMap<string, Uint8Array | undefined>,
): Promise<Map<string, Entry>> {
  const out = new Map(files)
  for (const [path, content] of changes) {
    if (content === undefined) out.delete(path)
    else out.set(path, { mode: files.get(path)?.mode ?? '100644', id: await store.put(content) })
  }
  return out
}

export const matches = (branch: string, pattern: string): boolean =>
  pattern.endsWith('/*') ? branch.startsWith(pattern.slice(0, -1)) : branch === pattern
