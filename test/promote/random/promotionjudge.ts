/** What holds of every run of promotions, whatever went wrong and whoever did what. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import { at } from '../../../packages/kube/src/object/index.ts'
import type { Stored } from '../../../packages/kube/src/object/kind.ts'
import type { Promotion } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { PROMOTION_MANAGER } from '../../../packages/lockstep/src/controllers/promotion/strategies/modulestrategy.ts'
import { PROMOTION_ANNOTATION } from '../../../packages/lockstep/src/decisions/promotion/moduleedit.ts'
import { keyOfPromotion } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { isEnded } from '../../../packages/lockstep/src/decisions/promotion/promotionstate.ts'
import type { PullLife } from '../../../packages/simulators/src/githost/journal.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import type { HeldChecks } from './heldchecks.ts'
import type { Overrun } from './overrun.ts'
import type { PipelinePlan } from './pipelineplan.ts'
import type { PromotionPeople } from './promotionpeople.ts'
import type { RandomDelivery } from './randomdelivery.ts'
import type { Reach } from './reach.ts'

/** A stray pull request is found and closed within so long. */
const STRAY_MS = 70_000

/** What of a pull request may be closed by us says one of these. */
const CLOSED_FOR =
  /^(Superseded by|Duplicate of|This promotion has ended|The base has this|Promotion \S+ was deleted)/

export class PromotionJudge {
  readonly problems: string[] = []
  readonly tested: Record<string, number> = {}
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  private readonly delivery: RandomDelivery
  /** Releases of Modules that promotions have written. */
  private readonly written: {
    readonly at: number
    readonly uid: string
    /** Of the Pipeline: one that is made anew counts epochs of Modules from 1, since nothing outside keeps them. */
    readonly pipeline: string | undefined
    readonly keys: readonly string[]
  }[] = []

  constructor(story: PipelineStory, plan: PipelinePlan, delivery: RandomDelivery) {
    this.story = story
    this.plan = plan
    this.delivery = delivery
  }

  /** Each write, as it is made. */
  see({ resource, actor, uid, old, next }: CommitRecord): void {
    if (resource !== 'modules.lockstep.dev' || actor !== PROMOTION_MANAGER) return
    const key = next?.metadata.annotations?.[PROMOTION_ANNOTATION]
    if (key === undefined || !old || at(old, 'spec', 'release') === at(next, 'spec', 'release')) return
    const pipeline = this.story.seen()?.metadata.uid
    this.written.push({ at: this.story.fleet.env.clock.now(), uid, pipeline, keys: [key] })
  }

  /** After it has become calm. */
  all(people: Pick<PromotionPeople, 'closed' | 'rewritten' | 'theirs' | 'pushed'>): void {
    this.once(people.rewritten)
    this.onceToModules()
    this.ids()
    this.closed(people.closed)
    this.leftOpen(people)
    this.secrets(this.story.fleet.commits)
    for (const l of this.story.fleet.env.lines)
      if (l.level === 'error') this.say('a bug', JSON.stringify(l).slice(0, 1000))
    for (const name of this.plan.names.slice(1)) {
      for (const p of this.story.promotions(name)) this.explained(p)
      this.notLost(name)
      this.wentBack(name)
    }
  }

  /** D19 and P7, from the host's journal. */
  journal(overrun: Overrun, reach: Reach, held: HeldChecks): void {
    const changes = this.story.repository.journal.changes.filter(
      (c) => c.branch === 'main' && c.by !== 'person',
    )
    this.problems.push(...overrun.problems([...changes, ...this.written]))
    this.problems.push(...held.problems([...changes, ...this.written], (key) => overrun.specOf(key)))
    const merges = changes
      .filter((c) => c.by === 'api')
      .flatMap(({ at, keys }) =>
        keys.flatMap((key) => {
          const environment = overrun.environmentOf(key)
          return environment === undefined ? [] : [{ at, environment }]
        }),
      )
    reach.merged(merges)
    this.problems.push(...reach.problems)
  }

  private say(id: string, problem: string): void {
    this.problems.push(`${id}: ${problem}`)
  }

