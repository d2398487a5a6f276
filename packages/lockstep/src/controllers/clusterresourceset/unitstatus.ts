/** What the Inventory of a ClusterResourceSet says of one cluster. */

import { type ObjectReference, refText, type Stored, timestamp } from '@lockstep/kube/object'
import { blocked, keepSince, type NewBlocker } from '../../api/blocker.ts'
import { mergeConditions } from '../../api/conditions.ts'
import type { Inventory, InventoryStatus, ResourceSetSourceRef } from '../../api/kinds/index.ts'
import type { WaitRef } from '../../api/reasons/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { StatusResult } from '../runtime/index.ts'
import type { SetDeps } from './setdeps.ts'

/** Nothing but a change of what is asked ends these: they are not tried again before. */
export const FINAL: ReadonlySet<string> = new Set(['ImmutableField', 'InvalidObject', 'ReplaceRefused'])

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
export function sourceOf(on: readonly WaitRef[] = []): ResourceSetSourceRef | undefined {
  const ref = on.findLast((r) => r.kind === 'Object' && r.cluster === undefined)
  return ref?.object && { kind: ref.object.kind as ResourceSetSourceRef['kind'], name: ref.name }
}

/** Of what could not be written in the last look; nothing is written where that says the same. */
export const sayUnit = (
  { status, env }: Pick<SetDeps, 'status' | 'env'>,
  inventory: Stored<Inventory>,
  failures: readonly NewBlocker[],
): Promise<StatusResult<Inventory>> =>
  status.update('inventories', inventory, statusAfter(inventory, failures, timestamp(env.clock.now())))

function statusAfter(
  inventory: Stored<Inventory>,
  failures: readonly NewBlocker[],
  now: string,
): InventoryStatus {
  const { generation = 0 } = inventory.metadata
  const sources = inventory.spec.set?.sources ?? []
  const applied = sources.filter((s) => s.applied).length
  const [first] = failures
  const shown = keepSince(failures.slice(0, MOST_BLOCKERS), inventory.status?.blockers, now)
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
