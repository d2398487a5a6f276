/** The objects of one source go to one cluster: all of them, whatever becomes of each (`clusterresourceset_scope.go`). */
import {
  at,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  parseApiVersion,
} from '@lockstep/kube/object'
import { aggregateError } from './aggregateerror.ts'
import { placeOf, type Remote } from './remote.ts'
import type { AppliedResource } from './setspec.ts'
import { isReason, RequestFailed } from './upstreamclient.ts'

export type Strategy = 'ApplyOnce' | 'Reconcile'

/** ApplyOnce does not look at the hash, which is that of the last attempt. */
export function needsApply(strategy: Strategy, entry: AppliedResource | undefined, hash: string): boolean {
  if (!entry?.applied) return true
  return strategy === 'Reconcile' && entry.hash !== hash
}

/** @throws Error with what failed, all of it */
export async function applyResources(
  remote: Remote,
  strategy: Strategy,
  objects: readonly JsonObject[],
): Promise<void> {
  const failures: string[] = []
  for (const o of objects) {
    try {
      await applyOne(remote, strategy, o as unknown as KubeObject)
    } catch (e) {
      if (!(e instanceof Error)) throw e
      failures.push(e.message)
    }
  }
  if (failures.length > 0) throw new Error(aggregateError(failures))
}

async function applyOne(remote: Remote, strategy: Strategy, o: KubeObject): Promise<void> {
  if (strategy === 'ApplyOnce') {
    // What is there already stays as it is.
    await create(remote, o).catch((e: unknown) => {
      if (!isReason(e, 'AlreadyExists')) throw wrapped('creating', o, e)
    })
    return
  }
  let live: JsonObject
  try {
    if (o.metadata?.namespace === undefined && (await remote.mapping(o.apiVersion, o.kind)).namespaced)
      throw new RequestFailed(0, '', 'an empty namespace may not be set when a resource name is provided')
    live = await remote.read(o.apiVersion, o.kind, o.metadata.namespace ?? '', o.metadata.name ?? '')
  } catch (e) {
    if (!isReason(e, 'NotFound')) throw wrapped('reading', o, e)
    await create(remote, o).catch((failed: unknown) => {
      throw wrapped('creating', o, failed)
    })
    return
  }
  await patch(remote, o, live)
}

async function create(remote: Remote, o: KubeObject): Promise<void> {
  const mapping = await remote.mapping(o.apiVersion, o.kind)
  if (mapping.namespaced && o.metadata?.namespace === undefined)
    throw new RequestFailed(0, '', 'an empty namespace may not be set during creation')
  await remote.client.create(placeOf(o, mapping), o as unknown as JsonObject)
}

/** What the manifest lacks goes; only the resourceVersion is taken from the live object, so there is no conflict. */
async function patch(remote: Remote, o: KubeObject, live: JsonObject): Promise<void> {
  const resourceVersion = at(live, 'metadata', 'resourceVersion')
  const wanted = { ...o, metadata: { ...o.metadata, resourceVersion } } as unknown as JsonObject
  const mapping = await remote.mapping(o.apiVersion, o.kind)
  try {
    await remote.client.patch(`${placeOf(o, mapping)}/${o.metadata.name}`, mergeDiff(live, wanted))
  } catch (e) {
    throw wrapped('patching', o, e)
  }
}

/** The merge patch from one value to another (`jsonpatch.CreateMergePatch`). */
export function mergeDiff(from: JsonObject, to: JsonObject): JsonObject {
  const out: { [name: string]: JsonValue } = {}
  for (const [name, value] of Object.entries(to)) {
    const old = from[name]
    if (value === undefined || (old !== undefined && jsonEqual(old, value))) continue
    out[name] = isObject(old) && isObject(value) ? mergeDiff(old, value) : value
  }
  for (const name of Object.keys(from)) if (to[name] === undefined) out[name] = null
  return out
}

function wrapped(doing: string, o: KubeObject, e: unknown): Error {
  const { group, version } = parseApiVersion(o.apiVersion ?? '')
  const { namespace, name } = o.metadata ?? {}
  const key = namespace === undefined ? name : `${namespace}/${name}`
  const message = e instanceof Error ? e.message : String(e)
  return new Error(`${doing} object ${group}/${version}, Kind=${o.kind} ${key}: ${message}`)
}
