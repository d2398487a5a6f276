/** Records that others keep in assemblages of their own, as units see them. Out of the caches; writes nothing. */

import { type Digest, type Kind, type Stored, short10 } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import {
  type Assignment,
  type ExternalAssemblage,
  type ExternalAssignment,
  remoteAssemblageKind,
} from '../../api/kinds/index.ts'
import { MANAGED_BY_LABEL } from '../../api/labels.ts'
import type { GatedUnit } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleText } from '../../decisions/graph/index.ts'
import type { ClusterView, FleetReader } from '../../fleet/clusters/index.ts'
import type { HubCaches, HubInformers } from './hubcaches.ts'
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
  hub: Pick<HubInformers, 'foreign' | 'revisions'>,
  { kind, namespace, name, owner = '' }: ModuleRef,
  admitted: Digest | undefined,
): Assignment | undefined {
  const assemblage = hub.foreign.store.get({ namespace, name: owner })
  if (!assemblage) return undefined
  const { uid, generation = 0, deletionTimestamp } = assemblage.metadata
  const said = assemblage.spec.syncs?.find((s) => s.kind === kind && s.name === name)
  const base = { kind, name, uid, gate: 'Open', stage: 'all', serial: said?.serial ?? generation } as const
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
  const blocker = (reason: NewBlocker['reason'], message: string): NewBlocker => ({
    reason,
    message,
    subject: moduleText(ref),
  })
  const by = assemblage.metadata.labels?.[MANAGED_BY_LABEL] ?? ''
  const where = `RemoteAssemblage ${ref.namespace}/${ref.owner}`
  if (!ref.owner?.startsWith(`${by}.`) || by === '')
    return blocker(
      'InvalidSpec',
      `${where} is managed by "${by}", and its name does not begin with "${by}.": names without that are those of clusters; make it anew under such a name`,
    )
  if (ref.kind === 'Module' || ref.kind === 'BootstrapModule')
    return blocker(
      'InvalidSpec',
      `${where}: ${ref.kind} ${ref.name} is a record of a module; use a kind of your own`,
    )
  const found = revisionIn(hub, ref.namespace, revision)
  if (!found)
    return blocker(
      'RevisionUnknown',
      `${where}: ${ref.kind} ${ref.name} wants revision ${short10(revision)}, which no module of the namespace has published, or whose history is gone; name one of lockstep rollout history`,
    )
  if (found.bundle !== bundle)
    return blocker(
      'InvalidSpec',
      `${where}: ${ref.kind} ${ref.name}: bundle of revision ${short10(revision)} is ${found.bundle}, not ${bundle}`,
    )
  const bound = [...GIVEN, ...(found.spec.bindings ?? []).map((b) => b.name)]
  const mentioned = found.mentions.filter((name) => bound.includes(name))
  if (mentioned.length > 0)
    return blocker(
      'BindingUnresolved',
      `${where}: ${ref.kind} ${ref.name}: revision ${short10(revision)} mentions bindings (${mentioned.slice(0, 3).join(', ')}), whose values only records of modules have`,
    )
  return undefined
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

export const externalAssemblageKind = remoteAssemblageKind as unknown as Kind<ExternalAssemblage>
