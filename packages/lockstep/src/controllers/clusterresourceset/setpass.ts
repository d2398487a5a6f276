/** One pass over one cluster for a set: writes each object that the cluster lacks, and records it. */
import {
  identityOf,
  type ObjectReference,
  parseTimestampMs,
  refOf,
  type Stored,
  timestamp,
} from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../api/blocker.ts'
import type { ClusterResourceSet, Inventory, ResourceSetSourceRef, SetRecord } from '../../api/kinds/index.ts'
import { objectRef } from '../../decisions/graph/index.ts'
import { setMessage } from '../../decisions/resourceset/index.ts'
import {
  isOlderUnknown,
  recordAfter,
  type SetObject,
  type SourceContent,
  type SourceOutcome,
  type SourceWork,
  sourceText,
} from '../../deliver/modes/index.ts'
import { unitName } from '../../deliver/plan/index.ts'
import type { LookupQuery } from '../../deliver/state/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import { type ManagedSetPlan, setRef } from '../cache/index.ts'
import { failed } from '../runtime/index.ts'
import { setWordsOf, writeInventory } from '../unit/index.ts'
import type { SetDeps } from './setdeps.ts'
import { FINAL, remainingFields } from './unitstatus.ts'
import { isOfAnotherUnit } from './whose.ts'
import { writeSetObject } from './writeobject.ts'

/** Milliseconds until applied objects are recorded at the latest. */
const RECORD_AFTER_MS = 2000

export interface SetUnitScope {
  readonly set: Stored<ClusterResourceSet>
  readonly plan: ManagedSetPlan
  readonly cluster: ClusterView
  readonly session: ClusterSession
}

/** Objects that were refused and that no time helps: by `identityOf`. */
export type RefusedObjects = Map<string, NewBlocker>

/** All writes to one cluster, one object after the other, as Cluster API does. */
export class SetPass {
  readonly failures: NewBlocker[] = []
  inventory: Stored<Inventory>
  isStopped = false
  /** Sources of which all is applied now. */
  readonly applied: ResourceSetSourceRef[] = []
  /** Something was refused that may be taken another time. */
  isRetried = false
  /** Objects and kinds that the cluster lacks for that, each once. */
  readonly lacking = new Map<string, LookupQuery>()
  /** Objects on which fields may be that only an unknown content has had. */
  private readonly remaining: ObjectReference[] = []
  private readonly c: SetDeps
  private readonly scope: SetUnitScope
  private readonly final: RefusedObjects
  /** Undefined: another process has begun it. */
  private readonly unsure: Set<string> | undefined
  private readonly mayWrite: () => boolean
  private recordedAt: number

  constructor(
    c: SetDeps,
    scope: SetUnitScope,
    inventory: Stored<Inventory>,
    { final, unsure }: { readonly final: RefusedObjects; readonly unsure: Set<string> | undefined },
    mayWrite: () => boolean,
  ) {
    this.final = final
    this.unsure = unsure
    this.c = c
    this.scope = scope
    this.inventory = inventory
    this.mayWrite = mayWrite
    this.recordedAt = c.env.clock.steady()
  }

  async run(work: readonly SourceWork[]): Promise<ReconcileResult> {
    for (const source of work) {
      let outcome: SourceOutcome = { work: source, written: [], failed: source.objects.length }
      for (const o of source.objects) {
        if (!this.mayWrite()) {
          this.isStopped = true
          break
        }
        if (await this.write(source, o)) outcome = written(outcome, o)
        if (this.c.env.clock.steady() - this.recordedAt < RECORD_AFTER_MS) continue
        const saved = await this.record(outcome)
        if (!saved.ok) return saved
      }
      const saved = await this.record(outcome)
      if (!saved.ok || this.isStopped) return saved
      if (outcome.failed === 0) this.applied.push(source.content.ref)
    }
    return { ok: true }
  }

