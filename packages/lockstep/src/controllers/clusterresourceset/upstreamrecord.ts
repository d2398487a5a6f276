/** What Cluster API's controller has applied to a cluster, as its binding says: read once, before the first write. */
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { namespaceKind } from '../../../../kube/src/kinds/types.ts'
import type { SetSourceRecord } from '../../api/kinds/inventory/spec.ts'
import { type BindingResource, resourceSetBindingKinds } from '../../api/kinds/clusterresourceset/spec.ts'
import type { Inventory } from '../../api/registry.ts'
import { bindingEntryOf } from '../../decisions/resourceset/bindingentry.ts'
import { entryCounts } from '../../decisions/resourceset/handshakedecision.ts'
import type { ClusterView } from '../../fleet/clusters/cluster.ts'
import type { ClusterSession } from '../../fleet/connection/session.ts'
import type { ReconcileResult } from '../../../../kube/src/workqueue/workqueue.ts'
import { parseTimestampMs, timestamp } from '../../../../kube/src/object/index.ts'
import type { ControllerContext } from '../cache/context.ts'
import { failedWrite } from '../runtime/writeconflict.ts'
import { writeInventory } from '../unit/unitscope.ts'

/** Undefined: it is written down already. */
export async function readUpstreamRecord(
  c: ControllerContext,
  { cluster, session }: { readonly cluster: ClusterView; readonly session: ClusterSession },
  inventory: Stored<Inventory>,
): Promise<ReconcileResult | undefined> {
  if (inventory.spec.set?.takenOver !== undefined) return undefined
  const { namespace = '' } = inventory.metadata
  const kind = c.hub.setBindings.kind ?? resourceSetBindingKinds[0]!
  const key = { namespace, name: cluster.objectName }
  // From the server itself: a cache may not have the last that Cluster API wrote.
  const binding = await c.hub.client.get(kind, key, { why: 'reread' })
  if (!binding.ok && binding.error.kind !== 'NotFound') return failedWrite(c, binding.error, 'hub read')
  const entry = binding.ok ? bindingEntryOf(binding.value, inventory.spec.moduleRef.name) : undefined
  const entries = entry?.resources ?? []
  const since = entries.length > 0 ? await createdMs(session) : 0
  if (since === undefined) return { ok: false }
  const sources = entries.map((e) => (entryCounts(e, since) ? recordOf(e) : unappliedSource(e)))
  const takenOver = timestamp(c.env.clock.now())
  const set = { ...(sources.length > 0 ? { sources } : {}), takenOver }
  const done = await writeInventory(c, inventory, { ...inventory.spec, set })
  return done.ok ? { ok: true, afterMs: 1 } : failedWrite(c, done.error)
}

const recordOf = ({ kind, name, hash, lastAppliedTime, applied }: BindingResource): SetSourceRecord => ({
  ...{ kind, name, hash: hash ?? '', applied, upstream: hash ?? '' },
  ...(lastAppliedTime === undefined ? {} : { lastAppliedTime }),
})

/** Of an earlier cluster of that name: nothing of it is there, which the binding has to say, too. */
export const unappliedSource = ({
  kind,
  name,
  reapply,
}: Pick<SetSourceRecord, 'kind' | 'name' | 'reapply'>): SetSourceRecord => ({
  ...{ kind, name, hash: '', applied: false },
  ...(reapply === undefined ? {} : { reapply }),
})

/** When the cluster that is there now was made; undefined: it cannot be asked just now. */
async function createdMs({ client }: ClusterSession): Promise<number | undefined> {
  const found = await client.get(namespaceKind, { name: 'kube-system' }, { why: 'reread' })
  const at = found.ok ? found.value.metadata.creationTimestamp : undefined
  return at === undefined ? undefined : parseTimestampMs(at)
}
