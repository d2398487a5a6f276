/** What carries the revisions of a random pipeline: HelmReleases that say what they are at, or Modules that Lockstep delivers. */

import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import { configMapKind } from '../../../packages/kube/src/kinds/types.ts'
import { type Module, moduleKind } from '../../../packages/lockstep/src/api/kinds/module/columns.ts'
import { PROMOTION_MANAGER } from '../../../packages/lockstep/src/controllers/promotion/strategies/modulestrategy.ts'
import { PROMOTION_ANNOTATION } from '../../../packages/lockstep/src/decisions/promotion/moduleedit.ts'
import { must } from '../../fleet/simfleet.ts'
import { applied, handedOver, ofModules } from '../modulestory.ts'
import type { PipelineStory } from '../pipelinestory.ts'
import type { Outages } from './outages.ts'
import { isOfModules, namespacesOf, type PipelinePlan } from './pipelineplan.ts'

const NAME = 'podinfo'
const BY_HAND = { purpose: 'user', manager: 'kubectl-edit', precondition: 'any' } as const

export interface App {
  /** What of the spec of a Pipeline is about it. */
  readonly spec: object
  /** All environments at this version. */
  begin(version: string): Promise<void>
  /** Brings an environment to a version, or fails at it; false: there is nobody there to do so. While time is running. */
  bring(environment: string, version: string, isReady: boolean): Promise<boolean>
  /** An environment that has come to a version by this write; undefined: `bring` has done it when it ends. */
  seen(commit: CommitRecord): { readonly environment: string; readonly version: string } | undefined
  readonly isSeen: boolean
  /** Whether anything of it can be read from the hub: what is brought where nobody can look leads nothing elsewhere yet. */
  isInSight(environment: string): boolean
  /** What people have taken from promotions is theirs again. */
  handBack(): Promise<void>
}

export const appOf = (story: PipelineStory, plan: PipelinePlan, outages: Outages): App =>
  plan.app === 'Module' ? new Modules(story, plan) : new HelmReleases(story, plan, outages)

class HelmReleases implements App {
  readonly spec = {}
  readonly isSeen = false
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  private readonly outages: Outages

  constructor(story: PipelineStory, plan: PipelinePlan, outages: Outages) {
    this.story = story
    this.plan = plan
    this.outages = outages
  }

  async begin(): Promise<void> {}

  async bring(environment: string, version: string, ready: boolean): Promise<boolean> {
    const clusters = this.clustersOf(environment)
    const up = clusters.filter((c) => c === undefined || !this.outages.down.has(c))
    for (const cluster of up)
      await this.story.report(environment, version, { ready, ...(cluster === undefined ? {} : { cluster }) })
    return up.length > 0
  }

  seen(): undefined {}

  isInSight(environment: string): boolean {
    return this.clustersOf(environment).some((c) => c === undefined || !this.outages.isAwayNow(c))
  }

  async handBack(): Promise<void> {}

  private clustersOf(environment: string): readonly (string | undefined)[] {
    return this.plan.environments[environment]!.clusters ?? [undefined]
  }
}

/**
 * A release of them is a version: what they deliver is the same each time. Where promotions write them the release is theirs; who
 * leads them elsewhere takes it from them, as `kubectl edit` does.
 */
class Modules implements App {
  readonly spec = { ...ofModules, revisionExpr: 'object.status.release' }
  readonly isSeen = true
  private readonly story: PipelineStory
  private readonly plan: PipelinePlan
  /** By namespace. */
  private readonly releases = new Map<string, string>()

  constructor(story: PipelineStory, plan: PipelinePlan) {
    this.story = story
    this.plan = plan
  }

  async begin(version: string): Promise<void> {
    for (const name of this.plan.names)
      for (const namespace of namespacesOf(this.plan, name)) {
        await this.content(namespace)
        if (this.isPromoted(name)) await handedOver(this.story, namespace, SOURCE, { release: version })
        else await applied(this.story, namespace, { ...SOURCE, release: version })
      }
  }

  async bring(environment: string, release: string, isReady: boolean): Promise<boolean> {
    // What fails there is told by what delivers it, and that is not what is tried here.
    if (!isReady) return true
    const { hub } = this.story.fleet
    for (const namespace of namespacesOf(this.plan, environment)) {
      const body = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Module',
        metadata: { name: NAME, namespace },
      }
      const key = { name: NAME, namespace }
      must(
        this.isPromoted(environment)
          ? await hub.patch(moduleKind, key, { spec: { release } }, BY_HAND)
          : await hub.apply(moduleKind, { ...body, spec: { ...SOURCE, release } }, FLUX),
      )
    }
    return true
  }

  seen({ resource, key, next }: CommitRecord): { environment: string; version: string } | undefined {
    if (resource !== 'modules.lockstep.dev' || !next) return undefined
    const [namespace = ''] = key.split('/')
    const { status } = next as unknown as Module
    const { release } = status ?? {}
    const isReady = status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True')
    if (release === undefined || !isReady || this.releases.get(namespace) === release) return undefined
    this.releases.set(namespace, release)
    const environment = this.plan.names.find((n) => namespacesOf(this.plan, n).includes(namespace))
    if (environment === undefined) return undefined
    const isAll = namespacesOf(this.plan, environment).every((n) => this.releases.get(n) === release)
    return isAll ? { environment, version: release } : undefined
  }

  isInSight(): boolean {
    return true
  }

  async handBack(): Promise<void> {
    const { hub } = this.story.fleet
    for (const name of this.plan.names.filter((n) => this.isPromoted(n)))
      for (const namespace of namespacesOf(this.plan, name)) {
        const found = await this.story.during(
          hub.get(moduleKind, { namespace, name: NAME }, { purpose: 'user' }),
        )
        const { metadata, spec } = must(found) as Module & {
          metadata: { uid: string; resourceVersion: string }
        }
        if (!metadata.managedFields?.some((m) => m.manager === BY_HAND.manager)) continue
        const promotion = metadata.annotations?.[PROMOTION_ANNOTATION]
        const annotations = promotion === undefined ? {} : { [PROMOTION_ANNOTATION]: promotion }
        const body = {
          apiVersion: 'lockstep.dev/v1alpha1',
          kind: 'Module',
          metadata: { name: NAME, namespace, annotations },
          spec: { release: spec.release },
        }
        const { uid, resourceVersion } = metadata
        const o = {
          purpose: 'user',
          manager: PROMOTION_MANAGER,
          force: true,
          precondition: { uid, resourceVersion },
        } as const
        // Who loses against another write comes again.
        await this.story.during(hub.apply(moduleKind, body as never, o))
      }
  }

  private isPromoted(environment: string): boolean {
    return isOfModules(this.plan.environments[environment]!.promotion)
  }

  private async content(namespace: string): Promise<void> {
    const a = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: apps }\n'
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace }, data: { a } }
    must(await this.story.during(this.story.fleet.hub.apply(configMapKind, body, FLUX)))
  }
}

/** These hubs have no clusters. */
const SOURCE = { source: { configMaps: [{ name: 'app' }] }, targets: { allowEmpty: true } }
const FLUX = { purpose: 'user', manager: 'flux', precondition: 'any', force: true } as const
