/** What the controllers of one process share, made once its caches have what they are to begin with. */

import type { KubeClient } from '@lockstep/kube/client'
import { BundleStore } from '../../sources/intake/index.ts'
import {
  BudgetLedger,
  type ControllerContext,
  ReportedRevisions,
  SetPlans,
  StampStore,
} from '../cache/index.ts'
import { ORPHAN_RETENTION_MS } from '../gc/index.ts'
import {
  EventRecorder,
  KeyedMutex,
  MAX_ASSIGNMENT_WRITES,
  MAX_REMOVAL,
  type ManagerOptions,
} from '../runtime/index.ts'

type SharedContextInput = Pick<
  ControllerContext,
  'env' | 'hub' | 'fleet' | 'queue' | 'upstreams' | 'keys' | 'watchIndex'
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
  stampStore: new StampStore(client),
  budgets: new BudgetLedger(given.env, given.hub, given.fleet),
  sets: new SetPlans(given.hub),
  reportedRevisions: new ReportedRevisions(given.env.clock),
  orphanRetentionMs: options.orphanRetentionMs ?? ORPHAN_RETENTION_MS,
  maxRemoval: options.maxRemoval ?? MAX_REMOVAL,
})
