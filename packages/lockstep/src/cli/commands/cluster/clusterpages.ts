/** Help of each action of `cluster`, and its options. */
import type { CommandAction, Option } from '../../kit/index.ts'
import type { ClusterAction } from '../../kit/topics/index.ts'

const CONTEXT: Option = {
  flags: '--cluster-context <name>',
  completes: 'context',
  text: 'context of the kubeconfig for the cluster, with the rights of an administrator there',
}

const add: CommandAction = {
  name: 'add',
  summary: 'Register a cluster with an account and a token of its own',
  arguments: '<context>',
  detail:
    'Creates a ServiceAccount on the cluster of the context, with the rights for the Modules that select the cluster. The hub gets a Secret with a token of this account; the controller renews it. A second run repairs missing objects and issues another token.',
  options: [
    { flags: '--name <name>', text: 'name on the hub; default: that of the context' },
    { flags: '--labels <labels>', text: 'labels of the cluster, such as env=prod,region=eu' },
    {
      flags: '--rights <rights>',
      completes: 'file',
      text: 'modules (default): for the Modules that select it; read: identity and definitions only; or a file with ClusterRoles',
    },
    { flags: '--token-ttl <duration>', text: 'life of a token; default: 168h. The server may grant less' },
    {
      flags: '--cluster-server <url>',
      text: 'address of the cluster as the controller reaches it; default: that of the context',
    },
    { flags: '--dry-run', text: 'print the objects, and write nothing' },
  ],
  examples: [
    ['Register a cluster', 'cluster add prod-eu --labels env=prod -n platform'],
    ['Print the objects, and write nothing', 'cluster add prod-eu --dry-run -n platform'],
  ],
}

const list: CommandAction = {
  name: 'list',
  summary: 'List clusters, and when their credentials expire',
  arguments: '',
  detail:
    'RENEWAL is automatic if the controller renews the token, provider if a program does, else none. EXPIRES is unknown if the credential does not say when it ends.',
  options: [],
  examples: [['List the clusters of a namespace', 'cluster list -n platform']],
}

const rotate: CommandAction = {
  name: 'rotate',
  summary: 'Replace the token of a cluster now',
  arguments: '<name>',
  detail:
    'Without a context, the present token asks for the next one. After it has expired, or for another life than before, the context of an administrator is needed. The old token stays valid until it expires; to end it, remove the cluster with --orphan and add it again.',
  options: [CONTEXT],
  examples: [
    ['Replace a token', 'cluster rotate prod-eu -n platform'],
    ['Replace a token that has expired', 'cluster rotate prod-eu --cluster-context prod-eu -n platform'],
  ],
}

const remove: CommandAction = {
  name: 'remove',
  summary: 'Remove a cluster from the hub',
  arguments: '<name>',
  detail:
    'Refused while Modules have objects on the cluster. With a context, the account of the cluster and its rights are deleted there too; Namespace lockstep-system stays.',
  options: [CONTEXT, { flags: '--orphan', text: 'leave the objects of Modules on the cluster' }],
  examples: [
    ['Remove a cluster and its account', 'cluster remove prod-eu --cluster-context prod-eu -n platform'],
    ['Remove a cluster, and keep the objects there', 'cluster remove prod-eu --orphan -n platform'],
  ],
}

const accept: CommandAction = {
  name: 'accept',
  summary: 'Accept a recreated cluster under an existing name',
  arguments: '<name>',
  detail:
    'Clusters are identified by the UID of kube-system. When a cluster answers with another UID, nothing is written to it (IdentityChanged) until it is accepted. An accepted cluster is a new cluster: all Modules are deployed to it again. The hub keeps the Inventories of the old cluster as orphaned. No object is deleted on either cluster.',
  options: [
    { flags: '--yes', text: 'accept without confirmation' },
    {
      flags: '--uid <uid>',
      text: 'UID to accept, from the message; for a cluster that only the controller reaches',
    },
  ],
  examples: [
    ['Accept a cluster that was recreated on the same machines', 'cluster accept prod-eu -n platform'],
    ['Print only the name, for scripts', 'cluster accept prod-eu -n platform -o name'],
  ],
}

export const clusterPages: Readonly<Record<ClusterAction, CommandAction>> = {
  add,
  list,
  rotate,
  remove,
  accept,
}
