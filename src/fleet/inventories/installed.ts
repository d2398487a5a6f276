/** Objects of a kind that may not be installed: there while its definition is, in whichever version that serves. */
import type { Kind, Stored } from '../../api/kind.ts'
import { type CustomResourceDefinition, crdKind } from '../../api/kinds/foreign.ts'
import type { Env } from '../../env/env.ts'
import type { KubeClient } from '../../kube/client.ts'
import { type KubeError, kubeErrorText } from '../../kube/error.ts'
import { type Informer, startInformer } from '../../kube/informer.ts'
import { type KubeObject, keyText } from '../../object/object.ts'
import type { ClusterView } from '../cluster.ts'

export interface InstalledOptions {
  /** The same kind in all versions that we read, the best first. */
  readonly kinds: readonly Kind[]
  readonly project: (o: Stored) => ClusterView
}

export interface InstalledEvents {
  changed(before: ClusterView | undefined, after: ClusterView | undefined): void
  /** The kind is served, and its objects are about to be read. */
  opened(): void
  /** It is known that there is no such kind, or all its objects are. Called once. */
  settled(): void
}

export class Installed {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly o: InstalledOptions
  private readonly events: InstalledEvents
  private readonly definition: Informer<CustomResourceDefinition, readonly string[]>
  private readonly views = new Map<string, ClusterView>()
  private open: { readonly kind: Kind; readonly informer: Informer<KubeObject, ClusterView> } | undefined
  private isSettled = false
  /** What was said last of its failures. */
  private said = ''

  constructor(env: Env, client: KubeClient, o: InstalledOptions, events: InstalledEvents) {
    this.env = env
    this.client = client
    this.o = o
    this.events = events
    const { plural, group } = o.kinds[0]!
    this.definition = startInformer<CustomResourceDefinition, readonly string[]>(env, client, {
      kind: crdKind,
      fieldSelector: `metadata.name=${plural}.${group}`,
      project: ({ spec }) => spec.versions.filter((v) => v.served).map((v) => v.name),
      onHealth: (error) => this.health(error),
    })
    this.definition.store.subscribe(() => this.follow())
    this.definition.store.onSynced(() => this.follow())
  }

  stop(): void {
    this.definition.stop()
    this.open?.informer.stop()
  }

  /** A version that is read stays, as long as it is served: what is known stays known. */
  private follow(): void {
    if (this.definition.store.freshness.state === 'Syncing') return
    const { plural, group } = this.o.kinds[0]!
    const served = this.definition.store.get(`${plural}.${group}`) ?? []
    if (this.open && served.includes(this.open.kind.version)) return
    this.open?.informer.stop()
    this.open = undefined
    const kind = this.o.kinds.find((k) => served.includes(k.version))
    if (kind) this.begin(kind)
    else this.end()
  }

  private end(): void {
    for (const key of [...this.views.keys()]) this.put(key, undefined)
    this.settle()
  }

  private begin(kind: Kind): void {
    this.events.opened()
    const informer = startInformer<KubeObject, ClusterView>(this.env, this.client, {
      kind,
      project: this.o.project,
      onHealth: (error) => this.health(error),
    })
    this.open = { kind, informer }
    informer.store.subscribe(({ key, after }) => this.put(key, after))
    informer.store.onSynced(() => {
      // Known from another version, and gone meanwhile.
      for (const key of [...this.views.keys()]) if (!informer.store.get(key)) this.put(key, undefined)
      this.settle()
    })
  }

  private put(key: string, after: ClusterView | undefined): void {
    const before = this.views.get(key)
    if (after) this.views.set(key, after)
    else this.views.delete(key)
    if (before || after) this.events.changed(before, after)
  }

  private settle(): void {
    if (this.isSettled) return
    this.isSettled = true
    this.events.settled()
  }

  /** What is known stays. Before everything is known, nothing is delivered anywhere: that has to be said. */
  private health(error: KubeError | undefined): void {
    const { kind, group } = this.o.kinds[0]!
    const what = `inventory ${group}/${kind}`
    const then = this.isSettled ? 'its last state counts' : 'nothing is delivered before it is known'
    const text = error
      ? `${what} cannot be read: ${kubeErrorText(error)}; ${then}`
      : `${what} can be read again`
    if (text === this.said) return
    this.said = text
    if (error) this.env.log.warn(text, { reason: error.kind })
    else this.env.log.info(text)
  }
}

/** The key under which a view's object is stored. */
export const viewKey = (view: ClusterView): string =>
  keyText({ namespace: view.namespace, name: view.objectName })
