/** What happens in `demo fleet`, apart from how it is drawn. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { KubeResult } from '@lockstep/kube/client'
import { roleBindingKind, secretKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../../../api/apiversion.ts'
import { approvalKind, holdKind, type Module, moduleKind } from '../../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../../api/labels.ts'
import { FLEET_NAMESPACE } from '../../../kit/localfleet/index.ts'
import type { DemoFleet } from '../demofleet.ts'

export const STORY_MODULE = 'shop'
export const PINNED = 'ap'
const CANARY = 'canary'
/** The rest of the fleet, shared out over regions. */
const SHARES = [
  ['eu', 0.3],
  ['us', 0.5],
  [PINNED, 0.2],
] as const

/** Stages in order, each with its clusters. */
export type Regions = ReadonlyMap<string, readonly string[]>

export function regionsOf(clusters: number): Regions {
  const named = (region: string, n: number): string[] =>
    Array.from({ length: n }, (_, i) => `${region}-${String(i + 1).padStart(2, '0')}`)
  const left = clusters - 2
  const counts = SHARES.map(([region, share]) => [region, Math.floor(left * share)] as const)
  const odd = left - counts.reduce((sum, [, n]) => sum + n, 0)
  return new Map([
    [CANARY, named(CANARY, 2)],
    ...counts.map(([region, n], i): [string, string[]] => [region, named(region, i === 1 ? n + odd : n)]),
  ])
}

const SOAK_SECONDS = 60

/** A user with the role `admin` in the namespace, which includes approvals. */
const APPROVER = 'ann'
const RBAC = 'rbac.authorization.k8s.io'
const MAY_APPROVE = {
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name: APPROVER, namespace: FLEET_NAMESPACE },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'admin' },
  subjects: [{ apiGroup: RBAC, kind: 'User', name: APPROVER }],
}

export const BUDGET = '10%'

const stagesOf = (regions: Regions) =>
  [...regions.keys()].map((region) => ({
    name: region,
    clusterSelector: { matchLabels: { region } },
    ...(region === CANARY ? { soakSeconds: SOAK_SECONDS, approval: 'Required' } : {}),
  }))

export interface FleetAudience {
  chapter(title: string, text: string): Promise<void>
  /** Somebody types a command. */
  typed(line: string): void
  /** After each slice of the fleet's time. */
  tick(): Promise<void>
  settled(): void
  readonly signal: AbortSignal
}

export type FleetEnding =
  | { readonly type: 'done' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'stuck'; readonly what: string }

const SLICE_MS = 250
const QUIET_MS = 30_000
/** Far beyond what a chapter takes: then something is wrong. */
const PATIENCE_MS = 1_800_000

const RELEASES = { first: '2026.10', bad: '2026.11', good: '2026.12' } as const
export const BAD = RELEASES.bad
const imageOf = (release: string): string => `shop/web:${release}`

export async function tellFleetStory(
  fleet: DemoFleet,
  regions: Regions,
  a: FleetAudience,
): Promise<FleetEnding> {
  const story = new FleetStory(fleet, regions, a)
  for (const chapter of story.chapters) {
    const stuck = await chapter.call(story)
    if (a.signal.aborted) return { type: 'interrupted' }
    if (stuck !== undefined) return { type: 'stuck', what: stuck }
  }
  return { type: 'done' }
}

class FleetStory {
  private readonly fleet: DemoFleet
  private readonly regions: Regions
  private readonly a: FleetAudience

  constructor(fleet: DemoFleet, regions: Regions, a: FleetAudience) {
    this.fleet = fleet
    this.regions = regions
    this.a = a
  }

  get chapters() {
    return [this.begin, this.pin, this.fail, this.follow, this.unpin]
  }

