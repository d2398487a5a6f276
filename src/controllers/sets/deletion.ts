/**
 * A deleted ClusterResourceSet: what it has applied stays on the clusters, its entries go from every binding, its sources
 * survive, then it goes itself. Cluster API stops at the first cluster without a binding, and leaves entries of clusters
 * that are not selected any more.
 */
import type { Stored } from '../../api/kind.ts'
import {
  type ClusterResourceSet,
  DELETE_FOR_MOVE,
  resourceSetBindingKinds,
  resourceSetKinds,
  SET_FINALIZER,
  type SourceRef,
} from '../../api/kinds/resourceset.ts'
import { MANAGER } from '../../api/labels.ts'
import { hasNoEntries, withoutEntry } from '../../core/resourceset/binding.ts'
import { settingsOf } from '../../core/resourceset/settings.ts'
import { ownersOnDeletion } from '../../core/resourceset/sourceowners.ts'
import type { Outcome } from '../../kube/queue.ts'
import { keyOf } from '../../object/object.ts'
import type { Context } from '../context.ts'
import { dropInventory } from '../dropinventory.ts'
import { failedWrite } from '../failedwrite.ts'
import { abandonCompanion, companionOf, leaveCompanion, outOfReach } from './companion.ts'
import { sayLeaving } from './leavingstatus.ts'
import { sourceKind, writeOwners } from './owners.ts'
import { inventoriesOf } from './plan.ts'

export async function leaveSet(c: Context, set: Stored<ClusterResourceSet>): Promise<Outcome> {
  if (!set.metadata.finalizers?.includes(SET_FINALIZER)) return { ok: true }
  // `clusterctl move` has copied everything: what is here goes as it is.
  const isMoved = Object.hasOwn(set.metadata.annotations ?? {}, DELETE_FOR_MOVE)
  const policy = deletionPolicyOf(c, set)
  const gone = await (isMoved ? abandonCompanion(c, set) : leaveCompanion(c, set, policy))
  if (gone) return (isMoved ? undefined : await sayLeaving(c, set, unreachableFor(c, set, policy))) ?? gone
  const left = isMoved ? undefined : ((await leaveBindings(c, set)) ?? (await leaveSources(c, set)))
  return left ?? (await leaveInventories(c, set)) ?? dropFinalizer(c, set)
}

/** Clusters without which its objects cannot be deleted. */
const unreachableFor = (
  c: Context,
  set: Stored<ClusterResourceSet>,
  policy: 'Orphan' | 'Delete',
): string[] => (policy === 'Delete' ? outOfReach(c, set) : [])

/** As it says now; where that cannot be read, as it said last. */
const deletionPolicyOf = (c: Context, set: Stored<ClusterResourceSet>): 'Orphan' | 'Delete' =>
  settingsOf(set).settings?.deletionPolicy ?? companionOf(c.hub, set)?.spec.apply.deletionPolicy ?? 'Orphan'

/** Undefined: nothing is left to be done. */
type Left = Promise<Outcome | undefined>

async function leaveBindings(c: Context, { metadata }: Stored<ClusterResourceSet>): Left {
  const kind = c.hub.setBindings.kind ?? resourceSetBindingKinds[0]!
  const write = { why: 'record', manager: MANAGER } as const
  for (const binding of [...c.hub.setBindings.all()]) {
    if (binding.metadata.namespace !== metadata.namespace) continue
    const wanted = withoutEntry(binding, metadata.name)
    if (wanted === binding) continue
    const { uid, resourceVersion } = binding.metadata
    if (hasNoEntries(wanted)) {
      const gone = await c.hub.client.delete(kind, keyOf(binding), {
        ...write,
        fence: { uid, resourceVersion },
      })
      if (!gone.ok && gone.error.kind !== 'NotFound') return failedWrite(c, gone.error)
      continue
    }
    const done = await c.hub.client.replace(kind, wanted as typeof binding, write)
    if (!done.ok) return failedWrite(c, done.error)
    c.hub.setBindings.wrote(done.value)
  }
  return undefined
}

/** As the hub has them, also those that are none of it any more: a cache may not have what was written to them last. */
async function leaveSources(c: Context, set: Stored<ClusterResourceSet>): Left {
  const { namespace = '', name: setName } = set.metadata
  for (const { kind, name } of everySource(c, set)) {
    const found = await c.hub.client.get(sourceKind(kind), { namespace, name }, { why: 'reread' })
    if (!found.ok && found.error.kind === 'NotFound') continue
    if (!found.ok) return failedWrite(c, found.error, 'hub read')
    const owners = ownersOnDeletion(found.value.metadata, setName)
    if (owners === found.value.metadata.ownerReferences) continue
    const done = await writeOwners(c, { ...found.value, kind }, owners)
    if (!done.ok) return done
  }
  return undefined
}

/** Those that it names, and those that it has delivered somewhere; each once. */
function everySource(c: Context, set: Stored<ClusterResourceSet>): Iterable<SourceRef> {
  const recorded = inventoriesOf(c.hub, set).flatMap((i) => i.spec.set?.sources ?? [])
  const all = [...(set.spec.resources ?? []), ...recorded]
  return new Map(all.map((s) => [`${s.kind} ${s.name}`, s])).values()
}

async function leaveInventories(c: Context, set: Stored<ClusterResourceSet>): Left {
  const done = await Promise.all(inventoriesOf(c.hub, set).map((i) => dropInventory(c, i)))
  return done.find((o) => !o.ok)
}

async function dropFinalizer(c: Context, set: Stored<ClusterResourceSet>): Promise<Outcome> {
  const { uid, resourceVersion, finalizers = [] } = set.metadata
  const patch = { metadata: { finalizers: finalizers.filter((f) => f !== SET_FINALIZER) } }
  const done = await c.hub.client.patch(c.hub.sets.kind ?? resourceSetKinds[0]!, keyOf(set), patch, {
    why: 'status',
    manager: MANAGER,
    fence: { uid, resourceVersion },
  })
  return done.ok || done.error.kind === 'NotFound' ? { ok: true } : failedWrite(c, done.error)
}
