/** What a unit looks at on its cluster and does not deliver: what it waits for, copies values from, or asks about. */

import type { ServedResource } from '@lockstep/kube/client'
import type { KubeObject } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { FactsOf, WaitRefOf } from '../../api/reasons/index.ts'

/** One object, or without a name all of a kind. Without a version: the one that the cluster prefers. */
export interface LookupQuery {
  readonly group: string
  readonly version?: string
  readonly kind: string
  /** The resource as `oc get` takes it, such as `sc`: group, version and kind are what the cluster has of that name. */
  readonly type?: string
  /** Means nothing where the kind has none. */
  readonly namespace?: string
  readonly name?: string
}

export type LookupResult =
  | { readonly type: 'NotServed' }
  | ((
      | {
          readonly type: 'Read'
          readonly objects: readonly KubeObject[]
          /** The kind has a status of its own. */
          readonly hasStatus: boolean
        }
      /** It is being listed. */
      | { readonly type: 'Syncing' }
      /** The kind has namespaces, and none is named. */
      | { readonly type: 'Misplaced' }
      /** In the server's words. */
      | { readonly type: 'Forbidden' | 'Unread'; readonly detail: string }
    ) & {
      /** What the cluster has under a name that people gave. */
      readonly resource?: Pick<ServedResource, 'group' | 'kind' | 'plural' | 'namespaced'>
    })

/** As the cache has it. Who asks is told when it changes, as long as it asks in each look. */
export type ObjectLookup = (s: LookupQuery) => LookupResult

/** Reasons of an object that is waited for; with time it becomes HealthTimeout. */
export type WaitReason =
  | 'WaitingForObject'
  | 'WaitNotFound'
  | 'WaitKindNotServed'
  | 'WaitForbidden'
  | 'WatchStale'

export type WaitFacts = FactsOf<WaitReason>

/** One look at a condition. */
export type WaitResult =
  | { readonly type: 'met' }
  | {
      readonly type: 'open'
      readonly reason: WaitReason
      readonly on: WaitRefOf<'Object'>
      readonly facts: WaitFacts
      readonly settlesInMs?: number
    }
  /** Its Module has its own time: the wait is late when that has failed, and by nothing else. */
  | { readonly type: 'application'; readonly blocker: NewBlocker; readonly isFailed: boolean }
