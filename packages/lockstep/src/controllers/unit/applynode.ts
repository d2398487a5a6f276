/** Writes of a delivery: one object is applied, or deleted for its successor, and what came of it is kept in mind. */

import { identityOf, parseDuration } from '@lockstep/kube/object'
import { backoffMs } from '@lockstep/kube/workqueue'
import type { WriteIntent } from '../../api/kinds/index.ts'
import { retryAtMs, SLOWEST_MS, setOf } from '../../decisions/resourceset/index.ts'
import { afterCreate, afterDriftRevert, type Drift, driftText } from '../../deliver/drift/index.ts'
import { type DesiredObject, refOfInventory, unitName } from '../../deliver/plan/index.ts'
import type { Evaluation, NodeFailure, UnitInput, UnitMemory } from '../../deliver/state/index.ts'
import { takenObject } from '../../deliver/step/index.ts'
import { about, applyObject, type ObjectApplyTarget, type WriteRefusal } from '../../deliver/write/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { MOST_SERVER_MS, unitFields } from '../runtime/index.ts'
import { liveAt } from './boundbundle.ts'
import { tellTaken } from './handover/tellparties.ts'
import type { UnitClaims } from './handover/unitclaims.ts'
import { deleteForRecreate } from './recreate.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/** A refusal is tried again after so long without any event. */
export const RETRY_REFUSED_MS = 5 * 60_000

/** Changes of a refused object in a row that are followed by a try at once. */
const QUICK_CHANGES = 3

/** What one look at a unit saw, and what follows from it. */
export interface UnitEvaluation {
  readonly c: UnitDeps
  readonly scope: UnitScope
  readonly claims: UnitClaims
  readonly input: UnitInput
  readonly evaluation: Evaluation
}

export async function applyNode(look: UnitEvaluation, n: number): Promise<void> {
  const { scope, input, evaluation: e, c } = look
  const d = input.desired.objects[n]!
  const live = liveAt(scope, d)
  const { memory, session } = scope
  const known = live === 'unknown' ? undefined : live
  if (!known) memory.attempted.set(d.id, c.env.clock.steady())
  const state = e.states[n]!
  const todo = state.type === 'todo' ? state : undefined
  const done = await applyObject(targetOf(look), d, {
    entry: todo?.entry,
    live: known,
    intent: intentOf(scope, d),
    depth: input.desired.graph.depths[n]!,
  })
  const now = c.env.clock.steady()
  memory.lastWriteAt = now
  c.env.meters.count('lockstep_objects_total', { result: done.ok ? 'applied' : 'failed' })
  if (done.ok) {
    memory.applied.set(d.id, done.value)
    memory.gone.delete(d.id)
    memory.failures.delete(d.id)
    memory.replaced.delete(d.id)
    memory.since.set(d.id, now)
    memory.wroteAt.set(d.id, now)
    if (!known) memory.creates.set(d.id, afterCreate(memory.creates.get(d.id), now))
    memory.degradedSince.delete(d.id)
    memory.healthySince.delete(d.id)
    if (todo?.drift) noteRepair(look, todo.drift, now)
    const taken = takenObject(state, input)
    if (taken && taken.from !== scope.label) tellTaken(c, scope, d.ref, taken.from)
    return
  }
  recordFailure(look, d, done.error, known)
  if (done.error.reason === 'KindNotServed') session.discoverBeside()
}

/** What comes of it is seen by a watch; then it is created like anything that is not there. */
export async function recreateNode(look: UnitEvaluation, n: number): Promise<void> {
  const { scope, input, evaluation: e, c } = look
  const d = input.desired.objects[n]!
  const state = e.states[n]!
  if (state.type !== 'replace') return
  const { memory } = scope
  const done = await deleteForRecreate(targetOf(look), d, state.live, intentOf(scope, d)?.nonce)
  const now = c.env.clock.steady()
  memory.lastWriteAt = now
  if (done.ok) {
    memory.replaced.set(d.id, state.live.uid)
    memory.creates.delete(d.id)
  } else recordFailure(look, d, done.error, state.live)
}

