/** What has come of trying to delete an object, or to let go of it, where that did not succeed. */

import type { RequestError } from '@lockstep/kube/client'
import { digestOf, identityOf } from '@lockstep/kube/object'
import { backoffMs } from '@lockstep/kube/workqueue'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { PruneEntry } from '../../deliver/deletion/index.ts'
import type { NodeFailure } from '../../deliver/state/index.ts'
import { deletionRefusal, refusalBlocker } from '../../deliver/write/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { RETRY_REFUSED_MS } from './applynode.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/** Keeps in mind what has failed, so that it is said and nothing else waits for it; false: somebody was faster. */
export type RecordDeleteFailure = (entry: InventoryObject, live: LiveObject, error: RequestError) => boolean

export function recordDeleteOutcome(
  c: UnitDeps,
  scope: UnitScope,
  entry: InventoryObject,
  live: LiveObject,
  error: RequestError,
): boolean {
  if (error.kind === 'FenceLost') return false
  const { memory, cluster } = scope
  const policy = policyOf(scope)
  const id = identityOf(entry)
  const before = memory.failures.get(id)
  const isAgain = before?.reason === 'PruneBlocked' && before.policy === policy
  const tries = isAgain ? before.tries + 1 : 1
  const failure = deletionRefusal(error, entry, cluster.name)
  const now = c.env.clock.steady()
  const notBefore = now + backoffMs(tries - 1, c.env.random)
  const retryAt = failure.transient ? notBefore : now + RETRY_REFUSED_MS
  memory.failures.set(id, { ...failure, tries, policy, content: attemptAt(live), notBefore, retryAt })
  return true
}

const policyOf = ({ record }: Pick<UnitScope, 'record'>): NonNullable<NodeFailure['policy']> =>
  record?.removal?.policy ?? 'Prune'

/**
 * A refusal stands until it is tried again: soon, if something has happened to the object that may have to do with it; at
 * once under another deletion policy.
 */
export function deleteRefusalOf(
  scope: UnitScope,
  id: string,
  live: PruneEntry['live'],
  now: number,
): PruneEntry['refused'] {
  const failure = scope.memory.failures.get(id)
  if (failure?.reason !== 'PruneBlocked' || failure.policy !== policyOf(scope)) return undefined
  if (typeof live !== 'object') return undefined
  const isSame = failure.content === attemptAt(live)
  const retryAt = isSame ? failure.retryAt : (failure.notBefore ?? failure.retryAt)
  if (retryAt <= now) return undefined
  return { blocker: refusalBlocker(failure), retryInMs: retryAt - now }
}

/** In the place of a content, which no manifest has: what policies and finalizers go by, and not what a workload reports. */
function attemptAt({ uid, finalizers, object: { metadata } }: LiveObject): string {
  const { labels, annotations } = metadata
  return digestOf('departure/1', { uid, finalizers, labels: labels ?? {}, annotations: annotations ?? {} })
}
