/** From a change to its requests: asks every rule of every controller, then who has read what changed. */
import type { Priority } from '@lockstep/kube/workqueue'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { labeledObjectId } from '../../fleet/connection/index.ts'
import type {
  ClusterRule,
  Controller,
  RuleRegister,
  SecretRule,
  SelectionRule,
  UnitLabelRule,
} from './controller.ts'
import { type HubKind, type HubKinds, type HubRule, noRules } from './hubkinds.ts'
import type { ReadIndex } from './readindex.ts'
import { type Request, type RequestKey, type RequestQueue, requestOf } from './requestkeys.ts'
import type { WatchIndex } from './watchindex.ts'

/** Names of reads that a change concerns. */
export interface ReadNames {
  ofObject<K extends HubKind>(
    kind: K,
    before: HubKinds[K] | undefined,
    after: HubKinds[K] | undefined,
  ): Iterable<string>
  ofCluster(view: ClusterView): Iterable<string>
  /** The health of a unit, by the label of its objects on a cluster. */
  ofUnit(view: ClusterView, label: string): Iterable<string>
  ofSelection(view: ClusterView, id: string): string
}

/** Reads and watches of requests. */
export interface DispatcherIndexes {
  readonly watches: WatchIndex
  readonly reads: ReadIndex
  readonly names: ReadNames
}

export class Dispatcher {
  private readonly queue: RequestQueue
  private readonly indexes: DispatcherIndexes
  private readonly hub = noRules<Request>()
  private readonly clusters: ClusterRule<Request>[] = []
  private readonly objects: UnitLabelRule<Request>[] = []
  private readonly selections: SelectionRule<Request>[] = []
  private readonly secrets: SecretRule<Request>[] = []

  constructor(queue: RequestQueue, indexes: DispatcherIndexes, controllers: readonly Controller[]) {
    this.queue = queue
    this.indexes = indexes
    for (const { name, rules } of controllers) {
      const register = this.registerOf(name)
      for (const rule of rules) rule.register(register)
    }
  }

  /** An object of the hub; the same before and after: a resync. */
  changed<K extends HubKind>(kind: K, before: HubKinds[K] | undefined, after: HubKinds[K] | undefined): void {
    const object = after ?? before
    if (object === undefined) return
    const rules: readonly HubRule<HubKinds[K], Request>[] = this.hub[kind]
    for (const { predicate, enqueue, priority } of rules)
      if (predicate(before, after)) this.addAll(enqueue(object, { before, after }), priority)
    this.addReaders(this.indexes.names.ofObject(kind, before, after))
  }

  /** Passes every object of a cache to the rules: at a start, and when a cache was completed late. */
  resync<K extends HubKind>(kind: K, objects: Iterable<HubKinds[K]>): void {
    for (const o of [...objects]) this.changed(kind, o, o)
  }

  clusterChanged(view: ClusterView): void {
    for (const { predicate, enqueue, priority } of this.clusters)
      if (predicate(view)) this.addAll(enqueue(view), priority)
    this.addReaders(this.indexes.names.ofCluster(view), 'change')
  }

  /** `id`: `identityOf` the object, which units wait for that do not deliver it. */
  objectChanged(view: ClusterView, label: string, id: string): void {
    for (const { enqueue, priority } of this.objects) this.addAll(enqueue(view, label), priority)
    this.addAll(this.indexes.watches.of({ view, id: labeledObjectId(id) }), 'gate')
  }

  /** The health of a unit was read for the first time since a connection began. */
  unitJudged(view: ClusterView, label: string): void {
    this.addReaders(this.indexes.names.ofUnit(view, label))
  }

  /** False: no request watches it any more. */
  selectionChanged(view: ClusterView, id: string): boolean {
    let found = 0
    for (const { enqueue, priority } of this.selections) found += this.addAll(enqueue(view, id), priority)
    found += this.addReaders([this.indexes.names.ofSelection(view, id)])
    return found + this.addAll(this.indexes.watches.of({ view, id }), 'change') > 0
  }

  /** False: no object names it any more. */
  secretChanged(id: string): boolean {
    let isNamed = this.addAll(this.indexes.watches.of({ view: undefined, id }), 'change') > 0
    for (const rule of this.secrets) {
      const found = this.addAll(rule.enqueue(id), rule.priority)
      if (found > 0 || rule.isNamed?.(id) === true) isNamed = true
    }
    return isNamed
  }

  /** The end of a wait comes before other changes. */
  private addReaders(reads: Iterable<string>, priority: Priority = 'gate'): number {
    let count = 0
    for (const read of reads) count += this.addAll(this.indexes.reads.readersOf(read), priority)
    return count
  }

  private addAll(requests: Iterable<Request>, priority: Priority): number {
    let count = 0
    for (const request of requests) {
      this.queue.add(request, priority)
      count++
    }
    return count
  }

  private registerOf(controller: string): RuleRegister<RequestKey> {
    const requests = (keys: Iterable<RequestKey>) => requestsOf(controller, keys)
    return {
      hub: (kind, { predicate, enqueue, priority }) => {
        this.hub[kind].push({ predicate, priority, enqueue: (o, c) => requests(enqueue(o, c)) })
      },
      cluster: ({ predicate, enqueue, priority }) => {
        this.clusters.push({ predicate, priority, enqueue: (v) => requests(enqueue(v)) })
      },
      object: ({ enqueue, priority }) => {
        this.objects.push({ priority, enqueue: (v, label) => requests(enqueue(v, label)) })
      },
      selection: ({ enqueue, priority }) => {
        this.selections.push({ priority, enqueue: (v, id) => requests(enqueue(v, id)) })
      },
      secret: ({ enqueue, isNamed = () => false, priority }) => {
        this.secrets.push({ priority, isNamed, enqueue: (id) => requests(enqueue(id)) })
      },
    }
  }
}

function* requestsOf(controller: string, keys: Iterable<RequestKey>): Iterable<Request> {
  for (const key of keys) yield requestOf(controller, key)
}
