/** What every controller of one process shares. */
import type { Env } from '../env/env.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { WorkQueue } from '../kube/queue.ts'
import { type Digester, type DigestKey, deriveKey, keyedDigester } from '../object/object.ts'
import type { BundleStore } from '../source/store.ts'
import type { Upstreams } from '../source/upstreams.ts'
import type { Announcer } from './announcer.ts'
import type { Hub } from './hub.ts'
import type { Turns } from './records.ts'

export interface Context {
  readonly env: Env
  readonly hub: Hub
  readonly fleet: Fleet
  readonly queue: WorkQueue
  readonly bundles: BundleStore
  readonly upstreams: Upstreams
  readonly turns: Turns
  readonly events: Announcer
  /** For digests over secrets. */
  readonly key: DigestKey
  /** What was derived from it: deriving costs more than using. */
  readonly digesters: Map<string, Digester>
}

/** One key a namespace for bundles, one a cluster for what is applied: equal secrets in two places look unequal. */
export const bundleDigester = (c: Context, namespace: string): Digester =>
  digesterFor(c, `bundle/${namespace}`)

export const contentDigester = (c: Context, namespace: string, clusterUid: string): Digester =>
  digesterFor(c, `content/${namespace}/${clusterUid}`)

function digesterFor(c: Context, info: string): Digester {
  let digester = c.digesters.get(info)
  if (!digester) {
    digester = keyedDigester(deriveKey(c.key, info))
    c.digesters.set(info, digester)
  }
  return digester
}
