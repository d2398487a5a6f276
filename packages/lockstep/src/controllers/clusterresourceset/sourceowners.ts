/** Owner references of sets on their sources: `clusterctl move` finds these by them. */

import { configMapKind, secretKind } from '@lockstep/kube/kinds'
import { type Kind, type KubeObject, keyOf, type ObjectMeta, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { accountOfSet } from '../../api/account.ts'
import type { ClusterResourceSet } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { type SetOwner, withOwner } from '../../decisions/resourceset/index.ts'
import type { HubInformers } from '../cache/index.ts'
import { failed } from '../runtime/index.ts'
import type { SetDeps } from './setdeps.ts'
import type { SetSource } from './setsources.ts'

/** As others refer to it: in the version that is read, which is the newest that is served. */
export const setOwnerOf = (
  { sets }: Pick<HubInformers, 'sets'>,
  { apiVersion, metadata }: Stored<ClusterResourceSet>,
): SetOwner => ({
  apiVersion: sets.kind ? `${sets.kind.group}/${sets.kind.version}` : apiVersion,
  name: metadata.name,
  uid: metadata.uid,
})

/** Before anything of a source is applied it has its owner, as with Cluster API; also of one that is refused. */
export async function ensureSourceOwners(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  seen: readonly SetSource[],
): Promise<ReconcileResult> {
  const owner = setOwnerOf(c.hub, set)
  for (const source of seen) {
    if (!isMeant(source)) continue
    const { metadata } = source.object
    const owners = withOwner(metadata.ownerReferences, owner)
    if (owners === metadata.ownerReferences) continue
    const done = await updateSourceOwners(c, set, source.object, owners)
    if (!done.ok) return done
  }
  return { ok: true }
}

/** Also what cannot be read: it moves with the set. What is of another type is somebody's who meant something else. */
const isMeant = (source: SetSource): source is Extract<SetSource, { readonly object: Stored }> =>
  source.state === 'Read' ||
  (source.state === 'Refused' && source.problems.every((p) => p.reason !== 'WrongSecretType'))

export const sourceKind = (kind: string): Kind<KubeObject> =>
  (kind === 'Secret' ? secretKind : configMapKind) as unknown as Kind<KubeObject>

/** On the version that was read: what somebody else has written meanwhile is looked at first. */
export async function updateSourceOwners(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  source: Stored,
  owners: ObjectMeta['ownerReferences'],
): Promise<ReconcileResult> {
  const kind = sourceKind(source.kind)
  const { uid, resourceVersion } = source.metadata
  const patch = { metadata: { ownerReferences: owners?.map((o) => ({ ...o })) ?? null } }
  const done = await c.hub.inputs(accountOfSet(set)).patch(kind, keyOf(source), patch as never, {
    purpose: 'record',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  return done.ok || done.error.kind === 'NotFound' ? { ok: true } : failed(done.error)
}
