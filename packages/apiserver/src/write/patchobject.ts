import { err, ok, type Result } from '@lockstep/kube/env'
import { applyMergePatch, isObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { applyJsonPatch } from '../patch/jsonpatch.ts'
import { applyStrategicPatch } from '../patch/strategicpatch.ts'
import { asObject } from '../resources/objectdraft.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, tooLarge } from '../status/apifailure.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { decodeBody } from './decodebody.ts'
import { updateObject } from './updateobject.ts'
import type { ServerWriteOptions } from './writeoptions.ts'
import type { WriteResult } from './writeresult.ts'
import { seen } from './writeresult.ts'

export type PatchType = 'merge' | 'json' | 'strategic'

/** PATCH other than apply: the patch is laid over the newest object, so a race is never a conflict. */
export function patchObject(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  stored: StoredObject,
  type: PatchType,
  body: JsonValue,
  options: ServerWriteOptions,
): WriteResult {
  const live = seen(kind, stored).object
  const patched = patchValue(kind, live, type, body)
  if (!patched.ok) return patched
  const draft = decodeBody(kind, patched.value, options)
  if (!draft.ok) return draft
  return updateObject(cluster, kind, stored, { next: asObject(draft.value), verb: 'patch' }, options)
}

/** Lays a patch over any value; `/scale` patches through it as well. */
export function patchValue(
  kind: ServedKind,
  live: KubeObject,
  type: PatchType,
  body: JsonValue,
): Result<JsonValue, ApiFailure> {
  const base = live as unknown as JsonValue
  if (type === 'json') return jsonPatched(base, body)
  if (!isObject(body)) return err(badRequest(`cannot restore slice from map`))
  if (type === 'merge') return ok(applyMergePatch(base, body))
  return applyStrategicPatch(kind.schema, base, body)
}

/** Texts and codes as apiserver `endpoints/handlers/patch.go` gives them. */
function jsonPatched(base: JsonValue, body: JsonValue): Result<JsonValue, ApiFailure> {
  const done = applyJsonPatch(base, body)
  if (done.ok) return done
  if (done.error.kind === 'too-many') return err(tooLarge(done.error.message))
  if (done.error.kind === 'malformed') return err(badRequest(`error decoding patch: ${done.error.message}`))
  return err({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  })
}
