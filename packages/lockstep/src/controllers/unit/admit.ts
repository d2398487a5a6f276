/** The reads and the one write of an admission. */

import type { RequestError } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { keyOf, keyText, parseTimestampMs, type Stored, short10 } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { isOfDependency } from '../../api/blocker.ts'
import {
  type Assignment,
  bootstrapModuleKind,
  type Inventory,
  inventoryKind,
  type Module,
  moduleKind,
} from '../../api/kinds/index.ts'
import { MANAGER, PASSED_ANNOTATION } from '../../api/labels.ts'
import {
  clusterOf,
  type GatedUnit,
  type GateResult,
  gate,
  isUnitRollback,
  type ObjectObservation,
} from '../../decisions/gate/index.ts'
import {
  type ModuleRef,
  moduleEdges,
  moduleId,
  moduleText,
  objectEdges,
  objectId,
} from '../../decisions/graph/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import { admittedSpec } from '../../deliver/step/index.ts'
import type { SourceFailure } from '../../sources/intake/index.ts'
import {
  assignmentOf,
  externalAssignment,
  type LiveReads,
  observationOf,
  possibleDependents,
  publishedOf,
} from '../cache/index.ts'
import { isBoundAsRecorded } from '../publish/index.ts'
import { conflict, failed, requeueAfter, unitFields } from '../runtime/index.ts'
import { admissionEffects } from './admissioneffects.ts'
import { failureBlocker } from './boundbundle.ts'
import {
  contacted,
  newNonce,
  revisionOfUnit,
  type UnitDeps,
  type UnitScope,
  writeInventory,
} from './unitscope.ts'

type ClosedGate = Extract<GateResult, { outcome: 'Closed' }>
export type Admission =
  /** `transient`: asked again soon, without any event. */
  | { readonly type: 'closed'; readonly gate: ClosedGate; readonly transient?: boolean }
  | { readonly type: 'done'; readonly outcome: ReconcileResult }

/**
 * Own Inventory first, as the cache has it, then each dependency's Module and Inventory, live; then the swap on the first
 * one's version. Whatever changes after the reads began makes the swap fail, or is no violation: the evidence shows what
 * was open.
 */
export async function admit(
  c: UnitDeps,
  scope: UnitScope,
  record: Assignment,
  wanting: GatedUnit,
): Promise<Admission> {
  const own = c.hub.inventories.store.get(keyOf(scope.inventory))
  if (!own || isTakenBack(scope, own, record)) return { type: 'done', outcome: conflict }
  const live = await readDependencies(c, scope, wanting)
  if (!live.ok) return lost(live.error)
  const passed = await passDependants(c, wanting, live.value)
  if (passed) return { type: 'done', outcome: passed }
  const seen = observationOf(c, wanting.module.namespace, live.value)
  const published = wanting.isApart ? assignedNow(c, wanting) : publishedNow(c, wanting)
  // The module moved on meanwhile: its event brings us back with the new record.
  if (published !== wanting.published.revision) return { type: 'done', outcome: conflict }
  const result = gate(wanting, seen)
  if (result.outcome === 'Closed') {
    c.env.meters.count('lockstep_admissions_total', { result: 'closed' })
    return { type: 'closed', gate: result }
  }
  const inventory = contacted(own, scope.session)
  const effects = await admissionEffects(c, { ...scope, inventory }, record)
  if (!effects.ok) return unusable(effects.error, wanting.module, wanting.cluster)
  const spec = admittedSpec({
    spec: inventory.spec,
    record,
    gateDigest: result.gateDigest,
    evidence: result.evidence,
    ...effects.value,
    nonce: () => newNonce(c, scope),
    isDelivered: own.status?.revision !== undefined,
    isOlder: isOlder(c, wanting.module, record.revision, own.spec.admitted?.revision),
  })
  const written = await writeInventory(c, withoutMark(inventory), spec)
  c.env.meters.count('lockstep_admissions_total', { result: written.ok ? 'success' : 'conflict' })
  if (!written.ok) return lost(written.error)
  scope.memory.failures.clear()
  logAdmission(c, scope, record, own)
  return { type: 'done', outcome: requeueAfter(1) }
}

