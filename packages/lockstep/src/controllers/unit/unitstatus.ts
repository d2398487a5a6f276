/** The status of an Inventory. */

import { jsonEqual, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, keepSince, type NewBlocker } from '../../api/blocker.ts'
import {
  CHECK_OVERDUE,
  DRIFT_DETECTED,
  DRIFT_DETECTION,
  mergeConditions,
  type NewCondition,
  RESTORE_DETECTION,
} from '../../api/conditions.ts'
import type { Inventory, InventoryStatus } from '../../api/kinds/index.ts'
import { type Drift, driftFact } from '../../deliver/drift/index.ts'
import { refOfInventory, unitName } from '../../deliver/plan/index.ts'
import {
  objectWaitRef,
  redactMessages,
  type StampMemory,
  type UnitHealth,
  type UnitMemory,
} from '../../deliver/state/index.ts'
import { stampKey } from '../../deliver/step/index.ts'
import { refusal, refusalBlocker } from '../../deliver/write/index.ts'
import { isNewlyReady, requeueAfter, unitEvents, unitLines } from '../runtime/index.ts'
import { recordDeliveredEvents } from './deliveredevents.ts'
import { handoverConditions } from './handover/handoverconditions.ts'
import { stamp } from './stamp.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope } from './unitscope.ts'

export interface UnitReport {
  readonly state: string
  /** Undefined: nothing can be said of what is admitted; what was said before stays. */
  readonly health: UnitHealth | undefined
  readonly blockers: readonly NewBlocker[]
  /** What was said of its health before does not hold: nothing is known of what is there. */
  readonly disowned?: boolean
  readonly contentDigest?: string
  /** Of the waves that others ask for: before which everything is done. */
  readonly doneBeforeWave?: number | undefined
  /** Everything admitted is applied, healthy, and what it no longer contains is gone. */
  readonly delivered?: boolean
  /** What others have done to it, and is there still. */
  readonly drifts?: readonly Drift[]
  /** Objects that other units took over, by the label of the unit. */
  readonly handedOver?: readonly string[]
  /** What of that was put right last by this process. */
  readonly repaired?: UnitMemory['repaired']
  /** Kinds that may not be watched, and how often they are listed. */
  readonly polled?: { readonly kinds: readonly string[]; readonly every: string; readonly overdue?: string }
  /** Absent: not looked at by this process; what was said before stays. */
  readonly stamp?: StampMemory | undefined
}

/** Progress is written at most once in so long on an idle hub; an end, a failure, a reason at once. */
const PROGRESS_MS = 1000

/** What a person has to end is looked at again after so long without any event. */
const LOOK_AGAIN_MS = 5 * 60_000

/** Writes only what differs. Returns when to look again, if progress was held back. */
export async function writeUnitStatus(
  c: UnitDeps,
  scope: UnitScope,
  report: UnitReport,
): Promise<ReconcileResult> {
  const { inventory, memory } = scope
  const said = inventoryStatus(scope, { ...report, stamp: memory.stamp }, timestamp(c.env.clock.now()))
  const status = redactMessages(said, memory.hidden)
  if (jsonEqual(status, inventory.status)) return { ok: true }
  const now = c.env.clock.steady()
  const isProgress =
    isUnderWay(report) &&
    inventory.status?.health !== 'Failed' &&
    // Healthy before and now: only what is pruned is left.
    (inventory.status?.health !== 'Healthy' ||
      report.health?.health === 'Healthy' ||
      isOfEarlierAdmission(inventory) ||
      report.state === 'Removing') &&
    // What others rely on is taken back at once.
    waveOf(status) >= waveOf(inventory.status)
  const progressMs = PROGRESS_MS * c.status.patience
  const left = memory.lastStatusAt + progressMs - now
  if (isProgress && left > 0) return requeueAfter(left)
  if (isProgress && now - memory.lastWriteAt < progressMs) return requeueAfter(progressMs)
  return write(c, inventory, status, memory)
}

/** Nothing is refused: the next steps need no person. */
const isUnderWay = ({ state, blockers }: UnitReport): boolean =>
  state === 'Delivering' || (state === 'Removing' && blockers.every((b) => b.reason === 'FinalizerPending'))

