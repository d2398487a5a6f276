/** Records in assemblages: each Module writes its own, and nobody else's. */

import type { KubeResult } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { type Digest, type KubeObject, keyText, type Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import {
  type Assignment,
  type Inventory,
  type Module,
  type RemoteAssemblage,
  remoteAssemblageKind,
  type SyncStatus,
} from '../../api/kinds/index.ts'
import { BUCKET_LABEL, MANAGER, recordManager } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { TargetBundle } from '../../decisions/rollout/index.ts'
import { bucketOf } from '../../deliver/plan/index.ts'
import type { KeyedMutex } from '../runtime/index.ts'
import type { HubCaches, HubInformers } from './hubcaches.ts'

export type NewAssignment = Omit<Assignment, 'kind' | 'name' | 'uid' | 'serial' | 'gate'>

/** `values`: digest of what its bindings are on the cluster. */
export const newAssignment = (
  { revision, bundle, release }: TargetBundle & { readonly release?: string | undefined },
  values: Digest | undefined,
  stage: string,
): NewAssignment => ({
  revision,
  bundle,
  ...(values === undefined ? {} : { values }),
  ...(release === undefined ? {} : { release }),
  stage,
})

/** As it is written down. `before`: the one that it replaces. */
export const toAssignment = (
  { kind, name }: ModuleRef,
  { metadata: { uid } }: Stored<Module>,
  record: NewAssignment,
  before: Assignment | undefined,
): Assignment => ({ kind, name, uid, ...record, gate: 'Open', serial: (before?.serial ?? 0) + 1 })

/**
 * Sets or takes back (`undefined`) the record of a module on one cluster: server-side apply as the Module's own
 * manager, on the version that was read. A lost fence is the caller's to look at again.
 */
export async function writeAssignment(
  hub: HubInformers,
  writes: KeyedMutex,
  ref: ModuleRef,
  module: Stored<Module>,
  cluster: { kind: string; name: string },
  record: NewAssignment | undefined,
): Promise<KubeResult<void>> {
  const key = { namespace: ref.namespace, name: cluster.name }
  return writes.run(keyText(key), async () => {
    const there = await ensureAssemblage(hub, key, cluster, record !== undefined)
    if (!there.ok) return there
    if (!there.value) return ok(undefined)
    const known = recordIn(there.value, ref)
    // An earlier Module of this name wrote the record: only its field manager can remove those fields.
    const freed =
      known && known.uid !== module.metadata.uid
        ? await applyRecord(hub, there.value, known.uid, undefined)
        : ok(there.value)
    if (!freed.ok || (record === undefined && freed.value !== there.value))
      return freed.ok ? ok(undefined) : freed
    const before = recordIn(freed.value, ref)
    const sync = record && toAssignment(ref, module, record, before)
    const done = await applyRecord(hub, freed.value, module.metadata.uid, sync)
    return done.ok ? ok(undefined) : done
  })
}

/** Takes back what a module that is gone, or is about to go, has in an assemblage: whoever had its name. */
export async function deleteAssignment(
  hub: HubInformers,
  writes: KeyedMutex,
  ref: ModuleRef,
  cluster: string,
): Promise<KubeResult<void>> {
  const key = { namespace: ref.namespace, name: cluster }
  return writes.run(keyText(key), async () => {
    const there = hub.assemblages.store.get(key)
    const known = there && recordIn(there, ref)
    if (!known) return ok(undefined)
    const done = await applyRecord(hub, there, known.uid, undefined)
    return done.ok ? ok(undefined) : done
  })
}

/** Names of the clusters on which a module has a record. */
export const clustersWithAssignments = (
  { assemblages }: Pick<HubCaches, 'assemblages'>,
  ref: ModuleRef,
): string[] =>
  [...assemblages.store.all()].flatMap(({ metadata, spec }) =>
    metadata.namespace === ref.namespace &&
    spec.syncs?.some((s) => s.kind === ref.kind && s.name === ref.name)
      ? [metadata.name]
      : [],
  )

const recordIn = ({ spec }: RemoteAssemblage, { kind, name }: ModuleRef): Assignment | undefined =>
  spec.syncs?.find((s) => s.kind === kind && s.name === name)

/** All that one module has in an assemblage, as the manager that is named after its uid. */
async function applyRecord(
  hub: HubInformers,
  { metadata: { name, namespace, uid, resourceVersion } }: Stored<RemoteAssemblage>,
  moduleUid: string,
  sync: object | undefined,
): Promise<KubeResult<Stored<RemoteAssemblage>>> {
  const body = {
    apiVersion: API_VERSION,
    kind: remoteAssemblageKind.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { syncs: sync ? [sync] : [] },
  } as KubeObject
  const done = await hub.own.apply<RemoteAssemblage>(remoteAssemblageKind, body, {
    purpose: 'record',
    manager: recordManager(moduleUid),
    precondition: { uid, resourceVersion },
    force: true,
  })
  if (done.ok) hub.assemblages.observeWrite(done.value)
  return done
}

async function ensureAssemblage(
  hub: HubInformers,
  key: { namespace: string; name: string },
  cluster: { kind: string; name: string },
  create: boolean,
): Promise<KubeResult<Stored<RemoteAssemblage> | undefined>> {
  const known = hub.assemblages.store.get(key)
  if (known || !create) return ok(known)
  const body: RemoteAssemblage = {
    apiVersion: API_VERSION,
    kind: remoteAssemblageKind.kind,
    metadata: { ...key, labels: { [BUCKET_LABEL]: bucketOf(key.namespace, key.name) } },
    spec: { clusterRef: { kind: cluster.kind, name: cluster.name } },
  }
  const made = await hub.own.create(remoteAssemblageKind, body, { purpose: 'record', manager: MANAGER })
  if (!made.ok) return made
  hub.assemblages.observeWrite(made.value)
  return made
}

/** Status of one record, from its Inventory. */
export function assignmentStatus(
  record: Pick<SyncStatus, 'kind' | 'name'>,
  inventory: Stored<Inventory> | undefined,
): SyncStatus {
  const status = inventory?.status
  const admitted = inventory?.spec.admitted
  return {
    kind: record.kind,
    name: record.name,
    ...(admitted ? { revision: admitted.revision } : {}),
    ...(status?.verifiedGateDigest ? { gateDigest: status.verifiedGateDigest } : {}),
    state: status?.state ?? 'Waiting',
    ...(status?.objects ? { objects: { ready: status.objects.ready, total: status.objects.total } } : {}),
    ...(status?.blockers ? { blockers: status.blockers.slice(0, 3) } : {}),
    observedSerial: status?.observedSerial ?? 0,
  }
}
