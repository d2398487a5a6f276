/** Reasons of waits: of units for each other, and of objects on their cluster, in their order, and too late. */
import { z } from 'zod'
import { clustersText, itemText, kubectlArguments } from './nameof.ts'
import { type MessageInput, number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, SELF, type WaitRefOf } from './waitref.ts'

const block: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'block',
  cluster: 'cluster-1',
  object: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
}
const kafka: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'main',
  namespace: 'data',
  cluster: 'cluster-1',
  object: { apiVersion: 'kafka.strimzi.io/v1', kind: 'Kafka' },
}
const api: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'api',
  namespace: 'web',
  cluster: 'cluster-1',
  object: { apiVersion: 'apps/v1', kind: 'Deployment' },
}

/** The states in which an object is waited for. */
const waitStates = [
  'NotFound',
  'NotServed',
  'NoNamespace',
  'Unreadable',
  'Unread',
  'KindUnread',
  'Mute',
  'Terminating',
  'NotTrue',
  'NotReady',
  'NotComplete',
  'Settling',
  'Soaking',
  'Unmanaged',
  'NoValue',
  'Ordered',
] as const

/** The states of dependencies in the order of a bundle: `to be healthy`. */
const requiredStates = ['Applied', 'Healthy', 'Complete', 'Served', 'Exists', 'Expr', 'Gone'] as const

/** One shape for all reasons of waits, since time turns one reason into another. */
const waitFacts = {
  state: oneOf(...waitStates),
  /** Health message of the object, or the error of the server. */
  detail: text.optional(),
  /** Time of the last event of a watch. */
  since: text.optional(),
  /** Expression, or path of a value. */
  expression: text.optional(),
  seconds: number.optional(),
  /** Resource as the bundle names it, and the resource of the cluster. */
  called: text.optional(),
  resource: text.optional(),
  /** The first object that waits, and the number of further ones. */
  waiter: text.optional(),
  more: number.optional(),
  ask: oneOf(...requiredStates).optional(),
  /** Rule of the order, such as an annotation, or the place in the bundle. */
  rule: text.optional(),
}

type WaitInput = MessageInput<z.output<z.ZodObject<typeof waitFacts>>>

const ASK_TEXT: Readonly<Record<(typeof requiredStates)[number], string>> = {
  Applied: 'to be applied',
  Healthy: 'to be healthy',
  Complete: 'to complete',
  Served: 'to be served',
  Exists: 'to exist',
  Expr: 'to match its expression',
  Gone: 'to be deleted',
}

/** `StorageClass fast (sc → storageclasses.storage.k8s.io)`: where the cluster has another name for the resource. */
function soughtText(f: WaitInput): string {
  return f.called === undefined || f.resource === undefined
    ? itemText(f)
    : `${itemText(f)} (${f.called} → ${f.resource})`
}

function stateText(f: WaitInput): string {
  const detail = f.detail === undefined ? '' : `: ${f.detail}`
  switch (f.state) {
    case 'NotFound':
      return ' does not exist'
    case 'NotServed':
      return ` does not exist: the cluster serves no ${f.resource ?? 'such kind'}`
    case 'NoNamespace':
      return ' has no namespace, and its kind is namespaced'
    case 'Unreadable':
      return ` cannot be read${detail}`
    case 'Unread':
      return ' is not read yet'
    case 'KindUnread':
      return f.detail === undefined
        ? ': its kind is not listed yet'
        : `: its kind cannot be listed: ${f.detail}`
    case 'Mute':
      return `: the watch on ${f.resource} has delivered nothing since ${f.since}, a read shows newer objects`
    case 'Terminating':
      return ' is terminating'
    case 'NotTrue':
      return `: ${f.expression} is not true${detail}`
    case 'NotReady':
      return `: ${f.detail ?? 'not ready'}`
    case 'NotComplete':
      return ' has not completed'
    case 'Settling':
      return `: waiting ${f.seconds}s for a stable status`
    case 'Soaking':
      return `: ready, waiting ${f.seconds}s more`
    case 'Unmanaged':
      return ' does not exist, and its mode is Observe; create it through its owner'
    case 'NoValue':
      return ` has no ${f.expression}`
    case 'Ordered':
      return ''
  }
}

/** `; Deployment app/api waits for it to exist (lockstep.dev/wait-for)`; of a wait of the bundle: its place. */
function waiterText(f: WaitInput): string {
  if (f.rule === undefined) return ''
  if (f.waiter === undefined) return ` (${f.rule})`
  const others = f.more ? ` and ${f.more} more wait` : ' waits'
  return `; ${f.waiter}${others} for it ${ASK_TEXT[f.ask ?? 'Exists']} (${f.rule})`
}

/** States whose text has the seconds. */
const COUNTED: ReadonlySet<WaitInput['state']> = new Set(['Settling', 'Soaking'])

