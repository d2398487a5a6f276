/** What people do to a fleet, and what they see of it: the vocabulary of the delivery tests. */

import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Assignment } from '../../packages/lockstep/src/api/kinds/inventory/assignment.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import type { Manager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { BundleStore } from '../../packages/lockstep/src/sources/intake/bundlestore.ts'
import { must, NAMESPACE, type SimFleet, type SimFleetOptions, simFleet } from './simfleet.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

const STAMP = /configmaps lockstep-system\/lockstep-stamp-|namespaces \/?lockstep-system$/

/** An edge to a module, also on another cluster, or to an object. */
export type EdgeOptions =
  | { on: string; cluster?: string; release?: 'Same' | 'Any'; optional?: boolean; beforeWave?: number }
  | { id: string; object: Readonly<Record<string, string>>; readyExpr?: string; optional?: boolean }

export interface ModuleOptions {
  readonly release?: string
  /** `name`, or an edge in full. */
  readonly dependsOn?: readonly (string | EdgeOptions)[]
  readonly attempt?: number
  readonly rollout?: Readonly<Record<string, unknown>>
  readonly apply?: Readonly<Record<string, unknown>>
  readonly health?: Readonly<Record<string, unknown>>
  readonly targets?: Readonly<Record<string, unknown>>
  readonly revisionHistoryLimit?: number
  readonly render?: Readonly<Record<string, unknown>>
  readonly bindings?: readonly object[]
}

export class Story {
  readonly fleet: SimFleet
  manager: Manager

  constructor(fleet: SimFleet) {
    this.fleet = fleet
    this.manager = fleet.startController()
  }

  static async begin(
    name: string,
    clusters: readonly string[],
    options: SimFleetOptions = {},
  ): Promise<Story> {
    return new Story(await simFleet(name, clusters, options))
  }

  /** Other controllers take the place of these. */
  restart(): void {
    this.manager.stop()
    this.manager = this.fleet.startController()
  }

  /** Lets time run until an answer is there. */
  async during<T>(work: Promise<T>): Promise<T> {
    let settled = false
    void work.finally(() => {
      settled = true
    })
    await this.fleet.env.clock.run(() => settled)
    return work
  }

  async pass(seconds: number): Promise<void> {
    await this.fleet.env.clock.run(() => false, seconds * 1000)
  }

  /** Runs until `holds`, at most `seconds`; says whether it came to that. */
  async until(holds: () => boolean, seconds = 120): Promise<boolean> {
    return (await this.fleet.env.clock.run(holds, seconds * 1000)) === 'done'
  }

  async config(name: string, text: string): Promise<void> {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: NAMESPACE },
      data: { 'all.yaml': text },
    }
    must(await this.during(this.fleet.hub.apply(configMapKind, map, WRITE)))
  }

  /** A Secret with manifests, as people write them. */
  async secret(name: string, text: string): Promise<void> {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: NAMESPACE },
      data: { 'all.yaml': Buffer.from(text).toString('base64') },
    }
    must(await this.during(this.fleet.hub.apply(secretKind, secret, WRITE)))
  }

  /** A module whose manifests are in the ConfigMap `source`, in several, or in what the object says; undefined: a checkpoint. */
  async module(
    name: string,
    source: string | readonly string[] | object | undefined,
    o: ModuleOptions = {},
  ): Promise<void> {
    const spec = {
      targets: { clusterSelector: {} },
      ...o,
      source: sourceOf(source),
      ...(o.dependsOn ? { dependsOn: o.dependsOn.map(edgeOf) } : {}),
    }
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name, namespace: NAMESPACE },
      spec,
    }
    must(await this.during(this.fleet.hub.apply(moduleKind, body, WRITE)))
  }

  /** The objects of a stored bundle. */
  async bundle(digest: string): Promise<readonly KubeObject[]> {
    return must(await new BundleStore(this.fleet.hub).get(NAMESPACE, digest)).objects
  }

  async deleteModule(name: string): Promise<void> {
    must(await this.during(this.fleet.hub.delete(moduleKind, { namespace: NAMESPACE, name }, WRITE)))
  }

  see(name: string): Stored<Module> {
    const found = this.manager.hub.modules.store.get({ namespace: NAMESPACE, name })
    if (!found) throw new Error(`no module ${name}`)
    return found
  }

  /** The assignment of a Module to a cluster. */
  assigned(module: string, cluster: string): Assignment | undefined {
    return this.manager.hub.assignment({ kind: 'Module', namespace: NAMESPACE, name: module }, cluster)
  }

  inventory(module: string, cluster: string): Stored<Inventory> | undefined {
    return this.manager.hub.inventories.store.get({ namespace: NAMESPACE, name: `m.${module}.${cluster}` })
  }

  isReady(name: string, release?: string): boolean {
    const m = this.manager.hub.modules.store.get({ namespace: NAMESPACE, name })
    const ready = m?.status?.conditions?.find((c) => c.type === 'Ready')
    return (
      ready?.status === 'True' &&
      m?.status?.observedGeneration === m?.metadata.generation &&
      (release === undefined || m?.status?.release === release)
    )
  }

  /** `Reason: message` of a module's first blockers. */
  blockers(name: string): string[] {
    return (this.see(name).status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)
  }

  /** Commits on a cluster since `from`, as `verb resource key`, by the executor. */
  writes(cluster: string, from = 0): string[] {
    return this.ours(cluster, from).filter((line) => !STAMP.test(line))
  }

  /** What was written down of a unit on its own cluster. */
  stamps(cluster: string, from = 0): string[] {
    return this.ours(cluster, from).filter((line) => STAMP.test(line))
  }

  private ours(cluster: string, from: number): string[] {
    return this.fleet.commits
      .slice(from)
      .filter(
        (c) => c.cluster === cluster && (c.actor === 'lockstep' || c.actor.startsWith('lockstep-controller')),
      )
      .map((c) => `${c.verb} ${c.resource} ${c.key}`)
  }

  live(cluster: string, resource: string, name: string, namespace = 'default') {
    return this.fleet.clusters.get(cluster)!.api.local.get(resource, namespace, name)
  }

  get inventories(): Stored<Inventory>[] {
    return [...this.manager.hub.inventories.store.all()]
  }
}

function sourceOf(source: string | readonly string[] | object | undefined): object {
  if (source === undefined) return { none: {} }
  if (typeof source === 'object' && !Array.isArray(source)) return source
  return { configMaps: [source].flat().map((name) => ({ name })) }
}

function edgeOf(d: string | EdgeOptions): Readonly<Record<string, unknown>> {
  if (typeof d === 'string') return { id: d, module: { kind: 'Module', name: d } }
  if (!('on' in d)) return d
  const { on, cluster, ...rest } = d
  const clusterRef = cluster === undefined ? {} : { clusterRef: { name: cluster } }
  return { id: on, module: { kind: 'Module', name: on, ...clusterRef }, ...rest }
}

export const configManifest = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`

export const deploymentManifest = (name: string, image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: main, image: "${image}"}]
`
