/** Says of each Hold and each Approval of a module, in its status, what becomes of it. */
import { mergeConditions, type NewCondition } from '../api/conditions.ts'
import type { Kind, Stored } from '../api/kind.ts'
import { MANAGER } from '../api/labels.ts'
import { type Approval, approvalKind, type Hold, holdKind } from '../api/registry.ts'
import { type ModuleRef, moduleId } from '../core/graph/module.ts'
import { approvalSaid, type ConsentTarget, holdSaid } from '../core/rollout/consentstatus.ts'
import { holdEndsIn } from '../core/rollout/holds.ts'
import { selectsCluster } from '../fleet/targets.ts'
import { kubeErrorText } from '../kube/error.ts'
import type { Informer } from '../kube/informer.ts'
import { type JsonValue, jsonEqual, keyOf, timestamp } from '../object/object.ts'
import { approvalView, holdView, isThere } from './consents.ts'
import type { Context } from './context.ts'
import { hubTime } from './hubtime.ts'

/** A status that could not be written is tried again after so long: nothing else waits for it. */
const AGAIN_MS = 30_000
/** Names that a status holds. */
const NAMES = 10

/**
 * Writes what has changed. In how many milliseconds to look again: when a Hold ends, or where something could not be written,
 * which hurts nobody else. Undefined: with the next event.
 */
export async function sayConsents(c: Context, ref: ModuleRef): Promise<number | undefined> {
  const { hub } = c
  const id = moduleId(ref)
  const holds = [...hub.holds.store.by('module', id)].filter(isThere)
  const approvals = [...hub.approvals.store.by('module', id)].filter(isThere)
  if (holds.length + approvals.length === 0) return undefined
  const { nowMs } = hubTime(c)
  const clusters = clustersOf(c, ref)
  const views = holds.map((h) => holdView(hub, ref, h))
  const writes = holds.map((h, i) => {
    const { clusters: on, condition } = holdSaid(views[i]!, views, clusters, nowMs)
    const said = { units: on.length, ...(on.length > 0 ? { clusters: on.slice(0, NAMES) } : {}) }
    return write(c, holdKind, hub.holds, h, condition, said)
  })
  const target = targetOf(c, ref)
  for (const a of approvals) {
    const { revision, condition } = approvalSaid(approvalView(a), `${ref.kind} ${ref.name}`, target)
    writes.push(
      write(c, approvalKind, hub.approvals, a, condition, revision === undefined ? {} : { revision }),
    )
  }
  const isWritten = (await Promise.all(writes)).every((done) => done)
  const ends = holdEndsIn(
    views.filter((v) => v.untilMs !== undefined && v.untilMs > nowMs),
    nowMs,
  )
  const wakes = [ends, isWritten ? undefined : AGAIN_MS].filter((ms) => ms !== undefined)
  return wakes.length > 0 ? Math.min(...wakes) : undefined
}

/** Where the module is, or is to be. */
function clustersOf({ hub, fleet }: Context, ref: ModuleRef): string[] {
  const module = hub.module(ref)
  if (!module) return []
  const selected = [...fleet.of(ref.namespace)].filter((c) => selectsCluster(module.spec.targets, c))
  const present = [...hub.inventories.store.by('module', moduleId(ref))]
  return [...new Set([...selected.map((c) => c.name), ...present.map((i) => i.spec.clusterRef.name)])]
}

/** The module with what its status says by now. */
function targetOf({ hub }: Context, ref: ModuleRef): ConsentTarget | undefined {
  const module = hub.module(ref)
  if (!module) return undefined
  const { rollout, currentRevision } = module.status ?? {}
  const admitted = [...hub.inventories.store.by('module', moduleId(ref))].flatMap(
    ({ spec }) => spec.admitted?.revision ?? [],
  )
  const revisions = [rollout?.revision, currentRevision].filter((r) => r !== undefined)
  return { revisions, admitted, policy: module.spec.rollout, stages: rollout?.stages ?? [] }
}

/** True: it says what there is to say. */
async function write<T extends Hold | Approval>(
  c: Context,
  kind: Kind<T>,
  informer: Informer<T, Stored<T>>,
  object: Stored<T>,
  condition: Omit<NewCondition, 'observedGeneration'>,
  said: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { uid, resourceVersion, generation = 0 } = object.metadata
  const old = object.status
  const now = timestamp(hubTime(c).nowMs)
  const conditions = mergeConditions(old?.conditions, [{ ...condition, observedGeneration: generation }], now)
  const status = { observedGeneration: generation, ...said, conditions }
  if (jsonEqual(status, old)) return true
  // What is not said any more is taken out.
  const gone = Object.fromEntries(Object.keys(old ?? {}).map((k) => [k, null]))
  const patch = { status: { ...gone, ...status } } as unknown as JsonValue
  const done = await c.hub.client.patch(kind, keyOf(object), patch, {
    why: 'status',
    manager: MANAGER,
    fence: { uid, resourceVersion },
    subresource: 'status',
  })
  if (done.ok) informer.wrote(done.value)
  // Somebody has written or deleted it meanwhile: that is an event of its own.
  else if (done.error.kind !== 'FenceLost' && done.error.kind !== 'NotFound') {
    c.env.log.warn('a status cannot be written', { error: kubeErrorText(done.error) })
    return false
  }
  return true
}