  private async begin(): Promise<string | undefined> {
    const clusters = [...this.regions.values()].flat()
    await this.must(this.fleet.user.create(roleBindingKind, MAY_APPROVE, WRITE))
    for (const [region, names] of this.regions)
      for (const name of names)
        await this.must(
          this.fleet.user.patch(
            secretKind,
            { namespace: FLEET_NAMESPACE, name },
            { metadata: { labels: { region } } },
            WRITE,
          ),
        )
    await this.a.chapter(
      `Release ${RELEASES.first} on ${clusters.length} clusters`,
      'A shop with one Deployment starts on all clusters at once: no cluster has an earlier release.',
    )
    await this.publish(RELEASES.first, { strategy: 'Replace' })
    return this.until(() => this.isReady(RELEASES.first), `${RELEASES.first} is ready everywhere`)
  }

  /** By release, as a person says it; the Hold has the revision. */
  private async pin(): Promise<string | undefined> {
    await this.a.chapter(
      `An audit in ${PINNED}: its clusters stay at ${RELEASES.first}`,
      'A pin. Drift is reverted on these clusters, and rollouts do not count them.',
    )
    const clusters = this.regions.get(PINNED)!
    this.a.typed(`lockstep pin ${STORY_MODULE}@${PINNED}-01 … --revision ${RELEASES.first} --reason audit`)
    const body = {
      apiVersion: API_VERSION,
      kind: holdKind.kind,
      metadata: { name: `${STORY_MODULE}-audit`, namespace: FLEET_NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: STORY_MODULE },
        clusters: [...clusters],
        reason: 'audit',
        action: 'Pin' as const,
        revision: this.module()!.status!.currentRevision!,
      },
    }
    await this.must(this.fleet.user.create(holdKind, body, WRITE))
    return this.until(() => this.module()?.status?.clusters?.pinned === clusters.length, 'the pin is active')
  }

  private async fail(): Promise<string | undefined> {
    await this.a.chapter(
      `Release ${RELEASES.bad} has an image that cannot be pulled`,
      `Two canaries come first. With onFailure: Rollback the fleet rolls back automatically.`,
    )
    for (const world of this.fleet.local.worlds.values())
      world.fail({ image: imageOf(RELEASES.bad), outcome: 'ImagePull' })
    await this.publish(RELEASES.bad, this.staged)
    const stuck = await this.until(() => this.phase === 'RolledBack', 'the fleet is rolled back')
    return stuck ?? this.quiet()
  }

  private async follow(): Promise<string | undefined> {
    await this.a.chapter(
      `Release ${RELEASES.good} fixes it`,
      `The canaries soak for ${SOAK_SECONDS} s, ${APPROVER} approves, then each region follows with ${BUDGET} clusters at once.`,
    )
    await this.publish(RELEASES.good, this.staged)
    const waits = () => this.module()?.status?.blockers?.some((b) => b.reason === 'AwaitingApproval') === true
    const isSoaked = () =>
      (this.module()?.status?.rollout?.stages?.find((s) => s.name === CANARY)?.soakSeconds ?? 0) >=
      SOAK_SECONDS
    const stuck = await this.until(() => waits() && isSoaked(), 'the canaries have soaked')
    if (stuck !== undefined || this.a.signal.aborted) return stuck
    this.a.typed(`lockstep rollout approve ${STORY_MODULE} --stage ${CANARY}`)
    const body = {
      apiVersion: API_VERSION,
      kind: approvalKind.kind,
      metadata: { name: `${STORY_MODULE}-${CANARY}`, namespace: FLEET_NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: STORY_MODULE },
        stage: CANARY,
        point: 'After' as const,
        revisionHash: this.module()!.status!.currentRevision!,
        approvedBy: APPROVER,
      },
    }
    await this.must(this.fleet.user.as(APPROVER).create(approvalKind, body, WRITE))
    return (
      (await this.until(
        () => this.isReady(RELEASES.good),
        `${RELEASES.good} is ready on all other clusters`,
      )) ?? this.quiet()
    )
  }

  private async unpin(): Promise<string | undefined> {
    await this.a.chapter('The audit is over', `${PINNED} follows, within the same budget.`)
    this.a.typed(`lockstep unpin ${STORY_MODULE}@${PINNED}-01 …`)
    const key = { namespace: FLEET_NAMESPACE, name: `${STORY_MODULE}-audit` }
    await this.must(this.fleet.user.delete(holdKind, key, WRITE))
    const all = [...this.regions.values()].flat().length
    const isThere = () => this.isReady(RELEASES.good) && this.module()?.status?.clusters?.ready === all
    return (await this.until(isThere, 'all clusters are at one release')) ?? this.quiet()
  }

  private get staged() {
    return {
      strategy: 'Staged',
      maxUnavailable: BUDGET,
      onFailure: 'Rollback',
      stages: stagesOf(this.regions),
    }
  }

  private module(): Stored<Module> | undefined {
    return this.fleet.snapshot().modules.find((m) => m.metadata.name === STORY_MODULE)
  }

  private get phase(): string | undefined {
    return this.module()?.status?.rollout?.phase
  }

  private isReady(release: string): boolean {
    const m = this.module()
    const ready = m?.status?.conditions?.find((x) => x.type === 'Ready')
    return (
      m?.status?.release === release &&
      ready?.status === 'True' &&
      m.status.observedGeneration === m.metadata.generation
    )
  }

  private publish(release: string, rollout: object): Promise<unknown> {
    const labels = { app: STORY_MODULE }
    const containers = [{ name: 'web', image: imageOf(release) }]
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: STORY_MODULE, namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    }
    const body = {
      apiVersion: API_VERSION,
      kind: 'Module',
      metadata: { name: STORY_MODULE, namespace: FLEET_NAMESPACE },
      spec: {
        release,
        source: { inline: { objects: [deployment] } },
        targets: { clusterSelector: {} },
        health: { timeoutSeconds: 30 },
        rollout,
      },
    }
    return this.must(this.fleet.user.apply(moduleKind, body as unknown as Module, { ...WRITE, force: true }))
  }

  private async must<T>(work: Promise<KubeResult<T>>): Promise<T> {
    const done = await this.fleet.wait(work)
    if (!done.ok) throw new Error(JSON.stringify(done.error))
    return done.value
  }

  private async until(holds: () => boolean, what: string): Promise<string | undefined> {
    const { clock } = this.fleet.env
    const end = clock.steady() + PATIENCE_MS
    while (!holds()) {
      if (this.a.signal.aborted) return undefined
      if (clock.steady() > end) return what
      await clock.run(() => false, SLICE_MS)
      await this.a.tick()
    }
    this.a.settled()
    return undefined
  }

  /** Nothing is left to do: nothing may be written, and whoever waits has said why. */
  private async quiet(): Promise<undefined> {
    const { env, tally, oracles } = this.fleet
    await env.clock.run(() => false, 10_000)
    const before = tally.commits.length
    await env.clock.run(() => false, QUIET_MS)
    oracles.atRest()
    oracles.quiet(tally.commits.slice(before))
    return undefined
  }
}