function waitMessage(f: WaitInput): string {
  const late = f.seconds === undefined || COUNTED.has(f.state) ? '' : ` after ${f.seconds}s`
  if (f.state !== 'Ordered') return `${soughtText(f)}${stateText(f)}${late}${waiterText(f)}`
  return `${f.waiter} waits for ${itemText(f)} ${ASK_TEXT[f.ask ?? 'Exists']} (${f.rule})`
}

/** A change that ends a deadlock: of `module` (`Module/web`); `of`: the other Module, a release, a budget or a limit. */
const way = z.object({
  way: oneOf(
    'RemoveDependency',
    'MakeOptional',
    'Publish',
    'TakeOver',
    'RaiseBudget',
    'RaiseLimit',
    'Replace',
    'EndUndo',
  ),
  module: text,
  of: text,
})

const deadlockFacts = {
  /** Units; it begins and ends with the same one. Without a cluster: on the cluster of the blocked unit. */
  ring: texts,
  /** Why each of them waits for the next one. */
  reasons: texts,
  ways: z.array(way).readonly(),
}

type DeadlockInput = MessageInput<z.output<z.ZodObject<typeof deadlockFacts>>>

/** `web` of `Module/web`. */
const bare = (module: string): string => module.split('/')[1] ?? module

function wayText({ way: kind, module, of }: z.output<typeof way>): string {
  switch (kind) {
    case 'RemoveDependency':
      return `remove ${bare(of)} from spec.dependsOn of ${bare(module)}`
    case 'MakeOptional':
      return `set optional: true on the dependency ${bare(of)} of ${bare(module)}`
    case 'Publish':
      return `publish ${bare(module)} at ${of}`
    case 'TakeOver':
      return `list ${bare(of)} in spec.apply.takeOverFrom of ${bare(module)}`
    case 'RaiseBudget':
      return `raise DisruptionBudget ${of}`
    case 'RaiseLimit':
      return `raise ${of} in spec.rollout of ${bare(module)}`
    case 'Replace':
      return `set spec.rollout.supersede: Replace on ${bare(module)}`
    case 'EndUndo':
      return `remove spec.rollout.undo from ${bare(module)}`
  }
}

/** The cluster of the blocked unit, where it is one. */
function ownCluster({ clusters, on }: DeadlockInput): string | undefined {
  if (clusters) return clusters.count === 1 ? clusters.names[0] : undefined
  const cluster = on[0]?.cluster
  return cluster === SELF ? undefined : cluster
}

/** `b@c1 → a@c1 → b@c1: b waits for a (ReleaseMismatch), a for b (DependentsRemain)`. */
function ringText(f: DeadlockInput): string {
  const own = ownCluster(f)
  const where = f.clusters && own === undefined ? ` on ${clustersText(f.clusters)}` : ''
  const inPlace = (name: string): string =>
    own === undefined || name.includes('@') ? name : `${name}@${own}`
  const waits = f.reasons.map(
    (why, i) => `${f.ring[i]}${i === 0 ? ' waits' : ''} for ${f.ring[i + 1]} (${why})`,
  )
  return `${f.ring.map(inPlace).join(' → ')}: ${waits.join(', ')}${where}`
}

/** Ways out that a message names. */
const NAMED = 2

const deadlockText = (f: DeadlockInput, inWords: (w: z.output<typeof way>) => string): string => {
  const ways = f.ways.slice(0, NAMED).map(inWords)
  return `${ringText(f)}${ways.length === 0 ? '' : `; ${ways.join(', or ')}`}`
}

/** Dependencies of the set whose Module begins the ring are in its annotation. */
function setWayText(f: DeadlockInput, w: z.output<typeof way>): string {
  if (bare(w.module) !== f.ring[0]) return wayText(w)
  const field = 'lockstep.dev/depends-on'
  if (w.way === 'RemoveDependency') return `remove ${bare(w.of)} from ${field}`
  if (w.way === 'MakeOptional') return `set optional: true on ${bare(w.of)} in ${field}`
  return wayText(w)
}

