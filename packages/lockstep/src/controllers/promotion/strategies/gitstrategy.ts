/** Promotions by pull request or push: what is looked at, made ready and done at a host and in its repository. */

import { type Clock, ok } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { blocked } from '../../../api/blocker.ts'
import type { Promotion, PromotionIntent } from '../../../api/kinds/index.ts'
import {
  type BaseObservation,
  branchName,
  changesDestination,
  externalRef,
  lookUpPullRequest,
  POLL_MS,
  type PromotionEffect,
  type PromotionState,
  type PromotionStep,
  type PullRequestLookup,
  type PullRequestObservation,
  pullRequestStep,
  pushStep,
  waitFor,
} from '../../../decisions/promotion/index.ts'
import type { GitAccess } from '../../../gitproviders/gitaccess.ts'
import type { CallOptions, GitProvider, Pull } from '../../../gitproviders/gitprovider.ts'
import type { CommitId } from '../../../gitproviders/gitrepository.ts'
import { baseView, branchView, isCommitInHistory } from '../branchview.ts'
import { GitChange } from '../gitchange.ts'
import { GitEffects } from '../giteffects.ts'
import { type BranchHeads, PrepareChange, type RelatedPromotions } from '../preparechange.ts'
import type { PredecessorPromotion } from '../pullrequesttransfer.ts'
import { type BranchPulls, listBranchPulls, pullRequestView } from '../pullrequestview.ts'
import { RepositoryView } from '../repositoryview.ts'
import type {
  PerformResult,
  PreparedChange,
  PromotionStrategy,
  ProviderResult,
  StrategyContext,
} from './strategy.ts'

interface HeadsSnapshot extends BranchHeads {
  readonly pulls: readonly Pull[]
}

/** What is left behind. */
interface Leftovers {
  readonly pulls: readonly PullRequestObservation[]
  /** At the head of its branch; undefined: there is none. */
  readonly branch: CommitId | undefined
  /** Somebody has a pull request of its branch onto another one. */
  readonly isShared: boolean
  /** Lists do not have what it has opened: whoever looks next would not find it. */
  readonly isUnlisted: boolean
}

interface GitLookup {
  readonly lookup: PullRequestLookup
  /** Seen together with others, up to a minute ago. */
  readonly isGlanced: boolean
  readonly isForestalled: boolean
  /** Commits of others on what is open. */
  readonly foreign: number | undefined
  readonly base: BaseObservation
  /** Of the base of what is open. */
  readonly isRewritten: boolean
  readonly mergeable: Pull['mergeable'] | undefined
}

export interface GitStrategyOptions extends RelatedPromotions {
  readonly clock: Pick<Clock, 'steady'>
  readonly person: string
  readonly secretVersion: string
}

export class GitStrategy implements PromotionStrategy {
  private readonly forge: GitAccess
  private readonly promotion: Stored<Promotion>
  private readonly change: GitChange
  private readonly view: PromotionState
  private readonly base: string
  private readonly preparing: PrepareChange
  private readonly before: PredecessorPromotion | undefined
  readonly secretVersion: string
  private readonly glances: RepositoryView
  private readonly effects: GitEffects

  constructor(
    forge: GitAccess,
    promotion: Stored<Promotion>,
    view: PromotionState,
    { clock, person, secretVersion, ...others }: GitStrategyOptions,
  ) {
    this.secretVersion = secretVersion
    const { pullRequest, push } = view.settings
    this.forge = forge
    this.promotion = promotion
    this.view = view
    this.base = pullRequest?.baseBranch ?? push!.branch
    this.change = new GitChange(forge, promotion, view, person)
    this.before = others.before
    this.glances = new RepositoryView(forge, this.base)
    this.preparing = new PrepareChange({ ...others, forge, view, change: this.change })
    const { base, branch, change } = this
    this.effects = new GitEffects({ forge, promotion, view, clock, change, base, branch })
  }

  get glanced(): PromotionStrategy['glanced'] {
    return this.glances.last
  }

