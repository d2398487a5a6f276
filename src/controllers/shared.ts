/** What the controllers of one process share, made once its caches have what they are to begin with. */

import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { BundleStore } from '../../packages/lockstep/src/sources/intake/bundlestore.ts'
import { Announcer } from './announcer.ts'
import { Budgets } from './budgets.ts'
import type { Context } from './context.ts'
import { MAX_REMOVAL, type ManagerOptions } from './options.ts'
import { ORPHAN_RETENTION_MS } from './orphans.ts'
import { HeardRevisions } from './promotions/heard.ts'
import { MOST_RECORD_WRITES, SerialByKey } from './serialbykey.ts'
import { SetPlans } from './sets/plans.ts'
import { StampPlace } from './stampplace.ts'

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
