/** A fleet of many clusters: what a release, a restart, a rest and drift cost. */

import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from '../fleet/simfleet.ts'
import { configManifest, Story } from '../fleet/steps.ts'

export interface ScaledSize {
  readonly clusters: number
  readonly modules: number
  /** Objects of a unit. */
  readonly objects: number
}

export interface FleetCost {
  readonly requests: number
  readonly writes: number
  /** Milliseconds of virtual time. */
  readonly ms: number
}

const WRITES: ReadonlySet<string> = new Set(['create', 'apply', 'patch', 'update', 'delete'])
const CONFLICT = '409'
const DEADLINE_S = 3600
const NAMESPACE_OF_OBJECTS = 'default'
const USER = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

export class ScaledFleet {
  readonly story: Story
  private readonly clusters: readonly string[]
  private readonly modules: readonly string[]
  private readonly size: ScaledSize

  private constructor(story: Story, size: ScaledSize, clusters: readonly string[]) {
    this.story = story
    this.size = size
    this.clusters = clusters
    this.modules = Array.from({ length: size.modules }, (_, i) => `m${i}`)
  }

  static async begin(size: ScaledSize): Promise<ScaledFleet> {
    const clusters = Array.from({ length: size.clusters }, (_, i) => `c${i}`)
    const story = await Story.begin(`scale/${size.clusters}`, clusters, { unjudged: true })
    return new ScaledFleet(story, size, clusters)
  }

  /** All Modules need the first one. One object of a unit changes. */
  async release(version: string): Promise<FleetCost> {
    const { story, modules, size } = this
    return this.cost(async () => {
      for (const name of modules) {
        const text = Array.from({ length: size.objects }, (_, i) =>
          configManifest(`${name}-${i}`, i === 0 ? version : 'same'),
        ).join('---\n')
        await story.config(`${name}-${version}`, text)
        const dependsOn = name === modules[0] ? {} : { dependsOn: [modules[0]!] }
        await story.module(name, `${name}-${version}`, {
          release: version,
          ...dependsOn,
          rollout: { strategy: 'Replace' },
        })
      }
      const isReady = (): boolean => modules.every((m) => story.isReady(m, version))
      if (!(await story.until(isReady, DEADLINE_S))) throw new Error(`release ${version} is not ready`)
    })
  }

  /** Another process of controllers, until it has read all clusters. */
  restart(): Promise<FleetCost> {
    const { story } = this
    return this.cost(async () => {
      story.manager.stop()
      story.manager = story.fleet.startController()
      const { manager } = story
      let isStarted = false
      void manager.started.then(() => {
        isStarted = true
      })
      const isRead = (): boolean => isStarted && this.modules.every((m) => story.isReady(m))
      if (!(await story.until(isRead, DEADLINE_S))) throw new Error('the controllers have not started')
    })
  }

  rest(seconds: number): Promise<FleetCost> {
    return this.cost(() => this.story.pass(seconds))
  }

  /** A user changes an object of every unit on a share of the clusters at once, until all changes are reverted. */
  async drift(share: number): Promise<FleetCost & { readonly changes: number }> {
    const { story, modules } = this
    const changed = this.clusters.slice(0, Math.ceil(this.clusters.length * share))
    const name = (module: string): string => `${module}-1`
    const cost = await this.cost(
      async () => {
        const writes = changed.flatMap((cluster) =>
          modules.map((module) => {
            const metadata = { name: name(module), namespace: NAMESPACE_OF_OBJECTS }
            const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'changed' } }
            return story.fleet.clusters.get(cluster)!.client.apply(configMapKind, map, USER)
          }),
        )
        for (const done of await story.during(Promise.all(writes))) must(done)
        const isReverted = (): boolean =>
          changed.every((cluster) =>
            modules.every((m) => {
              const data = story.live(cluster, 'configmaps', name(m), NAMESPACE_OF_OBJECTS)?.data
              return (data as { value: string }).value === 'same'
            }),
          )
        if (!(await story.until(isReverted, DEADLINE_S))) throw new Error('drift is not reverted')
      },
      (cluster) => cluster !== 'hub',
    )
    return { ...cost, changes: changed.length * modules.length }
  }

  private async cost(
    work: () => Promise<void>,
    counts: (cluster: string) => boolean = () => true,
  ): Promise<FleetCost> {
    const { clock } = this.story.fleet.env
    const [before, from] = [this.read(counts), clock.steady()]
    await work()
    const [after, ms] = [this.read(counts), clock.steady() - from]
    return { requests: after.requests - before.requests, writes: after.writes - before.writes, ms }
  }

  private read(counts: (cluster: string) => boolean): { requests: number; writes: number } {
    const found = { requests: 0, writes: 0 }
    for (const { name, labels, value } of this.story.fleet.env.meters.read()) {
      const isCounted = labels.why !== 'user' && labels.why !== 'sync' && labels.resource !== 'leases'
      if (name !== 'lockstep_client_requests_total' || !isCounted || !counts(labels.cluster!)) continue
      found.requests += value
      // A new leader repeats Events by their names: of those that exist nothing is written.
      if (WRITES.has(labels.verb!) && labels.code !== CONFLICT) found.writes += value
    }
    return found
  }
}