function targetOf({
  c,
  scope: { session, label, ref, inventory, cluster },
  claims,
  input: { apply },
}: UnitEvaluation): ObjectApplyTarget {
  const { namespace } = ref
  const unitOf = (uid: string) => unitOfInventory(c, uid)
  return {
    cluster: cluster.name,
    session,
    unit: label,
    namespace,
    inventoryUid: inventory.metadata.uid,
    unitOf,
    holderDecision: (object, marks) => claims.decideLate(object, marks),
    settings: apply,
  }
}

/** Asked of an object that has lost its label, and of no other: they are few. */
function unitOfInventory({ hub }: UnitDeps, uid: string): string | undefined {
  for (const i of hub.inventories.store.all()) if (i.metadata.uid === uid) return unitName(refOfInventory(i))
  return undefined
}

const intentOf = (scope: UnitScope, d: DesiredObject): WriteIntent | undefined =>
  scope.inventory.spec.intents?.find((i) => identityOf(i) === d.id)

function noteRepair({ c, scope }: UnitEvaluation, drift: Drift, now: number): void {
  const { memory } = scope
  memory.repairs.set(drift.id, afterDriftRevert(memory.repairs.get(drift.id), drift, now))
  memory.repaired = { message: driftText(drift), at: c.env.clock.now() }
  c.env.meters.count('lockstep_drift_total', { action: 'repaired' })
  const fields = unitFields(scope.ref, scope.cluster.name)
  c.env.log.debug(`reverts drift: ${driftText(drift)}`, Object.assign({ reason: 'DriftReverted' }, fields))
}

/** `live`: the object of the write as the caches show it. */
export function recordFailure(
  { c, scope, input }: UnitEvaluation,
  d: DesiredObject,
  failure: WriteRefusal,
  live: LiveObject | undefined,
): void {
  rememberFailure(c, scope.memory, d, failure.subject ? failure : about(failure, live))
  if (!isOfSet(c, scope)) return
  const { failures } = scope.memory
  const kept = failures.get(d.id)!
  failures.set(d.id, { ...kept, retryAt: setRetryAt(kept, c.env.clock.steady(), input.apply.driftInterval) })
}

/** As in the other modes of a ClusterResourceSet; what cannot change not before the set, a source or the object is another one. */
function setRetryAt({ reason, tries, since }: NodeFailure, now: number, interval: string): number {
  if (reason === 'ImmutableField') return Number.POSITIVE_INFINITY
  return retryAtMs(
    { failures: tries, failedMs: now, changedMs: since ?? now },
    parseDuration(interval) ?? SLOWEST_MS,
  )
}

const isOfSet = ({ hub }: UnitDeps, { ref }: UnitScope): boolean => {
  const module = hub.module(ref)
  return module !== undefined && setOf(module.metadata) !== undefined
}

/** Most milliseconds between two tries of a write that no API server has answered. */
const ofServer = ({ reason }: WriteRefusal): number | undefined =>
  reason === 'ClusterUnreachable' || reason === 'AnswerRefused' ? MOST_SERVER_MS : undefined

const OF_OWNERS: ReadonlySet<NodeFailure['reason']> = new Set(['AdoptionRefused', 'OwnedByAnother'])

/** Tried again for this content: soon where time may help, else in 5 minutes. */
export function rememberFailure(
  c: UnitDeps,
  { failures }: Pick<UnitMemory, 'failures'>,
  { id, content }: Pick<DesiredObject, 'id' | 'content'>,
  failure: WriteRefusal,
): void {
  const before = failures.get(id)
  const isSame = before?.content === content
  const tries = isSame ? before.tries + 1 : 1
  const now = c.env.clock.steady()
  // What a person has to do elsewhere takes its time, and each try costs three requests.
  const most = OF_OWNERS.has(failure.reason) ? RETRY_REFUSED_MS : ofServer(failure)
  const wait = failure.transient ? backoffMs(tries - 1, c.env.random, most) : RETRY_REFUSED_MS
  const changes = isSame && now < before.retryAt ? (before.changes ?? 0) + 1 : 0
  // An object that changes all the time brings a try each second, and at last each minute.
  const pause = changes < QUICK_CHANGES ? 0 : backoffMs(changes - QUICK_CHANGES, c.env.random)
  failures.set(id, {
    ...failure,
    content,
    retryAt: now + wait,
    notBefore: now + pause,
    changes,
    tries,
    since: (isSame ? before.since : undefined) ?? now,
  })
}
