/**
 * A repository on the host: its branches, its pull requests, and what follows for the one from the other. What the APIs of the
 * three hosts ask for, and what people do, ends here; only how it is said differs. One thing is done after another.
 */
import type { Clock } from '@lockstep/kube/env'
import { ended, type GitObjectId, personAt } from './gitobjectid.ts'
import { ancestors, changed, type GitStore, history, mergeBase } from './gitstore.ts'
import { type HostedPull, HostedPulls } from './hostedpull.ts'
import { type Actor, Journal, keyIn, keysIn } from './journal.ts'
import { type MergeMethod, merged, together } from './mergemethod.ts'

/** How this kind of host does it. */
export interface MergeSettings {
  /** Message of a merge commit; a squash that is given none has the title. */
  readonly mergeMessage: (pull: HostedPull, repository: string) => string
  /** A pull request without commits of its own is not opened. */
  readonly needsCommits: boolean
  /** A head that came into the base by a push is merged. */
  readonly seesManualMerges: boolean
}

export type OpenPullResult =
  | { readonly kind: 'opened'; readonly pull: HostedPull }
  | { readonly kind: 'exists'; readonly number: number }
  | { readonly kind: 'no-branch'; readonly which: 'head' | 'base' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'archived' }

export type MergePullResult =
  | { readonly kind: 'merged'; readonly commit: GitObjectId }
  | {
      readonly kind:
        | 'missing'
        | 'is-merged'
        | 'is-closed'
        | 'archived'
        | 'method'
        | 'moved'
        | 'blocked'
        | 'conflict'
        | 'base-moved'
    }
  /** A hook of the repository has refused the push that merging is; with what it says. */
  | { readonly kind: 'declined'; readonly message: string }

const HOST = 'Git Host <host@lockstep.invalid>'
const PERSON = 'A Person <person@lockstep.invalid>'

