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
  openHub,
  withUniqueNames,
} from '../../kit/hub/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  isSet,
  nameOf,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import { fit, nearest } from '../../kit/terminal/index.ts'
import { CLUSTER_ACTIONS } from '../../kit/topics/index.ts'

/** `lockstep cluster`. */
export const clusterCommand: Command = {
  name: 'cluster',
  summary: 'Accept a recreated cluster under an existing name',
  arguments: '<action> <name>',
  completes: ['clusterAction', 'cluster'],
  detail:
    'The action is accept. Clusters are identified by the UID of kube-system. When a cluster answers with another UID, nothing is written to it (IdentityChanged) until it is accepted. An accepted cluster is a new cluster: all Modules are deployed to it again. The hub keeps the Inventories of the old cluster as orphaned. No object is deleted on either cluster.',
  options: [
    { flags: '--yes', text: 'accept without confirmation' },
    {
      flags: '--uid <uid>',
      text: 'UID to accept, from the message; for a cluster that only the controller reaches',
    },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Accept a cluster that was recreated on the same machines', 'cluster accept prod-eu -n platform'],
    ['Print only the name, for scripts', 'cluster accept prod-eu -n platform -o name'],
  ],
  async run(c, args, flags) {
    const [action, name] = args as [string, string]
    if (!CLUSTER_ACTIONS.includes(action)) {
      const meant = nearest(action, CLUSTER_ACTIONS)
      return failed('E_USAGE', {
        problem: `unknown action "${action}"`,
        suggestion: meant ? `did you mean ${meant}?` : `actions: ${CLUSTER_ACTIONS.join(', ')}.`,
      })
    }
    const hub = await openHub(c)
    if (!hub.ok) return hub
    return accept(c, hub.value, name, { isSure: isSet(flags, 'yes'), uid: textFlag(flags, 'uid') })
  },
}

/** The cluster that answers now, and no other that may answer later. */
async function accept(
  c: CommandContext,
  hub: HubConnection,
  name: string,
  given: { readonly isSure: boolean; readonly uid: string | undefined },
): Promise<CommandResult> {
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

/** Who answers under a name at this moment. */
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
