/** Reasons of gates: dependencies, and dependents of a rollback. */

import { atRelease, clusterText, firstName, listText, named, place, unitArgument } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, type WaitRefOf } from './waitref.ts'

const certs: WaitRefOf<'Unit'> = {
  kind: 'Unit',
  name: 'certs',
  namespace: 'platform',
  cluster: 'cluster-2',
}
const database: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'database',
  namespace: 'default',
  cluster: '$self',
  object: { apiVersion: 'v1', kind: 'ConfigMap' },
}
const edge = text

const MANAGED = 'lockstep.dev/managed: "true"'
const CONTINUOUS = 'lockstep.dev/mode: Continuous'

export const gateReasons = {
  DependencyMissing: reason({
    actor: 'author',
    on: oneOrMore('Module', 'Unit', 'Object'),
    facts: {
      edge,
      because: oneOf('NotManaged', 'OtherMode', 'Empty').optional(),
      mode: text.optional(),
      detail: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'NotManaged':
          return `waiting for ${named(f)}: not managed by Lockstep; set its annotation ${MANAGED}`
        case 'OtherMode':
          return `waiting for ${named(f)}: its mode is ${f.mode}; set its annotation ${CONTINUOUS}`
        case 'Empty':
          return `waiting for ${named(f)}: it delivers no objects yet`
        default:
          return `waiting for ${named(f)}: not found${f.detail === undefined ? '' : ` (${f.detail})`}`
      }
    },
    meaning: 'A dependency does not exist, or is not delivered by Lockstep.',
    advice: (f) => {
      switch (f.because) {
        case 'NotManaged':
          return `set the annotation ${MANAGED} on ${firstName(f)}`
        case 'OtherMode':
          return `set the annotation ${CONTINUOUS} on ${firstName(f)}`
        case 'Empty':
          return `read the condition Ready of ${firstName(f)}`
        default:
          return `create ${firstName(f)}, remove the dependency from spec.dependsOn, or set optional: true`
      }
    },
    examples: [
      { on: [{ kind: 'Module', name: 'certs', namespace: 'platform' }], edge: 'certs' },
      { on: [database], edge: 'db', clusters: { count: 2, names: ['cluster-1', 'cluster-2'] } },
    ],
  }),
  DependencyDeleting: reason({
    actor: 'author',
    on: oneOrMore('Module'),
    facts: { edge },
    message: (f) => `${f.edge}: ${named(f)} is being deleted; remove the dependency, or make it optional`,
    meaning: 'A required dependency is being deleted.',
    advice: (f) => `remove ${f.edge} from spec.dependsOn, or set optional: true on it`,
    examples: [{ on: [{ kind: 'Module', name: 'certs', namespace: 'platform' }], edge: 'certs' }],
  }),
  DependencyNotSelected: reason({
    actor: 'author',
    on: oneOrMore('Unit'),
    facts: { edge },
    message: (f) =>
      `dependency ${firstName(f)} does not select ${clusterText(f)}; extend its targets, or set optional: true`,
    meaning: 'A dependency does not select the cluster of its dependent.',
    advice: (f) =>
      `extend spec.targets of ${firstName(f)}, or set optional: true on the dependency ${f.edge}`,
    examples: [{ on: [certs], edge: 'certs' }],
  }),
  DependencyStale: reason({
    actor: 'platform',
    on: oneOrMore('Unit', 'Cluster'),
    facts: {
      edge,
      since: text,
      because: oneOf('NoAnswer', 'Forbidden'),
      last: oneOf('Ready', 'NotReady', 'NotDeployed'),
      release: text.optional(),
    },
    message: (f) => {
      const last = { Ready: 'ready', NotReady: 'not ready', NotDeployed: 'not deployed' }[f.last]
      const since = {
        NoAnswer: `no answer since ${f.since} (limit 60s)`,
        Forbidden: `no event since ${f.since}, get of kube-system is forbidden`,
      }[f.because]
      return `waiting for dependency ${named({ on: f.on.slice(0, 1), clusters: f.clusters })}: ${since}; last known: ${last}${f.release === undefined ? '' : ` at ${f.release}`}`
    },
    meaning:
      'A dependency is on another cluster, which has sent no event for over 60 seconds and does not confirm that it is up.',
    advice: (f) =>
      f.because === 'Forbidden'
        ? `grant get on Namespace kube-system of cluster ${clusterOf(f.on)}`
        : `restore the connection to cluster ${clusterOf(f.on)}`,
    examples: [
      {
        on: [certs, { kind: 'Cluster', name: 'cluster-3', namespace: 'platform' }],
        edge: 'certs',
        since: '2026-11-24T14:05:00Z',
        because: 'Forbidden',
        last: 'NotReady',
      },
      {
        on: [certs, { kind: 'Cluster', name: 'cluster-2', namespace: 'platform' }],
        edge: 'certs',
        since: '2026-11-24T14:05:00Z',
        because: 'NoAnswer',
        last: 'Ready',
        release: '2026.10',
      },
    ],
  }),
  DependencyNotStarted: reason({
    actor: 'cause',
    on: oneOrMore('Unit', 'Module', 'Hold'),
    facts: {
      edge,
      state: oneOf('Unpublished', 'NotDeployed', 'OtherContent'),
      release: text.optional(),
      revision: text.optional(),
    },
    message: (f) => {
      if (f.state === 'Unpublished') return `waiting for dependency ${firstName(f)}: no published revision`
      const hold = f.on.find((r) => r.kind === 'Hold')
      const what = f.state === 'OtherContent' ? 'other content is deployed' : 'not deployed'
      return `waiting for dependency ${firstName(f)}${atRelease(f.release ?? f.revision)}${place(f)}: ${what}${hold === undefined ? '' : `, held by Hold ${hold.name}`}`
    },
    meaning: 'A dependency has no published revision, or is not deployed at it on the cluster.',
    advice: (f) =>
      f.state === 'Unpublished'
        ? `read the conditions of ${firstName(f)}`
        : `resolve the cause: lockstep why ${unitArgument(f)}`,
    examples: [{ on: [certs], edge: 'certs', state: 'NotDeployed', release: '2026.10' }],
  }),
  DependencyPinned: reason({
    actor: 'approver',
    on: oneOrMore('Unit', 'Hold'),
    facts: { edge, because: oneOf('Pinned', 'Kept'), at: text },
    message: (f) =>
      f.because === 'Pinned'
        ? `dependency ${firstName(f)} is pinned at ${f.at}${place(f)}`
        : `dependency ${firstName(f)} keeps ${f.at}${place(f)}: its spec.rollout.updates is Once`,
    meaning: 'A dependency is pinned at another revision on the cluster, or keeps the installed revision.',
    advice: (f) =>
      f.because === 'Pinned'
        ? `unpin the dependency (lockstep unpin ${unitArgument(f)}), or set release: Any on the dependency ${f.edge}`
        : `set release: Any on the dependency ${f.edge}, or pin the dependent at the same revision`,
    examples: [{ on: [certs], edge: 'certs', because: 'Pinned', at: '2026.09' }],
  }),
  ReleaseMismatch: reason({
    actor: 'author',
    on: oneOrMore('Unit', 'Module'),
    facts: { edge, module: text, release: text, requires: text },
    message: (f) =>
      `dependency ${firstName(f)} is at release ${f.release}, ${f.module} requires ${f.requires}`,
    meaning: 'A dependency is published at another release than its dependent.',
    advice: (f) =>
      `publish both at one release, or ${f.module} with release: Any on the dependency ${f.edge}`,
    examples: [{ on: [certs], edge: 'certs', module: 'hello', release: '2026.09', requires: '2026.10' }],
  }),
  DependencyNotReady: reason({
    actor: 'cause',
    on: oneOrMore('Unit', 'Object'),
    facts: {
      edge,
      state: oneOf('Deploying', 'EarlierWaves', 'NotRead', 'NotVerified', 'NotReady'),
      release: text.optional(),
      detail: text.optional(),
      wave: number.optional(),
      changed: texts.optional(),
    },
    message: (f) => {
      const detail = f.detail ? `: ${f.detail}` : ''
      const dependency = `waiting for dependency ${firstName(f)}${atRelease(f.release)}${place(f)}`
      switch (f.state) {
        case 'Deploying':
          return `${dependency}: deploying${detail}`
        case 'EarlierWaves':
          return `${dependency}: waves before ${f.wave} are not complete${detail}`
        case 'NotRead':
          return `${dependency}: not read since the connection was opened`
        case 'NotVerified':
          return `${dependency}: not verified since ${listText(f.changed ?? [])} changed`
        case 'NotReady':
          return `waiting for ${named(f)}${detail}`
      }
    },
    meaning: 'A dependency runs the right revision and is not ready, or an object is not ready.',
    advice: (f) => {
      const [first] = f.on
      return first?.kind === 'Object'
        ? `make ${firstName(f)} ready: kubectl describe ${first.object?.kind.toLowerCase()} ${first.name}`
        : `resolve the cause: lockstep why ${unitArgument(f)}`
    },
    examples: [
      {
        on: [certs],
        edge: 'certs',
        state: 'Deploying',
        release: '2026.10',
        detail: 'Deployment certs/webhook: 0 of 1 replicas',
      },
      { on: [certs], edge: 'certs', state: 'NotVerified', release: '2026.10', changed: ['cni'] },
    ],
  }),
  Pending: reason({
    actor: 'none',
    on: oneOrMore('Unit', 'Module'),
    facts: {},
    message: (f) => `${named(f)} is not reconciled yet; waiting for the controller`,
    meaning: 'The controller has not reconciled the unit since its last change.',
    advice: () =>
      'no action needed: the controller reconciles the unit; if this lasts, check that a controller runs',
    examples: [{ on: [certs] }],
  }),
  DependentAhead: reason({
    actor: 'approver',
    on: oneOrMore('Unit'),
    facts: {
      state: oneOf('RollingBack', 'RollsBackFirst', 'NotPublished'),
      module: text,
      release: text.optional(),
      deployedWith: text.optional(),
    },
    message: (f) => {
      const needs = `${f.module}${atRelease(f.deployedWith)}`
      switch (f.state) {
        case 'RollingBack':
          return `waiting for dependent ${named(f)}: rolling back from ${needs}`
        case 'RollsBackFirst':
          return `waiting for dependent ${named(f)}: it rolls back from ${needs} first`
        case 'NotPublished':
          return `dependent ${named(f)} requires ${needs}; publish ${firstName(f)} at ${f.release} too, or ${f.module} at ${f.deployedWith}`
      }
    },
    meaning: 'A dependent was deployed with the later release and must roll back first.',
    advice: (f) =>
      f.state === 'NotPublished'
        ? `publish ${firstName(f)} at ${f.release} too, or ${f.module} at ${f.deployedWith} again`
        : 'no action needed: dependents roll back first',
    examples: [
      {
        on: [{ kind: 'Unit', name: 'shop', namespace: 'platform', cluster: 'cluster-2' }],
        state: 'NotPublished',
        module: 'certs',
        release: '2026.09',
        deployedWith: '2026.10',
      },
    ],
  }),
} as const

const clusterOf = (
  on: readonly { readonly kind: string; readonly name: string; readonly cluster?: string | undefined }[],
): string => on.find((r) => r.kind === 'Cluster')?.name ?? on[0]?.cluster ?? ''
