/** What platform teams do with their inventories: the vocabulary of the tests about clusters. */

import { type ApiServer, createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import {
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { ACCEPT_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { clusterApiKinds } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import { clusterProfileKinds } from '../../packages/lockstep/src/fleet/inventories/clusterprofile.ts'
import {
  argoSecret,
  clusterDefinition,
  kubeconfigSecret,
  profileDefinition,
} from '../integration/inventorykinds.ts'
import { clusterSecret, must, NAMESPACE, simFleet } from './simfleet.ts'
import { Story } from './steps.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

/** A hub whose clusters no inventory knows yet. */
export class InventoryStory extends Story {
  /** Requests to clusters, by name. */
  readonly requests = new Map<string, number>()

  static async open(name: string, clusters: readonly string[]): Promise<InventoryStory> {
    const fleet = await simFleet(name, [...clusters])
    for (const c of clusters) {
      const gone = fleet.hub.delete(secretKind, { namespace: NAMESPACE, name: c }, WRITE)
      await fleet.env.clock.run(() => false, 10)
      must(await gone)
    }
    const story = new InventoryStory(fleet)
    for (const c of clusters)
      fleet.env.net.wire(`https://${c}.test`, {
        before: async () => {
          story.requests.set(c, (story.requests.get(c) ?? 0) + 1)
          return undefined
        },
      })
    return story
  }

  private put(kind: Kind, body: object): Promise<Stored> {
    return this.during(this.fleet.hub.apply(kind, body as KubeObject, WRITE)).then(must)
  }

  remove(kind: Kind, name: string, propagation?: 'Foreground'): Promise<void> {
    const write = { ...WRITE, ...(propagation ? { propagation } : {}) }
    return this.during(this.fleet.hub.delete(kind, { namespace: NAMESPACE, name }, write)).then(must)
  }

  async installClusterApi(version = 'v1beta2'): Promise<Kind> {
    await this.put(crdKind, clusterDefinition(version))
    await this.pass(2)
    return clusterApiKinds.find((k) => k.version === version)!
  }

  async installProfiles(): Promise<Kind> {
    await this.put(crdKind, profileDefinition())
    await this.pass(2)
    return clusterProfileKinds[0]!
  }

  /** A cluster object with its status. */
  async object(
    kind: Kind,
    name: string,
    status: object,
    o: { labels?: Record<string, string>; annotations?: Record<string, string>; spec?: object } = {},
  ): Promise<void> {
    const { labels = { env: 'prod' }, annotations = {}, spec = {} } = o
    const apiVersion = `${kind.group}/${kind.version}`
    const body = {
      apiVersion,
      kind: kind.kind,
      metadata: { name, namespace: NAMESPACE, labels, annotations },
      spec,
    }
    await this.put(kind, body)
    const patch = { status } as never
    const done = this.fleet.hub.patch(kind, { namespace: NAMESPACE, name }, patch, {
      ...WRITE,
      subresource: 'status',
    })
    must(await this.during(done))
  }

  /** Many objects of which nobody knows more than the name. */
  async crowd(kind: Kind, names: readonly string[]): Promise<void> {
    const body = (name: string) => ({
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name, namespace: NAMESPACE, labels: { env: 'test' } },
    })
    const all = names.map((name) => this.fleet.hub.create(kind, body(name), WRITE))
    for (const made of await this.during(Promise.all(all))) must(made)
  }

  /** A Cluster that is up, with its kubeconfig. */
  async cluster(kind: Kind, name: string, server = name): Promise<void> {
    await this.kubeconfig(name, server)
    await this.object(kind, name, UP)
  }

  async kubeconfig(cluster: string, server = cluster): Promise<void> {
    await this.put(secretKind, kubeconfigSecret(cluster, NAMESPACE, kubeconfigOf(server)))
  }

  async argo(
    name: string,
    server: string,
    config: object | string = { bearerToken: 't' },
    labels = PROD,
    more: Record<string, string> = {},
  ): Promise<void> {
    await this.put(secretKind, argoSecret(name, NAMESPACE, `https://${server}.test`, config, labels, more))
  }

  /** A Secret of ours with a kubeconfig. */
  async labelled(name: string, server = name): Promise<void> {
    const body = clusterSecret(server, PROD)
    await this.put(secretKind, { ...body, metadata: { ...body.metadata, name } })
  }

  /** Another cluster answers there from now on. */
  replace(server: string) {
    const other = createApiServer(this.fleet.env, { name: `${server}-2` })
    this.fleet.env.net.serve(`https://${server}.test`, other.handle)
    return other
  }

  /** As `lockstep cluster accept` does. */
  async accept(name: string, uid: string): Promise<void> {
    const patch = { metadata: { annotations: { [ACCEPT_ANNOTATION]: uid } } }
    const key = { namespace: NAMESPACE, name }
    must(await this.during(this.fleet.hub.patch(remoteAssemblageKind, key, patch, WRITE)))
  }

  assemblage(name: string): Stored<RemoteAssemblage> | undefined {
    return this.manager.hub.assemblages.store.get({ namespace: NAMESPACE, name })
  }

  kubeSystem(cluster: string): string {
    return kubeSystemOf(this.fleet.clusters.get(cluster)!.api)
  }
}

/** Who a cluster is. */
export const kubeSystemOf = ({ local }: ApiServer): string =>
  local.list('namespaces').find((n) => n.metadata.name === 'kube-system')!.metadata.uid!

const PROD: Record<string, string> = { env: 'prod' }

export const UP = { initialization: { controlPlaneInitialized: true } }

export const kubeconfigOf = (server: string): string => atob(clusterSecret(server, {}).data.kubeconfig)
