/** What on the hub refers to what: revisions, bundles and keys that something needs. */

import { listAll, type RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { encodeJson, isNamed, type Kind, type KubeObject, kidOf, type Stored } from '@lockstep/kube/object'
import {
  bootstrapModuleKind,
  type ExternalAssemblage,
  type Inventory,
  inventoryKind,
  type Module,
  moduleKind,
  remoteAssemblageKind,
} from '../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION, BUNDLE_LABEL, MODULE_LABEL } from '../../api/labels.ts'
import { type RecordClient, type RecordMark, records } from '../../api/records.ts'
import type { ManagedNamespaces } from './inputs/managednamespaces.ts'
import { type RevisionRecord, readRevision } from './revisions.ts'

/** What can refer to something. */
export interface Referrers {
  readonly modules: Iterable<Stored<Module>>
  /** Assemblages of external controllers. */
  readonly assemblages: Iterable<Stored<ExternalAssemblage>>
  readonly inventories: Iterable<Stored<Inventory>>
  readonly revisions: Iterable<RevisionRecord>
  /** Metadata of the Secrets that hold bundles. */
  readonly shards: Iterable<Stored>
}

export interface HubReferences {
  /** `namespace digest` of revisions that are published, recorded, admitted or being left. */
  readonly revisions: ReadonlySet<string>
  /** `namespace digest` of bundles, and of values of bindings. */
  readonly bundles: ReadonlySet<string>
  readonly kids: ReadonlySet<string>
}

export const referenceTo = (namespace: string, digest: string): string => `${namespace} ${digest}`

const KEYED = /v1:[^:"]+:[0-9a-f]{64}/g

export function referencesOf(seen: Referrers): HubReferences {
  const revisions = new Set<string>()
  const bundles = new Set<string>()
  const digests = new Set<string>()
  const revision = (namespace = '', digest: string | undefined) => {
    if (digest !== undefined) revisions.add(referenceTo(namespace, digest))
  }
  const bundle = (namespace = '', digest: string | undefined) => {
    if (digest === undefined) return
    bundles.add(referenceTo(namespace, digest))
    digests.add(digest)
  }
  const undone: { readonly namespace: string; readonly to: string }[] = []
  for (const { metadata, spec, status } of seen.modules) {
    const { rollout } = status ?? {}
    const { undo } = spec.rollout
    if (undo) undone.push({ namespace: metadata.namespace ?? '', to: undo.to })
    const named = [
      ...[status?.currentRevision, rollout?.revision, rollout?.from],
      ...[rollout?.haltedAt, rollout?.refused],
    ]
    for (const r of [...named, ...(rollout?.ledger ?? []).map((e) => e.revision)])
      revision(metadata.namespace, r)
    bundle(metadata.namespace, status?.bundle)
  }
  for (const { metadata, spec } of seen.assemblages) {
    for (const sync of spec.syncs ?? []) {
      revision(metadata.namespace, sync.revision)
      bundle(metadata.namespace, sync.bundle)
    }
  }
  for (const inventory of seen.inventories) {
    for (const named of [inventory.spec.assigned, inventory.spec.admitted]) {
      revision(inventory.metadata.namespace, named?.revision)
      bundle(inventory.metadata.namespace, named?.bundle)
      bundle(inventory.metadata.namespace, named?.values)
    }
    for (const digest of encodeJson([inventory.spec, inventory.status]).match(KEYED) ?? [])
      digests.add(digest)
  }
  for (const r of seen.revisions) {
    bundle(r.namespace, r.bundle)
    bundle(r.namespace, r.values)
    if (undone.some((u) => u.namespace === r.namespace && isNamed(r.revision, u.to)))
      revision(r.namespace, r.revision)
    for (const { digest } of r.inputs) digests.add(digest)
  }
  for (const shard of seen.shards) digests.add(shard.metadata.annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? '')
  const kids = new Set([...digests].map(kidOf).filter((kid) => kid !== undefined))
  return { revisions, bundles, kids }
}

const SYNC = { purpose: 'sync' } as const

/**
 * As it is now, and complete. Read in the order in which a reference moves on, from a Module to an assignment to an admission:
 * one that moves meanwhile is seen at one place at least.
 */
export async function allReferences({
  own: client,
  namespaces,
}: {
  readonly own: RecordClient
  readonly namespaces: Pick<ManagedNamespaces, 'managed'>
}): Promise<Result<HubReferences, RequestError>> {
  const { managed } = namespaces
  const modules = await listAll(client, moduleKind, SYNC)
  if (!modules.ok) return modules
  const bootstrap = await listAll(client, bootstrapModuleKind, SYNC)
  if (!bootstrap.ok) return bootstrap
  const revisions = await listIn(client, records.revision, managed, {
    ...SYNC,
    labelSelector: MODULE_LABEL,
  })
  if (!revisions.ok) return revisions
  const assemblages = await listAll(client, remoteAssemblageKind, SYNC)
  if (!assemblages.ok) return assemblages
  const inventories = await listAll(client, inventoryKind, SYNC)
  if (!inventories.ok) return inventories
  const shards = await listIn<KubeObject>(client, records.bundle, managed, {
    ...SYNC,
    labelSelector: BUNDLE_LABEL,
    fields: 'metadata',
  })
  if (!shards.ok) return shards
  return ok(
    referencesOf({
      modules: [...modules.value, ...bootstrap.value],
      assemblages: assemblages.value,
      inventories: inventories.value,
      revisions: revisions.value.map(readRevision).filter((r) => r !== undefined),
      shards: shards.value,
    }),
  )
}

/** In these namespaces; undefined: in all. */
async function listIn<T extends KubeObject>(
  client: RecordClient,
  kind: Kind<T> & RecordMark,
  namespaces: readonly string[] | undefined,
  o: Parameters<typeof listAll<T>>[2],
): Promise<Result<Stored<T>[], RequestError>> {
  if (namespaces === undefined) return listAll(client, kind, o)
  const items: Stored<T>[] = []
  for (const namespace of namespaces) {
    const found = await listAll(client, kind, { ...o, namespace })
    if (!found.ok) return found
    items.push(...found.value)
  }
  return ok(items)
}
