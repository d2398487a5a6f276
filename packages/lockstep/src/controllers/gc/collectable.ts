/** What nothing refers to any more goes, in two steps: it is marked, and an hour later it is removed. Pure. */

import { parseTimestampMs } from '@lockstep/kube/object'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { type HubReferences, type RevisionRecord, referenceTo } from '../cache/index.ts'

/** What is marked stays for so long: whoever has begun to use it takes the mark off. */
const GRACE_MS = 3_600_000

export interface Collection<T> {
  readonly mark: readonly T[]
  /** Something refers to it again. */
  readonly clear: readonly T[]
  /** To be removed, if a complete list of what refers to it agrees. */
  readonly due: readonly T[]
}

/** `since`: when it was marked, a timestamp; one that is unreadable or in the future counts as none. */
export function collect<T>(
  items: Iterable<T>,
  since: (item: T) => string | undefined,
  isNeeded: (item: T) => boolean,
  nowMs: number,
): Collection<T> {
  const mark: T[] = []
  const clear: T[] = []
  const due: T[] = []
  for (const item of items) {
    const marked = since(item)
    const markedMs = marked === undefined ? undefined : parseTimestampMs(marked)
    const ageMs = markedMs === undefined ? Number.NaN : nowMs - markedMs
    if (isNeeded(item)) {
      if (marked !== undefined) clear.push(item)
    } else if (!(ageMs >= 0)) mark.push(item)
    else if (ageMs >= GRACE_MS) due.push(item)
  }
  return { mark, clear, due }
}

/**
 * The revisions that stay: those that something refers to, and of the others as many of the newest as `limitOf` their module;
 * undefined: the module is not there, and its revisions go with it, not by us.
 */
export function retainedRevisions(
  revisions: Iterable<RevisionRecord>,
  references: HubReferences,
  limitOf: (module: ModuleRef) => number | undefined,
): Set<RevisionRecord> {
  const kept = new Set<RevisionRecord>()
  const others = new Map<string, RevisionRecord[]>()
  for (const r of revisions) {
    const id = moduleId(r.module)
    if (references.revisions.has(referenceTo(r.namespace, r.revision))) kept.add(r)
    else others.set(id, [...(others.get(id) ?? []), r])
  }
  for (const list of others.values()) {
    const newest = list.sort((a, b) => b.number - a.number || (a.name < b.name ? -1 : 1))
    const limit = limitOf(list[0]!.module) ?? newest.length
    for (const r of newest.slice(0, limit)) kept.add(r)
    // Who wants no history has nothing to go back to.
    if (limit > 0) for (const r of lastComplete(list)) kept.add(r)
  }
  return kept
}

/** Where a rollout, or an undo, would go back to. */
const lastComplete = (list: readonly RevisionRecord[]): RevisionRecord[] =>
  list
    .filter((r) => r.completedAt !== undefined)
    .sort((a, b) => b.completedAt! - a.completedAt!)
    .slice(0, 2)
