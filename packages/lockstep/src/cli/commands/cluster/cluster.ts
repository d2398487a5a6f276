import { getClusters } from '../../kit/clusters/index.ts'
import { type HubConnection, type OpenedHub, openHub } from '../../kit/hub/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  idleOption,
  optionsOf,
} from '../../kit/index.ts'
import { listText, nearest } from '../../kit/terminal/index.ts'
import { CLUSTER_ACTIONS, type ClusterAction } from '../../kit/topics/index.ts'
import { acceptCluster } from './acceptcluster.ts'
import { addCluster } from './addcluster.ts'
import { clusterPages } from './clusterpages.ts'
import { removeCluster } from './removecluster.ts'
import { rotateCluster } from './rotatecluster.ts'

type ClusterRun = (c: CommandContext, hub: OpenedHub, name: string, flags: Flags) => Promise<CommandResult>

const runs: Readonly<Record<Exclude<ClusterAction, 'list'>, ClusterRun>> = {
  add: addCluster,
  rotate: rotateCluster,
  remove: removeCluster,
  accept: acceptCluster,
}

const PAGES = CLUSTER_ACTIONS.map((a) => clusterPages[a])

/** `lockstep cluster`. */
export const clusterCommand: Command = {
  name: 'cluster',
  summary: 'Register clusters, and manage their credentials',
  arguments: '<action> [name]',
  completes: ['clusterAction', 'clusterOrContext'],
  detail:
    'A registered cluster is a Secret of the hub with a kubeconfig. --context chooses the hub; --cluster-context is the cluster.',
  actions: PAGES,
  options: optionsOf(PAGES),
  formats: ['table', 'wide', 'json', 'yaml', 'name'],
  selects: ['allNamespaces', 'selector'],
  examples: [
    ['Register the cluster of a context', 'cluster add prod-eu -n platform'],
    ['See which credentials expire', 'cluster list -A'],
    [
      'Remove a cluster with its account, and keep the objects of Modules',
      'cluster remove prod-eu --orphan --cluster-context prod-eu -n platform',
    ],
  ],
  async run(c, args, flags) {
    const [word, name] = args as [string, string | undefined]
    const action = CLUSTER_ACTIONS.find((a) => a === word)
    if (!action) {
      const meant = nearest(word, CLUSTER_ACTIONS)
      return failed('E_USAGE', {
        problem: `unknown action "${word}"`,
        suggestion: meant ? `did you mean ${meant}?` : `actions: ${CLUSTER_ACTIONS.join(', ')}.`,
      })
    }
    const wrong = usageFailure(c, action, name, flags)
    if (wrong) return wrong
    const hub = await openHub(c)
    if (!hub.ok) return hub
    try {
      return await (action === 'list'
        ? listClusterEnds(c, hub.value, name)
        : runs[action](c, hub.value, name!, flags))
    } finally {
      await hub.value.client.close()
    }
  },
}

const listClusterEnds = (c: CommandContext, hub: HubConnection, name: string | undefined) =>
  getClusters(c, hub, name, true)

/** An argument is missing, or a flag has no effect. */
function usageFailure(
  { globals }: CommandContext,
  action: ClusterAction,
  name: string | undefined,
  flags: Flags,
): CommandResult | undefined {
  const page = clusterPages[action]
  if (name === undefined && action !== 'list')
    return failed('E_USAGE', {
      problem: `cluster ${action} requires ${action === 'add' ? 'CONTEXT' : 'NAME'}`,
      suggestion: `for example: lockstep ${page.examples[0]![1]}`,
    })
  const idle = idleOption(PAGES, action, flags)
  if (idle)
    return failed('E_USAGE', {
      problem: `${idle.option} has no effect on cluster ${action}: use it with ${listText(idle.others)}`,
      suggestion: `remove it, or use lockstep cluster ${idle.others[0]}`,
    })
  if (action === 'list' || (!globals.allNamespaces && globals.selector === undefined)) return undefined
  return failed('E_USAGE', {
    problem: `cluster ${action} changes one cluster: -A and -l have no effect`,
    suggestion: 'choose the namespace with -n',
  })
}
