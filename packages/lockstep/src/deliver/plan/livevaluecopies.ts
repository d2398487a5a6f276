/** Values that are copied into objects, read at once: for people who ask what would be applied. */

import { type KubeClient, requestErrorText } from '@lockstep/kube/client'
import { defineKind, identityOf } from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { ServedKinds } from '../../fleet/connection/index.ts'
import type { LookupQuery, LookupResult } from '../state/lookup.ts'
import type { UnitDesiredState } from './desiredstate.ts'
import { objectsWithCopies, withValueCopies } from './valuecopies.ts'

/** With the values as they are now; what cannot be read says so in the object's `lack`. */
export async function withLiveValueCopies(
  cluster: ServedKinds & { readonly client: KubeClient },
  desired: UnitDesiredState,
  applied: readonly InventoryObject[],
): Promise<UnitDesiredState> {
  const mutations = objectsWithCopies(desired).flatMap((d) => d.copies?.mutations ?? [])
  const sources = new Map(mutations.map(({ source }) => [identityOf(source), source]))
  const read = await Promise.all(
    [...sources].map(async ([id, source]) => [id, await find(cluster, source)] as const),
  )
  const found = new Map<string, LookupResult>(read)
  return withValueCopies(desired, {
    outside: (s) => found.get(identityOf({ ...s, name: s.name ?? '' })) ?? { type: 'Syncing' },
    live: () => undefined,
    entries: new Map(applied.map((o) => [identityOf(o), o])),
  })
}

async function find(
  cluster: ServedKinds & { readonly client: KubeClient },
  { group, version, kind, namespace, name = '' }: LookupQuery,
): Promise<LookupResult> {
  const resource = cluster.served(group, kind, version)
  if (!resource) return { type: 'NotServed' }
  if (resource.namespaced && namespace === undefined) return { type: 'Misplaced' }
  const key = resource.namespaced ? { namespace, name } : { name }
  const got = await cluster.client.get(defineKind(resource), key, { purpose: 'user' })
  if (got.ok) return { type: 'Read', objects: [got.value], hasStatus: resource.hasStatus }
  if (got.error.kind === 'NotFound') return { type: 'Read', objects: [], hasStatus: resource.hasStatus }
  return {
    type: got.error.kind === 'Forbidden' ? 'Forbidden' : 'Unread',
    detail: requestErrorText(got.error),
  }
}
