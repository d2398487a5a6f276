/** Promotions by Git are made ready: which change on which commit, and on which branch; what of it is there already is found. */

import { ok } from '@lockstep/kube/env'
import type { PromotionIntent } from '../../api/kinds/index.ts'
import { branchName, keyInBody, type PromotionState, titleOf } from '../../decisions/promotion/index.ts'
import type { WeaveEnvironment } from '../../decisions/weave/index.ts'
import type { GitAccess } from '../../gitproviders/gitaccess.ts'
import type { CallOptions, GitProvider, Pull } from '../../gitproviders/gitprovider.ts'
import type { CommitId } from '../../gitproviders/gitrepository.ts'
import { findConcurrentChange } from './concurrentchange.ts'
import type { ChangeCommit, GitChange } from './gitchange.ts'
import type { PredecessorPromotion } from './pullrequesttransfer.ts'
import { listBranchPulls } from './pullrequestview.ts'
import type { PreparedChange, ProviderResult } from './strategies/strategy.ts'

export interface BranchHeads {
  readonly base: CommitId
  /** Of its branch; undefined: there is none. */
  readonly branch: CommitId | undefined
}

/** Who else there was. */
export interface RelatedPromotions {
  /** Whose pull request it goes on with. */
  readonly before: PredecessorPromotion | undefined
  /** The epoch before it has no object any more, which would say whose pull request this one has gone on with. */
  readonly isPredecessorGone: boolean
  /** Another controller may have opened a pull request for the same place; undefined: there is none. */
  readonly weave: WeaveEnvironment | undefined
}

interface PrepareChangeOptions extends RelatedPromotions {
  readonly forge: GitAccess
  readonly view: PromotionState
  readonly change: GitChange
}

/** A branch on which an object of this very promotion had its change: that object is gone, or this one. */
interface PreviousBranch {
  readonly branch: string
  readonly head: CommitId | undefined
}

type ChangePlace = Pick<PromotionIntent, 'branch' | 'commit' | 'title' | 'previous' | 'inherits' | 'adopts'>

export class PrepareChange {
  private readonly o: PrepareChangeOptions

  constructor(o: PrepareChangeOptions) {
    this.o = o
  }

  private get intent(): PromotionIntent {
    return this.o.view.status.intent ?? {}
  }

  private get own(): string {
    return branchName(this.o.view.id)
  }

  async prepare(
    previous: CommitId | undefined,
    { base, branch }: BranchHeads,
    o: CallOptions,
  ): ProviderResult<PreparedChange> {
    const made = await this.o.change.on(base, o)
    if (!made.ok) return made
    if (made.value.type === 'Refused') return ok(made.value)
    const had = previous === undefined ? await this.had(branch, o) : ok(undefined)
    if (!had.ok) return had
    if (made.value.type === 'Present') return this.leftOf(base, had.value, o)
    const place = await this.placeOf(previous, had.value, o)
    if (!place.ok) return place
    if (place.value.adopts !== undefined) return ok({ type: 'Intent', intent: { base, ...place.value } })
    const there = previous === undefined ? await this.there(base, place.value, had.value, o) : ok(undefined)
    if (!there.ok) return there
    const { commit, tree, files } = made.value
    const own = there.value ? { ...there.value, found: true } : { base, tree, commit, files }
    return ok({ type: 'Intent', intent: { ...own, title: titleOf(this.o.view.id), ...place.value } })
  }

  /**
   * Its own branch, or that of an earlier promotion with whose pull request it has gone on before its object was lost: the body has
   * its key since.
   */
  private async had(
    ownHead: CommitId | undefined,
    o: CallOptions,
  ): ProviderResult<PreviousBranch | undefined> {
    const { forge, before, isPredecessorGone } = this.o
    const { host, repository } = forge
    if (!host) return ok(undefined)
    if (ownHead !== undefined) return ok({ branch: this.intent.branch ?? this.own, head: ownHead })
    if (this.intent.branch !== undefined || (!before && !isPredecessorGone)) return ok(undefined)
    const pulls = before ? await this.pullsBefore(host, before, o) : await host.lastPulls(o)
    if (!pulls.ok) return pulls
    const isOurs = (p: Pull) => p.head !== this.own && keyInBody(p.body) === this.o.view.key
    const branch = pulls.value.find(isOurs)?.head
    if (branch === undefined) return ok(undefined)
    const heads = await repository.branches([branch], o)
    return heads.ok ? ok({ branch, head: heads.value.get(branch) }) : heads
  }

