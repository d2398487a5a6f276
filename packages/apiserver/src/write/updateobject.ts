import { err, ok } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { paramRights } from '../admission/paramrights.ts'
import type { Review, ReviewShape } from '../admission/review.ts'
import { validateAdmission } from '../admission/validateadmission.ts'
import { escalation } from '../auth/rbac/escalation.ts'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { asDraft, asObject } from '../resources/objectdraft.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { kindOf, resourceOf } from '../resources/servedkind.ts'
import { invalid as invalidValue } from '../schema/invalidfield.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { conflict, STALE } from '../status/apifailure.ts'
import { invalid } from '../status/invalid.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { finish } from './deleteobject.ts'
import { changeFindings } from './newfindings.ts'
import { resetPaths } from './resetpaths.ts'
import { finalizerWarnings, withoutRepeatedOwners } from './validatemeta.ts'
import type { ServerWriteOptions } from './writeoptions.ts'
import { reviewBy } from './writeoptions.ts'
import type { WriteResult } from './writeresult.ts'
import { commit, sameButTimes, seen } from './writeresult.ts'

export interface UpdateChange {
  /** The object as the client wants it, shaped for the kind. */
  readonly next: KubeObject
  /** managedFields are made already (apply). */
  readonly tracked?: boolean
  /** From a PUT: a missing version is an error where the kind says so. */
  readonly needsVersion?: boolean
  readonly verb: 'update' | 'patch' | 'apply'
  /** Written as something else: a Scale. Policies see that. */
  readonly shownAs?: ReviewShape
}

/** Replaces a live object: the end of PUT, of every patch and of apply. */
export function updateObject(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  stored: StoredObject,
  change: UpdateChange,
  options: ServerWriteOptions,
): WriteResult {
  const live = seen(kind, stored).object
  const stale = staleness(kind, stored.key, live, change)
  if (stale) return err(stale)
  const next = prepare(cluster, kind, live, change, options)
  const isSame = sameButTimes(next, live)
  const refused = isSame ? undefined : unfit(cluster, kind, next, live, options)
  const denied = refused ?? validateAdmission(changeReview(cluster, kind, next, live, change, options))
  if (denied) return err(denied)
  if (isSame) return ok({ stored, outcome: 'unchanged' })
  for (const w of kind.custom ? newWarnings(next, live) : []) options.warn(w)
  for (const w of kind.rules.warnings?.(next, live) ?? []) options.warn(w)
  if (next.metadata.deletionTimestamp && isFree(kind, next))
    return finish(cluster, kind, stored, next, options)
  return ok({ stored: commit(cluster, kind, stored.key, next, options, change.verb), outcome: 'updated' })
}

/** A write that changes nothing; policies are asked all the same. */
export function unchanged(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  stored: StoredObject,
  options: ServerWriteOptions,
): WriteResult {
  const live = seen(kind, stored).object
  const denied = validateAdmission(
    changeReview(cluster, kind, live, live, { next: live, verb: 'apply' }, options),
  )
  return denied ? err(denied) : ok({ stored, outcome: 'unchanged' })
}

/** What is wrong with a change, before policies are asked. */
function unfit(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  next: KubeObject,
  live: KubeObject,
  options: ServerWriteOptions,
): ApiFailure | undefined {
  const escalates = escalation(cluster, kind, options.user, next, live)
  if (escalates) return escalates
  const errors = [
    ...changeFindings(kind, next, live, options),
    ...paramRights(cluster, kind, options.user, next, live),
  ]
  return errors.length > 0 ? invalid(kindOf(kind), live.metadata.name ?? '', errors) : undefined
}

const changeReview = (
  cluster: EmbeddedCluster,
  kind: ServedKind,
  next: KubeObject,
  live: KubeObject,
  { shownAs }: UpdateChange,
  options: ServerWriteOptions,
): Review => ({
  ...reviewBy(options),
  cluster,
  kind,
  operation: 'UPDATE',
  namespace: live.metadata.namespace ?? '',
  name: live.metadata.name ?? '',
  object: shownAs ? shownAs.of(next) : next,
  old: shownAs ? shownAs.of(live) : live,
  shape: shownAs,
})