  private get intent(): PromotionIntent {
    return this.view.status.intent ?? {}
  }

  /** The branch of a pull request; a push has none of its own. */
  private get branch(): string {
    return this.intent.branch ?? branchName(this.view.id)
  }

  /** The same change on what is at the base now. `previous`: the commit on the branch that it takes the place of. */
  async prepare(previous: CommitId | undefined, o: CallOptions): ProviderResult<PreparedChange> {
    const heads = await this.heads(o)
    return heads.ok ? this.preparing.prepare(previous, heads.value, o) : heads
  }

  private async heads(o: CallOptions): ProviderResult<BranchHeads> {
    const names = this.forge.host ? [this.base, this.branch] : [this.base]
    const found = await this.forge.repository.branches(names, o)
    if (!found.ok) return found
    const base = found.value.get(this.base)
    if (base !== undefined) return ok({ base, branch: found.value.get(this.branch) })
    const message = `branch ${this.base} not found`
    return {
      ok: false,
      error: { kind: 'RepositoryNotFound', wrote: 'no', request: 'git ls-remote', message },
    }
  }

  async look(around: StrategyContext, o: CallOptions): ProviderResult<PromotionStep> {
    const found = await this.find(around, o)
    if (!found.ok) return found
    const { lookup, base, isGlanced, ...more } = found.value
    const promotion = this.view
    const step = this.forge.host
      ? pullRequestStep({ ...around, promotion, found: lookup, baseHead: base.head, ...more })
      : pushStep({ ...around, promotion, base })
    if (step.type !== 'Effect' || !changesDestination(step.effect, promotion)) return ok(step)
    if (!isGlanced) return this.unlessTakenBack(step, base.head, around, o)
    // Right before it is done: what has come to the base since that look counts.
    const heads = await this.heads(o)
    if (!heads.ok) return heads
    if (heads.value.base === base.head) return this.unlessTakenBack(step, base.head, around, o)
    this.glances.last = undefined
    return this.look({ ...around, seenAtMs: Number.POSITIVE_INFINITY }, o)
  }

  /** A way back in Git is seen here before anything has followed it, and nothing newer goes over it. */
  private async unlessTakenBack(
    step: PromotionStep,
    head: CommitId,
    around: StrategyContext,
    o: CallOptions,
  ): ProviderResult<PromotionStep> {
    const { done } = around
    if (!done) return ok(step)
    const hasDone = await this.change.of(done.id).isAt(head, o)
    if (!hasDone.ok || hasDone.value) return hasDone.ok ? ok(step) : hasDone
    const { environment, revision } = done.id
    const blocker = blocked('RevertedInGit', [externalRef(this.forge.where)], {
      because: 'Previous',
      environment,
      revision,
      promotion: done.name,
      branch: this.base,
      pipeline: this.promotion.spec.pipelineRef.name,
    })
    return ok(waitFor([blocker], around.nowMs + POLL_MS))
  }