/** `own`: before the admission, with its blockers. */
function logAdmission(
  c: UnitDeps,
  { ref, cluster }: UnitScope,
  { revision }: Assignment,
  { status }: Stored<Inventory>,
): void {
  const waits = (status?.blockers ?? [])
    .filter(isOfDependency)
    .map((b) => parseTimestampMs(b.since) ?? Infinity)
  const waitedMs = Math.max(0, c.env.clock.now() - Math.min(...waits, c.env.clock.now()))
  c.env.meters.observe('lockstep_gate_wait_seconds', {}, waitedMs / 1000)
  const facts = { reason: 'DeployStarted', revision: short10(revision), took: waitedMs / 1000 }
  c.env.log.info(
    'the deployment starts: every dependency is ready',
    Object.assign(facts, unitFields(ref, cluster.name)),
  )
}

/**
 * Of a unit that goes back: touches the Inventories of all that may rely on it, so that who read it before it was
 * published at the earlier release and has still to write loses that race. What comes back is how they are. Undefined:
 * they can be judged now.
 */
async function passDependants(
  c: UnitDeps,
  wanting: GatedUnit,
  live: LiveReads,
): Promise<ReconcileResult | undefined> {
  const { module, cluster } = wanting
  const seen = observationOf(c, module.namespace, live)
  if (!isUnitRollback(wanting, seen)) return undefined
  const value = `${moduleText(module)}@${cluster} ${c.env.random.uuid()}`
  const touched = possibleDependents(c.hub, module, cluster, seen).map(async (known) => {
    const metadata = { annotations: { [PASSED_ANNOTATION]: value } }
    const done = await c.hub.own.patch<Inventory>(
      inventoryKind,
      keyOf(known),
      { metadata },
      { purpose: 'admission', manager: MANAGER, precondition: known.metadata },
    )
    if (!done.ok) return done.error.kind === 'NotFound' ? undefined : failed(done.error)
    c.hub.inventories.observeWrite(done.value)
    // What it is admitted to may be known to nobody here yet.
    const isSame = done.value.spec.admitted?.revision === known.spec.admitted?.revision
    return isSame ? undefined : conflict
  })
  return (await Promise.all(touched)).find((o) => o !== undefined)
}

/** The mark that made others decide anew says nothing about what is admitted now. */
function withoutMark(inventory: Stored<Inventory>): Stored<Inventory> {
  const { annotations = {}, ...metadata } = inventory.metadata
  const { [PASSED_ANNOTATION]: passed, ...others } = annotations
  if (passed === undefined) return inventory
  return { ...inventory, metadata: { ...metadata, annotations: others } }
}

/** By their numbers, as `kubectl rollout history` counts. What is not in the history any more is older than nothing. */
function isOlder(c: UnitDeps, ref: ModuleRef, revision: string, than: string | undefined): boolean {
  const before = than === undefined ? undefined : revisionOfUnit(c, ref, than)
  const next = revisionOfUnit(c, ref, revision)
  return before !== undefined && next !== undefined && next.number < before.number
}

/** Nothing may be admitted that cannot be delivered; that is said, and what may pass is tried again. */
export function unusable(failure: SourceFailure, module: ModuleRef, cluster: string): Admission {
  const blockers = [failureBlocker(failure, module, cluster)]
  return { type: 'closed', gate: { outcome: 'Closed', blockers }, transient: failure.transient }
}

const lost = (error: RequestError): Admission => ({
  type: 'done',
  outcome: failed(error),
})

function publishedNow(c: UnitDeps, wanting: GatedUnit): string | undefined {
  if (wanting.module.owner !== undefined) {
    const record = externalAssignment(c.hub, wanting.module, undefined)
    return record?.removal ? undefined : record?.revision
  }
  const module = c.hub.module(wanting.module)
  return module && publishedOf(c.hub, wanting.module, module)?.revision
}