/** Its health is evidence for no dependent any more. */
const isOfEarlierAdmission = ({ spec, status }: UnitScope['inventory']): boolean =>
  status?.admittedSerial !== spec.admitted?.serial

const waveOf = (status: InventoryStatus | undefined): number =>
  status?.doneBeforeWave ?? Number.NEGATIVE_INFINITY

async function write(
  c: UnitDeps,
  inventory: UnitScope['inventory'],
  status: InventoryStatus,
  memory: UnitMemory,
): Promise<ReconcileResult> {
  const written = await c.status.update('inventories', inventory, status, {
    events: unitEvents,
    lines: unitLines,
  })
  if (written.error) return written
  memory.lastStatusAt = c.env.clock.steady()
  if (isNewlyReady(inventory.status, status)) observeReady(c, inventory, status)
  recordDeliveredEvents(c, inventory, status, memory.episode)
  return written
}

function observeReady(
  c: UnitDeps,
  inventory: UnitScope['inventory'],
  { revision = '' }: InventoryStatus,
): void {
  const record = revisionOfUnit(c, refOfInventory(inventory), revision)
  if (!record) return
  const seconds = Math.max(0, (c.env.clock.now() - record.publishedAt) / 1000)
  c.env.meters.observe('lockstep_revision_to_healthy_seconds', {}, seconds)
}

/** Nothing may be written to the cluster until a person has decided; looked at again from time to time. */
export async function reportHeld(
  c: UnitDeps,
  scope: UnitScope,
  blocker: NewBlocker,
): Promise<ReconcileResult> {
  const said = await writeUnitStatus(c, scope, {
    state: 'Failed',
    health: undefined,
    disowned: true,
    blockers: [blocker],
  })
  return said.ok ? requeueAfter(said.requeueAfterMs ?? LOOK_AGAIN_MS) : said
}

/** Before the first write to the cluster (`stamp`). Undefined: it may be written to; else the status says why not. */
export async function stampFirst(
  c: UnitDeps,
  scope: UnitScope,
  contentDigest: string | undefined,
): Promise<ReconcileResult | undefined> {
  const done = await stamp(c, scope, contentDigest)
  if (done.type === 'go') return undefined
  if (done.type === 'held') return reportHeld(c, scope, done.blocker)
  if (!done.error) return done.outcome
  const ref = { group: '', kind: 'ConfigMap', ...stampKey(scope.label) }
  const blockers = [refusalBlocker(refusal(done.error, { ref, cluster: scope.cluster.name }))]
  const state = contentDigest === undefined ? 'Removing' : 'Delivering'
  const said = await writeUnitStatus(c, scope, { state, health: undefined, blockers })
  return said.ok ? done.outcome : said
}

/** Only what others have changed; everything else stays as it was said. */
export async function writeDrift(
  c: UnitDeps,
  scope: UnitScope,
  drifts: readonly Drift[],
): Promise<ReconcileResult> {
  const { inventory, memory } = scope
  const old = inventory.status
  const others = (old?.conditions ?? []).filter((x) => x.type !== DRIFT_DETECTED)
  const polling = others.filter((x) => x.type === DRIFT_DETECTION)
  const found = driftConditions({ state: '', health: undefined, blockers: [], drifts }, undefined, inventory)
  const next = [...others.filter((x) => !polling.includes(x)), ...found, ...polling]
  const merged = mergeConditions(old?.conditions, next, timestamp(c.env.clock.now()))
  const conditions = redactMessages(merged, memory.hidden)
  if (jsonEqual(conditions, old?.conditions ?? [])) return { ok: true }
  return write(c, inventory, { ...old, conditions }, memory)
}

