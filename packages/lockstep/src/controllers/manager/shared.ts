/** What the controllers of one process share, made once its caches have what they are to begin with. */

import type { KubeClient } from '../../../../kube/src/client/client.ts'
import { BundleStore } from '../../sources/intake/bundlestore.ts'
import { Announcer } from '../runtime/eventrecorder.ts'
import { Budgets } from '../cache/budget/budgetledger.ts'
import type { Context } from '../cache/context.ts'
import { MAX_REMOVAL, type ManagerOptions } from '../runtime/options.ts'
import { ORPHAN_RETENTION_MS } from '../gc/orphanretention.ts'
import { HeardRevisions } from '../cache/reportedrevisions.ts'
import { MOST_RECORD_WRITES, SerialByKey } from '../runtime/keyedmutex.ts'
import { SetPlans } from '../cache/setplans.ts'
import { StampPlace } from '../cache/stampstore.ts'

type Given = Pick<Context, 'env' | 'hub' | 'fleet' | 'queue' | 'upstreams' | 'keys' | 'onlookers'>

export const sharedContext = (client: KubeClient, given: Given, options: ManagerOptions): Context => ({
  ...given,
  bundles: new BundleStore(client),
  recordWrites: new SerialByKey(MOST_RECORD_WRITES),
  events: new Announcer(given.env, client),
  stampPlace: new StampPlace(client),
  budgets: new Budgets(given.env, given.hub, given.fleet),
  sets: new SetPlans(given.hub),
  heard: new HeardRevisions(given.env.clock),
  orphanRetentionMs: options.orphanRetentionMs ?? ORPHAN_RETENTION_MS,
  maxRemoval: options.maxRemoval ?? MAX_REMOVAL,
})
