/** What is said of a ClusterResourceSet while its Module goes: with the set, or because it is not Continuous, or not ours, any more. */
import { type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { type ClusterResourceSet, resourceSetKinds } from '../../api/kinds/index.ts'
import {
  type AddonsVersion,
  conditionIn,
  deletionConditions,
  MANAGED,
  replaceConditions,
  setMessage,
  UNREACHABLE,
} from '../../decisions/resourceset/index.ts'
import { requeueAfter } from '../runtime/index.ts'
import { setWordsOf } from '../unit/index.ts'
import { companionModuleOf } from './companionmodule.ts'
import type { SetDeps } from './setdeps.ts'

/**
 * Why its Module does not go. `unreachable`: clusters that keep it from that. Undefined: nothing new, or nothing that anybody
 * has to do something about.
 */
export async function updateDeletionStatus(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  unreachable: readonly string[],
): Promise<ReconcileResult | undefined> {
  const kind = c.hub.sets.kind ?? resourceSetKinds[0]!
  const version = kind.version as AddonsVersion
  const held = deletionHeldBy(c, set)
  const said = conditionIn(version, set.status, 'Ready')?.reason ?? ''
  const isNews = unreachable.length > 0 || held !== undefined || said === UNREACHABLE || HELD.has(said)
  if (!set.status || !isNews) return undefined
  const conditions = deletionConditions(unreachable, held, set.metadata.generation ?? 0)
  const status = replaceConditions(version, set.status, conditions, timestamp(c.env.clock.now()))
  if (status === set.status) return undefined
  const written = await c.status.update('sets', set, status)
  return written.error ? written : requeueAfter(1)
}

/** Nothing is done about it by us, nor by Cluster API, until somebody does something. */
export async function reportUnmanaged(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  reason: string,
  message: string,
): Promise<ReconcileResult> {
  const kind = c.hub.sets.kind ?? resourceSetKinds[0]!
  const { generation: observedGeneration = 0 } = set.metadata
  const said = { status: 'False', reason, message, observedGeneration } as const
  const conditions = [MANAGED, 'Ready'].map((type) => ({ type, ...said }))
  const now = timestamp(c.env.clock.now())
  const status = replaceConditions(kind.version as AddonsVersion, set.status ?? {}, conditions, now)
  if (status === set.status) return { ok: true }
  return c.status.update('sets', set, status)
}

/** What its Module says that it waits for, beside clusters that are out of reach. */
export function deletionHeldBy(
  c: Pick<SetDeps, 'hub'>,
  set: Stored<ClusterResourceSet>,
): NewHold | undefined {
  const found = companionModuleOf(c.hub, set)?.status?.blockers?.find((b) => HELD.has(b.reason))
  return found && { reason: found.reason, message: setMessage(found, setWordsOf(c, set)) }
}

interface NewHold {
  readonly reason: string
  readonly message: string
}

/** Only somebody else ends these: a cluster that cannot be worked on, another unit that relies on it. */
const HELD: ReadonlySet<string> = new Set(['DeletionBlocked', 'DependentsRemain'])
