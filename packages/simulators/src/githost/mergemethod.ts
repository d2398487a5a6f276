/** Two branches become one: as a merge commit, as one commit, or commit by commit. Lines that both changed are a conflict. */
import { unifiedDiff } from '@lockstep/kube/object'
import type { GitFiles, GitObjectId, HostTreeEntry } from './gitobjectid.ts'
import { ancestors, type GitStore, history, mergeBase } from './gitstore.ts'

export type MergeMethod = 'merge' | 'squash' | 'rebase'

export interface Merging {
  readonly base: GitObjectId
  readonly head: GitObjectId
  readonly method: MergeMethod
  /** Of the commit that is made, where one is. */
  readonly message: string
  /** With its time, as objects have it. */
  readonly person: string
}

/** The commit that the base goes to, or why there is none. */
export async function merged(store: GitStore, m: Merging): Promise<GitObjectId | 'conflict' | 'nothing'> {
  if ((await ancestors(store, m.base)).has(m.head)) return 'nothing'
  if (m.method === 'rebase') return rebased(store, m)
  const files = await together(store, await mergeBase(store, m.base, m.head), m.base, m.head)
  if (!files) return 'conflict'
  const parents = m.method === 'merge' ? [m.base, m.head] : [m.base]
  return store.make(files, { parents, author: m.person, committer: m.person, message: m.message })
}

/** Each commit of the head again, on the base: its people, its message, another committer. */
async function rebased(store: GitStore, m: Merging): Promise<GitObjectId | 'conflict'> {
  let at = m.base
  for (const { id, commit } of (await history(store, m.head, m.base)).reverse()) {
    if (commit.parents.length > 1) continue
    const files = await together(store, commit.parents[0], at, id)
    if (!files) return 'conflict'
    const { author, message } = commit
    at = await store.make(files, { parents: [at], author, committer: m.person, message })
  }
  return at
}

/** Files of two commits that both began at `from`; undefined: a conflict. */
export async function together(
  store: GitStore,
  from: GitObjectId | undefined,
  a: GitObjectId,
  b: GitObjectId,
): Promise<GitFiles | undefined> {
  const before: GitFiles = from === undefined ? new Map() : await store.files(from)
  const [ours, theirs] = [await store.files(a), await store.files(b)]
  const out = new Map<string, HostTreeEntry>()
  for (const path of new Set([...before.keys(), ...ours.keys(), ...theirs.keys()])) {
    const [x, l, r] = [before.get(path), ours.get(path), theirs.get(path)]
    const found = same(l, r) || same(x, r) ? l : same(x, l) ? r : await lines(store, x, l, r)
    if (found === 'conflict') return undefined
    if (found) out.set(path, found)
  }
  return out
}

const same = (a: HostTreeEntry | undefined, b: HostTreeEntry | undefined): boolean =>
  a?.id === b?.id && a?.mode === b?.mode

async function lines(
  store: GitStore,
  before: HostTreeEntry | undefined,
  ours: HostTreeEntry | undefined,
  theirs: HostTreeEntry | undefined,
): Promise<HostTreeEntry | 'conflict'> {
  if (!before || !ours || !theirs || ours.mode !== theirs.mode) return 'conflict'
  const text = async (e: HostTreeEntry): Promise<string[]> =>
    new TextDecoder().decode(await store.blob(e.id)).split('\n')
  const all = mergedLines(await text(before), await text(ours), await text(theirs))
  return all ? { mode: ours.mode, id: await store.put(new TextEncoder().encode(all.join('\n'))) } : 'conflict'
}

/** `lines` in place of those from `from` to `to` (without). */
interface LineChange {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** As git does: changes that touch each other are a conflict, unless they are equal. */
export function mergedLines(
  before: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): string[] | undefined {
  const all = [...changesOf(before, ours), ...changesOf(before, theirs)].sort(
    (a, b) => a.from - b.from || a.to - b.to,
  )
  const out: string[] = []
  let at = 0
  let last: LineChange | undefined
  for (const change of all) {
    if (last && isEqual(last, change)) continue
    if (last && change.from <= last.to) return undefined
    out.push(...before.slice(at, change.from), ...change.lines)
    at = change.to
    last = change
  }
  return [...out, ...before.slice(at)]
}

const isEqual = (a: LineChange, b: LineChange): boolean =>
  a.from === b.from && a.to === b.to && a.lines.join('\n') === b.lines.join('\n')

function changesOf(before: readonly string[], after: readonly string[]): LineChange[] {
  const out: { from: number; to: number; lines: string[] }[] = []
  for (const line of unifiedDiff(before, after, 0)) {
    const head = /^@@ -(\d+),(\d+) /.exec(line)
    if (head) {
      const [start, size] = [Number(head[1]), Number(head[2])]
      // What only adds stands after its line.
      const from = size === 0 ? start : start - 1
      // Without context, each line is a change of its own: those beside each other are one.
      const last = out.at(-1)
      if (last && last.to === from) last.to += size
      else out.push({ from, to: from + size, lines: [] })
    } else if (line.startsWith('+')) out.at(-1)!.lines.push(line.slice(1))
  }
  return out
}