  private count(id: string): void {
    this.tested[id] = (this.tested[id] ?? 0) + 1
  }

  /** I9, from the host's journal. */
  private once(rewritten: readonly number[]): void {
    const { journal } = this.story.repository
    for (const key of journal.keys()) {
      this.count('I9')
      const changes = journal.changesOf(key, 'main').filter((c) => c.by !== 'person')
      const again = changes.filter(
        (c, i) => i > 0 && !rewritten.some((at) => changes[i - 1]!.at <= at && at <= c.at),
      )
      if (again.length > 0) this.say('I9', `${key.slice(0, 8)} changed the base ${changes.length} times`)
      const pulls = journal.pullsOf(key)
      const [, ...more] = pulls.filter(
        (p) => !(p.closedAt !== undefined && this.isDuplicate(p.number)) && !this.isMetByPeople(p, pulls),
      )
      for (const p of more) this.say('I9', `${key.slice(0, 8)} has pull request #${p.number} as well`)
    }
  }

  /** Opened by a request that was under way for long, and merged by somebody before it could be found and closed. */
  private isMetByPeople({ number, openedAt, mergedAt }: PullLife, all: readonly PullLife[]): boolean {
    if (mergedAt === undefined || mergedAt - openedAt > STRAY_MS) return false
    if (all.some((p) => p.number !== number && p.mergedAt !== undefined)) return false
    return this.story.repository.journal.changes.some((c) => c.at === mergedAt && c.by === 'person')
  }

  /** I9, from writes to Modules: also what was taken back is not done again. */
  private onceToModules(): void {
    const seen = new Set<string>()
    for (const { uid, pipeline, keys } of this.written) {
      this.count('once to a Module')
      const what = `${uid} ${pipeline} ${keys.join()}`
      if (seen.has(what)) this.say('I9', `Module ${uid} was written again for ${keys.join().slice(0, 8)}`)
      seen.add(what)
    }
  }

  private isDuplicate(number: number): boolean {
    const { comments } = this.story.repository.pulls.get(number)!
    return comments.some((c) => /^(Duplicate of|This promotion has ended)/.test(c))
  }

  private ids(): void {
    for (const [what, ids] of this.delivery.notified) {
      this.count('one id')
      if (ids.size > 1) this.say('I9', `${what} was announced with ${ids.size} ids`)
    }
  }

  /** Nothing of ours stays open once its promotion has ended, but for one that has failed, and that nothing has followed. */
  private leftOpen({ theirs, pushed }: Pick<PromotionPeople, 'theirs' | 'pushed'>): void {
    const last = this.plan.names.map((name) => this.story.last(name))
    const all = this.plan.names.flatMap((name) => this.story.promotions(name))
    const mayBeOpen = (p: Stored<Promotion>) =>
      !isEnded(p.status?.phase) || (p.status?.phase === 'Failed' && last.includes(p))
    for (const { number, head, state } of this.story.repository.pulls.list()) {
      this.count('left open')
      if (state !== 'open' || theirs.has(number) || pushed.has(head)) continue
      if (all.some((p) => p.status?.result?.pullRequest?.number === number && mayBeOpen(p))) continue
      this.say('left open', `pull request #${number} of ${head}`)
    }
  }

  /** I7: nothing is closed because something could not be seen. */
  private closed(byPeople: ReadonlySet<number>): void {
    for (const p of this.story.repository.pulls.list().filter((x) => x.state === 'closed')) {
      this.count('I7')
      if (byPeople.has(p.number) || p.comments.some((c) => CLOSED_FOR.test(c))) continue
      this.say('I7', `pull request #${p.number} was closed, and nobody said why: ${p.comments.join('; ')}`)
    }
  }

  /** I16. */
  private secrets(commits: readonly CommitRecord[]): void {
    for (const c of commits) {
      if (c.resource === 'secrets' || !c.next) continue
      this.count('I16')
      if (/token-\d/.test(JSON.stringify(c.next))) this.say('I16', `${c.resource} ${c.key} has a token`)
    }
  }

