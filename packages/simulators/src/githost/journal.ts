/**
 * What has happened to the branches and pull requests of a repository, by the key of the promotion that it belongs to: told by
 * the trailer `Lockstep-Promotion` of a commit, and by the comment at the end of a body. Tests ask it for "exactly once".
 */
import type { GitObjectId } from './gitobjectid.ts'

/** `api`: by the host, for a merge; `git`: pushed; `person`: by an act of a test or a demo. */
export type Actor = 'api' | 'git' | 'person'

export interface RefChange {
  /** Milliseconds of the host's clock. */
  readonly at: number
  readonly by: Actor
  readonly branch: string
  readonly from: GitObjectId | undefined
  readonly to: GitObjectId | undefined
  /** Of the commits that came in, and of the pull request that was merged. */
  readonly keys: readonly string[]
}

export interface PullLife {
  readonly number: number
  /** As its body said when it was opened. */
  readonly key: string | undefined
  readonly head: string
  readonly openedAt: number
  readonly closedAt?: number
  readonly mergedAt?: number
}

export class Journal {
  readonly changes: RefChange[] = []
  private readonly lives = new Map<number, PullLife>()

  changed(change: RefChange): void {
    this.changes.push(change)
  }

  opened(life: PullLife): void {
    this.lives.set(life.number, life)
  }

  ended(
    number: number,
    how: { readonly closedAt: number } | { readonly mergedAt: number } | 'reopened',
  ): void {
    const { closedAt: _, ...life } = this.lives.get(number)!
    this.lives.set(number, how === 'reopened' ? life : { ...life, ...how })
  }

  /** How often this key came into a branch. */
  changesOf(key: string, branch: string): readonly RefChange[] {
    return this.changes.filter((c) => c.branch === branch && c.keys.includes(key))
  }

  /** Pull requests that were opened for this key. */
  pullsOf(key: string): readonly PullLife[] {
    return [...this.lives.values()].filter((p) => p.key === key)
  }

  /** All keys that anything was done for. */
  keys(): readonly string[] {
    const found = new Set(this.changes.flatMap((c) => c.keys))
    for (const { key } of this.lives.values()) if (key !== undefined) found.add(key)
    return [...found].sort()
  }
}

export const keysIn = (message: string): string[] =>
  [...message.matchAll(/^Lockstep-Promotion: (\S+)$/gm)].map((m) => m[1]!)

export const keyIn = (body: string): string | undefined =>
  /<!-- lockstep-promotion: (\S+) -->/.exec(body)?.[1]
