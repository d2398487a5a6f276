/** Delivers what is admitted: looks, asks `deliver/step` what comes next, does it, and looks again. */
import type { NewBlocker } from '../api/blocker.ts'
import type { SyncRecord } from '../api/kinds/assemblage.ts'
import type { ModuleSpec } from '../api/kinds/module.ts'
import { expressionRules, ruleFor } from '../core/health/rules.ts'
import { newIntents, recordedSpec } from '../deliver/admission.ts'
import { type Desired, type DesiredObject, desiredOf } from '../deliver/desired.ts'
import { type Drift, driftText } from '../deliver/drift.ts'
import { type Evaluation, entriesOf, evaluate, healthySince, type UnitInput } from '../deliver/evaluate.ts'
import { servedIntents } from '../deliver/intents.ts'
import type { UnitMemory } from '../deliver/memory.ts'
import type { WriteFailure } from '../deliver/refused.ts'
import { afterRepair } from '../deliver/repairs.ts'
import { nextStep, type Step } from '../deliver/step.ts'
import { unitHealth, withChecks } from '../deliver/view.ts'
import { applyObject } from '../deliver/write.ts'
import { err, ok, type Result } from '../env/result.ts'
import { backoffMs } from '../kube/backoff.ts'
import type { ServedResource } from '../kube/client.ts'
import type { Outcome } from '../kube/queue.ts'
import { digestOf, encodeJson, identityOf, parseDuration } from '../object/object.ts'
import type { Bundle } from '../source/bundle.ts'
import type { SourceFailure } from '../source/failure.ts'
import type { StoredDigests } from '../source/keys.ts'
import { checkOthers } from './checks.ts'
import { type Context, contentDigester } from './context.ts'
import { announcedOf, pruneViewOf, removeObjects } from './prune.ts'
import type { RevisionRecord } from './revisions.ts'
import { failedWrite, revisionOfUnit, type UnitScope, writeInventory } from './unitscope.ts'
import { type UnitReport, writeDrift, writeUnitStatus } from './unitstatus.ts'

/** A refusal is tried again after so long without any event. */
const RETRY_REFUSED_MS = 5 * 60_000
/** Steps of one look, so that one unit cannot keep a worker for ever. */
const MAX_STEPS = 10_000

export class Delivery {
  private readonly c: Context
  private readonly signal: AbortSignal
  private scope: UnitScope

  constructor(context: Context, scope: UnitScope, signal: AbortSignal) {
    this.c = context
    this.scope = scope
    this.signal = signal
  }

  /** `waitsFor`: the gate of a newer revision is closed; what is admitted is delivered and repaired all the same. */
  async run(waitsFor: readonly NewBlocker[] | undefined): Promise<Outcome> {
    const { admitted } = this.scope.inventory.spec
    const revision = revisionOfUnit(this.c, this.scope.ref, admitted!.revision)
    if (!revision) return { ok: true, afterMs: 1000 }
    const bundle = await this.c.bundles.get(this.scope.ref.namespace, admitted!.bundle)
    if (!bundle.ok) return this.broken(bundle.error)
    for (let i = 0; i < MAX_STEPS && !this.signal.aborted; i++) {
      const input = this.look(revision, bundle.value)
      if (!input.ok) return this.broken(input.error)
      const evaluation = evaluate(input.value)
      this.remember(input.value, evaluation)
      const step = nextStep(input.value, evaluation, (entries) => pruneViewOf(this.c, this.scope, entries))
      if (step.type === 'rest') return this.rest(input.value, evaluation, step, revision, waitsFor)
      const done = await this.perform(input.value, evaluation, step)
      if (done) return done
      if (this.overtaken(admitted!.serial)) return { ok: true, afterMs: 1 }
    }
    return { ok: true, afterMs: 1 }
  }

  /** Looks, and says what others have done; does nothing about it. */
  async watchOnly(): Promise<Outcome> {
    const { admitted } = this.scope.inventory.spec
    const revision = revisionOfUnit(this.c, this.scope.ref, admitted!.revision)
    const bundle = revision && (await this.c.bundles.get(this.scope.ref.namespace, admitted!.bundle))
    if (!bundle?.ok) return { ok: true, afterMs: RETRY_REFUSED_MS }
    const input = this.look(revision!, bundle.value)
    const evaluation = input.ok ? evaluate(input.value) : undefined
    if (!evaluation || evaluation.unsure) return { ok: true }
    return writeDrift(this.c, this.scope, evaluation.drifts)
  }