  /** Nothing is to be done; what was opened on a branch of its is looked for as after any other. */
  private async leftOf(
    base: CommitId,
    had: PreviousBranch | undefined,
    o: CallOptions,
  ): ProviderResult<PreparedChange> {
    if (!had || this.intent.branch !== undefined) return ok({ type: 'Present' })
    const { branch, head } = had
    const ours = head === undefined ? ok(undefined) : await this.o.change.madeBefore(head, o)
    if (!ours.ok) return ours
    const commit = ours.value && { commit: ours.value.commit }
    return ok({ type: 'Present', intent: { base, branch, ...commit } })
  }

  /**
   * Its branch: as it was, that of another controller whose pull request does the same, that on which it was before, that of the
   * promotion whose pull request it goes on with, or one of its own.
   */
  private async placeOf(
    previous: CommitId | undefined,
    had: PreviousBranch | undefined,
    o: CallOptions,
  ): ProviderResult<ChangePlace> {
    const { forge, before } = this.o
    if (!forge.host) return ok({})
    const { inherits, commit, branch = this.own } = this.intent
    if (previous !== undefined)
      return ok({ branch, previous, ...(inherits === undefined ? {} : { inherits }) })
    const theirs = await this.theirs(o)
    if (!theirs.ok) return theirs
    if (theirs.value) {
      const { number, head, headCommit, title } = theirs.value
      return ok({ adopts: number, branch: head, commit: headCommit!, title })
    }
    const own = { branch: this.own }
    if (commit !== undefined) return ok(own)
    if (had) return ok({ branch: had.branch })
    if (!before) return ok(own)
    const pulls = await this.pullsBefore(forge.host, before, o)
    if (!pulls.ok) return pulls
    const open = pulls.value.find((p) => p.state === 'open' && before.commits.includes(p.headCommit))
    if (open?.headCommit === undefined) return ok(own)
    const key = keyInBody(open.body) ?? before.key
    return ok({ branch: before.branch, previous: open.headCommit, inherits: key })
  }

  /** Onto the same base; where it was opened a moment ago it is known by its number alone. */
  private async pullsBefore(
    host: GitProvider,
    { branch, number }: PredecessorPromotion,
    o: CallOptions,
  ): ProviderResult<readonly Pull[]> {
    const pulls = await listBranchPulls(host, branch, number, o)
    const base = this.o.view.settings.pullRequest?.baseBranch
    return pulls.ok ? ok(pulls.value.all.filter((p) => p.base === base)) : pulls
  }

  theirs(o: CallOptions): ProviderResult<Pull | undefined> {
    return findConcurrentChange(this.o.forge, this.o.weave, (at) => this.o.change.isAt(at, o), o)
  }

  /** What of it was made before: on its branch, or at the base, where that is gone with whoever knew of it. */
  private async there(
    base: CommitId,
    { branch, previous }: ChangePlace,
    had: PreviousBranch | undefined,
    o: CallOptions,
  ): ProviderResult<(ChangeCommit & { readonly base: CommitId }) | undefined> {
    const { forge, change, before, isPredecessorGone } = this.o
    if (had?.head !== undefined && had.branch === branch) return change.madeBefore(had.head, o)
    const mayBeDone = !forge.host || isPredecessorGone || (before !== undefined && previous === undefined)
    return mayBeDone && this.intent.commit === undefined ? change.pushedBefore(base, o) : ok(undefined)
  }
}