const WRITE = { purpose: 'user', manager: CLI_MANAGER, precondition: 'any' } as const

/** What the story promises besides the invariants, read off every write of it. */
export function promisesOf(commits: readonly CommitRecord[], regions: Regions) {
  const sawBad = new Set<string>()
  let widest = 0
  for (const { resource, next } of commits) {
    if (resource === 'inventories.lockstep.dev') {
      const { admitted, clusterRef } = (next as unknown as { spec?: ObservedRollout } | undefined)?.spec ?? {}
      if (admitted?.release === BAD && clusterRef) sawBad.add(clusterRef.name)
    }
    if (resource !== 'modules.lockstep.dev') continue
    const { spec, status } = (next ?? {}) as Partial<Stored<Module>>
    const inFlight = status?.rollout?.ledger?.filter((e) => e.failed === undefined).length ?? 0
    if (spec?.rollout.strategy === 'Staged') widest = Math.max(widest, inFlight)
  }
  const canaries = regions.get(CANARY)!
  const outside = [...sawBad].filter((name) => !canaries.includes(name))
  const all = [...regions.values()].flat().length
  return { sawBad: sawBad.size, outside, widest, limit: Math.max(1, Math.floor(all / 10)), all }
}

interface ObservedRollout {
  readonly admitted?: { readonly release?: string }
  readonly clusterRef?: { readonly name: string }
}
