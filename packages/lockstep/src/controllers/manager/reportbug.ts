/** Reports exceptions of controllers on the objects that they concern. */

import type { Env } from '@lockstep/kube/env'
import { type Stored, timestamp } from '@lockstep/kube/object'
import { blocked, keepSince, type NewBlocker } from '../../api/blocker.ts'
import { bugText } from '../../api/bugtext.ts'
import { type Condition, mergeConditions } from '../../api/conditions.ts'
import { type ClusterResourceSet, resourceSetKinds } from '../../api/kinds/index.ts'
import { type ModuleRef, namedUnit } from '../../decisions/graph/index.ts'
import { type AddonsVersion, replaceConditions } from '../../decisions/resourceset/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { ObjectName, Request, StatusWriter } from '../runtime/index.ts'

interface BugReportDeps {
  readonly env: Pick<Env, 'clock'>
  readonly hub: HubInformers
  readonly status: StatusWriter
}

interface ReportedStatus {
  readonly blockers?: Parameters<typeof keepSince>[1]
  readonly conditions?: readonly Condition[] | undefined
}

/** Writes `InternalError` to the unit, Module, set, Pipeline or Promotion of a request. Other objects have only the log. */
export async function reportBug(
  d: BugReportDeps,
  { controller, key }: Request,
  error: unknown,
): Promise<void> {
  const facts = { error: bugText(error) }
  switch (key.type) {
    case 'Unit':
      return reportUnit(d, key.ref, key.cluster, facts)
    case 'Module':
      return reportModule(d, key.ref, facts)
    case 'Object':
      return reportObject(d, controller, key, facts)
    case 'Cluster':
      return
  }
}

type BugFacts = { readonly error: string }

async function reportUnit(
  { env, hub, status }: BugReportDeps,
  ref: ModuleRef,
  cluster: string,
  facts: BugFacts,
) {
  const inventory = hub.unit(ref, cluster)
  if (!inventory) return
  const blocker = blocked('InternalError', [namedUnit(`${ref.kind}/${ref.name}`, cluster)], facts)
  await status.update('inventories', inventory, {
    ...inventory.status,
    state: 'Failed',
    ...told(env, inventory.status, blocker),
  })
}

async function reportModule({ env, hub, status }: BugReportDeps, ref: ModuleRef, facts: BugFacts) {
  const module = hub.module(ref)
  if (!module) return
  const { namespace, name } = ref
  const blocker = blocked('InternalError', [{ kind: 'Module', namespace, name }], facts)
  const kind = ref.kind === 'BootstrapModule' ? 'bootstrapModules' : 'modules'
  await status.update(kind, module, { ...module.status, ...told(env, module.status, blocker) })
}

async function reportObject(
  { env, hub, status }: BugReportDeps,
  controller: string,
  key: ObjectName,
  facts: BugFacts,
) {
  const blockerOn = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
    blocked('InternalError', [{ kind: 'Object', ...key, object: { apiVersion, kind } }], facts)
  const pipeline = controller === 'pipeline' ? hub.pipelines.store.get(key) : undefined
  if (pipeline)
    await status.update('pipelines', pipeline, {
      ...pipeline.status,
      ...told(env, pipeline.status, blockerOn(pipeline)),
    })
  const set = controller === 'set' ? hub.sets.get(key) : undefined
  if (set) await status.update('sets', set, failedSet(env, hub, set, blockerOn(set)))
  const promotion = controller === 'promotion' ? hub.promotions.store.get(key) : undefined
  if (promotion)
    await status.update('promotions', promotion, {
      ...promotion.status!,
      ...told(env, promotion.status, blockerOn(promotion)),
    })
}

function failedSet(
  { clock }: Pick<Env, 'clock'>,
  hub: HubInformers,
  { metadata: { generation }, status }: Stored<ClusterResourceSet>,
  { reason, message }: NewBlocker,
) {
  const version = (hub.sets.kind ?? resourceSetKinds[0]!).version as AddonsVersion
  const ready = { type: 'Ready', status: 'False', reason, message, observedGeneration: generation } as const
  return replaceConditions(version, status ?? {}, [ready], timestamp(clock.now()))
}

/** The bug before all other reasons; an object that fails by a bug is not ready. */
function told({ clock }: Pick<Env, 'clock'>, status: ReportedStatus | undefined, blocker: NewBlocker) {
  const now = timestamp(clock.now())
  const others = (status?.blockers ?? []).filter((b) => b.reason !== blocker.reason).slice(0, 9)
  const conditions = (status?.conditions ?? []).map((c) =>
    c.type === 'Ready'
      ? { ...c, status: 'False' as const, reason: blocker.reason, message: blocker.message }
      : c,
  )
  return {
    blockers: [...keepSince([blocker], status?.blockers, now), ...others],
    conditions: mergeConditions(status?.conditions, conditions, now),
  }
}
