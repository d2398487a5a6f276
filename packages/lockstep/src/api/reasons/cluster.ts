/** Reasons of clusters: their host, connection, credential and identity, and the selection by Modules. */

import { countText, firstName, listText, nameOf } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { anyNumber, oneOrMore, type WaitRefOf } from './waitref.ts'

const cluster: WaitRefOf<'Cluster'> = { kind: 'Cluster', name: 'cluster-2', namespace: 'platform' }

const git: WaitRefOf<'Source'> = { kind: 'Source', name: 'https://git.example.com/web.git' }

const WHAT = {
  Loopback: 'loopback',
  LinkLocal: 'link-local',
  Unspecified: 'unspecified',
  Multicast: 'multicast',
} as const

const rotateAdvice = (name = 'NAME'): string =>
  `renew the credential: lockstep cluster rotate ${name} --cluster-context CONTEXT`

export const clusterReasons = {
  ClusterUnreachable: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { error: text.optional(), since: text.optional() },
    message: (f) =>
      `${firstName(f)} is unreachable${f.since === undefined ? '' : ` since ${f.since}`}: ${f.error ?? 'no answer'}`,
    meaning: 'A cluster does not answer; the controller retries at least every 30 seconds.',
    advice: (f) => `restore the connection to ${firstName(f)}; delivery then continues`,
    examples: [{ on: [cluster], error: 'connection refused', since: '2026-11-24T14:05:00Z' }],
  }),
  ClusterConnecting: reason({
    actor: 'none',
    on: oneOrMore('Cluster'),
    facts: { error: text.optional(), since: text.optional() },
    message: (f) => {
      const since = f.since === undefined ? '' : ` since ${f.since}`
      return `connecting to ${firstName(f)}${since}${f.error === undefined ? '' : `: ${f.error}`}`
    },
    meaning:
      'A cluster was reached before, and has not answered this controller yet; no deployment starts there.',
    advice: () => 'no action needed: after 50 seconds without an answer the cluster is Unreachable',
    examples: [
      { on: [cluster] },
      { on: [cluster], error: 'connection refused', since: '2026-11-24T14:05:00Z' },
    ],
  }),
  ClusterGone: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: {
      /** Object of the inventory: `Secret platform/cluster-2`. */
      object: text,
      since: text.optional(),
      /** Objects of all Modules. */
      remaining: number,
    },
    message: (f) => {
      const at = f.since === undefined ? '' : ` at ${f.since}`
      const left = `${countText(f.remaining, 'object')} ${f.remaining === 1 ? 'remains' : 'remain'} there`
      return `${f.on[0]?.name} was removed from the cluster inventory${at} (${f.object} deleted); ${left}`
    },
    meaning:
      'The object of a cluster was deleted from its inventory; objects of Modules stay on the cluster.',
    advice: (f) => `recreate ${f.object}, or delete its Inventories`,
    examples: [
      { on: [cluster], object: 'Secret platform/cluster-2', since: '2026-11-24T14:02:00Z', remaining: 6 },
    ],
  }),
  AnswerRefused: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { error: text },
    message: (f) => `${firstName(f)}: ${f.error}`,
    meaning:
      'What answers for a cluster is not the Kubernetes API: a login page, a proxy, or another program.',
    advice: (f) => `check the URL of ${firstName(f)}, and the proxies between the controller and it`,
    examples: [
      {
        on: [cluster],
        error: 'get Namespace kube-system: 200 text/html where JSON was expected (a login page or proxy?)',
      },
    ],
  }),
  InternalError: reason({
    actor: 'platform',
    on: oneOrMore('Cluster', 'Unit', 'Module', 'Source', 'Object'),
    facts: { error: text },
    message: (f) => `${f.error}; this is a bug in Lockstep, please report it`,
    meaning:
      'Lockstep failed by a bug. Only the named object is affected; it is tried again at least every 5 minutes.',
    advice: () => 'report the bug with the log of the controller',
    examples: [{ on: [cluster], error: 'TypeError: items is not iterable' }],
  }),
  ClusterNotConnected: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: {},
    message: (f) => `${firstName(f)} is not connected`,
    meaning: 'The controller has no connection to a cluster that a ClusterResourceSet selects.',
    advice: (f) => `read the state of the cluster: lockstep get clusters ${f.on[0]?.name ?? ''}`,
    examples: [{ on: [cluster] }],
  }),
  Provisioning: reason({
    actor: 'none',
    on: oneOrMore('Cluster'),
    facts: { state: oneOf('ControlPlane', 'Recording', 'Connecting'), object: text.optional() },
    message: (f) => {
      switch (f.state) {
        case 'ControlPlane':
          return `${f.object ?? firstName(f)} is provisioning: control plane not initialized`
        case 'Recording':
          return `${firstName(f)} is new: recording its identity`
        case 'Connecting':
          return `${firstName(f)} is provisioning: connecting`
      }
    },
    meaning: 'A cluster is connected for the first time, or its control plane is not initialized.',
    advice: (f) =>
      f.state === 'ControlPlane'
        ? 'no action needed: delivery starts when the control plane is initialized'
        : 'no action needed: delivery starts when the connection is established',
    examples: [
      { on: [cluster], state: 'ControlPlane', object: 'Cluster platform/cluster-2' },
      { on: [cluster], state: 'Connecting' },
    ],
  }),
  KubeconfigMissing: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { error: text },
    message: (f) => `${firstName(f)} has no credential: ${f.error}`,
    meaning: 'The Secret with the credential of a cluster does not exist, or lacks a key.',
    advice: (f) => `create the Secret with the credential of ${firstName(f)}, or set the key`,
    examples: [{ on: [cluster], error: 'Secret platform/cluster-2 has no key value' }],
  }),
  CredentialRefused: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { error: text },
    message: (f) => `credential of ${firstName(f)} refused: ${f.error}`,
    meaning: 'A credential would run a program, read a local file, or send requests without encryption.',
    advice: (f) => `correct the Secret of ${firstName(f)}: give a token or client-certificate-data`,
    examples: [
      { on: [cluster], error: 'Secret platform/cluster-2: kubeconfig: users[0].user.exec: is not allowed' },
    ],
  }),
  HostRefused: reason({
    actor: 'platform',
    on: anyNumber('Source', 'Cluster', 'Object', 'Module', 'Unit', 'External'),
    facts: {
      /** Host name or address, or a `file://` URL. */
      host: text,
      because: oneOf('Loopback', 'LinkLocal', 'Unspecified', 'Multicast', 'Outside'),
      /** Address of a host name. */
      address: text.optional(),
      port: number.optional(),
      /** Folder of local repositories, for `Outside`. */
      root: text.optional(),
    },
    message: (f) => {
      if (f.because === 'Outside') return `${f.host} is not below ${f.root ?? 'the source root'}`
      const address = f.address === undefined || f.address === f.host ? '' : ` (${f.address})`
      return `${f.host}${address} is ${WHAT[f.because]}: --allow-host`
    },
    meaning:
      'An object of a namespace names a host of the controller itself or of its network link, or a folder outside the source root.',
    advice: (f) => {
      if (f.because === 'Outside')
        return 'move the repository below the source root, or start lockstep up with --source-root'
      const port = f.port === undefined ? 'PORT' : `${f.port}`
      return `write another host, or start the controller with --allow-host NAMESPACE=${f.host}:${port}`
    },
    examples: [
      { on: [cluster], host: '169.254.169.254', because: 'LinkLocal', port: 80 },
      { on: [git], host: 'git.example.com', because: 'Loopback', address: '127.0.0.1', port: 443 },
      { on: [git], host: 'file:///etc', because: 'Outside', root: '/home/jane/fleet' },
    ],
  }),
  CredentialsRejected: reason({
    actor: 'platform',
    on: oneOrMore('Cluster', 'Source', 'Object', 'External'),
    facts: {
      error: text,
      /** Secret or user of the credentials, where the error is about them. */
      credential: text.optional(),
    },
    message: (f) =>
      f.credential === undefined
        ? `${firstName(f)} rejects the credentials: ${f.error}`
        : `${f.credential}: ${f.error}`,
    meaning: 'A server answers, and rejects the credentials.',
    advice: () => 'renew the token or certificate in the Secret; the controller then connects again',
    examples: [{ on: [cluster], error: 'Unauthorized' }],
  }),
  CredentialExpiring: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { credential: oneOf('Token', 'Certificate'), at: text },
    message: (f) => `${f.credential.toLowerCase()} of ${firstName(f)} expires at ${f.at}`,
    meaning:
      'The credential of a cluster ends within seven days, or within a quarter of its life if that is shorter.',
    advice: (f) => rotateAdvice(f.on[0]?.name),
    examples: [{ on: [cluster], credential: 'Token', at: '2026-11-28T14:05:00Z' }],
  }),
  CredentialExpired: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { credential: oneOf('Token', 'Certificate'), at: text },
    message: (f) => `${f.credential.toLowerCase()} of ${firstName(f)} expired at ${f.at}`,
    meaning: 'The credential of a cluster has ended; no request is sent until its object changes.',
    advice: (f) => rotateAdvice(f.on[0]?.name),
    examples: [{ on: [cluster], credential: 'Token', at: '2026-11-24T14:05:00Z' }],
  }),
  IdentityChanged: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { recorded: text, uid: text.optional() },
    message: (f) =>
      `${firstName(f)} has another identity: kube-system ${f.uid ?? 'unknown'}, recorded ${f.recorded}`,
    meaning: 'A name leads to another cluster than at first contact, by the uid of Namespace kube-system.',
    advice: (f) =>
      `restore the credential of ${firstName(f)}; if it was recreated: lockstep cluster accept ${f.on[0]?.name ?? ''}`,
    examples: [
      {
        on: [cluster],
        recorded: '53b5a4e0-8f0c-4a5b-9f3e-0b5f5c1d2e3f',
        uid: '7c1f0c9e-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
      },
    ],
  }),
  IdentityUnreadable: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: {},
    message: (f) => `identity of ${firstName(f)} is not readable: get on Namespace kube-system is forbidden`,
    meaning:
      'The credential of a cluster may not read Namespace kube-system, so the cluster has no identity.',
    advice: (f) => `grant get on Namespace kube-system to the credential of ${firstName(f)}`,
    examples: [{ on: [cluster] }],
  }),
  DuplicateOf: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { object: text, duplicateOf: text },
    message: (f) => `${f.object} is the same cluster as ${f.duplicateOf}`,
    meaning: 'Two objects of inventories lead to one cluster; only the first of them counts.',
    advice: (f) => `delete ${f.object} or ${f.duplicateOf}`,
    examples: [
      { on: [cluster], object: 'Secret platform/argo-2', duplicateOf: 'Cluster platform/cluster-2' },
    ],
  }),
  ClusterPaused: reason({
    actor: 'platform',
    on: oneOrMore('Cluster'),
    facts: { by: text },
    message: (f) => `${firstName(f)} is paused by its ${f.by}`,
    meaning: 'The object of a cluster pauses it; nothing is written there.',
    advice: (f) => `remove ${f.by} from the object of ${firstName(f)}`,
    examples: [{ on: [cluster], by: 'spec.paused' }],
  }),
  ClusterDeleting: reason({
    actor: 'none',
    on: oneOrMore('Cluster'),
    facts: {},
    message: (f) => `${firstName(f)} is being deleted`,
    meaning: 'The object of a cluster is being deleted; nothing is written there.',
    advice: () => 'no action needed: the units of the cluster end with it',
    examples: [{ on: [cluster] }],
  }),
  ClusterMissing: reason({
    actor: 'author',
    on: oneOrMore('Cluster'),
    facts: {},
    message: (f) =>
      `${firstName(f)} of spec.targets.clusters does not exist in namespace ${f.on[0]?.namespace}`,
    meaning: 'A Module names a cluster that no inventory of its namespace has.',
    advice: (f) => `correct spec.targets.clusters, or create the Secret of ${firstName(f)}`,
    examples: [{ on: [cluster] }],
  }),
  NotSelected: reason({
    actor: 'author',
    on: oneOrMore('Module'),
    facts: { cluster: text },
    message: (f) => `${firstName(f)} does not select ${f.cluster}`,
    meaning: 'The field spec.targets of a Module does not select a cluster.',
    advice: (f) => `extend spec.targets of ${firstName(f)}, or label ${f.cluster}`,
    examples: [{ on: [{ kind: 'Module', name: 'hello', namespace: 'platform' }], cluster: 'cluster-9' }],
  }),
  SelectsNothing: reason({
    actor: 'author',
    on: oneOrMore('Module', 'Budget'),
    facts: {
      total: number,
      /** Absent: the Module has no clusterSelector. */
      selector: text.optional(),
      labels: texts,
      matching: number,
      duplicates: number,
      deleting: number,
      excluded: number,
      /** The first names in spec.targets.clusters that no cluster has, and how many there are. */
      missing: texts.optional(),
      missingCount: number.optional(),
    },
    message: (f) => {
      const none = `0 of ${f.total} clusters`
      const { missing = [], missingCount = missing.length } = f
      const verb = missingCount > 1 ? 'do' : 'does'
      const absent = missingCount > 0 ? [`${listText(missing, missingCount)} ${verb} not exist`] : []
      if (f.matching === 0 && f.selector !== undefined) {
        const labels = f.labels.join('; ') || 'none of these keys'
        const seen = f.total > 0 ? `labels seen: ${labels}` : 'the namespace has no clusters'
        return [`${none} match ${f.selector} (${seen})`, ...absent].join('; ')
      }
      const left = [
        [f.matching, f.selector === undefined ? 'named' : `match ${f.selector}`],
        [f.duplicates, 'known by another object (DuplicateOf)'],
        [f.deleting, 'being deleted'],
        [f.excluded, 'excluded by another field of spec.targets'],
      ] as const
      const causes = [...left.filter(([n]) => n > 0).map(([n, state]) => `${n} ${state}`), ...absent]
      return `${none} selected: ${causes.join(', ') || 'spec.targets has no clusterSelector and no clusters'}`
    },
    meaning:
      'The field spec.targets selects no cluster; the labels of the clusters show the difference. The Module is not ready, and waits fail.',
    advice: (f) =>
      `correct spec.targets of ${f.on[0] ? nameOf(f.on[0]) : 'the Module'}, label the clusters, or set spec.targets.allowEmpty: true`,
    examples: [
      {
        on: [{ kind: 'Module', name: 'hello', namespace: 'platform' }],
        total: 3,
        selector: 'env=staging',
        labels: ['env=prod'],
        matching: 0,
        duplicates: 0,
        deleting: 0,
        excluded: 0,
      },
      {
        on: [{ kind: 'Module', name: 'hello', namespace: 'platform' }],
        total: 3,
        labels: [],
        matching: 0,
        duplicates: 0,
        deleting: 0,
        excluded: 0,
        missing: ['prod-us', 'prod-asia'],
      },
    ],
  }),
} as const
