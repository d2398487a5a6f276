/** What people do with pull requests, branches, Holds and Approvals while promotions are under way. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import {
  type Approval,
  approvalKind,
  holdKind,
  promotionKind,
} from '../../../packages/lockstep/src/api/kinds/index.ts'
import { keyOfPromotion } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import { type PipelinePlan, pick } from './pipelineplan.ts'
import type { RandomDelivery } from './randomdelivery.ts'
import type { TakenOutCommit } from './takenout.ts'

/** Lacks of a merge that a close ends. */
const CONFLICTS: ReadonlySet<string> = new Set(['Conflict', 'ExternalConflict'])

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const

export class PromotionPeople {
  /** What they did, for whoever reads a failure. */
  readonly did: string[] = []
  /** When they rewrote the base, by the clock: what was done and not recorded yet is found nowhere any more, and done again. */
  readonly rewritten: number[] = []
  /** Commits that were the head of the base, and are not in it any more. */
  readonly out: TakenOutCommit[] = []
  /** Pull requests that ended by what they did. */
  readonly closed = new Set<number>()
  /** What is open is theirs: they have opened it again, or have let go of whoever had opened it. */
  readonly theirs = new Set<number>()
  /** Branches with commits of theirs. */
  readonly pushed = new Set<string>()
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  private readonly delivery: RandomDelivery
  private readonly random: Random
  private count = 0

  constructor(story: PipelineStory, plan: PipelinePlan, delivery: RandomDelivery) {
    this.story = story
    this.plan = plan
    this.delivery = delivery
    this.random = story.fleet.env.random.fork('people')
  }

