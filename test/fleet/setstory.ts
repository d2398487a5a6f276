/** What users of Cluster API do with ClusterResourceSets, and what they see: the vocabulary of these tests. */

import { ok } from '../../packages/kube/src/env/result.ts'
import { configMapKind, crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at, bytesToBase64, encodeYaml, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { sharedCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import {
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  resourceSetKinds,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import {
  type ResourceSetSourceRef,
  SET_SECRET_TYPE,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { clusterApiKinds } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { InventoryStory } from './inventorystory.ts'
import { must, NAMESPACE, type SimFleetOptions, simFleet } from './simfleet.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

export interface StorySetOptions {
  readonly strategy?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly selector?: ClusterResourceSet['spec']['clusterSelector']
}

/** `ConfigMap a` and so on. */
export const sources = (...names: readonly string[]): ResourceSetSourceRef[] =>
  names.map((n) => ({ kind: n.startsWith('secret-') ? 'Secret' : 'ConfigMap', name: n }))

export const manifest = (kind: string, name: string, more: object = {}) => ({
  apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1',
  kind,
  metadata: { name, ...(kind === 'Namespace' ? {} : { namespace: 'default' }) },
  ...more,
})

export const yaml = (...objects: readonly object[]): string =>
  objects.map((o) => `---\n${encodeYaml(o as never)}`).join('')

export class SetStory extends InventoryStory {
  /** As the hub serves it. */
  protected setKind: Kind = resourceSetKinds[0]! as unknown as Kind
  clusterKind: Kind = clusterApiKinds.find((k) => k.version === 'v1beta2')!

  /** A hub with our own definitions, and Clusters of Cluster API that are up. */
  static override async open(
    name: string,
    clusters: readonly string[],
    options: SimFleetOptions = { unjudged: true },
  ): Promise<SetStory> {
    const story = new SetStory(await simFleet(name, [...clusters], options))
    await story.install(clusters)
    return story
  }

  async install(clusters: readonly string[]): Promise<void> {
    for (const crd of sharedCrds()) await this.write(crdKind, crd as never)
    await this.prepare(clusters, await this.installClusterApi())
  }

  /** As an upgrade by clusterctl does: Cluster API's definitions of these kinds in the place of ours. */
  async replaceDefinitions(): Promise<void> {
    const names = new Set(sharedCrds().map((crd) => at(crd, 'metadata', 'name')))
    for (const crd of clusterApiDefinitions('1.13'))
      if (names.has(crd.metadata.name)) await this.write(crdKind, crd)
  }

  protected async prepare(clusters: readonly string[], clusterKind: Kind): Promise<void> {
    this.clusterKind = clusterKind
    for (const c of clusters) {
      await this.remove(secretKind, c)
      await this.cluster(this.clusterKind, c)
    }
  }

  /** Another cluster in its place, with a Cluster object made anew, as when somebody deletes it and makes it again. */
  async recreate(name: string, remade: (own: string) => void): Promise<void> {
    await this.remove(this.clusterKind, name)
    remade(this.fleet.remake(name))
    await this.clusterUp(name)
  }

  /** Its Cluster object is there, and says that it is up. */
  clusterUp(name: string): Promise<void> {
    return this.cluster(this.clusterKind, name)
  }

  protected write(kind: Kind, body: KubeObject): Promise<Stored> {
    return this.during(this.fleet.hub.apply(kind, body, WRITE)).then(must)
  }

  /** `secret-…` is a Secret of the type that is asked for. */
  async source(name: string, data: Readonly<Record<string, string>>, type = SET_SECRET_TYPE): Promise<void> {
    const metadata = { name, namespace: NAMESPACE }
    if (!name.startsWith('secret-')) {
      await this.write(configMapKind, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as never)
      return
    }
    const encoded = Object.fromEntries(
      Object.entries(data).map(([k, v]) => [k, bytesToBase64(new TextEncoder().encode(v))]),
    )
    await this.write(secretKind, { apiVersion: 'v1', kind: 'Secret', metadata, type, data: encoded } as never)
  }

  async annotateSource(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
    const key = { namespace: NAMESPACE, name }
    must(await this.during(this.fleet.hub.patch(configMapKind, key, { metadata: { annotations } }, WRITE)))
  }

  removeSource(name: string): Promise<void> {
    return this.remove(name.startsWith('secret-') ? secretKind : configMapKind, name)
  }

  async set(
    name: string,
    resources: readonly ResourceSetSourceRef[],
    o: StorySetOptions = {},
  ): Promise<void> {
    const { strategy = 'ApplyOnce', annotations = {}, selector = { matchLabels: { env: 'prod' } } } = o
    const { group, version, kind } = this.setKind
    await this.write(this.setKind, {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name, namespace: NAMESPACE, annotations: { ...annotations } },
      spec: { clusterSelector: selector, resources, strategy },
    } as never)
  }

  removeSet(name: string, propagation?: 'Foreground'): Promise<void> {
    return this.remove(this.setKind, name, propagation)
  }

  seeSet(name: string): Stored<ClusterResourceSet> | undefined {
    return this.manager.hub.sets.get({ namespace: NAMESPACE, name })
  }

  binding(cluster: string): Stored<ClusterResourceSetBinding> | undefined {
    return this.manager.hub.setBindings.get({ namespace: NAMESPACE, name: cluster })
  }

  /** `False/NotApplied: …`, of `ResourcesApplied` or another one. */
  said(set: string, type = 'ResourcesApplied'): string {
    const found = this.seeSet(set)?.status?.conditions?.find((c) => c.type === type)
    return found ? `${found.status}/${found.reason}: ${found.message}` : ''
  }

  /** What it says of one set: `ConfigMap/a applied`. */
  entry(cluster: string, set: string): string[] {
    const found = this.binding(cluster)?.spec.bindings?.find((b) => b.clusterResourceSetName === set)
    return (found?.resources ?? []).map((r) => `${r.kind}/${r.name} ${r.applied ? 'applied' : 'not applied'}`)
  }

  isApplied(set: string, clusters: readonly string[]): boolean {
    return clusters.every((c) => {
      const entry = this.entry(c, set)
      return entry.length > 0 && entry.every((e) => e.endsWith(' applied') && !e.includes('not applied'))
    })
  }

  /** Creates that reach a cluster, by the name of the object; of one name so many are refused. */
  posts(cluster: string, refusing: { name: string; times: number }, told: () => void = () => {}): string[] {
    const { api } = this.fleet.clusters.get(cluster)!
    const seen: string[] = []
    let left = refusing.times
    this.fleet.env.net.serve(`https://${cluster}.test`, async (request) => {
      if (request.method !== 'POST') return api.handle(request)
      const bytes = must(await request.body(1_000_000))
      const { metadata } = JSON.parse(new TextDecoder().decode(bytes)) as KubeObject
      seen.push(metadata.name ?? '')
      told()
      if (metadata.name !== refusing.name || left === 0)
        return api.handle({ ...request, body: () => Promise.resolve(ok(bytes)) })
      left--
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'Status',
        status: 'Failure',
        code: 503,
        message: 'busy',
      })
      return { status: 503, headers: { 'content-type': 'application/json' }, body }
    })
    return seen
  }

  async createOn(cluster: string, kind: Kind, object: KubeObject): Promise<void> {
    must(await this.during(this.clientOf(cluster).create(kind, object, WRITE)))
  }

  async deleteOn(cluster: string, kind: Kind, name: string): Promise<void> {
    must(await this.during(this.clientOf(cluster).delete(kind, { namespace: 'default', name }, WRITE)))
  }

  async deleteSet(name: string): Promise<void> {
    must(await this.during(this.fleet.hub.delete(this.setKind, { namespace: NAMESPACE, name }, WRITE)))
  }

  async editOn(cluster: string, kind: Kind, name: string, patch: object): Promise<void> {
    const key = { namespace: 'default', name }
    must(await this.during(this.clientOf(cluster).patch(kind, key, patch as never, WRITE)))
  }

  async label(cluster: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.change(cluster, { metadata: { labels } })
  }

  async pause(cluster: string, paused: boolean): Promise<void> {
    await this.change(cluster, { spec: { paused } })
  }

  private async change(cluster: string, patch: object): Promise<void> {
    const key = { namespace: NAMESPACE, name: cluster }
    must(await this.during(this.fleet.hub.patch(this.clusterKind, key, patch as never, WRITE)))
  }

  private clientOf(cluster: string) {
    return this.fleet.clusters.get(cluster)!.client
  }
}