export class HostedRepository {
  /** `owner/repository` */
  readonly name: string
  readonly store: GitStore
  readonly journal = new Journal()
  readonly pulls: HostedPulls
  /** Ways to merge that the repository allows. */
  methods: readonly MergeMethod[] = ['merge', 'squash', 'rebase']
  isArchived = false
  /** Each pull request waits for a check, until `unblock`. */
  needsChecks = false
  /** So many times more, somebody pushes to the base while the host merges. */
  overtakesMerges = 0
  /** What a hook says, which lets nothing be merged. */
  declinesMerges: string | undefined
  /** Its lists show what was so long ago. */
  listsBehindMs = 0
  private readonly clock: Clock
  private readonly ways: MergeSettings
  private readonly protectedBranches = new Set<string>()
  private readonly conflicts = new Map<string, boolean>()
  private last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock, name: string, store: GitStore, ways: MergeSettings) {
    this.clock = clock
    this.name = name
    this.store = store
    this.ways = ways
    this.pulls = new HostedPulls(clock)
  }

  /** After what is under way. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    const next = this.last.then(act)
    this.last = next.catch(() => {})
    return next
  }

  open(p: Pick<HostedPull, 'head' | 'base' | 'title' | 'body'>): Promise<OpenPullResult> {
    return this.alone(async () => {
      if (this.isArchived) return { kind: 'archived' }
      const refs = await this.store.branches()
      const [head, base] = [refs.get(p.head), refs.get(p.base)]
      if (base === undefined) return { kind: 'no-branch', which: 'base' }
      if (head === undefined) return { kind: 'no-branch', which: 'head' }
      if (p.head === p.base) return { kind: 'nothing' }
      const open = this.openOf(p.head).find((o) => o.base === p.base)
      if (open) return { kind: 'exists', number: open.number }
      if (this.ways.needsCommits && (await ancestors(this.store, base)).has(head)) return { kind: 'nothing' }
      const from = await mergeBase(this.store, base, head)
      const pull = this.pulls.add({ ...p, state: 'open', headCommit: head, mergeBase: from })
      this.journal.opened({ number: pull.number, key: keyIn(p.body), head: p.head, openedAt: pull.createdAt })
      return {
        kind: 'opened',
        pull: this.needsChecks ? this.pulls.change(pull.number, { isBlocked: true }) : pull,
      }
    })
  }

  /** Undefined: there is none. What is merged stays merged. */
  edit(
    number: number,
    to: { title?: string; body?: string; state?: 'closed' },
  ): Promise<HostedPull | undefined> {
    return this.alone(async () => {
      const pull = this.pulls.get(number)
      if (!pull) return undefined
      const { state, ...texts } = to
      const edited = Object.keys(texts).length > 0 ? this.pulls.change(number, texts) : pull
      return state === 'closed' && pull.state === 'open' ? this.ended(number) : edited
    })
  }

  comment(number: number, text: string): Promise<HostedPull | undefined> {
    return this.alone(async () => {
      const pull = this.pulls.get(number)
      return pull && this.pulls.change(number, { comments: [...pull.comments, text] })
    })
  }

  merge(
    number: number,
    o: { method: MergeMethod; expect?: GitObjectId | undefined; message?: string | undefined; by?: Actor },
  ): Promise<MergePullResult> {
    return this.alone(async () => {
      const pull = this.pulls.get(number)
      const refusal = !pull ? 'missing' : this.whyNot(pull, o.method, o.expect)
      if (!pull || refusal) return { kind: refusal ?? 'missing' }
      const base = (await this.store.branches()).get(pull.base)!
      const message =
        o.message ??
        (o.method === 'merge' ? this.ways.mergeMessage(pull, this.name) : `${pull.title} (#${number})`)
      const person = personAt(o.by === 'person' ? PERSON : HOST, this.clock.now())
      const to = await merged(this.store, {
        base,
        head: pull.headCommit,
        method: o.method,
        message: ended(message),
        person,
      })
      if (to === 'conflict' || to === 'nothing') return { kind: 'conflict' }
      if (this.declinesMerges !== undefined) return { kind: 'declined', message: this.declinesMerges }
      if (this.overtakesMerges > 0) {
        this.overtakesMerges--
        await this.byPerson(pull.base, { 'beside.txt': `${this.clock.now()}\n` }, 'Beside')
      }
      if ((await this.store.branches()).get(pull.base) !== base) return { kind: 'base-moved' }
      this.mergedAt(pull, to, o.method === 'squash')
      const key = keyIn(pull.body)
      await this.moveTo(pull.base, base, to, o.by ?? 'api', key === undefined ? [] : [key])
      return { kind: 'merged', commit: to }
    })
  }

  /** Whether the head would go into the base as both are now. */
  async isConflict(pull: HostedPull): Promise<boolean> {
    const base = (await this.store.branches()).get(pull.base)
    if (base === undefined) return true
    // Commits never change, and lists ask this of each pull request again and again.
    const pair = `${base} ${pull.headCommit}`
    const known = this.conflicts.get(pair)
    if (known !== undefined) return known
    const from = await mergeBase(this.store, base, pull.headCommit)
    const isConflict = (await together(this.store, from, base, pull.headCommit)) === undefined
    this.conflicts.set(pair, isConflict)
    return isConflict
  }

  /** A push by git, or by what stands for it: `push` changes the branches, and what follows is done then. */
  pushed<T>(push: () => Promise<T>): Promise<T> {
    return this.alone(async () => {
      const before = await this.store.branches()
      const result = await push()
      const after = await this.store.branches()
      for (const branch of new Set([...before.keys(), ...after.keys()])) {
        const [from, to] = [before.get(branch), after.get(branch)]
        if (from !== to) await this.moved(branch, from, to, 'git', [])
      }
      return result
    })
  }

  isProtected(branch: string): boolean {
    return this.protectedBranches.has(branch)
  }

  /** Nobody pushes to it; pull requests are merged. */
  async protect(
    branch: string,
    message = `protected branch ${branch}: changes must be made through a pull request`,
  ) {
    this.protectedBranches.add(branch)
    await this.store.reject({ branches: [...this.protectedBranches], message })
  }

  // What people do.

  /** A commit with these files changed (undefined: removed) on a branch, which begins at `from` where it is new. */
  push(
    branch: string,
    files: Readonly<Record<string, string | Uint8Array | undefined>>,
    message: string,
    from = 'main',
  ): Promise<GitObjectId> {
    return this.alone(() => this.byPerson(branch, files, message, from))
  }

  /** Whatever it was. */
  forcePush(branch: string, to: GitObjectId): Promise<void> {
    return this.alone(async () =>
      this.moveTo(branch, (await this.store.branches()).get(branch), to, 'person'),
    )
  }

  /** Takes back on a branch what a commit did there. */
  revert(commit: GitObjectId, branch = 'main'): Promise<GitObjectId> {
    return this.alone(async () => {
      const tip = (await this.store.branches()).get(branch)!
      const done = (await this.store.commit(commit))!
      const files = await together(this.store, commit, tip, done.parents[0]!)
      if (!files) throw new Error(`commit ${commit} cannot be reverted on ${branch}: it was changed since`)
      const person = personAt(PERSON, this.clock.now())
      const message = `Revert "${done.message.split('\n')[0]}"\n\nThis reverts commit ${commit}.\n`
      const to = await this.store.make(files, { parents: [tip], author: person, committer: person, message })
      await this.moveTo(branch, tip, to, 'person')
      return to
    })
  }

  deleteBranch(branch: string): Promise<void> {
    return this.alone(async () => {
      const from = (await this.store.branches()).get(branch)
      if (from !== undefined) await this.moveTo(branch, from, undefined, 'person')
    })
  }

  close(number: number): Promise<HostedPull | undefined> {
    return this.edit(number, { state: 'closed' })
  }

  /** False: it was merged, its branch is gone, or another one is open. */
  reopen(number: number): Promise<boolean> {
    return this.alone(async () => {
      const pull = this.pulls.get(number)
      const head = pull && (await this.store.branches()).get(pull.head)
      if (pull?.state !== 'closed' || head === undefined) return false
      if (this.openOf(pull.head).some((o) => o.base === pull.base)) return false
      this.pulls.change(number, { state: 'open', headCommit: head, endedAt: undefined })
      this.journal.ended(number, 'reopened')
      return true
    })
  }

  /** Its checks are running, or a review is missing; or no longer. */
  block(number: number, isBlocked: boolean): void {
    this.pulls.change(number, { isBlocked })
  }

  private async byPerson(
    branch: string,
    files: Readonly<Record<string, string | Uint8Array | undefined>>,
    message: string,
    from = branch,
  ): Promise<GitObjectId> {
    const refs = await this.store.branches()
    const parent = refs.get(branch) ?? refs.get(from)
    const before = parent === undefined ? new Map() : await this.store.files(parent)
    const all = await changed(
      this.store,
      before,
      new Map(Object.entries(files).map(([p, t]) => [p, bytesOf(t)])),
    )
    const person = personAt(PERSON, this.clock.now())
    const parents = parent === undefined ? [] : [parent]
    const to = await this.store.make(all, {
      parents,
      author: person,
      committer: person,
      message: ended(message),
    })
    await this.moveTo(branch, refs.get(branch), to, 'person')
    return to
  }

  private whyNot(pull: HostedPull, method: MergeMethod, expect: GitObjectId | undefined) {
    if (pull.state !== 'open') return pull.state === 'merged' ? 'is-merged' : 'is-closed'
    if (this.isArchived) return 'archived'
    if (!this.methods.includes(method)) return 'method'
    if (expect !== undefined && expect !== pull.headCommit) return 'moved'
    return pull.isBlocked ? 'blocked' : undefined
  }

  private openOf(head: string): HostedPull[] {
    return this.pulls.list().filter((p) => p.state === 'open' && p.head === head)
  }

  private ended(number: number): HostedPull {
    const closedAt = this.clock.now()
    this.journal.ended(number, { closedAt })
    return this.pulls.change(number, { state: 'closed', endedAt: closedAt })
  }

  private mergedAt(pull: HostedPull, mergeCommit: GitObjectId, wasSquashed: boolean): void {
    const mergedAt = this.clock.now()
    this.journal.ended(pull.number, { mergedAt })
    this.pulls.change(pull.number, { state: 'merged', mergeCommit, wasSquashed, endedAt: mergedAt })
  }

  private async moveTo(
    branch: string,
    from: GitObjectId | undefined,
    to: GitObjectId | undefined,
    by: Actor,
    keys: readonly string[] = [],
  ): Promise<void> {
    if (!(await this.store.move(branch, from, to)))
      throw new Error(`${this.name}: ${branch} is not at ${from}`)
    await this.moved(branch, from, to, by, keys)
  }

  /** What follows from a branch that has moved: the journal, heads of pull requests, ends of pull requests. */
  private async moved(
    branch: string,
    from: GitObjectId | undefined,
    to: GitObjectId | undefined,
    by: Actor,
    keys: readonly string[],
  ): Promise<void> {
    const news = to === undefined ? [] : await history(this.store, to, from)
    const all = new Set([...keys, ...news.flatMap((c) => keysIn(c.commit.message))])
    this.journal.changed({ at: this.clock.now(), by, branch, from, to, keys: [...all] })
    for (const pull of this.openOf(branch)) {
      // GitHub, GitLab and Gitea close what has lost its branch.
      if (to === undefined) this.ended(pull.number)
      else this.pulls.change(pull.number, { headCommit: to })
    }
    if (to === undefined || !this.ways.seesManualMerges) return
    const inBase = await ancestors(this.store, to)
    for (const pull of this.pulls.list().filter((p) => p.state === 'open' && p.base === branch))
      if (inBase.has(pull.headCommit)) this.mergedAt(pull, to, false)
  }
}

const bytesOf = (content: string | Uint8Array | undefined): Uint8Array | undefined =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content
