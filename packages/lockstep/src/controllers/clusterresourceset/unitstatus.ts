/** What the Inventory of a ClusterResourceSet says of one cluster. */

import { jsonEqual, type ObjectReference, refText, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { type Blocker, blocked, keepSince, type NewBlocker } from '../../api/blocker.ts'
import { mergeConditions } from '../../api/conditions.ts'
import {
  type Inventory,
  type InventoryStatus,
  inventoryKind,
  type ResourceSetSourceRef,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ControllerContext } from '../cache/index.ts'
import { failedWrite } from '../runtime/index.ts'

/** Nothing but a change of what is asked ends these: they are not tried again before. */
export const FINAL: ReadonlySet<string> = new Set(['ImmutableField', 'InvalidObject'])

/** A status holds at most so many. */
const MOST_BLOCKERS = 10

/** Fields that Cluster API may have set, and that the first content of Lockstep does not have. */
export const remainingFields = (
  cluster: Pick<ClusterView, 'name' | 'namespace'>,
  source: string,
  objects: readonly ObjectReference[],
): NewBlocker =>
  blocked('FieldsMayRemain', [{ kind: 'Cluster', name: cluster.name, namespace: cluster.namespace }], {
    source,
    objects: objects.slice(0, MOST_BLOCKERS).map(refText),
    count: objects.length,
  })

/** The source of a set that a blocker of its unit refers to: the last of its objects. */
export function sourceOf(on: NewBlocker['on']): ResourceSetSourceRef | undefined {
  const ref = on?.findLast((r) => r.kind === 'Object' && r.cluster === undefined)
  return ref?.object && { kind: ref.object.kind as ResourceSetSourceRef['kind'], name: ref.name }
}

/** Of what could not be written in the last look; nothing is written where that says the same. */
export async function sayUnit(
  c: ControllerContext,
  inventory: Stored<Inventory>,
  failures: readonly NewBlocker[],
): Promise<ReconcileResult> {
  const status = statusAfter(inventory, failures, timestamp(c.env.clock.now()))
  if (jsonEqual(status, inventory.status)) return { ok: true }
  const done = await c.hub.client.update(
    inventoryKind,
    { ...inventory, status },
    { purpose: 'status', manager: MANAGER, subresource: 'status' },
  )
  if (!done.ok) return failedWrite(c, done.error)
  c.hub.inventories.observeWrite(done.value)
  return { ok: true }
}

function statusAfter(
  inventory: Stored<Inventory>,
  failures: readonly NewBlocker[],
  now: string,
): InventoryStatus {
  const { generation = 0 } = inventory.metadata
  const sources = inventory.spec.set?.sources ?? []
  const applied = sources.filter((s) => s.applied).length
  const [first] = failures
  const shown = keepSince(
    failures.slice(0, MOST_BLOCKERS),
    inventory.status?.blockers as readonly Blocker[] | undefined,
    now,
  )
  const message = first ? first.message : `${applied} of ${sources.length} sources applied`
  return {
    observedGeneration: generation,
    state: first ? 'Failed' : 'Ready',
    health: first ? 'Failed' : 'Healthy',
    ready: `${applied}/${sources.length}`,
    ...(shown.length > 0 ? { blockers: shown } : {}),
    conditions: mergeConditions(
      inventory.status?.conditions,
      [
        {
          type: 'Ready',
          status: first ? 'False' : 'True',
          reason: first ? first.reason : 'Applied',
          message,
          observedGeneration: generation,
        },
      ],
      now,
    ),
  }
}
