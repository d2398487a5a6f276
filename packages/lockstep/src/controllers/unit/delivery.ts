/** Delivers what is admitted: looks, asks `deliver/step` what comes next, does it, and looks again. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { identityOf, parseDuration } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { type DesiredObject, withDeleteBeforeApply, withValueCopies } from '../../deliver/plan/index.ts'
import {
  type Evaluation,
  entriesOf,
  evaluate,
  lastOfCompletedWaves,
  type UnitInput,
  unitHealth,
  withCheckpoint,
} from '../../deliver/state/index.ts'
import { announcedIntent, type NextStep, nextStep } from '../../deliver/step/index.ts'
import { labeledObjectId, servedAs } from '../../fleet/connection/index.ts'
import { type Bundle, faultOf, type SourceFailure } from '../../sources/intake/index.ts'
import {
  REVIEW_AGAIN_MS,
  type RevisionRecord,
  requestedWaves,
  unknownRevision,
  writesHeld,
} from '../cache/index.ts'
import { hubTime, requeueAfter, soonest, UnitWatches } from '../runtime/index.ts'
import { applicationWait } from './applicationwait.ts'
import { applyNode, RETRY_REFUSED_MS, recreateNode } from './applynode.ts'
import { bindBundle, failureBlocker, keepNeededData, liveAt, polledOf, resourceText } from './boundbundle.ts'
import { evaluateCheckpoint } from './checkpoint.ts'
import { anyDefined, definedKinds, type IsDefined } from './definedkinds.ts'
import { type FreshEvidence, freshEvidence, isVerdict } from './delivery/freshevidence.ts'
import { announceIntents, recordCause, recordInventory, withdrawIntents } from './delivery/recordinventory.ts'
import { rememberDeletions, rememberStates } from './delivery/rememberstates.ts'
import { reviewWrites } from './delivery/reviewwrites.ts'
import { dryRunNodes, dryRunsOf } from './dryrun.ts'
import { externalObjectIds, unlabeledObject, unreadableExternalObjects } from './externalobjects.ts'
import { openClaims } from './handover/openclaims.ts'
import { markedInput, takeLeftMarks } from './handover/takemarks.ts'
import { UnitClaims } from './handover/unitclaims.ts'
import { instanceAt, performEffects, startHooks, unlistedAt, writeHooks } from './hooks/starthooks.ts'
import { pendingDeletions } from './pendingdeletions.ts'
import { isIntentSeen, pruneNodes, pruneViewOf, unrecordedObjects } from './prunenode.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope, unitRequest } from './unitscope.ts'
import { stampFirst, writeDrift, writeUnitStatus } from './unitstatus.ts'

/** A cache is behind by less than this. */
const REVISION_MS = 10_000
/** How often runs of hooks are looked at where watching is not permitted. */
const RUNNING_MS = 10_000
/** Milliseconds between two checks whether a list has been read. */
const EVIDENCE_MS = 250
/** Objects without our label that one unit watches since their writes were refused; others are tried again after 5 minutes. */
const MAX_REFUSED_WATCHES = 100
/** Steps of one look, so that one unit cannot keep a worker for ever. */
const MAX_STEPS = 10_000

const WRITES_TO_CLUSTER: ReadonlySet<NextStep['type']> = new Set(['apply', 'replace', 'prune', 'effects'])

export class UnitDelivery {
  private readonly c: UnitDeps
  private readonly signal: AbortSignal
  private scope: UnitScope
  private readonly eyes: UnitWatches
  private defined: IsDefined = anyDefined
  private claims: UnitClaims
  private evidence: FreshEvidence = { isMissing: false, wakeInMs: undefined }

  constructor(context: UnitDeps, scope: UnitScope, signal: AbortSignal) {
    this.c = context
    this.scope = scope
    this.signal = signal
    this.claims = new UnitClaims(context, scope, false)
    this.eyes = new UnitWatches(context.watchIndex, unitRequest(scope.ref, scope.cluster.name), scope)
  }

