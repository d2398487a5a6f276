import { err, ok, type Result } from '@lockstep/kube/env'
import type { KubeObject, ObjectMeta } from '@lockstep/kube/object'
import { paramRights } from '../admission/paramrights.ts'
import { validateAdmission } from '../admission/validateadmission.ts'
import { escalation } from '../auth/rbac/escalation.ts'
import { namespaceRefusal } from '../namespaces/namespacerefusal.ts'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { asDraft, asObject, within } from '../resources/objectdraft.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { kindOf, resourceOf } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { alreadyExists, badRequest, forbidden, internal } from '../status/apifailure.ts'
import { invalid } from '../status/invalid.ts'
import { generatedName } from './generatedname.ts'
import { newFindings } from './newfindings.ts'
import { resetPaths } from './resetpaths.ts'
import { finalizerWarnings, withoutRepeatedOwners } from './validatemeta.ts'
import type { ServerWriteOptions } from './writeoptions.ts'
import { reviewBy } from './writeoptions.ts'
import type { WriteResult } from './writeresult.ts'
import { commit, storeKey } from './writeresult.ts'

/** Eight names are tried before a generated one is given up (apiserver `registry/store.go`). */
const TRIES = 8

/** Wiped before anyone can own it. */
const SERVER_OWNED = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
] as const

/** POST. `draft` has been shaped for the kind. */
export function createObject(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  draft: ObjectDraft,
  options: ServerWriteOptions,
): WriteResult {
  const refused = admitCreate(cluster, kind, namespace, draft)
  if (refused) return err(refused)
  const meta = draft.metadata as ObjectDraft
  for (const name of SERVER_OWNED) delete meta[name]
  const tracked = cluster.fields.update({
    live: undefined,
    next: asObject(draft),
    writer: { manager: options.manager, time: timestamp(cluster) },
    schema: kind.schema,
    reset: resetPaths(kind, asObject(draft), undefined),
  })
  return store(cluster, kind, namespace, tracked, options)
}

/** An apply that found nothing: its managedFields are made already. */
export function createApplied(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  applied: KubeObject,
  options: ServerWriteOptions,
): WriteResult {
  const draft = {
    ...asDraft(applied),
    metadata: { ...asDraft(applied.metadata as unknown as KubeObject) },
  } as ObjectDraft
  const meta = draft.metadata as ObjectDraft
  delete meta.resourceVersion
  delete meta.uid
  const refused = admitCreate(cluster, kind, namespace, draft)
  return refused ? err(refused) : store(cluster, kind, namespace, asObject(draft), options)
}

function admitCreate(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  draft: ObjectDraft,
): ApiFailure | undefined {
  const meta = within(draft, 'metadata') as ObjectDraft
  const mismatch = placeIn(kind, namespace, meta)
  if (mismatch) return mismatch
  if (meta.resourceVersion !== undefined)
    return internal('resourceVersion should not be set on objects to be created')
  if (kind.terminating)
    return forbidden(
      resourceOf(kind),
      String(meta.name ?? ''),
      'create not allowed while custom resource definition is terminating',
    )
  return namespaceRefusal(cluster, kind, namespace, String(meta.name ?? ''))
}

/** Fills the namespace from the path, and drops it from cluster-scoped objects. */
export function placeIn(kind: ServedKind, namespace: string, meta: ObjectDraft): ApiFailure | undefined {
  if (!kind.info.namespaced) {
    if (meta.namespace === undefined) return undefined
    return badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  meta.namespace ??= namespace
  if (meta.namespace !== namespace)
    return badRequest('the namespace of the provided object does not match the namespace sent on the request')
  return undefined
}

function store(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  tracked: KubeObject,
  options: ServerWriteOptions,
): WriteResult {
  const name = chooseName(cluster, kind, namespace, tracked.metadata)
  if (!name.ok) return err(name.error)
  const escalates = escalation(cluster, kind, options.user, tracked, undefined)
  if (escalates) return err(escalates)
  const draft = { ...asDraft(tracked) }
  if (kind.hasStatus) resetStatus(kind, draft)
  draft.metadata = {
    ...freshMeta(cluster, kind, tracked.metadata, name.value, options),
  } as unknown as ObjectDraft
  kind.rules.prepareCreate?.(draft, cluster.allocate)
  const object = asObject(draft)
  const errors = [
    ...newFindings(kind, object, options),
    ...paramRights(cluster, kind, options.user, object, undefined),
  ]
  if (errors.length > 0) return err(invalid(kindOf(kind), object.metadata.name ?? '', errors))
  for (const w of kind.custom ? finalizerWarnings(object.metadata) : []) options.warn(w)
  for (const w of kind.rules.warnings?.(object, undefined) ?? []) options.warn(w)
  const refused = validateAdmission({
    ...reviewBy(options),
    cluster,
    kind,
    operation: 'CREATE',
    namespace,
    name: name.value,
    object,
    old: undefined,
  })
  if (refused) return err(refused)
  const key = storeKey(kind, namespace, name.value)
  if (kind.table.live.get(key)) return err(alreadyExists(resourceOf(kind), name.value))
  return ok({ stored: commit(cluster, kind, key, object, options, 'create'), outcome: 'created' })
}

/**
 * A new object has no status; built-in kinds say so with an empty one, custom ones with the default of their schema: that is
 * filled in whenever an object is read from etcd (apiextensions-apiserver `customresource_handler.go`, unstructuredDefaulter).
 */
function resetStatus(kind: ServedKind, draft: ObjectDraft): void {
  delete draft.status
  const status = kind.schema.zero?.status ?? within(kind.schema.defaults(draft) as ObjectDraft, 'status')
  if (status !== undefined) draft.status = status
}

/** The given name, or a free generated one. */
function chooseName(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  meta: ObjectMeta,
): Result<string, ApiFailure> {
  if (meta.name) return ok(meta.name)
  if (!meta.generateName) return ok('')
  let name = ''
  for (let i = 0; i < TRIES; i++) {
    name = generatedName(cluster.env.random, meta.generateName)
    if (!kind.table.live.get(storeKey(kind, namespace, name))) return ok(name)
  }
  const taken = alreadyExists(resourceOf(kind), name)
  return err({
    ...taken,
    message: `${taken.message}, the server was not able to generate a unique name for the object`,
  })
}

/** Metadata that belongs to the server is wiped and set anew (apiserver `registry/rest/create.go`). */
function freshMeta(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  given: ObjectMeta,
  name: string,
  options: ServerWriteOptions,
): ObjectMeta {
  const { deletionTimestamp: _t, deletionGracePeriodSeconds: _g, generation: _n, ...kept } = given
  return {
    ...kept,
    name: name || undefined,
    uid: cluster.env.random.uuid(),
    creationTimestamp: timestamp(cluster),
    ownerReferences: withoutRepeatedOwners(given, options.warn),
    generation: kind.rules.generation === 'none' ? undefined : 1,
  }
}
