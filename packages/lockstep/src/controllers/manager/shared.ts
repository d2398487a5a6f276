/** What the controllers of one process share, made once its caches have what they are to begin with. */

import type { KubeClient } from '../../../../kube/src/client/client.ts'
import { BundleStore } from '../../sources/intake/bundlestore.ts'
import { EventRecorder } from '../runtime/eventrecorder.ts'
import { BudgetLedger } from '../cache/budget/budgetledger.ts'
import type { ControllerContext } from '../cache/context.ts'
import { MAX_REMOVAL, type ManagerOptions } from '../runtime/options.ts'
import { ORPHAN_RETENTION_MS } from '../gc/orphanretention.ts'
import { ReportedRevisions } from '../cache/reportedrevisions.ts'
import { MAX_ASSIGNMENT_WRITES, KeyedMutex } from '../runtime/keyedmutex.ts'
import { SetPlans } from '../cache/setplans.ts'
import { StampStore } from '../cache/stampstore.ts'

type SharedContextInput = Pick<
  ControllerContext,
  'env' | 'hub' | 'fleet' | 'queue' | 'upstreams' | 'keys' | 'onlookers'
>

export const sharedContext = (
  client: KubeClient,
  given: SharedContextInput,
  options: ManagerOptions,
): ControllerContext => ({
  ...given,
  bundles: new BundleStore(client),
  recordWrites: new KeyedMutex(MAX_ASSIGNMENT_WRITES),
  events: new EventRecorder(given.env, client),
  stampPlace: new StampStore(client),
  budgets: new BudgetLedger(given.env, given.hub, given.fleet),
  sets: new SetPlans(given.hub),
  heard: new ReportedRevisions(given.env.clock),
  orphanRetentionMs: options.orphanRetentionMs ?? ORPHAN_RETENTION_MS,
  maxRemoval: options.maxRemoval ?? MAX_REMOVAL,
})