  /** `waitsFor`: the gate of a newer revision is closed; what is admitted is delivered and repaired all the same. */
  async run(waitsFor: readonly NewBlocker[] | undefined): Promise<ReconcileResult> {
    const { admitted } = this.scope.inventory.spec
    const revision = revisionOfUnit(this.c, this.scope.ref, admitted!.revision)
    if (!revision) return this.withoutRevision(admitted!.revision)
    const bundle = await this.c.content.bundles.bound(this.scope.ref.namespace, admitted!)
    if (!bundle.ok) return this.broken(bundle.error)
    const refused = await this.refusedWrites(revision, bundle.value)
    if (refused) return refused
    for (let i = 0; i < MAX_STEPS && !this.signal.aborted; i++) {
      const input = this.look(revision, bundle.value)
      if (!input.ok) return this.broken(input.error)
      const left = await takeLeftMarks(this.c, this.scope, input.value)
      if (left) return left
      await openClaims(this.c, this.claims, this.scope, input.value, this.defined)
      rememberDeletions(this.scope, input.value)
      const evaluation = evaluate(input.value)
      this.noteRefused(input.value, evaluation)
      rememberStates(this.scope, input.value, evaluation)
      this.evidence = freshEvidence(this.scope, this.eyes, input.value, evaluation)
      if (this.evidence.isMissing) return this.withoutEvidence(input.value, waitsFor)
      const isDefined = await this.definitions(input.value, evaluation)
      const [{ dialects, namespaces }, { letGo }] = [revision.spec.apply, input.value.desired]
      const grounds = { leave: 'Prune', isDefined, dialects, namespaces, letGo, claims: this.claims } as const
      const step = nextStep(input.value, evaluation, (entries) =>
        pruneViewOf(this.c, this.scope, entries, grounds),
      )
      if (step.type === 'rest') return this.rest(input.value, evaluation, step, revision, waitsFor)
      const done = await this.perform(input.value, evaluation, step)
      if (done) return done
      if (this.overtaken(admitted!.serial)) return requeueAfter(1)
    }
    return requeueAfter(1)
  }

  /** The account lacks a right: said once for the unit, before anything of it is written. */
  private async refusedWrites(
    revision: RevisionRecord,
    bundle: Bundle,
  ): Promise<ReconcileResult | undefined> {
    const { scope } = this
    const desired = bindBundle(this.c, scope, revision, bundle)
    // Whatever is wrong with it is found by the delivery.
    const { apply } = revision.spec
    const review = desired.ok ? await reviewWrites(this.c, scope, desired.value, apply) : ok(undefined)
    if (!review.ok) return { ok: false }
    if (!review.value) return undefined
    const failed = await withdrawIntents(this.c, scope)
    if (failed) return failed
    this.refresh()
    const blockers = [review.value]
    const done = await writeUnitStatus(this.c, this.scope, { state: 'Failed', health: undefined, blockers })
    return done.ok ? requeueAfter(REVIEW_AGAIN_MS) : done
  }

  /** Its cache may be behind for a moment; after that its ControllerRevision is gone. */
  private async withoutRevision(revision: string): Promise<ReconcileResult> {
    const { memory, ref } = this.scope
    const now = this.c.env.clock.steady()
    memory.revisionMissingSince ??= now
    if (now - memory.revisionMissingSince < REVISION_MS) return requeueAfter(1000)
    return this.broken(unknownRevision(ref, revision))
  }

  /** Looks, and says what others have done; does nothing about it. */
  async watchOnly(): Promise<ReconcileResult> {
    const { admitted } = this.scope.inventory.spec
    const revision = revisionOfUnit(this.c, this.scope.ref, admitted!.revision)
    const bundle = revision && (await this.c.content.bundles.bound(this.scope.ref.namespace, admitted!))
    if (!bundle?.ok) return requeueAfter(RETRY_REFUSED_MS)
    const input = this.look(revision!, bundle.value)
    const evaluation = input.ok ? evaluate(input.value) : undefined
    if (!evaluation || evaluation.unsure) return { ok: true }
    return writeDrift(this.c, this.scope, evaluation.drifts)
  }

  /** The newest known state of everything; each step starts from it. */
  private look(revision: RevisionRecord, bundle: Bundle): Result<UnitInput, SourceFailure> {
    this.refresh()
    const { scope } = this
    this.claims = new UnitClaims(this.c, scope, false)
    const every = parseDuration(revision.spec.apply.driftInterval) ?? Number.POSITIVE_INFINITY
    // Where it cannot be watched, the end of a hook is not to be missed for so long.
    const isRunning = scope.inventory.spec.hooks?.some((h) => h.state === 'Running') === true
    scope.session.lookEvery(scope.label, isRunning ? Math.min(every, RUNNING_MS) : every)
    const desired = bindBundle(this.c, scope, revision, bundle)
    if (!desired.ok) return desired
    keepNeededData(scope, desired.value, revision.spec.health)
    const outside = this.eyes.open()
    for (const id of externalObjectIds(desired.value)) this.eyes.note(id)
    const live = (d: DesiredObject) => liveAt(scope, d)
    let watches = MAX_REFUSED_WATCHES
    const announced = unrecordedObjects(scope)
    const entries = entriesOf({ ...scope, announced })
    scope.session.use(scope.label, objectsOf(desired.value, scope.inventory, entries.values()))
    const copied = withValueCopies(desired.value, { outside, live, entries })
    const deletions = pendingDeletions(scope, copied, entries, revision.spec.apply)
    const ordered = withDeleteBeforeApply(copied, deletions)
    if (!ordered.ok) return err(faultOf(ordered.error))
    return ok({
      announced,
      unit: scope.label,
      inventory: scope.inventory,
      desired: ordered.value,
      leaving: false,
      live,
      unlabeled: (d) => (watches-- > 0 ? unlabeledObject(scope, d, (id) => this.eyes.note(id)) : 'unknown'),
      ended: (uid) => scope.session.hasEnded(uid),
      outside,
      others: this.claims,
      ...markedInput(scope, ordered.value, live),
      application: (name) => applicationWait(this.c, scope, revision, name),
      unlisted: (record) => unlistedAt(scope, record),
      instance: (record) => instanceAt(scope, record),
      isSeen: (intent) => isIntentSeen(scope, intent),
      memory: scope.memory,
      apply: revision.spec.apply,
      health: revision.spec.health,
      dryRuns: dryRunsOf(this.c, scope, revision.spec.apply),
      steady: this.c.env.clock.steady(),
      now: hubTime(this.c).nowMs,
    })
  }

