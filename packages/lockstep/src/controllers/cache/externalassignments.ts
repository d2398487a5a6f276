/** Records that others keep in assemblages of their own, as units see them. Out of the caches; writes nothing. */

import { type Digest, type Stored, short10 } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import {
  type Assignment,
  type ExternalAssemblage,
  type ExternalAssignment,
  remoteAssemblageKind,
} from '../../api/kinds/index.ts'
import { MANAGED_BY_LABEL } from '../../api/labels.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { GatedUnit } from '../../decisions/gate/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { WHOLE_STAGE } from '../../decisions/rollout/index.ts'
import type { ClusterView, FleetReader } from '../../fleet/clusters/index.ts'
import type { HubCaches } from './hubcaches.ts'
import type { RevisionRecord } from './revisions.ts'

/** What stands for the module. */
export const externalRef = (
  { metadata: { namespace = '', name } }: Stored<ExternalAssemblage>,
  record: Pick<ExternalAssignment, 'kind' | 'name'>,
): ModuleRef => ({ kind: record.kind, namespace, name: record.name, owner: name })

/** The cluster that an assemblage is about: by its object, or by the name under which units know it. */
export function clusterOfExternal(
  fleet: Pick<FleetReader, 'view' | 'of'>,
  { metadata: { namespace = '' }, spec: { clusterRef } }: Stored<ExternalAssemblage>,
): ClusterView | undefined {
  const named = fleet.view(namespace, clusterRef.name)
  if (named?.kind === clusterRef.kind) return named
  return fleet.of(namespace).find((v) => v.kind === clusterRef.kind && v.objectName === clusterRef.name)
}

/** What a module of the namespace has published under this name; undefined: nobody has, or it is not seen yet. */
export function revisionIn(
  { revisions }: Pick<HubCaches, 'revisions'>,
  namespace: string,
  revision: Digest,
): RevisionRecord | undefined {
  const [found] = revisions.store.by('revision', `${namespace} ${revision}`)
  return found
}

/**
 * The record of a unit of somebody else, with what Modules say in theirs. Where its owner has taken it out, or deletes the
 * assemblage, the unit leaves; an assemblage that is not there at all says nothing, as everything that is absent.
 */
export function externalAssignment(
  hub: Pick<HubCaches, 'foreign' | 'revisions'>,
  { kind, namespace, name, owner = '' }: ModuleRef,
  admitted: Digest | undefined,
): Assignment | undefined {
  const assemblage = hub.foreign?.store.get({ namespace, name: owner })
  if (!assemblage) return undefined
  const { uid, generation = 0, deletionTimestamp } = assemblage.metadata
  const said = assemblage.spec.syncs?.find((s) => s.kind === kind && s.name === name)
  const base = { uid, stage: WHOLE_STAGE, serial: said?.serial ?? generation }
  if (said && deletionTimestamp === undefined) {
    const { revision, bundle } = said
    const release = said.release ?? revisionIn(hub, namespace, revision)?.release
    return { ...base, revision, bundle, ...(release === undefined ? {} : { release }) }
  }
  const revision = admitted === undefined ? undefined : revisionIn(hub, namespace, admitted)
  const policy = revision?.spec.apply.deletionPolicy ?? 'Delete'
  return {
    ...base,
    revision: admitted ?? '',
    bundle: revision?.bundle ?? '',
    removal: { cause: 'RecordRemoved', policy },
  }
}

/** Bindings that every module has. */
const GIVEN: readonly string[] = ['CLUSTER_NAME', 'CLUSTER_NAMESPACE']

/** Why a record cannot be delivered, whatever its cluster is like; undefined: it can. */
export function externalAssignmentBlocker(
  hub: Pick<HubCaches, 'revisions'>,
  assemblage: Pick<Stored<ExternalAssemblage>, 'metadata'>,
  ref: ModuleRef,
  { revision, bundle }: Pick<ExternalAssignment, 'revision' | 'bundle'>,
): NewBlocker | undefined {
  const on: WaitRefOf<'Object'>[] = [
    {
      kind: 'Object',
      name: ref.owner ?? '',
      namespace: ref.namespace,
      object: { apiVersion: API_VERSION, kind: remoteAssemblageKind.kind },
    },
  ]
  const by = assemblage.metadata.labels?.[MANAGED_BY_LABEL] ?? ''
  const field = `RemoteAssemblage ${ref.namespace}/${ref.owner}`
  const subject = `${field}: ${ref.kind} ${ref.name}`
  const invalid = (where: string, problem: string) => blocked('InvalidSpec', on, { field: where, problem })
  if (!ref.owner?.startsWith(`${by}.`) || by === '')
    return invalid(
      field,
      `managed by "${by}", and its name does not begin with "${by}."; recreate it with such a name`,
    )
  if (ref.kind === 'Module' || ref.kind === 'BootstrapModule')
    return invalid(subject, 'this kind is reserved for Modules; use another kind')
  const found = revisionIn(hub, ref.namespace, revision)
  if (!found)
    return blocked('RevisionUnknown', on, {
      because: 'NotPublished',
      subject,
      revision: short10(revision),
    })
  if (found.bundle !== bundle)
    return invalid(subject, `bundle of revision ${short10(revision)} is ${found.bundle}, not ${bundle}`)
  const bound = [...GIVEN, ...(found.spec.bindings ?? []).map((b) => b.name)]
  const mentioned = found.mentions.filter((name) => bound.includes(name))
  if (mentioned.length === 0) return undefined
  const binding = mentioned.slice(0, 3).join(', ')
  const error = `${subject}: revision ${short10(revision)}`
  return blocked('BindingUnresolved', on, { binding, because: 'External', error })
}

/** What its unit is verified against; undefined: there is nothing to be verified. */
export function externalTarget(
  hub: Pick<HubCaches, 'revisions'>,
  ref: ModuleRef,
  cluster: string,
  record: Assignment,
): GatedUnit | undefined {
  const found = revisionIn(hub, ref.namespace, record.revision)
  if (!found || record.removal) return undefined
  const { revision, edges } = found
  return {
    module: ref,
    cluster,
    published: { revision, release: record.release, attempt: 0, edges },
    isApart: false,
  }
}
