/** What people take out of a base by force does not come back with what we merge (ADR 0092). */
import type { SeenRequest } from '../../../packages/simulators/src/githost/githost.ts'
import type { GitObjectId } from '../../../packages/simulators/src/githost/gitobjectid.ts'
import type { Actor, RefChange } from '../../../packages/simulators/src/githost/journal.ts'

export interface TakenOutCommit {
  readonly at: number
  readonly commit: GitObjectId
}

/** From the last question of whoever merges until its request is sent. */
const SENT_MS = 5000
const OURS: Actor = 'api'

export class TakenOut {
  private readonly parentsOf: (id: GitObjectId) => Promise<readonly GitObjectId[]>
  /** Merges that could have brought something back. */
  tested = 0

  constructor(parentsOf: (id: GitObjectId) => Promise<readonly GitObjectId[]>) {
    this.parentsOf = parentsOf
  }

  /** `requests`: a merge may be kept on the way for long; what had been taken out when it was sent counts. */
  async problems(
    changes: readonly RefChange[],
    outs: readonly TakenOutCommit[],
    requests: readonly SeenRequest[],
  ): Promise<readonly string[]> {
    const problems: string[] = []
    for (const { at, by, branch, from, to } of changes) {
      if (branch !== 'main' || by !== OURS || from === undefined || to === undefined) continue
      const sentAt = requests.findLast((r) => r.at <= at && /\/merge$/.test(r.path))?.at ?? at
      const before = outs.filter((o) => o.at + SENT_MS < sentAt)
      if (before.length === 0) continue
      this.tested++
      const [old, now] = [await this.historyOf(from), await this.historyOf(to)]
      for (const o of before)
        if (now.has(o.commit) && !old.has(o.commit))
          problems.push(
            `taken out: ${o.commit.slice(0, 8)} came back to main with ${to.slice(0, 8)} at ${at}`,
          )
    }
    return problems
  }

  private async historyOf(head: GitObjectId): Promise<ReadonlySet<GitObjectId>> {
    const seen = new Set<GitObjectId>()
    for (const open = [head]; open.length > 0; ) {
      const id = open.pop()!
      if (seen.has(id)) continue
      seen.add(id)
      open.push(...(await this.parentsOf(id)))
    }
    return seen
  }
}
