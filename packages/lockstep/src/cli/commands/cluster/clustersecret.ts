/** The Secret of a cluster on the hub, for commands that write it. */
import { ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { type RemoteAssemblage, remoteAssemblageKind } from '../../../api/kinds/index.ts'
import { ACCEPT_ANNOTATION, CLI_MANAGER, CLUSTER_LABEL } from '../../../api/labels.ts'
import { renewedData } from '../../../fleet/credentials/index.ts'
import type { HubConnection } from '../../kit/hub/index.ts'
import { type CliFailure, type CommandContext, failed, requestFailure } from '../../kit/index.ts'

/** Undefined: there is none. Fails for a Secret without the label of clusters. */
export async function findClusterSecret(
  c: CommandContext,
  hub: HubConnection,
  name: string,
): Promise<Result<Stored<Secret> | undefined, CliFailure>> {
  const { namespace } = hub
  const found = await hub.client.get(secretKind, { namespace, name }, { purpose: 'user', signal: c.signal })
  if (!found.ok)
    return found.error.kind === 'NotFound' ? ok(undefined) : requestFailure(found.error, hub.server)
  if (found.value.metadata.labels?.[CLUSTER_LABEL] === 'true') return ok(found.value)
  return failed('E_REFUSED', {
    ref: `Secret ${namespace}/${name}`,
    problem: `has no label ${CLUSTER_LABEL}=true: it is not a cluster`,
    suggestion: 'choose another name; the clusters: lockstep cluster list',
  })
}

/** Fails if the hub has recorded another cluster under the name than the one with this `kube-system` uid. */
export async function requireSameCluster(
  c: CommandContext,
  hub: HubConnection,
  name: string,
  uid: string,
): Promise<Result<void, CliFailure>> {
  const key = { namespace: hub.namespace, name }
  const found = await hub.client.get<RemoteAssemblage>(remoteAssemblageKind, key, {
    purpose: 'user',
    signal: c.signal,
  })
  if (!found.ok)
    return found.error.kind === 'NotFound' ? ok(undefined) : requestFailure(found.error, hub.server)
  const { metadata, status } = found.value
  const recorded = status?.clusterUid
  if (recorded === undefined || recorded === uid || metadata.annotations?.[ACCEPT_ANNOTATION] === uid)
    return ok(undefined)
  return failed('E_REFUSED', {
    ref: `cluster ${name}`,
    problem: `is another cluster: kube-system ${recorded} is recorded, and ${uid} answers`,
    suggestion: `use the right context; if the cluster was recreated: lockstep cluster accept ${name} --uid ${uid}`,
  })
}

/** Replaces the token, unless the Secret has changed since it was read. */
export async function replaceToken(
  c: CommandContext,
  hub: HubConnection,
  secret: Stored<Secret>,
  kubeconfig: string,
  token: string,
): Promise<Result<Stored<Secret>, CliFailure>> {
  const { uid, resourceVersion, name } = secret.metadata
  const namespace = hub.namespace
  const data = renewedData(kubeconfig, token)
  if (!data.ok)
    return failed('E_REFUSED', {
      ref: `Secret ${namespace}/${name}`,
      problem: data.error,
      suggestion: `register the cluster again: lockstep cluster add CONTEXT --name ${name}`,
    })
  const options = {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    precondition: { uid, resourceVersion },
  } as const
  const written = await hub.client.patch(secretKind, { namespace, name }, { data: data.value }, options)
  return written.ok ? written : requestFailure(written.error, hub.server)
}