  /** The newest known state of everything; each step starts from it. */
  private look(revision: RevisionRecord, bundle: Bundle): Result<UnitInput, SourceFailure> {
    this.refresh()
    const { scope } = this
    scope.session.lookEvery(
      scope.label,
      parseDuration(revision.spec.apply.driftInterval) ?? Number.POSITIVE_INFINITY,
    )
    const desired = boundBundle(this.c, scope, revision, bundle)
    if (!desired.ok) return desired
    keepNeededData(scope, desired.value, revision.spec.health)
    return ok({
      announced: announcedOf(scope),
      unit: scope.label,
      inventory: scope.inventory,
      desired: desired.value,
      live: (d) => liveAt(scope, d),
      memory: scope.memory,
      apply: revision.spec.apply,
      health: revision.spec.health,
      steady: this.c.env.clock.steady(),
      now: this.c.env.clock.now(),
    })
  }

  private refresh(): void {
    const latest = this.c.hub.inventories.store.get(this.scope.inventory.metadata)
    if (latest) this.scope = { ...this.scope, inventory: latest }
  }

  /** Something newer was admitted: no new node starts for the old one. */
  private overtaken(serial: number): boolean {
    this.refresh()
    return this.scope.inventory.spec.admitted?.serial !== serial
  }

  /** Notes since when things are as they are. */
  private remember(input: UnitInput, e: Evaluation): void {
    const { memory } = this.scope
    for (const [n, state] of e.states.entries()) {
      const id = input.desired.objects[n]?.id
      if (id === undefined || state.type !== 'applied') continue
      if (state.health.state !== 'Healthy') memory.healthySince.delete(id)
      else memory.healthySince.set(id, healthySince(input, id))
      if (!memory.since.has(id)) memory.since.set(id, input.steady)
      if (state.health.state !== 'Degraded') memory.degradedSince.delete(id)
      else if (!memory.degradedSince.has(id)) memory.degradedSince.set(id, input.steady)
    }
  }

  private async perform(
    input: UnitInput,
    evaluation: Evaluation,
    step: Exclude<Step, { type: 'rest' }>,
  ): Promise<Outcome | undefined> {
    switch (step.type) {
      case 'intents':
        return this.announce(step.nodes.map((n) => input.desired.objects[n]!))
      case 'apply':
        await Promise.all(step.nodes.map((n) => this.apply(input, evaluation, n)))
        return undefined
      case 'cause':
        return this.explain()
      case 'prune':
        return removeObjects(this.c, this.scope, step)
      case 'record':
        return this.record(input)
    }
  }

  private async announce(creates: readonly DesiredObject[]): Promise<Outcome | undefined> {
    const { spec } = this.scope.inventory
    const intents = [
      ...(spec.intents ?? []),
      ...newIntents(spec.intents ?? [], creates, () => this.c.env.random.uuid()),
    ]
    const done = await writeInventory(this.c, this.scope.inventory, { ...spec, intents })
    return done.ok ? undefined : failedWrite(this.c, done.error)
  }

  private async apply(input: UnitInput, e: Evaluation, n: number): Promise<void> {
    const d = input.desired.objects[n]!
    const live = liveAt(this.scope, d)
    const { memory, inventory, session, label } = this.scope
    const intent = inventory.spec.intents?.find((i) => identityOf(i) === d.id)
    const target = {
      session,
      unit: label,
      inventoryUid: inventory.metadata.uid,
      settings: input.apply,
    }
    const known = live === 'unknown' ? undefined : live
    if (!known) memory.attempted.set(d.id, this.c.env.clock.steady())
    const state = e.states[n]!
    const todo = state.type === 'todo' ? state : undefined
    const done = await applyObject(target, d, {
      entry: todo?.entry,
      live: known,
      nonce: intent?.nonce,
      level: input.desired.graph.level[n]!,
    })
    const now = this.c.env.clock.steady()
    memory.lastWriteAt = now
    if (done.ok) {
      memory.applied.set(d.id, done.value)
      memory.gone.delete(d.id)
      memory.failures.delete(d.id)
      memory.since.set(d.id, now)
      memory.wroteAt.set(d.id, now)
      memory.degradedSince.delete(d.id)
      memory.healthySince.delete(d.id)
      if (todo?.drift) this.noteRepair(memory, todo.drift, now)
      return
    }
    this.noteFailure(memory, d, done.error, now)
    if (done.error.reason === 'KindNotServed') void session.discover()
  }

