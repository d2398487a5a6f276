/** Pipelines: reads their targets, says what is settled, decides what is due, and makes the Promotions of that. */

import { keyText, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../api/blocker.ts'
import type { Environment, Pipeline } from '../../api/kinds/index.ts'
import {
  askedWithoutPromotion,
  decideEnvironment,
  divergenceHold,
  divergenceRecordedBy,
  type EnvironmentDecision,
  type EnvironmentIntent,
  environmentRevisionOf,
  findRollback,
  forgetsDivergence,
  type IntentDue,
  intentDue,
  invalidRequest,
  isEnded,
  isSourceAt,
  keepSource,
  noRollback,
  promotionRequestOf,
  type RollbackWay,
  recordDivergence,
  recordedDivergence,
  revertedHold,
  rollbackIntent,
  rollingBack,
  sourceNames,
  sourceSeen,
  type UnsettledSource,
  unrecordedRevert,
  unsettledBlocker,
} from '../../decisions/promotion/index.ts'
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import { lastPromotionView, lastRequested, promotionHistory } from '../cache/index.ts'
import {
  always,
  type Controller,
  defineController,
  done,
  failed,
  hubTime,
  type ObjectKey,
  type ObjectName,
  objectKey,
  on,
  refreshHubClock,
  requeueAfter,
} from '../runtime/index.ts'
import { createPromotion, findPromotion } from './createpromotion.ts'
import { promotionNameOf, promotionNameTaken } from './ensurepromotion.ts'
import { EpochFloorReader } from './epochfloor.ts'
import { openWebhookSecret } from './eventreceiver.ts'
import { ensurePipelineFinalizer, finalizePipeline } from './finalizepipeline.ts'
import { identityConflict } from './identityconflict.ts'
import { isIntentSpent, waitsOf } from './intentspent.ts'
import type { PipelineDeps, PipelineGate } from './pipelinedeps.ts'
import { cachedPipelineHolds, createHold } from './pipelineholds.ts'
import { PIPELINE_CONTROLLER, pipelineRequest } from './pipelinerequest.ts'
import { updatePipelineStatus } from './pipelinestatus.ts'
import { PromotionLoopGuard } from './promotionloopguard.ts'
import { collectPromotions } from './promotionretention.ts'
import { cachedTargets, isStillAtRevision, liveTargets, refreshTargets } from './promotiontargets.ts'
import { isKept, isLeaving } from './pullrequestsfinalizer.ts'
import { pipelineOfPromotion, pipelineWatches } from './watches.ts'

/** One environment during one look at its pipeline. */
interface ObservedEnvironment extends EnvironmentDecision {
  readonly environment: Environment
  /** Another intent that is due; undefined: none. */
  readonly due: EnvironmentIntent | undefined
  /** What keeps it from being moved on. */
  readonly waits: readonly NewBlocker[]
  /** When a host is asked again that did not say what is to be known before. */
  readonly againMs: number | undefined
}

/** `wake`: a Promotion of the pipeline may have something to do. */
export function pipelineController(
  d: PipelineDeps,
  forges: GitAccessOpener,
  gate: PipelineGate,
  wake: (promotion: ObjectName) => void,
): Controller<ObjectKey> {
  const reconciler = new PipelineReconciler(d, forges, wake)
  return defineController({
    name: PIPELINE_CONTROLLER,
    key: objectKey,
    for: on('pipelines', always),
    owns: [on('promotions', always, (p) => [pipelineOfPromotion(p)])],
    watches: pipelineWatches(d),
    reconcile: async (key) => (await gate(d.hub.pipelines.store.get(key))) ?? reconciler.reconcile(key),
  })
}

class PipelineReconciler {
  private readonly c: PipelineDeps
  private readonly floors: EpochFloorReader
  private readonly causedByPromotion: PromotionLoopGuard
  private readonly wake: (promotion: ObjectName) => void

  constructor(d: PipelineDeps, forges: GitAccessOpener, wake: (promotion: ObjectName) => void) {
    this.c = d
    this.floors = new EpochFloorReader(d, forges)
    this.causedByPromotion = new PromotionLoopGuard(d, forges)
    this.wake = wake
  }

  async reconcile({ namespace, name }: ObjectKey): Promise<ReconcileResult> {
    const key = keyText({ namespace, name })
    const pipeline = this.c.hub.pipelines.store.get(key)
    if (!pipeline || (isLeaving(pipeline) && !isKept(pipeline))) {
      this.c.watchIndex.keep(pipelineRequest({ namespace, name }), new Set())
      this.c.reportedRevisions.forget(key)
      return { ok: true }
    }
    await refreshHubClock(this.c, pipeline.metadata.namespace ?? '')
    if (isLeaving(pipeline)) return this.leave(pipeline)
    const kept = await ensurePipelineFinalizer(this.c, pipeline)
    if (kept) return kept
    openWebhookSecret(this.c, pipeline)
    const nowMs = hubTime(this.c).nowMs
    const conflict = identityConflict(this.c, pipeline)
    const looks = await this.look(pipeline, nowMs)
    if (conflict) return updatePipelineStatus(this.c, pipeline, { looks, blockers: [conflict], nowMs })
    const seen: ObservedEnvironment[] = []
    const problems: NewBlocker[] = []
    for (const [index, look] of looks.entries()) {
      const environment = pipeline.spec.environments[index]!
      const decided = await this.decide(pipeline, environment, index, looks, nowMs)
      if ('problem' in decided) problems.push(decided.problem)
      seen.push({
        ...look,
        environment,
        due: 'due' in decided ? decided.due : undefined,
        waits: 'waits' in decided ? decided.waits : [],
        following: 'following' in decided ? (decided.following ?? []) : [],
        againMs: 'againMs' in decided ? decided.againMs : undefined,
      })
    }
    const saved = await updatePipelineStatus(this.c, pipeline, {
      looks: seen.map((s) => ({
        ...s,
        blockers: [...s.blockers, ...s.waits],
        status: s.due ? { ...s.status, intent: s.due } : s.status,
      })),
      blockers: problems,
      nowMs,
    })
    if (!saved.ok || saved.isOvertaken) return saved
    if (saved.isWritten) return done
    // Nothing follows from an intent before it is stored.
    if (seen.some((s) => s.due)) return requeueAfter(1)
    const failed = await this.follow(pipeline, seen)
    if (failed) return failed
    const wakes = [
      refreshTargets(this.c, pipeline),
      ...seen.flatMap((s) => (s.wakeAtMs === undefined ? [] : [Math.max(1, s.wakeAtMs - nowMs)])),
      ...seen.flatMap((s) => (s.againMs === undefined ? [] : [Math.max(1, s.againMs)])),
      ...[this.c.reportedRevisions.endsInMs(key)].filter((ms) => ms !== undefined),
    ]
    return requeueAfter(Math.min(...wakes))
  }

  /** Nothing is promoted any more. */
  private async leave(pipeline: Stored<Pipeline>): Promise<ReconcileResult> {
    const left = await finalizePipeline(this.c, pipeline)
    if ('outcome' in left) return left.outcome
    const { nowMs } = hubTime(this.c)
    const looks = await this.look(pipeline, nowMs)
    return updatePipelineStatus(this.c, pipeline, { looks, blockers: left.blockers, nowMs })
  }

  private async look(pipeline: Stored<Pipeline>, nowMs: number): Promise<EnvironmentDecision[]> {
    const { hub } = this.c
    const keys = new Set<string>()
    const { holds } = cachedPipelineHolds(hub, pipeline, nowMs)
    const at = { pipeline: pipeline.metadata, appRef: pipeline.spec.appRef, holds, nowMs }
    const looks = pipeline.spec.environments.map(async (environment) => {
      const seen = {
        environment,
        before: pipeline.status?.environments?.find((e) => e.name === environment.name),
        targets: cachedTargets(this.c, this.c.watchIndex, pipeline, environment, nowMs, keys),
        promotions: promotionHistory(hub, pipeline, environment.name).map(lastPromotionView),
      }
      const look = decideEnvironment(seen, at)
      if (!forgetsDivergence(seen.before, look.status)) return look
      const targets = await liveTargets(this.c, pipeline, environment, nowMs)
      return divergenceRecordedBy(look, decideEnvironment({ ...seen, targets }, at))
    })
    this.c.watchIndex.keep(pipelineRequest(pipeline.metadata), keys)
    return Promise.all(looks)
  }

  /** What is due in an environment, or why nothing is. */
  private async decide(
    pipeline: Stored<Pipeline>,
    environment: Environment,
    index: number,
    looks: readonly EnvironmentDecision[],
    nowMs: number,
  ): Promise<
    | {
        readonly due: EnvironmentIntent | undefined
        readonly waits: readonly NewBlocker[]
        readonly following?: readonly NewBlocker[]
        readonly againMs?: number
      }
    | { readonly problem: NewBlocker }
  > {
    const { name } = environment
    const { intent, promoted } = looks[index]!.status
    this.floors.saw(pipeline, name, intent?.epoch)
    const request = promotionRequestOf(pipeline.metadata.annotations, name)
    if (!request.ok) return { problem: invalidRequest(pipeline.metadata, name, request.error) }
    if (!environment.promotion)
      return {
        due: undefined,
        waits: askedWithoutPromotion(
          { pipeline: pipeline.metadata, environment: name },
          request.value,
          intent,
        ),
      }
    const names = sourceNames(pipeline.spec.environments, index)
    const sources = looks
      .filter((l) => names.includes(l.status.name))
      .map((l) => sourceSeen(l.status, l.level))
    const taken = intent && promotionNameTaken(this.c.hub, pipeline, name, intent)
    if (taken) return { due: undefined, waits: [taken] }
    const all = promotionHistory(this.c.hub, pipeline, name)
    const isSpent = isIntentSpent(all.at(-1), intent)
    const lastAsked = lastRequested(all)
    const at = { pipeline: pipeline.metadata, environment: name }
    const input = { ...at, intent, sources, request: request.value, isSpent, lastAsked }
    const guess = intentDue({ ...input, floor: this.floors.inHub(pipeline, environment) })
    const way = this.wayOf(pipeline, name, intent, promoted)
    const isAsked = guess.type === 'Bump' ? guess.intent.asked === true : guess.isAsked
    // Whoever asks decides; all else comes after the way back.
    const isBack = way.type === 'Back' && !isAsked
    if (guess.type === 'None' && !isBack)
      return {
        due: undefined,
        ...waitsOf(guess, way.type === 'NothingToRollBackTo' ? [noRollback(pipeline.metadata, name)] : []),
      }
    const back = isAsked ? undefined : this.goingBack(pipeline, name, intent)
    if (back) return { due: undefined, waits: [], following: [back] }
    const floor = await this.floors.of(pipeline, environment, sources[0]?.settled?.revision)
    if (!floor.ok) return { due: undefined, waits: [floor.error.blocker], againMs: floor.error.afterMs }
    if (isBack && intent) return { due: rollbackIntent(intent, way.to, way.failed, floor.value), waits: [] }
    const due: IntentDue = intentDue({ ...input, floor: floor.value })
    if (due.type === 'None') return { due: undefined, ...waitsOf(due) }
    if (due.isStated)
      return { due: await this.stated(pipeline, names, { due: due.intent, intent }, nowMs), waits: [] }
    const self = due.intent.asked
      ? undefined
      : await this.causedByPromotion.because(pipeline, environment, intent?.source, due.intent.revision)
    if (self)
      return {
        due: undefined,
        waits: [self.blocker],
        ...(self.afterMs === undefined ? {} : { againMs: self.afterMs }),
      }
    const differs = await this.liveDiffers(pipeline, names, due.intent.revision, nowMs)
    return differs ? { due: undefined, waits: [differs] } : { due: due.intent, waits: [] }
  }

  private wayOf(
    pipeline: Stored<Pipeline>,
    environment: string,
    intent: EnvironmentIntent | undefined,
    promoted: string | undefined,
  ): RollbackWay {
    const all = promotionHistory(this.c.hub, pipeline, environment).map(lastPromotionView)
    // What was decided about it already is another epoch.
    return all.at(-1)?.epoch === intent?.epoch ? findRollback(all, promoted) : { type: 'None' }
  }

  /** What follows a way back waits for its end, so that it takes the place of none that has to be merged yet. */
  private goingBack(
    pipeline: Stored<Pipeline>,
    environment: string,
    intent: EnvironmentIntent | undefined,
  ): NewBlocker | undefined {
    if (intent?.rollbackOf === undefined) return undefined
    const all = promotionHistory(this.c.hub, pipeline, environment)
    // One that is not made yet is under way as well.
    const phase = all.find((p) => p.spec.epoch === intent.epoch)?.status?.phase ?? 'Pending'
    if (isEnded(phase)) return undefined
    const name = promotionNameOf(pipeline, environment, intent)
    const { namespace } = pipeline.metadata
    return rollingBack({ namespace, name }, { environment, revision: intent.revision, phase })
  }

  /** It waits for nobody; what is taken for its source may come from a cache that has gone back in time. */
  private async stated(
    pipeline: Stored<Pipeline>,
    names: readonly string[],
    { due, intent }: { readonly due: EnvironmentIntent; readonly intent: EnvironmentIntent | undefined },
    nowMs: number,
  ): Promise<EnvironmentIntent> {
    if (due.source === intent?.source) return due
    for (const environment of pipeline.spec.environments.filter((e) => names.includes(e.name))) {
      const targets = await liveTargets(this.c, pipeline, environment, nowMs)
      if (!isSourceAt(due.source, targets)) return keepSource(due, intent)
    }
    return due
  }

  /** A cache may go back in time; a target that was ready a moment ago may not be any more. */
  private async liveDiffers(
    pipeline: Stored<Pipeline>,
    names: readonly string[],
    revision: string,
    nowMs: number,
  ): Promise<NewBlocker | undefined> {
    for (const environment of pipeline.spec.environments.filter((e) => names.includes(e.name))) {
      const levels = await liveTargets(this.c, pipeline, environment, nowMs)
      const rule = { name: environment.name, ...environment.readiness }
      const level = environmentRevisionOf(rule, pipeline.spec.appRef, levels)
      if (level.type === 'At' && level.revision === revision) continue
      const unsettled: UnsettledSource =
        level.type === 'At'
          ? { because: 'OtherRevision', current: level.revision }
          : { because: 'NotReady', cause: level.blockers[0] }
      return unsettledBlocker(pipeline.metadata, environment.name, { unsettled, revision })
    }
    return undefined
  }

  /** What intents ask for: Holds before Promotions, so that nobody starts what is to be held. */
  private async follow(
    pipeline: Stored<Pipeline>,
    seen: readonly ObservedEnvironment[],
  ): Promise<ReconcileResult | undefined> {
    for (const { environment, status, diverged } of seen) {
      if (!environment.promotion) continue
      const { name } = environment
      const all = promotionHistory(this.c.hub, pipeline, name)
      const { intent } = status
      const missing = intent && intent.epoch > (all.at(-1)?.spec.epoch ?? 0) ? intent : undefined
      const found = missing && (await findPromotion(this.c, pipeline, name, missing))
      if (found?.ok === false) return failed(found.error)
      // All that was seen here was seen without it.
      if (found?.value === 'There') return requeueAfter(1)
      const held = await this.holdWhatLeft(pipeline, environment, { status, diverged })
      if (held) return held
      if (missing && found?.value === 'Absent') {
        const error = await createPromotion(this.c, pipeline, environment, missing)
        if (error) return failed(error)
        // Others wait for this one, or are told that it follows them.
        for (const p of all) this.wake(p.metadata)
      }
      await collectPromotions(this.c, all)
    }
    return undefined
  }

  /** Said once: whoever deletes the Hold has seen it. */
  private async holdWhatLeft(
    pipeline: Stored<Pipeline>,
    at: Environment,
    { status, diverged }: Pick<EnvironmentDecision, 'status' | 'diverged'>,
  ): Promise<ReconcileResult | undefined> {
    const environment = at.name
    const all = promotionHistory(this.c.hub, pipeline, environment).map(lastPromotionView)
    const reverted = unrecordedRevert(all, [status.reverted, status.left])
    if (!reverted && !diverged) return undefined
    const { nowMs } = hubTime(this.c)
    const there = diverged && { revision: diverged.to, seen: status.targets, nowMs }
    if (!reverted && !(await isStillAtRevision(this.c, pipeline, at, there!))) return undefined
    const { name } = pipeline.metadata
    const hold = reverted
      ? revertedHold(name, environment, reverted)
      : divergenceHold(name, environment, diverged!)
    const said = reverted
      ? { reverted: reverted.name }
      : recordDivergence(recordedDivergence(status), diverged!)
    const error = await createHold(this.c, pipeline, environment, hold)
    if (error) return failed(error)
    const environments = (pipeline.status?.environments ?? []).map((e) =>
      e.name === environment ? { ...e, ...said } : e,
    )
    const written = await this.c.status.update('pipelines', pipeline, { ...pipeline.status, environments })
    return written.error ? written : requeueAfter(1)
  }
}
