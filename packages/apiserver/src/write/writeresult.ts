import type { Result } from '@lockstep/kube/env'
import { type JsonValue, jsonEqual, type KubeObject, keyText } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { StoredObject } from '../store/storedobject.ts'
import type { ServerWriteOptions } from './writeoptions.ts'

/** What a write left behind: the object as stored, or as it would be with `dryRun`. */
export interface WrittenObject {
  readonly stored: StoredObject
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted'
}

export type WriteResult = Result<WrittenObject, ApiFailure>

/** The key of a table: `namespace/name` or `name`. */
export const storeKey = (kind: ServedKind, namespace: string, name: string): string =>
  kind.info.namespaced ? keyText({ namespace, name }) : name

/** Puts a checked object in place, unless it is a dry run. */
export function commit(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  key: string,
  object: KubeObject,
  options: ServerWriteOptions,
  verb: string,
): StoredObject {
  const kept = inStorage(kind, object)
  if (options.dryRun) return new StoredObject(key, kept, 0, kind.table.encoding)
  const { manager: actor, agent, user } = options
  return cluster.store.put(kind.table, key, kept, { verb, actor, agent, user: user.name })
}

/** Objects are kept in one version; `None` conversion only swaps it (apiextensions-apiserver pkg/apiserver/conversion). */
const inStorage = (kind: ServedKind, o: KubeObject): KubeObject =>
  kind.conversion ? kind.conversion.toStorage(o) : inVersion(kind.info.group, kind.storageVersion, o)

function inVersion(group: string, version: string, o: KubeObject): KubeObject {
  const apiVersion = group === '' ? version : `${group}/${version}`
  return o.apiVersion === apiVersion ? o : { ...o, apiVersion }
}

/** The object as this version of the kind shows it. */
export function seen(kind: ServedKind, s: StoredObject): StoredObject {
  const { conversion } = kind
  if (conversion) return s.seenAs(versionName(kind), (o) => conversion.fromStorage(o))
  if (kind.info.version === kind.storageVersion) return s
  return s.seenAs(versionName(kind), (o) => inVersion(kind.info.group, kind.info.version, o))
}

/** An object of one version of a resource as another version shows it. */
export const asVersion = (from: ServedKind, to: ServedKind, o: KubeObject): KubeObject =>
  from === to ? o : seen(to, new StoredObject('', inStorage(from, o), 0, to.table.encoding)).object

const versionName = (kind: ServedKind): string => `${kind.info.group}/${kind.info.version}`

/** Equal but for the times of managedFields (apiserver `fieldmanager/equality.go`). */
export function sameButTimes(a: KubeObject, b: KubeObject): boolean {
  if (a === b) return true
  const { managedFields: ma, ...metaA } = a.metadata
  const { managedFields: mb, ...metaB } = b.metadata
  return (
    jsonEqual({ ...a, metadata: metaA }, { ...b, metadata: metaB }) &&
    jsonEqual(timeless(ma as JsonValue | undefined), timeless(mb as JsonValue | undefined))
  )
}

function timeless(entries: JsonValue | undefined): JsonValue {
  if (!Array.isArray(entries)) return []
  return entries.map((e: JsonValue) => ({ ...(e as object), time: undefined }) as JsonValue)
}