  /** Objects that cannot be written now: an object of another unit is the end of a wait when it changes. */
  private noteRefused({ desired }: UnitInput, { states }: Evaluation): void {
    for (const [n, { type }] of states.entries()) {
      const d = desired.objects[n]
      if (d && (type === 'failed' || type === 'waiting')) this.eyes.note(labeledObjectId(d.id))
    }
  }

  /** Asked for only where a kind of what is to be deleted is not served; in one look, once. */
  private async definitions(input: UnitInput, e: Evaluation): Promise<IsDefined> {
    if (!e.synced || this.defined !== anyDefined) return this.defined
    const leftovers = [...entriesOf(input).values()].filter((o) => !input.desired.byId.has(identityOf(o)))
    this.defined = await definedKinds(this.scope.session, leftovers)
    return this.defined
  }

  private refresh(): void {
    const { ref, cluster } = this.scope
    const latest = this.c.hub.unit(ref, cluster.name)
    if (latest) this.scope = { ...this.scope, inventory: latest }
  }

  /** Something newer was admitted, or somebody holds the unit: no new node starts. */
  private overtaken(serial: number): boolean {
    this.refresh()
    const { admitted } = this.scope.inventory.spec
    return admitted?.serial !== serial || writesHeld(this.c, this.scope) !== undefined
  }

  private async perform(
    input: UnitInput,
    evaluation: Evaluation,
    step: Exclude<NextStep, { type: 'rest' }>,
  ): Promise<ReconcileResult | undefined> {
    if (WRITES_TO_CLUSTER.has(step.type)) {
      const held = await stampFirst(this.c, this.scope, input.desired.contentDigest)
      if (held) return held
    }
    const look = { c: this.c, scope: this.scope, claims: this.claims, input, evaluation }
    switch (step.type) {
      case 'intents':
        return announceIntents(
          this.c,
          this.scope,
          step.nodes.map((n) => announcedIntent(input, evaluation, n)),
        )
      case 'replace':
        await Promise.all(step.nodes.map((n) => recreateNode(look, n)))
        return undefined
      case 'apply':
        await Promise.all(step.nodes.map((n) => applyNode(look, n)))
        return undefined
      case 'dryrun':
        await dryRunNodes(look, step)
        return undefined
      case 'hooks':
        return writeHooks(this.c, this.scope, step.records, input)
      case 'start':
        return startHooks(this.c, this.scope, input, step.starts)
      case 'effects':
        return performEffects(this.c, this.scope, step.effects)
      case 'cause':
        return recordCause(this.c, this.scope)
      case 'prune':
        return pruneNodes(this.c, this.scope, step)
      case 'record':
        return recordInventory(this.c, this.scope, input)
    }
  }