/** A newer assignment comes with its event. Assignments of external controllers are read with their publication. */
const isTakenBack = ({ ref }: UnitScope, own: Stored<Inventory>, { serial }: Assignment): boolean =>
  ref.owner === undefined && assignmentOf(own)?.serial !== serial

/** Of a unit that is apart: what its record says. */
function assignedNow(c: UnitDeps, { module, cluster }: GatedUnit): string | undefined {
  const record = c.hub.assignment(module, cluster)
  return record?.apart && record.revision
}

/** Each dependency as it is now; a thing that does not exist is an answer too. */
async function readDependencies(
  c: UnitDeps,
  scope: UnitScope,
  wanting: GatedUnit,
): Promise<Result<LiveReads, RequestError>> {
  const modules = new Map<string, Stored<Module> | undefined>()
  const inventories = new Map<string, Stored<Inventory> | undefined>()
  const objects = new Map<string, ObjectObservation>()
  const { edges } = wanting.published
  const seen = observationOf(c, wanting.module.namespace)
  const units = moduleEdges(edges).map(async (edge) => {
    const { to } = edge
    const kind = to.kind === 'Module' ? moduleKind : bootstrapModuleKind
    const name = inventoryName(to, clusterOf(edge, wanting.cluster, seen))
    const inventoryKey = { namespace: to.namespace, name }
    const [module, inventory] = await Promise.all([
      c.hub.own.get<Module>(kind, to, { purpose: 'admission' }),
      c.hub.own.get<Inventory>(inventoryKind, inventoryKey, { purpose: 'admission' }),
    ])
    return (
      settle(module, (m) => modules.set(moduleId(to), m)) ??
      settle(inventory, (i) => inventories.set(keyText(inventoryKey), i))
    )
  })
  const others = objectEdges(edges).map(async ({ object }) => {
    const found = await scope.session.selections.read(object)
    if (!found.ok) return found.error
    objects.set(objectId(object), found.value)
    return undefined
  })
  const errors = (await Promise.all([...units, ...others])).filter((e) => e !== undefined)
  return errors[0] ? err(errors[0]) : ok({ modules, inventories, objects })
}

function settle<T>(
  found: Result<T, RequestError>,
  set: (value: T | undefined) => void,
): RequestError | undefined {
  if (found.ok) set(found.value)
  else if (found.error.kind === 'NotFound') set(undefined)
  else return found.error
  return undefined
}

/**
 * A unit that waits for its turn at a newer revision, and is bound to other values where it is. It relies on nothing that it
 * did not rely on: the grounds on which it was admitted stay. Undefined: nothing of that.
 */
export async function rebind(
  c: UnitDeps,
  scope: UnitScope,
  record: Assignment,
): Promise<Admission | undefined> {
  const known = scope.inventory.spec.admitted
  if (known?.revision !== record.revision || isBoundAsRecorded(known, record)) return undefined
  const own = await c.hub.own.get<Inventory>(inventoryKind, keyOf(scope.inventory), {
    purpose: 'admission',
  })
  if (!own.ok) return { type: 'done', outcome: failed(own.error) }
  c.hub.inventories.observeWrite(own.value)
  const { admitted } = own.value.spec
  if (admitted?.revision !== record.revision) return { type: 'done', outcome: requeueAfter(1) }
  const effects = await admissionEffects(c, { ...scope, inventory: own.value }, record)
  if (!effects.ok) return unusable(effects.error, scope.ref, scope.cluster.name)
  const spec = admittedSpec({
    spec: own.value.spec,
    record,
    gateDigest: admitted.gateDigest,
    evidence: admitted.evidence ?? [],
    ...effects.value,
    nonce: () => newNonce(c, scope),
    isDelivered: own.value.status?.revision !== undefined,
    isOlder: false,
  })
  const written = await writeInventory(c, own.value, spec)
  if (!written.ok) return { type: 'done', outcome: failed(written.error) }
  scope.memory.failures.clear()
  return { type: 'done', outcome: requeueAfter(1) }
}