  /** Rules 1 to 5 of a lookup, and nothing is asked that cannot matter any more. */
  private async find(around: StrategyContext, o: CallOptions): ProviderResult<GitLookup> {
    const { host } = this.forge
    const glance = this.view.phase === 'Open' ? await this.glance(around, o) : ok(undefined)
    if (!glance.ok) return glance
    const known = glance.value
    const listed = known ? ok({ all: known.pulls }) : host ? await this.pulls(host, o) : ok({ all: [] })
    if (!listed.ok) return listed
    const heads = known ? ok(known) : await this.heads(o)
    if (!heads.ok) return heads
    const pulls = listed.value.all.map((p) => withHead(p, heads.value.branch))
    const seen = pulls.map(this.seen)
    const isOpen = seen.some((p) => p.state === 'open') && !seen.some((p) => p.state === 'merged')
    const base = isOpen ? ok({ ...NOTHING, head: heads.value.base }) : await this.baseAt(heads.value.base, o)
    if (!base.ok) return base
    const branch = isOpen ? ok(undefined) : await this.branchAt(heads.value.branch, heads.value.base, o)
    if (!branch.ok) return branch
    const found = lookUpPullRequest({
      key: this.view.key,
      inherited: this.inherited,
      adopts: this.intent.adopts,
      pulls: seen,
      recorded: this.recorded,
      intent: { commit: this.intent.commit ?? '', base: this.intent.base ?? '' },
      branch: branch.value,
      base: base.value,
    })
    const open = found.type === 'Open' ? pulls.find((p) => p.number === found.pull.number) : undefined
    const mergeable = open ? await this.mergeable(open, base.value.head, around, o) : ok(undefined)
    if (!mergeable.ok) return mergeable
    const isNew = found.type === 'Nothing' && !found.isPushed
    const theirs = isNew ? await this.preparing.theirs(o) : ok(undefined)
    if (!theirs.ok) return theirs
    const isForestalled = theirs.value !== undefined
    const foreign = open ? await this.foreignOn(open, base.value.head, o) : ok(undefined)
    if (!foreign.ok) return foreign
    const isRewritten = open ? await this.isRewritten(base.value.head, o) : ok(false)
    if (!isRewritten.ok) return isRewritten
    return ok({
      lookup: found,
      base: base.value,
      mergeable: mergeable.value,
      isForestalled,
      foreign: foreign.value,
      isRewritten: isRewritten.value,
      isGlanced: known !== undefined,
    })
  }

  /** Somebody has taken what it was made on out of its base: merged, it would come back. */
  private async isRewritten(head: CommitId, o: CallOptions): ProviderResult<boolean> {
    const { base: commit, adopts } = this.intent
    const { poll, repository } = this.forge
    if (this.view.phase !== 'Open' || adopts !== undefined || commit === undefined) return ok(false)
    const within = (one: CommitId, other: CommitId) => isCommitInHistory(repository, one, other, o)
    const found = poll
      ? await poll.ancestry.has(this.base, { head, commit }, within)
      : await within(commit, head)
    return found.ok ? ok(!found.value) : found
  }

  /** Of its branch; a branch of others has more of theirs. */
  private async pulls(host: GitProvider, o: CallOptions): ProviderResult<BranchPulls> {
    const pulls = await listBranchPulls(host, this.branch, this.recorded ?? this.handedOn, o)
    return pulls.ok ? ok({ ...pulls.value, all: this.ours(pulls.value.all) }) : pulls
  }

  private ours(pulls: readonly Pull[]): readonly Pull[] {
    const { adopts } = this.intent
    const isOurs = (p: Pull) => adopts === undefined || p.number === adopts
    const isHere = (p: Pull) => p.base === this.base || p.number === this.recorded
    return pulls.filter((p) => p.head === this.branch && isHere(p) && isOurs(p))
  }

  private isShared(pulls: readonly Pull[]): boolean {
    return pulls.some((p) => p.state === 'open' && p.head === this.branch && p.base !== this.base)
  }

  /**
   * What all who wait there look at once a minute. Undefined: its pull request is not among those that are open, which is the
   * moment to ask in full.
   */
  private async glance(
    { seenAtMs }: StrategyContext,
    o: CallOptions,
  ): ProviderResult<HeadsSnapshot | undefined> {
    const seen = await this.glances.look(seenAtMs, o)
    if (!seen.ok || !seen.value) return seen.ok ? ok(undefined) : seen
    const { heads } = seen.value
    const base = heads.get(this.base)
    const pulls = this.ours(seen.value.pulls)
    if (base !== undefined && pulls.some((p) => p.number === this.recorded))
      return ok({ pulls, base, branch: heads.get(this.branch) })
    this.glances.last = undefined
    return ok(undefined)
  }

  private async mergeable(pull: Pull, baseHead: CommitId, around: StrategyContext, o: CallOptions) {
    const { autoMerge = false } = this.view.settings.pullRequest ?? {}
    const isHeld = around.held !== undefined || this.intent.adopts !== undefined
    if (this.view.phase !== 'Open') return ok(pull.mergeable)
    return this.glances.mergeable(pull, baseHead, autoMerge && !isHeld, o)
  }

