import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../api/blocker.ts'
import { type Assignment, type ExternalAssemblage, remoteAssemblageKind } from '../../api/kinds/index.ts'
import { MANAGED_BY_LABEL } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { externalAssignmentBlocker } from '../cache/index.ts'
import { failed, requeueAfter } from '../runtime/index.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/** Why the record of a unit cannot be delivered; undefined if it can, or if the unit is removed. */
export function externalOwnerBlocker(
  { hub }: Pick<UnitDeps, 'hub'>,
  ref: ModuleRef,
  record: Assignment | undefined,
): NewBlocker | undefined {
  const assemblage = hub.foreign.store.get({ namespace: ref.namespace, name: ref.owner ?? '' })
  return assemblage && record && !record.removal
    ? externalAssignmentBlocker(hub, assemblage, ref, record)
    : undefined
}

/** Whose it is stands on the Inventory too. */
export function externalOwnerLabel(
  { hub }: Pick<UnitDeps, 'hub'>,
  ref: ModuleRef,
): Readonly<Record<string, string>> {
  if (ref.owner === undefined) return {}
  const assemblage = hub.foreign.store.get({ namespace: ref.namespace, name: ref.owner })
  const by = assemblage?.metadata.labels?.[MANAGED_BY_LABEL]
  return by === undefined ? {} : { [MANAGED_BY_LABEL]: by }
}

/**
 * Reads the assemblage before objects are deleted because its record is gone: the cache may be stale, and an assemblage
 * that is gone requests nothing. Undefined: the unit is removed.
 */
export async function confirmUnassigned(
  c: UnitDeps,
  { ref, inventory }: Pick<UnitScope, 'ref' | 'inventory'>,
): Promise<ReconcileResult | undefined> {
  if (inventory.spec.causes?.some((x) => x.cause === 'RecordRemoved')) return undefined
  const key = { namespace: ref.namespace, name: ref.owner ?? '' }
  const now = await c.hub.own.get<ExternalAssemblage>(remoteAssemblageKind, key, { purpose: 'reread' })
  if (!now.ok) return now.error.kind === 'NotFound' ? { ok: true } : failed(now.error)
  const { metadata, spec } = now.value
  const isOurs = metadata.labels?.[MANAGED_BY_LABEL] === undefined
  const isThere = spec.syncs?.some((s) => s.kind === ref.kind && s.name === ref.name) === true
  if (!isOurs && (metadata.deletionTimestamp !== undefined || !isThere)) return undefined
  if (!isOurs) c.hub.foreign.observeWrite(now.value)
  return requeueAfter(1000)
}
