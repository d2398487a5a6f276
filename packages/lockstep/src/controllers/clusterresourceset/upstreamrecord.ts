/** What Cluster API's controller has applied to a cluster, as its binding says: read once, before the first write. */

import { namespaceKind } from '@lockstep/kube/kinds'
import { parseTimestampMs, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import {
  type BindingResource,
  type Inventory,
  resourceSetBindingKinds,
  type SetSourceRecord,
} from '../../api/kinds/index.ts'
import { bindingEntryOf, entryCounts } from '../../decisions/resourceset/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import { failed, requeueAfter } from '../runtime/index.ts'
import { writeInventory } from '../unit/index.ts'
import type { SetDeps } from './setdeps.ts'

/** Undefined: it is written down already. */
export async function readUpstreamRecord(
  c: SetDeps,
  { cluster, session }: { readonly cluster: ClusterView; readonly session: ClusterSession },
  inventory: Stored<Inventory>,
): Promise<ReconcileResult | undefined> {
  if (inventory.spec.set?.takenOver !== undefined) return undefined
  const { namespace = '' } = inventory.metadata
  const kind = c.hub.setBindings.kind ?? resourceSetBindingKinds[0]!
  const key = { namespace, name: cluster.objectName }
  // From the server itself: a cache may not have the last that Cluster API wrote.
  const binding = await c.hub.own.get(kind, key, { purpose: 'reread' })
  if (!binding.ok && binding.error.kind !== 'NotFound') return failed(binding.error, 'hub read')
  const entry = binding.ok ? bindingEntryOf(binding.value, inventory.spec.moduleRef.name) : undefined
  const entries = entry?.resources ?? []
  const since = entries.length > 0 ? await createdMs(session) : 0
  if (since === undefined) return { ok: false }
  const sources = entries.map((e) => (entryCounts(e, since) ? recordOf(e) : unappliedSource(e)))
  const takenOver = timestamp(c.env.clock.now())
  const set = { ...(sources.length > 0 ? { sources } : {}), takenOver }
  const done = await writeInventory(c, inventory, { ...inventory.spec, set })
  return done.ok ? requeueAfter(1) : failed(done.error)
}

const recordOf = ({ kind, name, hash, lastAppliedTime, applied }: BindingResource): SetSourceRecord => ({
  kind,
  name,
  hash: hash ?? '',
  applied,
  upstream: hash ?? '',
  ...(lastAppliedTime === undefined ? {} : { lastAppliedTime }),
})

/** Of an earlier cluster of that name: nothing of it is there, which the binding has to say, too. */
export const unappliedSource = ({
  kind,
  name,
  reapply,
}: Pick<SetSourceRecord, 'kind' | 'name' | 'reapply'>): SetSourceRecord => ({
  kind,
  name,
  hash: '',
  applied: false,
  ...(reapply === undefined ? {} : { reapply }),
})

/** When the cluster that is there now was made; undefined: it cannot be asked just now. */
async function createdMs({ client }: ClusterSession): Promise<number | undefined> {
  const found = await client.get(namespaceKind, { name: 'kube-system' }, { purpose: 'reread' })
  const at = found.ok ? found.value.metadata.creationTimestamp : undefined
  return at === undefined ? undefined : parseTimestampMs(at)
}
