import type { KubeObject } from '@lockstep/kube/object'
import type { ResourceStore } from '../store/resourcestore.ts'

/** One committed write, as oracles and traces see it. */
export interface CommitRecord {
  readonly cluster: string
  /** 1, 2, 3, … without a gap. */
  readonly seq: number
  readonly verb: string
  /** `deployments.apps`, `configmaps`. */
  readonly resource: string
  /** `namespace/name` or `name`. */
  readonly key: string
  readonly uid: string
  readonly resourceVersion: string
  readonly old: KubeObject | undefined
  readonly next: KubeObject | undefined
  /** The field manager, or the user agent of a client that names none. */
  readonly actor: string
  /** The user agent in full: of several processes with one field manager, which. */
  readonly agent?: string | undefined
  /** Name of the user that the rights were checked of: of an impersonated one, if any. Absent: this process itself. */
  readonly user?: string
}

export type CommitListener = (record: CommitRecord) => void

/** Tells `listener` of every write, in order, at the moment it is made. Writes before a snapshot count in `seq`. */
export function traceWrites(store: ResourceStore, cluster: string, listener: CommitListener): void {
  let seq = store.writes
  store.observe((table, e) => {
    const shown = e.next ?? e.prev
    listener({
      cluster,
      seq: ++seq,
      verb: e.cause.verb,
      resource: table.id,
      key: e.key,
      uid: shown?.object.metadata.uid ?? '',
      resourceVersion: String(e.version),
      old: e.prev?.object,
      next: e.next?.object,
      actor: e.cause.actor,
      agent: e.cause.agent,
      ...(e.cause.user === undefined ? {} : { user: e.cause.user }),
    })
  })
}