  private noteRepair(memory: UnitMemory, drift: Drift, now: number): void {
    memory.repairs.set(drift.id, afterRepair(memory.repairs.get(drift.id), drift, now))
    memory.repaired = { message: driftText(drift), at: this.c.env.clock.now() }
    this.c.env.meters.count('lockstep_drift_total', { action: 'repaired' })
    this.c.env.log.info('put right what others changed', {
      unit: this.scope.label,
      cluster: this.scope.cluster.name,
      what: driftText(drift),
    })
  }

  private noteFailure(memory: UnitMemory, d: DesiredObject, failure: WriteFailure, now: number): void {
    const before = memory.failures.get(d.id)
    const tries = before?.content === d.content ? before.tries + 1 : 1
    const wait = failure.transient ? backoffMs(tries - 1, this.c.env.random) : RETRY_REFUSED_MS
    memory.failures.set(d.id, { ...failure, content: d.content, retryAt: now + wait, tries })
  }

  /** An object that nobody knew of when the bundle was admitted: its create had no answer. */
  private async explain(): Promise<Outcome | undefined> {
    const { spec } = this.scope.inventory
    const causes = [
      ...(spec.causes ?? []),
      { cause: 'RemovedFromBundle' as const, to: spec.admitted!.bundle },
    ]
    const done = await writeInventory(this.c, this.scope.inventory, { ...spec, causes })
    return done.ok ? undefined : failedWrite(this.c, done.error)
  }

  private async record(input: UnitInput): Promise<Outcome | undefined> {
    const { inventory, memory } = this.scope
    const entries = [...entriesOf(input).values()]
    const hasLeftovers = entries.some((o) => !input.desired.byId.has(identityOf(o)))
    const served = servedIntents(inventory.spec.intents ?? [], entriesOf(input), memory, input.steady)
    const spec = recordedSpec(inventory.spec, entries, hasLeftovers, served)
    const applied = new Map(memory.applied)
    const gone = new Set(memory.gone)
    const done = await writeInventory(this.c, inventory, spec)
    if (!done.ok) return failedWrite(this.c, done.error)
    for (const [id, entry] of applied) if (memory.applied.get(id) === entry) memory.applied.delete(id)
    for (const id of gone) memory.gone.delete(id)
    return undefined
  }

  private async rest(
    input: UnitInput,
    e: Evaluation,
    step: Extract<Step, { type: 'rest' }>,
    revision: RevisionRecord,
    waitsFor: readonly NewBlocker[] | undefined,
  ): Promise<Outcome> {
    // After a start: what was said before stays until the caches are complete; their events bring us back.
    if (e.unsure) return { ok: true }
    const checks = await checkOthers(this.c, this.scope, revision)
    if (!checks.ok) return { ok: false }
    if (checks.value === 'unsure') return { ok: true }
    const health = withChecks(unitHealth(input, e, step.prune), checks.value)
    const isDone =
      health.health === 'Healthy' && (step.prune === undefined || step.prune.entries.length === 0)
    const state = stateOf(health.health, isDone, waitsFor)
    const status = await writeUnitStatus(this.c, this.scope, {
      state,
      health,
      blockers: waitsFor ? [...waitsFor, ...health.blockers] : health.blockers,
      contentDigest: input.desired.contentDigest,
      delivered: isDone,
      drifts: e.drifts,
      repaired: this.scope.memory.repaired,
      polled: polledOf(this.scope, input),
    })
    if (!status.ok) return status
    if (status.afterMs === undefined) this.scope.session.judge(this.scope.label)
    const waits = [step.wakeInMs, status.afterMs, checks.value?.wakeInMs].filter((x) => x !== undefined)
    return waits.length > 0 ? { ok: true, afterMs: Math.min(...waits) } : { ok: true }
  }

