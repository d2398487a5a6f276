/**
 * Which commits a branch still has in its history, for all who have made something on one of them. A branch moves for all of them at
 * once: each move is asked about once, and says it of whatever was there before.
 */
import { ok, type Result } from '@lockstep/kube/env'
import type { CommitId } from './gitrepository.ts'

/** Whether the first is in the history of the second. */
export type Within<E> = (commit: CommitId, head: CommitId) => Promise<Result<boolean, E>>

interface KnownHistory {
  readonly head: CommitId
  /** In the history of that head. */
  readonly commits: ReadonlySet<CommitId>
}

/** Of a branch; then all is asked anew. */
const MOST = 10_000

export class Ancestry {
  private readonly known = new Map<string, KnownHistory>()

  /** `head`: of the branch, as it was seen just now. */
  async has<E>(
    branch: string,
    { head, commit }: { readonly head: CommitId; readonly commit: CommitId },
    within: Within<E>,
  ): Promise<Result<boolean, E>> {
    const before = this.known.get(branch)
    const isMoved = before !== undefined && before.head !== head
    // Of a new head nothing has to be asked: the move is asked about by whoever has made something before it.
    if (commit === head && isMoved) return ok(true)
    if (before && !isMoved && (commit === head || before.commits.has(commit))) return ok(true)
    const moved = isMoved ? await within(before.head, head) : ok(true)
    if (!moved.ok) return moved
    const commits = new Set(before && moved.value && before.commits.size < MOST ? before.commits : [])
    if (before && moved.value) commits.add(before.head)
    const found = commit === head || commits.has(commit) ? ok(true) : await within(commit, head)
    if (!found.ok) return found
    if (found.value) commits.add(commit)
    this.known.set(branch, { head, commits })
    return found
  }
}
