import type { Env } from '@lockstep/kube/env'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { BundleStore, UpstreamSources } from '../../sources/intake/index.ts'
import type { DigestKeys, HubInformers } from '../cache/index.ts'
import type { EventRecorder, WatchIndex } from '../runtime/index.ts'
import type { SourceProgress } from './sourceprogress.ts'

/** Where manifests come from, and where they are kept. */
export interface ContentStores {
  readonly upstreams: UpstreamSources
  readonly bundles: BundleStore
  readonly keys: DigestKeys
  readonly progress: SourceProgress
}

/** Dependencies of publishing. */
export interface PublishDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly events: EventRecorder
  readonly watchIndex: WatchIndex
  readonly content: ContentStores
  /** Milliseconds: limit of `spec.source.timeout`. */
  readonly maxSourceTimeoutMs: number
}