  /** The bundle cannot be used: nothing is written to the cluster, nothing is deleted. */
  private async broken(failure: SourceFailure): Promise<Outcome> {
    const blocker = {
      reason: failure.reason,
      message: failure.message,
      subject: `${this.scope.ref.kind}/${this.scope.ref.name}`,
    }
    await writeUnitStatus(this.c, this.scope, { state: 'Failed', health: undefined, blockers: [blocker] })
    return { ok: !failure.transient, afterMs: RETRY_REFUSED_MS }
  }
}

function stateOf(health: string, isDone: boolean, waitsFor: readonly NewBlocker[] | undefined): string {
  if (waitsFor) return 'Blocked'
  if (health === 'Failed') return 'Failed'
  return isDone ? 'Ready' : 'Delivering'
}

/** What an expression of health looks at has to be kept. */
function keepNeededData({ session }: UnitScope, { objects }: Desired, { expressions }: ModuleSpec['health']) {
  const rules = expressionRules(expressions).filter((r) => r.needsData)
  if (rules.length === 0) return
  for (const d of objects) if (d?.resource && ruleFor(rules, d.object)) session.keepData(d.resource)
}

/** Kinds of the unit that its cluster does not let us watch. */
function polledOf({ session }: UnitScope, { desired, apply }: UnitInput): UnitReport['polled'] {
  const kinds = desired.objects.flatMap((d) =>
    d?.resource && session.polls(d.resource) ? [resourceText(d.resource)] : [],
  )
  return { kinds: [...new Set(kinds)].sort(), every: apply.driftInterval }
}

const resourceText = (r: ServedResource): string => (r.group === '' ? r.plural : `${r.plural}.${r.group}`)

/** A live object, 'unknown' while the cache of its kind is not complete. */
function liveAt(scope: UnitScope, d: DesiredObject) {
  if (!d.resource) return undefined
  const store = scope.session.objects(d.resource)
  const found = store.get(d.ref)
  return found ?? (store.freshness.state === 'Syncing' ? ('unknown' as const) : undefined)
}

/** Binding hashes every manifest: done once for a bundle and what its cluster serves. */
function boundBundle(
  c: Context,
  scope: UnitScope,
  revision: RevisionRecord,
  bundle: Bundle,
): Result<Desired, SourceFailure> {
  const { session, memory } = scope
  const { ignore } = revision.spec.apply
  const binding = { namespace: revision.spec.render?.namespace, ignore }
  const of = `${bundle.digest} ${encodeJson(binding)} ${session.discoveries}`
  if (memory.bound?.of === of) return ok(memory.bound.desired)
  const digest = bundle.sensitive
    ? contentDigester(c, scope.ref.namespace, scope.inventory.spec.clusterUid, digestsOf(scope))
    : ok(digestOf)
  if (!digest.ok) return digest
  const desired = desiredOf(bundle.objects, binding, (g, k, v) => session.served(g, k, v), digest.value)
  if (!desired.ok)
    return err({ reason: desired.error.reason, message: desired.error.message, transient: false })
  memory.bound = { of, desired: desired.value }
  return desired
}

/** What is delivered already: content that is the same keeps its digests. */
const digestsOf = ({ inventory: { metadata, spec, status } }: UnitScope): StoredDigests => ({
  where: `Inventory ${metadata.namespace}/${metadata.name}`,
  digests: [status?.contentDigest ?? '', ...(spec.objects ?? []).map((o) => o.content)],
})

/** What admitting a record would create: objects that nothing is known of. */
export async function createsOf(
  c: Context,
  scope: UnitScope,
  record: SyncRecord,
): Promise<Result<DesiredObject[], SourceFailure>> {
  const revision = revisionOfUnit(c, scope.ref, record.revision)
  const bundle = await c.bundles.get(scope.ref.namespace, record.bundle)
  if (!bundle.ok) return bundle
  if (!revision)
    return err({ reason: 'BundleLost', message: 'its revision is not known yet', transient: true })
  const desired = boundBundle(c, scope, revision, bundle.value)
  if (!desired.ok) return desired
  const entries = entriesOf(scope)
  return ok(desired.value.objects.filter((d): d is DesiredObject => d !== undefined && !entries.has(d.id)))
}
