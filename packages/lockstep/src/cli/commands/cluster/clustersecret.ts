/** The Secret of a cluster on the hub, for commands that write it. */
import { ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { CLI_MANAGER, CLUSTER_LABEL } from '../../../api/labels.ts'
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
  const problem = `has no label ${CLUSTER_LABEL}=true: it is not a cluster`
  return secretRefused(hub, name, problem, 'choose another name; the clusters: lockstep cluster list')
}

/** The failure of a command for a cluster without a Secret. */
export const notRegistered = ({ namespace }: HubConnection, name: string) =>
  failed('E_NOT_FOUND', {
    kind: 'cluster Secret',
    name,
    namespace,
    suggestion: 'the clusters: lockstep cluster list',
  })

/** The failure of a command that cannot use the Secret. */
export const secretRefused = (
  { namespace }: HubConnection,
  name: string,
  problem: string,
  suggestion: string,
) => failed('E_REFUSED', { ref: `Secret ${namespace}/${name}`, problem, suggestion })

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
    return secretRefused(
      hub,
      name,
      data.error,
      `register the cluster again: lockstep cluster add CONTEXT --name ${name}`,
    )
  const options = {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    precondition: { uid, resourceVersion },
  } as const
  const written = await hub.client.patch(secretKind, { namespace, name }, { data: data.value }, options)
  return written.ok ? written : requestFailure(written.error, hub.server)
}