  private async rest(
    input: UnitInput,
    e: Evaluation,
    step: Extract<NextStep, { type: 'rest' }>,
    revision: RevisionRecord,
    waitsFor: readonly NewBlocker[] | undefined,
  ): Promise<ReconcileResult> {
    // After a start: what was said before stays until the caches are complete; their events bring us back.
    const isRead = step.prune?.entries.every((p) => p.live !== 'unknown' || p.unlisted !== undefined) ?? true
    const isUnsure = e.unsure || !isRead
    const checks = isUnsure
      ? ok(undefined)
      : await evaluateCheckpoint(this.c, this.scope, revision, (id) => this.eyes.note(id))
    this.eyes.close()
    if (isUnsure) return this.unlisted(input, waitsFor)
    if (!checks.ok) {
      this.c.env.log.debug('a checkpoint cannot be read', { err: requestErrorText(checks.error) })
      return { ok: false }
    }
    if (checks.value === 'unsure') return { ok: true }
    if (checks.value?.blockers.some(isVerdict) && !this.eyes.areCurrent()) return requeueAfter(EVIDENCE_MS)
    const health = withCheckpoint(unitHealth(input, e, step.prune), checks.value)
    const isDone =
      health.health === 'Healthy' && (step.prune === undefined || step.prune.entries.length === 0)
    const state = stateOf(health.health, isDone, waitsFor)
    const status = await writeUnitStatus(this.c, this.scope, {
      state,
      health,
      blockers: waitsFor ? [...waitsFor, ...health.blockers] : health.blockers,
      contentDigest: input.desired.contentDigest,
      doneBeforeWave: lastOfCompletedWaves(
        input.desired.graph,
        e,
        requestedWaves(this.c.hub, this.scope.ref),
      ),
      delivered: isDone,
      drifts: e.drifts,
      handedOver: e.states.flatMap((s) =>
        s.type === 'applied' && s.handedOverTo !== undefined ? [s.handedOverTo] : [],
      ),
      repaired: this.scope.memory.repaired,
      polled: polledOf(this.scope, input),
    })
    if (!status.ok) return status
    if (status.requeueAfterMs === undefined) this.scope.session.judge(this.scope.label)
    const { wakeInMs } = this.evidence
    const waits = [step.wakeInMs, status.requeueAfterMs, checks.value?.wakeInMs, wakeInMs].filter(
      (x) => x !== undefined,
    )
    return waits.length > 0 ? requeueAfter(Math.min(...waits)) : { ok: true }
  }

  /** The status before stays until the lists are read. A kind that cannot be listed is reported. */
  private async withoutEvidence(
    input: UnitInput,
    waitsFor: readonly NewBlocker[] | undefined,
  ): Promise<ReconcileResult> {
    return soonest(await this.unlisted(input, waitsFor), EVIDENCE_MS)
  }

  /** What cannot be listed never becomes complete: that is said, and nothing is done about it. */
  private async unlisted(
    input: UnitInput,
    waitsFor: readonly NewBlocker[] | undefined,
  ): Promise<ReconcileResult> {
    const { session, cluster } = this.scope
    const wanted = input.desired.objects.map((d) => d?.resource)
    const applied = [...entriesOf(input).values()].map((o) => servedAs(session, o))
    const resources = new Map([...wanted, ...applied].flatMap((r) => (r ? [[resourceText(r), r]] : [])))
    const blockers = [...resources.values()].flatMap((r): NewBlocker[] => {
      const refusal = session.refusal(r)
      if (!refusal) return []
      const { namespace, name } = cluster
      const on = [{ kind: 'Cluster', namespace, name }] as const
      const resource = resourceText(r)
      const error = refusal.words
      if (refusal.reason === 'AnswerRefused') return [blocked('AnswerRefused', on, { error })]
      return refusal.reason === 'Forbidden'
        ? [blocked('Forbidden', on, { action: 'List', resource, error })]
        : [blocked('WatchStale', on, { state: 'Unreadable', resource, detail: error })]
    })
    blockers.push(...unreadableExternalObjects(this.scope, input.desired))
    if (blockers.length === 0) return { ok: true }
    const all = [...(waitsFor ?? []), ...blockers]
    const state = blockers.some((b) => b.reason === 'Forbidden') ? 'Failed' : 'Delivering'
    return writeUnitStatus(this.c, this.scope, { state, health: undefined, blockers: all })
  }

  /** The bundle cannot be used: nothing is written to the cluster, nothing is deleted. */
  private async broken(failure: SourceFailure): Promise<ReconcileResult> {
    const blockers = [failureBlocker(failure, this.scope.ref, this.scope.cluster.name)]
    const done = await writeUnitStatus(this.c, this.scope, { state: 'Failed', health: undefined, blockers })
    return done.ok ? { ok: !failure.transient, requeueAfterMs: RETRY_REFUSED_MS } : done
  }
}

function stateOf(health: string, isDone: boolean, waitsFor: readonly NewBlocker[] | undefined): string {
  if (waitsFor) return 'Blocked'
  if (health === 'Failed') return 'Failed'
  return isDone ? 'Ready' : 'Delivering'
}

/** Applied or not yet. */
const objectsOf = (
  { objects, hooks }: UnitInput['desired'],
  { spec }: UnitScope['inventory'],
  entries: Iterable<InventoryObject>,
) => [
  ...[...objects, ...hooks].flatMap((d) => (d ? [d.ref] : [])),
  ...entries,
  ...(spec.intents ?? []),
  ...(spec.hooks ?? []),
]
