/** A controller as a table: its kind, and which changes put which of its keys into the queue. */
import type { Priority, ReconcileResult } from '@lockstep/kube/workqueue'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { HubKind, HubKinds, HubRule } from './hubkinds.ts'
import type { Predicate } from './predicates.ts'
import type { RequestReads } from './readindex.ts'
import {
  type KeyType,
  type ObjectKey,
  objectKey,
  type Request,
  type RequestKey,
  requestOf,
} from './requestkeys.ts'

/** A cluster came, went, fell silent, answers again, or is another one. */
export interface ClusterRule<Key> {
  readonly predicate: (view: ClusterView) => boolean
  readonly enqueue: (view: ClusterView) => Iterable<Key>
  readonly priority: Priority
}

/** By the label that objects of a unit have on a cluster. */
export interface UnitLabelRule<Key> {
  readonly enqueue: (view: ClusterView, label: string) => Iterable<Key>
  readonly priority: Priority
}

/** Objects that a selection finds on a cluster. Without a key the selection is closed. */
export interface SelectionRule<Key> {
  readonly enqueue: (view: ClusterView, id: string) => Iterable<Key>
  readonly priority: Priority
}

/** A Secret of the hub, by the id of its selection. */
export interface SecretRule<Key> {
  readonly enqueue: (id: string) => Iterable<Key>
  /** An object names the Secret, without a reconcile after a change. */
  readonly isNamed?: (id: string) => boolean
  readonly priority: Priority
}

/** Takes rules, each by the type of its event. */
export interface RuleRegister<Key> {
  hub<K extends HubKind>(kind: K, rule: HubRule<HubKinds[K], Key>): void
  cluster(rule: ClusterRule<Key>): void
  object(rule: UnitLabelRule<Key>): void
  selection(rule: SelectionRule<Key>): void
  secret(rule: SecretRule<Key>): void
}

type ClusterEvent = Exclude<keyof RuleRegister<never>, 'hub'>

export interface WatchRule<Key> {
  /** Kind or event of the rule. */
  readonly source: HubKind | ClusterEvent
  register(to: RuleRegister<Key>): void
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

type NamedKind = { [K in HubKind]: HubKinds[K] extends Named ? K : never }[HubKind]

/** Objects of a kind of the hub; without `enqueue`, each one puts itself into the queue. */
export function on<K extends NamedKind>(kind: K, predicate: Predicate<HubKinds[K]>): WatchRule<ObjectKey>
export function on<K extends HubKind, Key>(
  kind: K,
  predicate: Predicate<HubKinds[K]>,
  enqueue: HubRule<HubKinds[K], Key>['enqueue'],
  priority?: Priority,
): WatchRule<Key>
export function on<K extends NamedKind>(
  kind: K,
  predicate: Predicate<HubKinds[K]>,
  enqueue: HubRule<HubKinds[K], RequestKey>['enqueue'] = (o) => [objectKey.of(o.metadata)],
  priority: Priority = 'change',
): WatchRule<RequestKey> {
  return { source: kind, register: (to) => to.hub(kind, { predicate, enqueue, priority }) }
}

export const onCluster = <Key>(
  predicate: ClusterRule<Key>['predicate'],
  enqueue: ClusterRule<Key>['enqueue'],
  priority: Priority = 'change',
): WatchRule<Key> => ({
  source: 'cluster',
  register: (to) => to.cluster({ predicate, enqueue, priority }),
})

/** An object of a unit changed on its cluster. */
export const onObject = <Key>(
  enqueue: UnitLabelRule<Key>['enqueue'],
  priority: Priority = 'change',
): WatchRule<Key> => ({ source: 'object', register: (to) => to.object({ enqueue, priority }) })

export const onSelection = <Key>(
  enqueue: SelectionRule<Key>['enqueue'],
  priority: Priority = 'change',
): WatchRule<Key> => ({ source: 'selection', register: (to) => to.selection({ enqueue, priority }) })

export const onSecret = <Key>(
  enqueue: SecretRule<Key>['enqueue'],
  isNamed: NonNullable<SecretRule<Key>['isNamed']> = () => false,
): WatchRule<Key> => ({
  source: 'secret',
  register: (to) => to.secret({ enqueue, isNamed, priority: 'change' }),
})

export interface ControllerSpec<Key extends RequestKey> {
  readonly name: string
  readonly key: KeyType<Key>
  /** The kind that it reconciles; absent: a timer brings it round. */
  readonly for?: WatchRule<Key>
  /** Objects that it writes. */
  readonly owns?: readonly WatchRule<Key>[]
  /** Changes that start work. The end of a wait needs no rule: a decision notes its reads in `reads`. */
  readonly watches: readonly WatchRule<Key>[]
  reconcile(key: Key, reads: RequestReads): Promise<ReconcileResult>
}

export interface Controller<Key extends RequestKey = RequestKey> {
  readonly name: string
  readonly rules: readonly WatchRule<Key>[]
  request(key: Key): Request
  reconcile(key: RequestKey, reads: RequestReads): Promise<ReconcileResult>
}

export const defineController = <Key extends RequestKey>(spec: ControllerSpec<Key>): Controller<Key> => ({
  name: spec.name,
  rules: [...(spec.for ? [spec.for] : []), ...(spec.owns ?? []), ...spec.watches],
  request: (key) => requestOf(spec.name, key),
  reconcile(key, reads) {
    if (!spec.key.is(key))
      throw new Error(`controller ${spec.name}: a key of type ${key.type} is not its own`)
    return spec.reconcile(key, reads)
  },
})