  private readonly seen = (p: Pull): PullRequestObservation => {
    const { creationTimestamp: createdAt } = this.promotion.metadata
    return pullRequestView(p, { createdAt, recorded: this.recorded, base: this.base })
  }

  private get recorded(): number | undefined {
    return this.view.status.result?.pullRequest?.number
  }

  /** The number of the pull request that it goes on with. */
  private get handedOn(): number | undefined {
    const goesOn = this.intent.inherits !== undefined && this.before?.branch === this.branch
    return goesOn ? this.before?.number : undefined
  }

  private get inherited() {
    const { inherits: key, previous: commit } = this.intent
    return key === undefined ? undefined : { key, commit }
  }

  private async baseAt(head: CommitId, o: CallOptions): ProviderResult<BaseObservation> {
    const value = await this.change.isAt(head, o)
    return value.ok ? baseView(this.forge.repository, this.view, { head, hasValue: value.value }, o) : value
  }

  private async foreignOn(
    { headCommit }: Pull,
    base: CommitId,
    o: CallOptions,
  ): ProviderResult<number | undefined> {
    const { commit, previous, adopts } = this.intent
    const isOurs = headCommit === undefined || headCommit === commit || headCommit === previous
    if (isOurs || adopts !== undefined || this.view.phase !== 'Open') return ok(undefined)
    const seen = await branchView(this.forge.repository, this.view, { head: headCommit, base }, o)
    return seen.ok ? ok(seen.value.foreign) : seen
  }

  private branchAt(head: CommitId | undefined, base: CommitId, o: CallOptions) {
    if (head === undefined || !this.forge.host || this.intent.adopts !== undefined) return ok(undefined)
    return branchView(this.forge.repository, this.view, { head, base }, o)
  }

  /** What is left behind, once all is over. `seenAtMs`: as others have seen it since then is enough, which is what is open. */
  async leftovers(o: CallOptions, seenAtMs?: number): ProviderResult<Leftovers> {
    const mayGlance = seenAtMs !== undefined && this.intent.adopts === undefined
    const seen = mayGlance ? await this.glances.look(seenAtMs, o) : ok(undefined)
    if (!seen.ok) return seen
    if (seen.value) {
      const { pulls: all, heads } = seen.value
      const branch = heads.get(this.branch)
      const pulls = this.ours(all).map((p) => this.seen(withHead(p, branch)))
      return ok({ pulls, branch, isShared: this.isShared(all), isUnlisted: false })
    }
    const host = this.forge.host!
    const listed = await this.pulls(host, o)
    if (!listed.ok) return listed
    const heads = await this.forge.repository.branches([this.branch], o)
    if (!heads.ok) return heads
    const branch = heads.value.get(this.branch)
    const pulls = listed.value.all.map((p) => this.seen(withHead(p, branch)))
    const isOpen = pulls.some((p) => p.state === 'open')
    // It goes next, if nobody else needs it.
    const others = branch !== undefined && !isOpen ? await host.openPulls(o) : ok([])
    if (!others.ok) return others
    const isUnlisted = listed.value.unlisted?.base === this.base
    return ok({ pulls, branch, isShared: this.isShared(others.value), isUnlisted })
  }

  tell(number: number, comment: string, o: CallOptions): ProviderResult<void> {
    return this.effects.tell(number, comment, o)
  }

  perform(effect: PromotionEffect, o: CallOptions): ProviderResult<PerformResult> {
    return this.effects.perform(effect, o)
  }

  after(effect: PromotionEffect): PromotionStep | undefined {
    return this.effects.after(effect)
  }
}

const NOTHING = { hasValue: false, hasTrailer: false, isRewritten: false, replacedBy: undefined }

/** Lists are late, and so is what an edit has answered: where a branch is, Git knows. */
const withHead = (p: Pull, branch: CommitId | undefined): Pull =>
  p.state === 'open' && branch !== undefined ? { ...p, headCommit: branch } : p