  /** One thing that somebody does. */
  async act(): Promise<void> {
    const acts = {
      merge: () => this.merge(),
      squash: () => this.merge('squash'),
      close: () => this.close(),
      reopen: () => this.reopen(),
      edit: () => this.edit(),
      revert: () => this.revert(),
      'push to the branch': () => this.pushToBranch(),
      'delete the branch': () => this.deleteBranch(),
      'push to the base': () => this.note('main'),
      'push to the base during a merge': async () => {
        this.story.repository.overtakesMerges = 1
      },
      'rewrite the base': () => this.rewriteBase(),
      hold: () => this.hold(),
      release: () => this.story.dropHolds(),
      approve: () => this.approve(),
      ask: () => this.ask(),
      lead: () => this.lead(),
    }
    const what = pick(this.random, Object.keys(acts)) as keyof typeof acts
    this.did.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(0)} s: ${what}`)
    await acts[what]()
  }

  /** What keeps a promotion waiting for people is done: what it has open is merged, all that waits is approved. */
  async help(): Promise<void> {
    for (const { status } of this.plan.names.flatMap((name) => this.story.promotions(name)))
      if (status?.phase === 'Open') await this.mergeNow(status.result?.pullRequest?.number ?? 0)
    await this.clear()
    await this.approve()
    await this.story.dropHolds()
  }

  /** As blockers say: branches with commits of somebody else that have no pull request are deleted, what conflicts is closed. */
  private async clear(): Promise<void> {
    for (const { status } of this.plan.names.flatMap((name) => this.story.promotions(name))) {
      const [waits] = status?.blockers ?? []
      const { number = 0 } = status?.result?.pullRequest ?? {}
      if (waits?.reason === 'BranchModified') await this.drop(status?.intent?.branch ?? '')
      else if (waits && CONFLICTS.has(String(waits.facts?.because))) await this.give(number)
    }
  }

  private async give(number: number): Promise<void> {
    this.closed.add(number)
    await this.story.during(this.story.repository.close(number))
  }

  private async merge(method: 'merge' | 'squash' = 'merge'): Promise<void> {
    const [first] = this.story.repository.pulls.list().filter((p) => p.state === 'open')
    if (first) await this.mergeNow(first.number, method)
  }

  private async mergeNow(number: number, method: 'merge' | 'squash' = 'merge'): Promise<void> {
    await this.story.during(this.story.repository.merge(number, { method, by: 'person' }))
  }

  private async close(): Promise<void> {
    const open = this.story.repository.pulls.list().filter((p) => p.state === 'open')
    if (open.length === 0) return
    await this.give(pick(this.random, open).number)
  }

  private async reopen(): Promise<void> {
    const closed = this.story.repository.pulls.list().filter((p) => p.state === 'closed')
    if (closed.length === 0) return
    const { number } = pick(this.random, closed)
    this.theirs.add(number)
    await this.story.during(this.story.repository.reopen(number))
  }

  private async edit(): Promise<void> {
    const open = this.story.repository.pulls.list().filter((p) => p.state === 'open')
    for (const { number } of open.slice(0, 1))
      await this.story.during(this.story.repository.edit(number, { title: 'mine', body: 'mine' }))
  }

  /** The newest commit of the base that is a promotion's. */
  private async revert(): Promise<void> {
    const { repository } = this.story
    const last = repository.journal.changes.findLast((c) => c.branch === 'main' && c.keys.length > 0)
    if (last?.to === undefined) return
    await this.story.during(repository.revert(last.to).catch(() => undefined))
  }

  private async pushToBranch(): Promise<void> {
    const branch = await this.branch()
    if (branch === undefined) return
    this.pushed.add(branch)
    await this.note(branch)
  }

  private async note(branch: string): Promise<void> {
    await this.story.during(
      this.story.repository.push(branch, { [`note-${++this.count}.md`]: 'x' }, 'theirs'),
    )
  }

  private async deleteBranch(): Promise<void> {
    const branch = await this.branch()
    if (branch !== undefined) await this.drop(branch)
  }

  /** A host closes what was open of it. */
  private async drop(branch: string): Promise<void> {
    for (const p of this.story.repository.pulls.list()) if (p.head === branch) this.closed.add(p.number)
    await this.story.during(this.story.repository.deleteBranch(branch))
  }

  private async branch(): Promise<string | undefined> {
    const all = [...(await this.story.during(this.story.repository.store.branches())).keys()]
    const ours = all.filter((b) => b.startsWith('lockstep/'))
    return ours.length === 0 ? undefined : pick(this.random, ours)
  }

  /** The newest commit of the base is not there any more. */
  private async rewriteBase(): Promise<void> {
    const { repository } = this.story
    const head = (await this.story.during(repository.store.branches())).get('main')!
    const commit = await repository.store.commit(head)
    const [parent] = commit?.parents ?? []
    if (parent === undefined) return
    const at = this.story.fleet.env.clock.now()
    this.rewritten.push(at)
    this.out.push({ at, commit: head })
    await this.story.during(repository.forcePush('main', parent))
  }

  private async hold(): Promise<void> {
    const environments = [pick(this.random, this.plan.names)]
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: `hold-${++this.count}`, namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Pipeline', name: 'podinfo' },
        action: 'Suspend',
        environments,
        reason: 'we look at it',
      },
    }
    await this.story.during(this.story.fleet.hub.create(holdKind, body as never, WRITE))
  }

  private async approve(): Promise<void> {
    for (const name of this.plan.names) {
      const last = this.story.last(name)
      if (!last || !this.story.waits(name).some((w) => w.includes('Approval'))) continue
      const approval = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Approval',
        metadata: { name: `ok-${last.metadata.name}`, namespace: NAMESPACE },
        spec: {
          targetRef: { kind: 'Pipeline', name: 'podinfo' },
          stage: name,
          revisionHash: keyOfPromotion(last.spec),
          approvedBy: 'ada',
        },
      }
      await this.story.during(this.story.fleet.hub.create<Approval>(approvalKind, approval as never, WRITE))
    }
  }

  /** Nobody goes on with what is open, unless whoever comes next finds it. */
  letGo(): void {
    for (const p of this.story.repository.pulls.list()) if (p.state === 'open') this.theirs.add(p.number)
  }

  private async ask(): Promise<void> {
    if (!this.story.seen()) return
    await this.story.ask(pick(this.random, this.plan.names.slice(1)), `r${++this.count}`)
  }

  /** Somebody takes back what was promoted last, wherever that was. */
  leadBack(): void {
    const done = this.plan.names
      .slice(1)
      .map((name) => [name, this.story.environment(name)?.promoted] as const)
      .filter(([, promoted]) => promoted !== undefined)
    if (done.length === 0) return
    const [name, promoted] = pick(this.random, done)
    this.did.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(0)} s: lead ${name} back`)
    this.delivery.lead(name, promoted === '1.0.0' ? '0.9.0' : '1.0.0')
  }

  /** One that is deleted is made anew; with others it is as after a restore. */
  async forget(): Promise<void> {
    const all = this.plan.names.slice(1).flatMap((name) => this.story.promotions(name))
    if (all.length === 0) return
    const { metadata, status } = pick(this.random, all)
    // Unless it is made anew nobody goes on with what it has open.
    const { number } = status?.result?.pullRequest ?? {}
    if (number !== undefined) this.theirs.add(number)
    this.did.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(0)} s: delete ${metadata.name}`)
    const gone = this.story.fleet.hub.delete(promotionKind, metadata, WRITE)
    await this.story.during(gone)
  }

  /** Somebody brings an environment to another version, past all promotions. */
  private async lead(): Promise<void> {
    this.delivery.lead(pick(this.random, this.plan.names.slice(1)), pick(this.random, this.plan.versions))
  }
}
