/**
 * A deleted ClusterResourceSet: what it has applied stays on the clusters, its entries go from every binding, its sources
 * survive, then it goes itself. Cluster API stops at the first cluster without a binding, and leaves entries of clusters
 * that are not selected any more.
 */

import { listAll, type RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { accountOfSet } from '../../api/account.ts'
import {
  type ClusterResourceSet,
  DELETE_FOR_MOVE,
  type ResourceSetSourceRef,
  resourceSetBindingKinds,
  SET_FINALIZER,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import {
  hasNoEntries,
  ownersOnDeletion,
  settingsOf,
  withoutBindingEntry,
} from '../../decisions/resourceset/index.ts'
import { setInventories } from '../cache/index.ts'
import { dropInventory } from '../gc/index.ts'
import { done, failed, hasFinalizer, removeFinalizer } from '../runtime/index.ts'
import { abandonCompanion, companionModuleOf, removeCompanion } from './companionmodule.ts'
import { updateDeletionStatus } from './deletionstatus.ts'
import { type SetDeps, setTarget } from './setdeps.ts'
import { sourceKind, updateSourceOwners } from './sourceowners.ts'

export async function reconcileSetDeletion(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult> {
  if (!hasFinalizer(set, SET_FINALIZER)) return done
  // `clusterctl move` has copied everything: what is here goes as it is.
  const isMoved = Object.hasOwn(set.metadata.annotations ?? {}, DELETE_FOR_MOVE)
  const policy = deletionPolicyOf(c, set)
  const gone = await (isMoved ? abandonCompanion(c, set) : removeCompanion(c, set, policy))
  if (gone) return (isMoved ? undefined : await updateDeletionStatus(c, set, policy)) ?? gone
  const left = isMoved ? undefined : ((await leaveBindings(c, set)) ?? (await leaveSources(c, set)))
  return left ?? (await leaveInventories(c, set)) ?? removeFinalizer(setTarget(c), set, SET_FINALIZER)
}

/** As it says now; where that cannot be read, as it said last. */
const deletionPolicyOf = (c: SetDeps, set: Stored<ClusterResourceSet>): 'Orphan' | 'Delete' =>
  settingsOf(set).settings?.deletionPolicy ??
  companionModuleOf(c.hub, set)?.spec.apply.deletionPolicy ??
  'Orphan'

/** Undefined: nothing is left to be done. */
type Left = Promise<ReconcileResult | undefined>

async function leaveBindings(c: SetDeps, { metadata }: Stored<ClusterResourceSet>): Left {
  const kind = c.hub.setBindings.kind ?? resourceSetBindingKinds[0]!
  const write = { purpose: 'record', manager: MANAGER } as const
  for (const binding of [...c.hub.setBindings.all()]) {
    if (binding.metadata.namespace !== metadata.namespace) continue
    const wanted = withoutBindingEntry(binding, metadata.name)
    if (wanted === binding) continue
    const { uid, resourceVersion } = binding.metadata
    if (hasNoEntries(wanted)) {
      const gone = await c.hub.own.delete(kind, keyOf(binding), {
        ...write,
        precondition: { uid, resourceVersion },
      })
      if (!gone.ok && gone.error.kind !== 'NotFound') return failed(gone.error)
      continue
    }
    const done = await c.hub.own.update(kind, wanted as typeof binding, write)
    if (!done.ok) return failed(done.error)
    c.hub.setBindings.observeWrite(done.value)
  }
  return undefined
}

/**
 * As the hub has them: a cache may not have what was written to them last. Also those that are none of it any more: whatever
 * it still owns would be collected with it.
 */
async function leaveSources(c: SetDeps, set: Stored<ClusterResourceSet>): Left {
  // Who deletes what it owns first (`--cascade=foreground`) means them too; it would be chance which of us is faster.
  if (hasFinalizer(set, FOREGROUND)) return undefined
  for (const kind of ['ConfigMap', 'Secret'] as const) {
    const owned = await ownedSources(c, kind, set)
    if (!owned.ok) return failed(owned.error, 'hub read')
    for (const source of owned.value) {
      const done = await updateSourceOwners(
        c,
        set,
        source,
        ownersOnDeletion(source.metadata, set.metadata.name),
      )
      if (!done.ok) return done
    }
  }
  return undefined
}

/** Of the garbage collector: it deletes what the object owns before the object. */
const FOREGROUND = 'foregroundDeletion'

/** Of the namespace, by their metadata alone: those that refer to the set, and do not ask to go with it. */
async function ownedSources(
  c: SetDeps,
  kind: ResourceSetSourceRef['kind'],
  set: Stored<ClusterResourceSet>,
): Promise<Result<Stored[], RequestError>> {
  const { namespace = '', name } = set.metadata
  const inputs = c.hub.inputs(accountOfSet(set))
  const found = await listAll(inputs, sourceKind(kind), { namespace, fields: 'metadata', purpose: 'reread' })
  if (!found.ok) return found
  return ok(
    found.value.flatMap(({ metadata }): Stored[] =>
      ownersOnDeletion(metadata, name) === metadata.ownerReferences
        ? []
        : [{ apiVersion: 'v1', kind, metadata }],
    ),
  )
}

async function leaveInventories(c: SetDeps, set: Stored<ClusterResourceSet>): Left {
  const done = await Promise.all(setInventories(c.hub, set).map((i) => dropInventory(c, i)))
  return done.find((o) => !o.ok)
}
