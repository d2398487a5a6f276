/** A cluster as its administrator reaches it: by a context of the kubeconfig, which must be the right one. */
import { ok, type Result } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import { type RemoteAssemblage, remoteAssemblageKind } from '../../../api/kinds/index.ts'
import { ACCEPT_ANNOTATION } from '../../../api/labels.ts'
import { type HubConnection, type OpenedContext, openContext } from '../hub/index.ts'
import { type CliFailure, type CommandContext, failed, requestFailure } from '../index.ts'
import { type Registration, registrationOf } from './registration.ts'

/** Opens a context of the kubeconfig for `work`, and closes it. */
export async function withContext<T>(
  c: CommandContext,
  word: string,
  work: (context: OpenedContext) => Promise<Result<T, CliFailure>>,
): Promise<Result<T, CliFailure>> {
  const opened = await openContext(c, word)
  if (!opened.ok) return opened
  try {
    return await work(opened.value)
  } finally {
    await opened.value.client.close()
  }
}

/** The same for a context of the cluster that the hub knows as `name`. Fails before `work` if it is another cluster. */
export const asAdministrator = <T>(
  c: CommandContext,
  hub: HubConnection,
  { name, word }: { readonly name: string; readonly word: string },
  work: (context: OpenedContext) => Promise<Result<T, CliFailure>>,
): Promise<Result<T, CliFailure>> =>
  withContext(c, word, async (context) => {
    const uid = await sameClusterUid(c, hub, name, context)
    return uid.ok ? work(context) : uid
  })

/** uid of Namespace `kube-system`. Fails if the hub has recorded another cluster under the name. */
export async function sameClusterUid(
  c: CommandContext,
  hub: HubConnection,
  name: string,
  { client, server }: OpenedContext,
): Promise<Result<string, CliFailure>> {
  const call = { purpose: 'user', signal: c.signal } as const
  const answers = await client.get(namespaceKind, { name: 'kube-system' }, call)
  if (!answers.ok) return requestFailure(answers.error, server)
  const { uid } = answers.value.metadata
  const key = { namespace: hub.namespace, name }
  const found = await hub.client.get<RemoteAssemblage>(remoteAssemblageKind, key, call)
  if (!found.ok) return found.error.kind === 'NotFound' ? ok(uid) : requestFailure(found.error, hub.server)
  const { metadata, status } = found.value
  const recorded = status?.clusterUid
  if (recorded === undefined || recorded === uid || metadata.annotations?.[ACCEPT_ANNOTATION] === uid)
    return ok(uid)
  return failed('E_REFUSED', {
    ref: `cluster ${name}`,
    problem: `is another cluster: kube-system ${recorded} is recorded, and ${uid} answers`,
    suggestion: `use the right context; if the cluster was recreated: lockstep cluster accept ${name} --uid ${uid}`,
  })
}

/** Registration of the cluster whose Secret has this name, in the namespace of the hub. */
export async function readRegistration(
  c: CommandContext,
  { client, server, namespace }: HubConnection,
  name: string,
): Promise<Result<Registration, CliFailure>> {
  const call = { purpose: 'user', signal: c.signal } as const
  const home = await client.get(namespaceKind, { name: namespace }, call)
  return home.ok ? ok(registrationOf(home.value.metadata.uid, name)) : requestFailure(home.error, server)
}
