/** A cache of a resource as client-go keeps it: a list, then a watch, both again when the stream breaks; true a while ago. */
import { sleep } from '@lockstep/kube/env'
import { at, type JsonObject, type KubeObject } from '@lockstep/kube/object'
import type { UpstreamClient } from './upstreamclient.ts'

/** `old` is undefined for a new object, `next` for one that is gone. */
export type UpstreamObserver = (old: KubeObject | undefined, next: KubeObject | undefined) => void

const RELIST_MS = 800
const METADATA = ';g=meta.k8s.io;v=v1'

export interface UpstreamInformerOptions {
  /** Of the collection, with all namespaces or one. */
  readonly path: string
  readonly fields?: 'full' | 'metadata'
  readonly lagMs?: () => number
}

export class UpstreamInformer {
  /** Resolved once what was there is known. */
  readonly synced: Promise<void>
  private readonly objects = new Map<string, KubeObject>()
  private readonly seen: UpstreamObserver[] = []
  private readonly client: UpstreamClient
  private readonly o: UpstreamInformerOptions
  private readonly end = new AbortController()
  private lastAt = 0

  constructor(client: UpstreamClient, o: UpstreamInformerOptions) {
    this.client = client
    this.o = o
    this.synced = new Promise((resolve) => void this.run(resolve))
  }

  subscribe(fn: UpstreamObserver): void {
    this.seen.push(fn)
    for (const o of this.objects.values()) fn(undefined, o)
  }

  get(namespace: string, name: string): KubeObject | undefined {
    return this.objects.get(`${namespace}/${name}`)
  }

  /** Of one namespace or all. */
  list(namespace?: string): readonly KubeObject[] {
    return [...this.objects.values()]
      .filter((o) => namespace === undefined || o.metadata.namespace === namespace)
      .sort((a, b) => (String(a.metadata.name) < String(b.metadata.name) ? -1 : 1))
  }

  stop(): void {
    this.end.abort()
  }

  private get isOver(): boolean {
    return this.end.signal.aborted || this.client.life.isDead()
  }

  private async run(synced: () => void): Promise<void> {
    const { clock } = this.client.life.env
    while (!this.isOver) {
      const version = await this.relist().catch(() => undefined)
      if (version !== undefined) {
        synced()
        await this.follow(version).catch(() => {})
      }
      if (!this.isOver) await sleep(clock, RELIST_MS, this.end.signal)
    }
  }

  private accept(as: string): string {
    return this.o.fields === 'metadata' ? `application/json;as=${as}${METADATA}` : 'application/json'
  }

  private async relist(): Promise<string> {
    const list = await this.client.aside(
      'GET',
      this.o.path,
      undefined,
      this.accept('PartialObjectMetadataList'),
    )
    const items = (at(list, 'items') ?? []) as unknown as readonly KubeObject[]
    const there = new Set(items.map(keyOf))
    for (const [key] of this.objects) if (!there.has(key)) this.take(key, undefined)
    // Items of a list do not say what they are.
    const kind = String(list.kind).replace(/List$/, '')
    for (const o of items) this.take(keyOf(o), { ...o, apiVersion: String(list.apiVersion), kind })
    return String(at(list, 'metadata', 'resourceVersion'))
  }

  private follow(version: string): Promise<void> {
    const path = `${this.o.path}?watch=true&allowWatchBookmarks=true&resourceVersion=${version}`
    return this.client.watch(path, this.accept('PartialObjectMetadata'), (event) => this.hear(event))
  }

  private hear({ type, object }: JsonObject): void {
    if (type === 'BOOKMARK' || type === 'ERROR') return
    const o = object as unknown as KubeObject
    this.later(() => this.take(keyOf(o), type === 'DELETED' ? undefined : o))
  }

  private later(fn: () => void): void {
    const { clock } = this.client.life.env
    this.lastAt = Math.max(this.lastAt, clock.steady() + (this.o.lagMs?.() ?? 0))
    clock.at(this.lastAt, () => {
      if (!this.isOver) fn()
    })
  }

  private take(key: string, next: KubeObject | undefined): void {
    const old = this.objects.get(key)
    // What a relist tells anew is no change: `ResourceIsChanged` drops it.
    if (old && next && old.metadata.resourceVersion === next.metadata.resourceVersion) return
    if (next) this.objects.set(key, next)
    else this.objects.delete(key)
    for (const fn of this.seen) fn(old, next)
  }
}

const keyOf = (o: KubeObject): string => `${o.metadata.namespace ?? ''}/${o.metadata.name ?? ''}`