  /** I14, and what has ended says why. */
  private explained(p: Stored<Promotion>): void {
    this.count('I14')
    const { phase, blockers = [], reason, message } = p.status ?? {}
    const what = `${p.metadata.name} (${p.spec.revision}) is ${phase}`
    if (isEnded(phase)) {
      if (blockers.length > 0) this.say('I14', `${what}, and waits for ${blockers[0]!.reason}`)
      if (reason === undefined) this.say('I14', `${what}, and does not say why`)
      if (phase !== 'Succeeded' && !message) this.say('I14', `${what}: ${reason}, without a word`)
      return
    }
    if (blockers.length === 0) this.say('I14', `${what}, and nothing says what it waits for`)
    for (const b of blockers)
      if (!b.on?.length || !b.message) this.say('I14', `${what}: ${JSON.stringify(b)}`)
  }

  /** P18: what has failed once it was there is followed by what succeeded before, unless somebody wanted something else. */
  private wentBack(name: string): void {
    const all = this.story.promotions(name)
    for (const failed of all) {
      const { phase, endedIn } = failed.status ?? {}
      const isThere = endedIn === 'Converging' || endedIn === 'Verifying'
      const { settings, rollbackOf, epoch, revision } = failed.spec
      if (phase !== 'Failed' || !isThere || settings.rollback !== 'OnFailure' || rollbackOf !== undefined)
        continue
      const done = all.findLast((p) => p.spec.epoch < epoch && p.status?.phase === 'Succeeded')
      if (!done || done.spec.revision === revision) continue
      this.count('P18')
      const later = all.filter((p) => p.spec.epoch > epoch)
      if (later.some((p) => p.spec.rollbackOf === failed.metadata.name || p.spec.requestID !== undefined))
        continue
      this.say('P18', `${failed.metadata.name} (${revision}) has failed, and nothing went back from it`)
    }
  }

  /** I13: in the end each environment is at what is settled where it comes from, or its promotion says why it is not. */
  private notLost(name: string): void {
    this.count('I13')
    const e = this.story.environment(name)
    const last = this.story.last(name)
    const index = this.plan.names.indexOf(name)
    const [from] = this.plan.environments[name]!.from ?? [this.plan.names[index - 1]!]
    const before = this.story.environment(from!)
    const source = before?.settled?.revision
    if (source === undefined) return
    const waits = [...(e?.blockers ?? []), ...(last?.status?.blockers ?? [])].map((b) => b.reason)
    // It is somewhere else by now, and not settled there: nothing begins from it, and that is said.
    if (waits.includes('SourceNotSettled') && before?.current !== source) return
    const what = `${name} (${e?.current ?? '-'}, ${waits.join()}) from ${from} (${source})`
    if (!last) {
      this.say('I13', `${what}: nothing was ever promoted`)
      return
    }
    const { phase, reason } = last.status ?? {}
    if (e?.intent?.epoch !== last.spec.epoch || keyOfPromotion(last.spec) !== this.keyOf(name))
      this.say('I13', `${what}: epoch ${e?.intent?.epoch} is intended, ${last.spec.epoch} is there`)
    if (e?.intent?.source !== source)
      this.say('I13', `${what}: its intent comes from ${e?.intent?.source}: nothing was begun`)
    if (phase === 'Superseded' || reason === 'KeyReused')
      this.say('I13', `${what}: ${last.metadata.name} is ${phase} ${reason}, and nothing follows it`)
    if (phase === 'Succeeded' && e?.current !== last.spec.revision && e?.left !== last.metadata.name)
      this.say('I13', `${what}: ${last.metadata.name} has succeeded with ${last.spec.revision}`)
    const running = this.story.promotions(name).filter((p) => !isEnded(p.status?.phase))
    if (running.length > 1) this.say('I13', `${what}: ${running.length} have not ended`)
    if (!isEnded(phase))
      this.say('I13', `${what}: ${phase} ${JSON.stringify(last.status?.blockers)} ${last.status?.attempt}`)
  }

  private keyOf(name: string): string {
    const { epoch = 0, revision = '' } = this.story.environment(name)?.intent ?? {}
    return keyOfPromotion({ identity: 'podinfo', environment: name, epoch, revision })
  }
}
