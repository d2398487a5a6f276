import { requestErrorText } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { type RemoteAssemblage, remoteAssemblageKind } from '../../../api/kinds/index.ts'
import { ACCEPT_ANNOTATION, CLI_MANAGER } from '../../../api/labels.ts'
import {
  ClusterConnections,
  type HubConnection,
  listClusters,
  notFound,
  withUniqueNames,
} from '../../kit/hub/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  INTERRUPTED,
  isSet,
  nameOf,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import { fit } from '../../kit/terminal/index.ts'

/** `lockstep cluster accept`: the cluster that answers now, and no other that may answer later. */
export async function acceptCluster(
  c: CommandContext,
  hub: HubConnection,
  name: string,
  flags: Flags,
): Promise<CommandResult> {
  const given = { isSure: isSet(flags, 'yes'), uid: textFlag(flags, 'uid') }
  const key = { namespace: hub.namespace, name }
  const found = await hub.client.get(remoteAssemblageKind, key, { purpose: 'user', signal: c.signal })
  if (!found.ok && found.error.kind === 'NotFound') return notFound(c, hub, remoteAssemblageKind, name)
  if (!found.ok) return requestFailure(found.error, hub.server)
  const { clusterUid } = found.value.status ?? {}
  const uid = given.uid === undefined ? await uidOf(c, hub, name, found.value) : ok(given.uid)
  if (!uid.ok) return uid
  const kind = remoteAssemblageKind
  const say = (text: string, object: Stored<RemoteAssemblage>): CommandResult => {
    if (!printObjects(c, [{ kind, object }]))
      c.terminal.print(fit(c.terminal.look, `${nameOf(kind, name)}: ${text}`))
    return { ok: true, value: 0 }
  }
  if (clusterUid === undefined || clusterUid === uid.value)
    return say(`already accepted (kube-system ${uid.value})`, found.value)
  if (!given.isSure) {
    if (!(c.host.stdin.isTty && c.host.stdout.isTty))
      return failed('E_USAGE', {
        problem: 'cannot ask for confirmation: standard input is not a terminal',
        suggestion: 'to accept the cluster, add --yes',
      })
    c.terminal.talk(
      `${name} answers with kube-system ${uid.value}; it was ${clusterUid}. All Modules are deployed again. Type yes to accept the cluster.`,
    )
    const said = await c.host.stdin.line(c.signal)
    if (c.signal.aborted) return { ok: true, value: INTERRUPTED }
    if (said?.trim() !== 'yes') {
      c.terminal.talk('Nothing was changed.')
      return { ok: true, value: 1 }
    }
  }
  const done = await hub.client.patch(
    kind,
    key,
    { metadata: { annotations: { [ACCEPT_ANNOTATION]: uid.value } } },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: 'any' },
  )
  if (!done.ok) return requestFailure(done.error, hub.server)
  return say(`accepted kube-system ${uid.value}; it was ${clusterUid}`, done.value)
}

/** uid of the cluster that answers under a name at this moment. */
async function uidOf(
  c: CommandContext,
  hub: HubConnection,
  name: string,
  assemblage: Stored<RemoteAssemblage>,
) {
  const listed = await listClusters(c, hub, { namespace: hub.namespace })
  if (!listed.ok) return listed
  const views = withUniqueNames(
    listed.value.map((x) => x.view),
    [assemblage],
  )
  const clusters = new ClusterConnections(c, hub, views)
  const refused = (problem: string) =>
    failed('E_REFUSED', { ref: `cluster ${name}`, problem, suggestion: 'lockstep get clusters' })
  try {
    const there = await clusters.reach(name)
    if (typeof there === 'string') return refused(there)
    const read = await there.client.get(
      namespaceKind,
      { name: 'kube-system' },
      { purpose: 'user', signal: c.signal },
    )
    return read.ok
      ? ({ ok: true, value: read.value.metadata.uid } as const)
      : refused(`cannot read Namespace kube-system: ${requestErrorText(read.error)}`)
  } finally {
    await clusters.close()
  }
}