export function inventoryStatus(
  scope: Pick<UnitScope, 'inventory' | 'record'>,
  report: UnitReport,
  now: string,
): InventoryStatus {
  const { inventory, record } = scope
  const old = inventory.status
  const { admitted } = inventory.spec
  const { health } = report
  const isReady = report.state === 'Ready'
  const message = isReady
    ? `${health?.objects.ready ?? 0} objects ready`
    : (report.blockers[0]?.message ?? report.state)
  const reason = isReady ? 'Ready' : (report.blockers[0]?.reason ?? report.state)
  const condition = (type: string, holds: boolean, text: string) => ({
    type,
    status: holds ? ('True' as const) : ('False' as const),
    reason,
    message: text.slice(0, 30_000),
  })
  const isFailed = report.state === 'Failed'
  return {
    ...kept(old),
    ...(health && admitted ? healthStatus(health, admitted, report, old) : {}),
    ...(report.disowned && admitted
      ? {
          admittedSerial: admitted.serial,
          health: 'Progressing' as const,
          verifiedGateDigest: undefined,
          doneBeforeWave: undefined,
        }
      : {}),
    ...lastDriftOf(report),
    ...(record ? { observedSerial: record.serial } : {}),
    state: report.state,
    ...(report.blockers.length > 0
      ? {
          blockers: keepSince(report.blockers.slice(0, 10), old?.blockers, now),
        }
      : {}),
    conditions: mergeConditions(
      old?.conditions,
      [
        condition('Ready', isReady, message),
        condition('Reconciling', !isReady && !isFailed, isReady || isFailed ? '' : message),
        condition('Stalled', isFailed, isFailed ? message : ''),
        ...restoreConditions(report, old, inventory),
        ...driftConditions(report, old, inventory),
        ...handoverConditions(report, old, inventory),
      ],
      now,
    ),
  }
}

/** A warning: there only where it holds. A report that says nothing of it leaves what was said before. */
function driftConditions(
  { drifts, polled }: UnitReport,
  old: InventoryStatus | undefined,
  { spec }: Inventory,
): NewCondition[] {
  if (!drifts)
    return (old?.conditions ?? []).filter((c) => c.type === DRIFT_DETECTED || c.type === DRIFT_DETECTION)
  const warning = (type: string, reason: string, message: string): NewCondition => ({
    type,
    status: 'True',
    reason,
    message: message.slice(0, 30_000),
  })
  const kinds = polled?.kinds.join(', ')
  const drift = driftFact(drifts, spec.clusterRef.name)
  const polling = polled?.overdue
    ? ({ ...warning(DRIFT_DETECTION, CHECK_OVERDUE, polled.overdue), status: 'Unknown' } as const)
    : warning(DRIFT_DETECTION, 'Polling', `${kinds}: may not be watched, listed each ${polled?.every}`)
  return [
    ...(drift ? [warning(DRIFT_DETECTED, drift.reason, drift.message)] : []),
    ...(kinds ? [polling] : []),
  ]
}

/** A warning too. */
function restoreConditions(
  { stamp }: UnitReport,
  old: InventoryStatus | undefined,
  inventory: Inventory,
): NewCondition[] {
  if (!stamp) return (old?.conditions ?? []).filter((c) => c.type === RESTORE_DETECTION)
  if (stamp.refused === undefined) return []
  const key = {
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    ...stampKey(unitName(refOfInventory(inventory))),
  }
  const on = objectWaitRef(key, inventory.spec.clusterRef.name)
  const { reason, message } = blocked('Forbidden', [on], { action: 'Stamp', error: stamp.refused })
  return [{ type: RESTORE_DETECTION, status: 'False', reason, message: message.slice(0, 30_000) }]
}

function lastDriftOf({ repaired }: UnitReport): Pick<InventoryStatus, 'lastDrift'> {
  return repaired ? { lastDrift: { at: timestamp(repaired.at), message: repaired.message } } : {}
}

/** What a later report does not contradict. */
function kept(old: InventoryStatus | undefined): InventoryStatus {
  if (!old) return {}
  const { blockers: _blockers, conditions: _conditions, ...rest } = old
  return rest
}

function healthStatus(
  health: UnitHealth,
  admitted: NonNullable<UnitScope['inventory']['spec']['admitted']>,
  report: UnitReport,
  old: InventoryStatus | undefined,
): InventoryStatus {
  return {
    admittedSerial: admitted.serial,
    health: health.health,
    objects: { ...health.objects },
    ready: `${health.objects.ready}/${health.objects.total}`,
    doneBeforeWave: report.doneBeforeWave,
    ...(report.delivered
      ? {
          revision: admitted.revision,
          verifiedGateDigest: admitted.gateDigest,
          ...(report.contentDigest ? { contentDigest: report.contentDigest } : {}),
        }
      : old?.verifiedGateDigest === admitted.gateDigest
        ? {}
        : { verifiedGateDigest: undefined }),
  }
}
