/** A hub with Cluster API, whose controller is at work, and Lockstep beside it. */

import { crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import { resourceSetKinds } from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import {
  CAPI_PAUSED,
  type ResourceSetSourceRef,
  SET,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { clusterApiKinds } from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import {
  type ClusterApiOptions,
  type ClusterApiVersion,
  UPSTREAM_BEHAVIORS,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { LEASE_NAMESPACE } from '../../packages/simulators/src/clusterapi/lease.ts'
import { readyStatus } from '../../packages/simulators/src/clusterapi/stage.cases.ts'
import { type ClusterApi, startClusterApi } from '../../packages/simulators/src/clusterapi/startclusterapi.ts'
import { SetStory } from './setstory.ts'
import { must, NAMESPACE, type SimFleetOptions, simFleet } from './simfleet.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

export class TakeoverStory extends SetStory {
  upstream!: ClusterApi
  private version: ClusterApiVersion = '1.9'
  private options: Partial<ClusterApiOptions> = {}

  static async with(
    name: string,
    version: ClusterApiVersion,
    clusters: readonly string[],
    options: Partial<ClusterApiOptions> = {},
    fleet: SimFleetOptions = { unjudged: true },
  ): Promise<TakeoverStory> {
    const story = new TakeoverStory(await simFleet(name, [...clusters], fleet))
    await story.installUpstream(version, clusters, options)
    return story
  }

  private async installUpstream(
    version: ClusterApiVersion,
    clusters: readonly string[],
    options: Partial<ClusterApiOptions>,
  ): Promise<void> {
    const { apiVersion } = UPSTREAM_BEHAVIORS[version]
    this.version = version
    this.options = options
    this.setKind = resourceSetKinds.find((k) => k.version === apiVersion) as unknown as Kind
    for (const crd of clusterApiDefinitions(version)) await this.write(crdKind, crd)
    await this.write(namespaceKind, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: LEASE_NAMESPACE },
    })
    for (const c of clusters) await this.serviceOn(c)
    await this.pass(5)
    const clusterKind = clusterApiKinds.find((k) => k.version === apiVersion)!
    await this.prepare(clusters, clusterKind)
    const spec = { controlPlaneEndpoint: { host: 'c.test', port: 443 } }
    for (const c of clusters) await this.object(clusterKind, c, readyStatus(apiVersion), { spec })
    this.startUpstream()
  }

  override async clusterUp(name: string): Promise<void> {
    const { apiVersion } = UPSTREAM_BEHAVIORS[this.version]
    await this.serviceOn(name)
    await this.kubeconfig(name)
    const spec = { controlPlaneEndpoint: { host: 'c.test', port: 443 } }
    await this.object(this.clusterKind, name, readyStatus(apiVersion), { spec })
  }

  startUpstream(): void {
    const { env } = this.fleet
    this.upstream = startClusterApi(env, {
      name: 'capi-controller-manager',
      version: this.version,
      hub: () => env.net.connect({ url: 'https://hub.test' }, 'operator'),
      cluster: (_, name) => env.net.connect({ url: `https://${name}.test` }, 'operator'),
      ...this.options,
    })
  }

  /** Every API server makes it; upstream waits for it. */
  private async serviceOn(cluster: string): Promise<void> {
    const api = this.fleet.clusters.get(cluster)!.api
    api.local.create(
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'kubernetes', namespace: 'default' },
        spec: { ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
      } as never,
      'kube-apiserver',
    )
  }

  async annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const patch = { metadata: { annotations } } as never
    must(await this.during(this.fleet.hub.patch(this.setKind, { namespace: NAMESPACE, name }, patch, WRITE)))
  }

  /** Cluster API does not reach a cluster, until what comes back is called. */
  keepAway(cluster: string): () => void {
    const { net } = this.fleet.env
    const url = `https://${cluster}.test`
    let isAway = true
    net.wire(url, {
      before: async ({ headers }) =>
        isAway && String(headers?.['user-agent'] ?? '').startsWith('manager/')
          ? { phase: 'connect', detail: 'kept away' }
          : undefined,
    })
    net.cut(url)
    return () => {
      isAway = false
    }
  }

  /** From now on our process dies over its `n`-th write to the hub: before it is sent where that is even, else after. */
  dieAt(n: number): () => boolean {
    const { manager } = this
    let writes = 0
    let isDead = false
    this.fleet.env.net.wire('https://hub.test', {
      before: async ({ method, headers }) => {
        const isOurs = String(headers?.['user-agent'] ?? '').startsWith('lockstep-controller')
        if (isDead || !isOurs || method === 'GET' || ++writes !== n) return undefined
        isDead = true
        manager.stop()
        return n % 2 === 0 ? { phase: 'send', detail: 'killed' } : undefined
      },
    })
    return () => isDead
  }

  /** Something about it changes, so that whoever reconciles it does so again. */
  async touch(name: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await this.annotate(name, { touched: String(i) })
      await this.pass(30)
    }
  }

  takeOver(name: string): Promise<void> {
    return this.annotate(name, { [SET.managed]: 'true' })
  }

  /** A set that upstream has applied to all clusters. */
  async appliedUpstream(
    name: string,
    resources: readonly ResourceSetSourceRef[],
    strategy: string,
    clusters: readonly string[],
  ): Promise<void> {
    await this.set(name, resources, { strategy })
    if (!(await this.until(() => this.isApplied(name, clusters), 60)))
      throw new Error('Cluster API has not applied it')
    await this.pass(30)
  }

  isTaken(name: string): boolean {
    return this.condition(name, 'lockstep.dev/Managed').startsWith('True/TakenOver')
  }

  /** Of the newer kind, wherever this version has it. */
  condition(name: string, type: string): string {
    const status = this.seeSet(name)?.status
    const isOlder = this.setKind.version === 'v1beta1' && status?.v1beta2 !== undefined
    const all = isOlder ? status?.v1beta2?.conditions : status?.conditions
    const found = all?.find((c) => c.type === type)
    return found ? `${found.status}/${found.reason}: ${found.message}` : ''
  }

  pauseOf(name: string): string | undefined {
    return this.seeSet(name)?.metadata.annotations?.[CAPI_PAUSED]
  }

  /** All that anybody has written to a cluster since, but what its own controllers do. */
  writesBy(cluster: string, from: number): string[] {
    return this.fleet.commits
      .slice(from)
      .filter((c) => c.cluster === cluster && c.resource !== 'leases.coordination.k8s.io')
      .map((c) => `${c.actor} ${c.verb} ${c.key}`)
  }
}