/** Nothing holds a deleted object any more. */
export const isFree = (kind: ServedKind, o: KubeObject): boolean =>
  (o.metadata.finalizers ?? []).length === 0 &&
  (o.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  !kind.rules.holdsDeletion?.(o)

/** Preconditions that the object itself carries: its uid, then its version. */
function staleness(
  kind: ServedKind,
  key: string,
  live: KubeObject,
  change: UpdateChange,
): ApiFailure | undefined {
  const { uid, resourceVersion } = change.next.metadata
  const name = live.metadata.name ?? ''
  if (change.needsVersion && uid !== undefined && uid !== live.metadata.uid)
    return conflict(
      resourceOf(kind),
      name,
      `StorageError: invalid object, Code: 4, Key: ${registryPath(kind)}/${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
    )
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (!change.needsVersion || kind.rules.unconditional) return undefined
    return invalid(resourceOf(kind), name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  if (resourceVersion === live.metadata.resourceVersion) return undefined
  return conflict(resourceOf(kind), name, STALE)
}

const registryPath = (kind: ServedKind): string =>
  kind.custom
    ? `/registry/apiextensions.kubernetes.io/${kind.info.group}/${kind.info.plural}`
    : `/registry/${kind.info.plural}`

function prepare(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  live: KubeObject,
  change: UpdateChange,
  options: ServerWriteOptions,
): KubeObject {
  let next = isolate(kind, live, change.next, options)
  if (!change.tracked) {
    const writer = {
      manager: options.manager,
      subresource: options.subresource,
      time: timestamp(cluster),
    }
    const reset = resetPaths(kind, next, options.subresource)
    next = cluster.fields.update({ live, next, writer, schema: kind.schema, reset })
  }
  const draft: ObjectDraft = { ...asDraft(next) }
  draft.metadata = carried(live, next, options) as unknown as ObjectDraft
  if (options.subresource === undefined || options.subresource === 'scale')
    kind.rules.prepareUpdate?.(draft, live, cluster.allocate)
  const generation = nextGeneration(kind, asObject(draft), live)
  draft.metadata = { ...(draft.metadata as ObjectDraft), generation }
  return asObject(draft)
}

/** The main path leaves the status alone, `/status` everything else. */
function isolate(
  kind: ServedKind,
  live: KubeObject,
  next: KubeObject,
  options: ServerWriteOptions,
): KubeObject {
  if (options.subresource === 'status')
    return {
      ...live,
      metadata: { ...live.metadata, managedFields: next.metadata.managedFields },
      status: next.status,
    }
  if (options.subresource === 'finalize') return { ...live, spec: next.spec }
  if (!kind.hasStatus) return next
  const out: ObjectDraft = { ...asDraft(next), status: asDraft(live).status }
  if (live.status === undefined) delete out.status
  return asObject(out)
}

/** Metadata that belongs to the server stays as it was (apiserver `registry/rest/update.go`). */
function carried(live: KubeObject, next: KubeObject, options: ServerWriteOptions): KubeObject['metadata'] {
  const { deletionTimestamp, deletionGracePeriodSeconds, creationTimestamp, resourceVersion } = live.metadata
  return {
    ...next.metadata,
    namespace: next.metadata.namespace ?? live.metadata.namespace,
    uid: next.metadata.uid ?? live.metadata.uid,
    ownerReferences: withoutRepeatedOwners(next.metadata, options.warn),
    deletionTimestamp,
    deletionGracePeriodSeconds,
    creationTimestamp,
    resourceVersion,
  }
}

function nextGeneration(kind: ServedKind, next: KubeObject, live: KubeObject): number | undefined {
  if (kind.rules.generation === 'none') return undefined
  const old = live.metadata.generation ?? 0
  return kind.rules.generation(next, live) ? old + 1 : old || undefined
}

function newWarnings(next: KubeObject, live: KubeObject): string[] {
  const old = finalizerWarnings(live.metadata)
  return finalizerWarnings(next.metadata).filter((w) => !old.includes(w))
}