  private async write(
    { content, write, isKnown, isBegun }: SourceWork,
    { object, origin }: SetObject,
  ): Promise<boolean> {
    const { plan, session, set, cluster } = this.scope
    const id = identityOf(refOf(object))
    const known = this.final.get(id)
    if (known) {
      this.failures.push(known)
      return false
    }
    const isMarked = plan.asked.mode === 'Reconcile'
    const target = {
      session,
      cluster: cluster.name,
      write,
      isKnown,
      begunMs: isBegun ? this.begunMs(id) : undefined,
      isMergePatch: isMarked && plan.asked.write === 'MergePatch',
      isReplaced: isMarked && plan.asked.replaceImmutable,
      fromSecret: content.ref.kind === 'Secret',
      marks: isMarked
        ? { unit: unitName(setRef(set)), inventoryUid: this.inventory.metadata.uid }
        : undefined,
      isOfAnother: (unit: string) => isOfAnotherUnit(this.c.hub, set, unit, this.scope.cluster),
      mayWrite: this.mayWrite,
    }
    const done = await writeSetObject(target, object)
    if (done.ok) {
      const isUnknown = done.value.remains && isOlderUnknown(this.inventory.spec.set, content)
      if (isUnknown) this.remaining.push(refOf(object))
      return true
    }
    const { reason, lacks, isUnsure } = done.error
    if (lacks) this.lacking.set(Object.values(lacks).join(' '), lacks)
    const failure = this.failureOf(done.error, origin, content)
    this.failures.push(failure)
    if (FINAL.has(reason)) this.final.set(id, failure)
    else this.isRetried = true
    if (isUnsure) this.unsure?.add(id)
    return false
  }

  /** Refers to the object on the cluster, and to its source on the hub. */
  private failureOf(
    { reason, on, facts, message }: NewBlocker,
    origin: string,
    { ref: { kind, name } }: SourceContent,
  ): NewBlocker {
    const { set } = this.scope
    const { namespace = '' } = set.metadata
    const source = objectRef({ apiVersion: 'v1', kind, namespace, name }, undefined)
    const failure = { reason, on: [...on, source], facts: { ...facts, origin }, message }
    return { ...failure, message: setMessage(failure, setWordsOf(this.c, set)) }
  }

  /** Since when an object may have been created without a word; undefined: this process would know. */
  private begunMs(id: string): number | undefined {
    if (this.unsure && !this.unsure.has(id)) return undefined
    return parseTimestampMs(this.inventory.metadata.creationTimestamp ?? '')
  }

  private async record(outcome: SourceOutcome): Promise<ReconcileResult> {
    const { plan } = this.scope
    const now = timestamp(this.c.env.clock.now())
    const before: SetRecord | undefined = this.inventory.spec.set
    const isNews = this.remaining.length > 0 && before?.fieldsMayRemain !== true
    const after = recordAfter(plan.asked, before, [outcome], now)
    const set: SetRecord = isNews ? { ...after, fieldsMayRemain: true } : after
    const done = await writeInventory(this.c, this.inventory, { ...this.inventory.spec, set })
    if (!done.ok) return failed(done.error)
    this.inventory = done.value
    if (isNews) this.warn(outcome.work.content)
    this.recordedAt = this.c.env.clock.steady()
    return { ok: true }
  }

  /** Once for a set and a cluster: the first content of ours comes after an unknown one of Cluster API. */
  private warn({ ref }: SourceContent): void {
    const { set, cluster } = this.scope
    const { message: text } = remainingFields(cluster, sourceText(ref), this.remaining)
    const note = {
      type: 'Warning',
      reason: 'FieldsMayRemain',
      action: 'Apply',
      text,
      of: cluster.name,
    } as const
    this.c.events.record(set, [note])
  }
}

const written = (o: SourceOutcome, object: SetObject): SourceOutcome => ({
  ...o,
  written: [...o.written, object],
  failed: o.failed - 1,
})