export const waitReasons = {
  Deadlock: reason({
    actor: 'author',
    on: oneOrMore('Unit'),
    facts: deadlockFacts,
    message: (f) => deadlockText(f, wayText),
    setMessage: (f) => deadlockText(f, (w) => setWayText(f, w)),
    meaning:
      'Units wait for each other in a ring, unchanged for 30 seconds: none of these waits ends by itself.',
    advice: (f) =>
      f.ways.length === 0 ? 'delete one of the Modules of the ring' : f.ways.map(wayText).join(', or '),
    examples: [
      {
        on: [
          { kind: 'Unit', name: 'b', namespace: 'platform', cluster: '$self' },
          { kind: 'Unit', name: 'a', namespace: 'platform', cluster: '$self' },
        ],
        ring: ['b', 'a', 'b'],
        reasons: ['DependencyDeleting', 'DependentsRemain'],
        ways: [{ way: 'RemoveDependency', module: 'Module/b', of: 'Module/a' }],
        clusters: { count: 1, names: ['c1'] },
      },
    ],
  }),
  WaitingForObject: reason({
    actor: 'none',
    on: oneOrMore('Object', 'Unit', 'Module', 'External'),
    facts: waitFacts,
    message: waitMessage,
    meaning: 'An object waits for another object of its order, its annotations, or its expressions.',
    advice: (f) => `no action needed: continues when ${itemText(f)} is ready`,
    examples: [
      {
        on: [api],
        state: 'NotReady',
        detail: '0 of 1 replicas',
        waiter: 'Job web/migrate',
        ask: 'Healthy',
        rule: 'lockstep.dev/wait-for',
      },
      {
        on: [api],
        state: 'Ordered',
        waiter: 'Service web/api',
        ask: 'Healthy',
        rule: 'lockstep.dev/depends-on',
      },
    ],
  }),
  WaitNotFound: reason({
    actor: 'owner',
    on: oneOrMore('Object', 'Unit', 'Module'),
    facts: waitFacts,
    message: waitMessage,
    meaning: 'An object outside the bundle is waited for and does not exist.',
    advice: (f) =>
      f.state === 'NoNamespace'
        ? `set the namespace of ${itemText(f)} where it is waited for, or spec.render.namespace`
        : `create ${itemText(f)}, or remove the wait`,
    examples: [
      {
        on: [block],
        state: 'NotFound',
        waiter: 'PersistentVolumeClaim web/data',
        ask: 'Exists',
        rule: 'lockstep.dev/wait-for',
      },
      {
        on: [block],
        state: 'NotFound',
        called: 'sc',
        resource: 'storageclasses.storage.k8s.io',
        rule: 'wave 5, sequenceJob of odf-operator',
      },
    ],
  }),
  WaitKindNotServed: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: waitFacts,
    message: waitMessage,
    meaning: 'An object outside the bundle is waited for, and the cluster does not serve its kind.',
    advice: (f) => `install the CRD of ${itemText(f)}, or remove the wait`,
    examples: [
      {
        on: [kafka],
        state: 'NotServed',
        resource: 'kafkas.kafka.strimzi.io',
        rule: 'wave 5, sequenceJob of odf-operator',
      },
    ],
  }),
  WaitForbidden: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: waitFacts,
    message: waitMessage,
    meaning: 'An object outside the bundle is waited for, and the controller may not read it.',
    advice: (f) => `grant the controller get, list and watch on ${f.on[0]?.object?.kind ?? 'the kind'}`,
    examples: [
      { on: [block], state: 'Unreadable', detail: 'User "lockstep" cannot list resource "storageclasses"' },
    ],
  }),
  WatchStale: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Cluster'),
    facts: waitFacts,
    message: (f) => {
      if (f.on[0]?.kind !== 'Cluster') return waitMessage(f)
      return f.state === 'Mute'
        ? `${f.on[0].name}${stateText(f)}`
        : `${f.resource} cannot be listed on ${f.on[0].name}: ${f.detail}`
    },
    meaning:
      'Objects of a cluster are not read yet, or watches deliver no changes; a mute kind is listed each minute.',
    advice: (f) => {
      if (f.state === 'Mute') return `check the proxies between the controller and ${f.on[0]?.name}`
      return f.detail === undefined
        ? 'no action needed: continues when the objects are read'
        : 'repair the API of the cluster: continues when the objects are read'
    },
    examples: [
      {
        on: [{ kind: 'Cluster', name: 'cluster-1', namespace: 'platform' }],
        state: 'Mute',
        resource: 'apps/Deployment',
        since: '2026-11-24T11:02:00Z',
      },
      { on: [api], state: 'KindUnread' },
      {
        on: [{ kind: 'Cluster', name: 'cluster-1', namespace: 'platform' }],
        state: 'Unreadable',
        resource: 'widgets.example.com',
        detail: 'list widgets: 500',
      },
    ],
  }),
  HealthTimeout: reason({
    actor: 'author',
    on: oneOrMore('Object', 'Unit', 'Module', 'External'),
    facts: waitFacts,
    message: (f) =>
      f.state === 'NotReady'
        ? `${soughtText(f)} is not healthy after ${f.seconds}s: ${f.detail}${waiterText(f)}`
        : waitMessage(f),
    meaning: 'An object did not become healthy within `spec.health.timeoutSeconds`.',
    advice: (f) =>
      `make ${itemText(f)} healthy (kubectl describe ${kubectlArguments(f)}), or increase spec.health.timeoutSeconds`,
    examples: [{ on: [api], state: 'NotReady', seconds: 600, detail: '0 of 1 replicas' }],
  }),
} as const
