/** What every controller of one process shares. */

import type { Env } from '@lockstep/kube/env'
import type { UnitMemory } from '../../deliver/state/index.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { BundleStore, StoredDigests, UpstreamSources } from '../../sources/intake/index.ts'
import type { EventRecorder, KeyedMutex, RequestQueue, WatchIndex } from '../runtime/index.ts'
import type { BudgetLedger } from './budget/budgetledger.ts'
import type { DigestKeys } from './digestkeys.ts'
import type { HubInformers } from './hubcaches.ts'
import type { ReportedRevisions } from './reportedrevisions.ts'
import type { SetPlans } from './setplans.ts'
import type { StampStore } from './stampstore.ts'

export interface ControllerContext {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly queue: RequestQueue
  readonly bundles: BundleStore
  readonly upstreams: UpstreamSources
  readonly recordWrites: KeyedMutex
  readonly events: EventRecorder
  readonly keys: DigestKeys
  readonly watchIndex: WatchIndex
  readonly stampStore: StampStore
  readonly budgets: BudgetLedger
  /** ClusterResourceSets: some Modules are theirs. */
  readonly sets: SetPlans
  /** What events have said of targets of pipelines. */
  readonly reportedRevisions: ReportedRevisions
  /** So long what is left of a cluster that is gone is kept, in milliseconds. */
  readonly orphanRetentionMs: number
  /** So many of the clusters that a module is on may leave at once: a number, or `50%`. */
  readonly maxRemoval: number | string
}

/** Of an intent that is about to be written: by it, this process knows its own. */
export function newNonce(
  { env }: Pick<ControllerContext, 'env'>,
  { memory }: { readonly memory: UnitMemory },
): string {
  const nonce = env.random.uuid()
  memory.announced.add(nonce)
  return nonce
}

/** One key a namespace for bundles, one a cluster for what is applied: equal secrets in two places look unequal. */
export const bundleDigester = (c: ControllerContext, namespace: string, stored: StoredDigests) =>
  c.keys.digester(`bundle/${namespace}`, stored)

export const contentDigester = (
  c: ControllerContext,
  namespace: string,
  clusterUid: string,
  stored: StoredDigests,
) => c.keys.digester(`content/${namespace}/${clusterUid}`, stored)
