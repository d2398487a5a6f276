/** Says of each Hold and each Approval of a module, in its status, what becomes of it. */

import { requestErrorText } from '@lockstep/kube/client'
import { type Digest, type Stored, timestamp } from '@lockstep/kube/object'
import { mergeConditions, type NewCondition } from '../../api/conditions.ts'
import type { Module } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import {
  type ApprovalTarget,
  type ApprovalView,
  approvalStatusOf,
  deletedLateText,
  holdEndsIn,
  holdStatusOf,
} from '../../decisions/rollout/index.ts'
import { selectsCluster } from '../../fleet/clusters/index.ts'
import { approvalView, holdView, isThere } from '../cache/index.ts'
import { type HubKinds, hubTime } from '../runtime/index.ts'
import type { ModuleDeps } from './moduledeps.ts'

/** A status that could not be written is tried again after so long: nothing else waits for it. */
const AGAIN_MS = 30_000
/** Names that a status holds. */
const NAMES = 10

/** Approvals that have been used, by uid: of those that go after that people are told. Losing it costs an Event. */
export type UsedApprovals = Map<string, { readonly approval: ApprovalView; readonly revision: Digest }>

/**
 * Writes what has changed. In how many milliseconds to look again: when a Hold ends, or where something could not be written,
 * which hurts nobody else. Undefined: with the next event.
 */
export async function updateHoldStatus(
  c: ModuleDeps,
  ref: ModuleRef,
  used: UsedApprovals,
): Promise<number | undefined> {
  const { hub } = c
  const id = moduleId(ref)
  const holds = [...hub.holds.store.by('module', id)].filter(isThere)
  const approvals = [...hub.approvals.store.by('module', id)].filter(isThere)
  tellDeleted(c, ref, used, new Set(approvals.map((a) => a.metadata.uid)))
  if (holds.length + approvals.length === 0) return undefined
  const { nowMs } = hubTime(c)
  const clusters = clustersOf(c, ref)
  const views = holds.map((h) => holdView(hub, ref, h))
  const writes = holds.map((h, i) => {
    const { clusters: on, condition } = holdStatusOf(views[i]!, views, clusters, nowMs)
    const said = { units: on.length, ...(on.length > 0 ? { clusters: on.slice(0, NAMES) } : {}) }
    return write(c, 'holds', h, condition, said)
  })
  const target = targetOf(c, ref)
  for (const a of approvals) {
    const approval = approvalView(a)
    const { revision, condition } = approvalStatusOf(approval, `${ref.kind}/${ref.name}`, target)
    if (condition.reason === 'Used') used.set(a.metadata.uid, { approval, revision: revision! })
    else used.delete(a.metadata.uid)
    writes.push(write(c, 'approvals', a, condition, revision === undefined ? {} : { revision }))
  }
  const isWritten = (await Promise.all(writes)).every((done) => done)
  const ends = holdEndsIn(
    views.filter((v) => v.untilMs !== undefined && v.untilMs > nowMs),
    nowMs,
  )
  const wakes = [ends, isWritten ? undefined : AGAIN_MS].filter((ms) => ms !== undefined)
  return wakes.length > 0 ? Math.min(...wakes) : undefined
}

/** What is gone too late changes nothing, and whoever deleted it may believe that it does. */
function tellDeleted(c: ModuleDeps, ref: ModuleRef, used: UsedApprovals, there: ReadonlySet<string>): void {
  const module = c.hub.module(ref)
  for (const [uid, { approval, revision }] of used) {
    if (there.has(uid)) continue
    used.delete(uid)
    const name = ref.kind === 'Module' ? ref.name : `${ref.kind}/${ref.name}`
    const text = deletedLateText(approval, revision, name)
    const what = { reason: 'ApprovalDeletedLate', action: 'Rollout', of: approval.name } as const
    if (module && isCurrent(module, revision)) c.events.record(module, [{ ...what, type: 'Normal', text }])
  }
}

/** A rollout of something else asks for consent of its own. */
const isCurrent = ({ status }: Stored<Module>, revision: Digest): boolean =>
  (status?.rollout?.revision ?? status?.currentRevision) === revision

/** Where the module is, or is to be. */
function clustersOf({ hub, fleet }: ModuleDeps, ref: ModuleRef): string[] {
  const module = hub.module(ref)
  if (!module) return []
  const selected = [...fleet.of(ref.namespace)].filter((c) => selectsCluster(module.spec.targets, c))
  const present = [...hub.inventories.store.by('module', moduleId(ref))]
  return [...new Set([...selected.map((c) => c.name), ...present.map((i) => i.spec.clusterRef.name)])]
}

/** The module with what its status says by now. */
function targetOf({ hub }: ModuleDeps, ref: ModuleRef): ApprovalTarget | undefined {
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
async function write<K extends 'holds' | 'approvals'>(
  c: ModuleDeps,
  kind: K,
  object: HubKinds[K],
  condition: Omit<NewCondition, 'observedGeneration'>,
  said: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { generation = 0 } = object.metadata
  const now = timestamp(hubTime(c).nowMs)
  const next = [{ ...condition, observedGeneration: generation }]
  const conditions = mergeConditions(object.status?.conditions, next, now)
  const status = { observedGeneration: generation, ...said, conditions }
  const { error } = await c.status.patch(kind, object, status)
  // Somebody has written or deleted it meanwhile: that is an event of its own.
  if (error === undefined || error.kind === 'FenceLost' || error.kind === 'NotFound') return true
  c.env.log.debug('a status cannot be written', { err: requestErrorText(error) })
  return false
}
