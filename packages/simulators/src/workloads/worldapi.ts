/**
 * What a simulated controller needs of an API: little enough that the in-process store and a client of a real API
 * server both have it. On a real server, which has no kubelet, the same Pod simulator runs as a client.
 */
import type { Cancel } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'

export interface WorldApi {
  /** Calls `fn` for each object that is there, then for each change; `gone` with the last known state. */
  follow(resource: string, fn: (object: KubeObject, gone: boolean) => void): Cancel
  create(object: KubeObject): void
  /** Writes spec and metadata. A conflict is dropped: its event comes. */
  update(object: KubeObject): void
  writeStatus(object: KubeObject): void
  /** Immediately, without grace. */
  remove(resource: string, object: KubeObject): void
}
