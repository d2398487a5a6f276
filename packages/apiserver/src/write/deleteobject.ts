import { err, ok } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { validateAdmission } from '../admission/validateadmission.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { kindOf } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { conflict } from '../status/apifailure.ts'
import { StoredObject } from '../store/storedobject.ts'
import { gracePeriod } from './graceperiod.ts'
import { protect } from './protect.ts'
import type { ServerWriteOptions } from './writeoptions.ts'
import { reviewBy } from './writeoptions.ts'
import type { WriteResult } from './writeresult.ts'
import { commit, seen } from './writeresult.ts'

export type DeletePropagation = 'Orphan' | 'Background' | 'Foreground'

export interface DeleteOptions {
  readonly propagation: DeletePropagation | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly graceSeconds: number | undefined
  /** One of a collection: nobody named it. */
  readonly unnamed?: boolean
}

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** DELETE: marks the object while finalizers or grace hold it, removes it otherwise (apiserver `registry/store.go`). */
export function deleteObject(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  stored: StoredObject,
  wanted: DeleteOptions,
  options: ServerWriteOptions,
): WriteResult {
  const live = stored.object
  const refused =
    precondition(kind, live, wanted) ??
    protect(kind, live) ??
    validateAdmission({
      ...reviewBy(options),
      cluster,
      kind,
      operation: 'DELETE',
      namespace: live.metadata.namespace ?? '',
      name: wanted.unnamed ? '' : (live.metadata.name ?? ''),
      object: undefined,
      old: seen(kind, stored).object,
    })
  if (refused) return err(refused)
  const marked = mark(cluster, kind, live, wanted)
  if (!marked) return finish(cluster, kind, stored, live, options)
  if (marked === live) return ok({ stored, outcome: 'unchanged' })
  return ok({ stored: commit(cluster, kind, stored.key, marked, options, 'delete'), outcome: 'updated' })
}

/** The end of an object: the answer shows it as it last was, the event carries the deletion's version. */
export function finish(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  stored: StoredObject,
  last: KubeObject,
  options: ServerWriteOptions,
): WriteResult {
  if (!options.dryRun)
    cluster.store.remove(kind.table, stored.key, {
      verb: 'delete',
      actor: options.manager,
      agent: options.agent,
      user: options.user.name,
    })
  const shown =
    last === stored.object ? stored : new StoredObject(stored.key, last, stored.version, kind.table.encoding)
  return ok({ stored: shown, outcome: 'deleted' })
}

function precondition(kind: ServedKind, live: KubeObject, wanted: DeleteOptions): ApiFailure | undefined {
  const { name = '', uid, resourceVersion } = live.metadata
  if (wanted.uid !== undefined && wanted.uid !== uid)
    return conflict(
      kindOf(kind),
      name,
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    )
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion)
    return conflict(
      kindOf(kind),
      name,
      `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    )
  return undefined
}

/** The object as it waits for its end; itself if it waits so already; undefined if nothing holds it. */
function mark(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  live: KubeObject,
  wanted: DeleteOptions,
): KubeObject | undefined {
  const finalizers = withPolicy(kind, live, wanted.propagation)
  const grace = gracePeriod(kind, live, wanted.graceSeconds)
  const held = kind.rules.holdsDeletion?.(live) ?? false
  if (finalizers.length === 0 && grace === 0 && !held) return undefined
  const sameFinalizers = finalizers.join() === (live.metadata.finalizers ?? []).join()
  if (live.metadata.deletionTimestamp !== undefined) {
    if (sameFinalizers && grace >= (live.metadata.deletionGracePeriodSeconds ?? 0)) return live
    return {
      ...live,
      metadata: {
        ...live.metadata,
        finalizers,
        deletionGracePeriodSeconds: Math.min(grace, live.metadata.deletionGracePeriodSeconds ?? 0),
      },
    }
  }
  const { generation } = live.metadata
  const marked = {
    ...live,
    metadata: {
      ...live.metadata,
      finalizers: finalizers.length > 0 ? finalizers : undefined,
      deletionTimestamp: timestamp(cluster, grace),
      deletionGracePeriodSeconds: grace,
      generation: generation === undefined ? undefined : generation + 1,
    },
  }
  return kind.rules.markDeleted?.(marked, live, timestamp(cluster)) ?? marked
}

/** Finalizers by which the garbage collector knows what to do (apiserver `deletionFinalizersForGarbageCollection`). */
function withPolicy(kind: ServedKind, live: KubeObject, policy: DeletePropagation | undefined): string[] {
  const had = live.metadata.finalizers ?? []
  const others = had.filter((f) => f !== ORPHAN && f !== FOREGROUND)
  const orphan =
    policy === undefined ? had.includes(ORPHAN) || kind.rules.orphansByDefault === true : policy === 'Orphan'
  const foreground = policy === undefined ? had.includes(FOREGROUND) : policy === 'Foreground'
  const out = [...had.filter((f) => (f === ORPHAN ? orphan : f === FOREGROUND ? foreground : true))]
  if (orphan && !out.includes(ORPHAN)) out.push(ORPHAN)
  if (foreground && !out.includes(FOREGROUND) && !orphan) out.push(FOREGROUND)
  return out.length === others.length ? [...others] : out
}

/** For callers that have no wishes. */
export const PLAIN_DELETE: DeleteOptions = {
  propagation: undefined,
  uid: undefined,
  resourceVersion: undefined,
  graceSeconds: undefined,
}
