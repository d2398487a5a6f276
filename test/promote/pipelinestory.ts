/** What release teams do with pipelines, and what they see at the Git host: the vocabulary of these tests. */

import type { Env } from '../../packages/kube/src/env/env.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import { crdKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { type Hold, holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { type Pipeline, pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { type Promotion, promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { ManagerOptions } from '../../packages/lockstep/src/controllers/runtime/options.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { GitAccessPool } from '../../packages/lockstep/src/gitproviders/gitaccesspool.ts'
import { fluxDefinitions } from '../../packages/simulators/src/flux/fluxdefinitions.ts'
import { type HostKind, TestGitHost } from '../../packages/simulators/src/githost/githost.ts'
import { MemoryStore } from '../../packages/simulators/src/githost/memorystore.ts'
import { clientOf, must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { openSimRepository } from './simrepository.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
export const REPOSITORY = 'o/r'
/** Where the API of each host is. */
const API: Readonly<Record<HostKind, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }
export const helmReleaseKind: Kind = {
  group: 'helm.toolkit.fluxcd.io',
  version: 'v2',
  kind: 'HelmRelease',
  plural: 'helmreleases',
  namespaced: true,
}

/** A file with the marker of an environment. */
export const appFile = (environment: string, version: string): string => `# ${environment}
spec:
  chart:
    version: ${version} # {"$promotion": "${NAMESPACE}:podinfo:${environment}"}
`

export interface EnvironmentOptions {
  /** On these clusters; none: on the hub. */
  readonly clusters?: readonly string[]
  /** Where else than in the namespace of its name. */
  readonly targets?: readonly object[]
  /** What its Promotions are told besides. */
  readonly promotion?: object | false
  readonly readiness?: object
  readonly from?: readonly string[]
}

/** Until somebody starts one. */
const NOBODY = { stop() {} } as Manager

export class PipelineStory {
  readonly fleet: SimFleet
  readonly host: TestGitHost
  manager: Manager
  private readonly followed = new Set<string>()

  private constructor(fleet: SimFleet, host: TestGitHost, isManaged: boolean) {
    this.fleet = fleet
    this.host = host
    this.manager = isManaged ? this.start() : NOBODY
  }

  /** A hub and clusters with Flux's kinds, and a repository with a file for each environment. */
  static async open(
    seed: string,
    o: {
      clusters?: readonly string[]
      environments?: readonly string[]
      isManaged?: boolean
      /** What the host is; GitHub, unless it is said. */
      provider?: HostKind
    } = {},
  ): Promise<PipelineStory> {
    const fleet = await simFleet(`promote/${seed}`, o.clusters ?? [], { unjudged: true })
    const host = new TestGitHost(fleet.env, {
      provider: o.provider ?? 'github',
      repositories: { [REPOSITORY]: new MemoryStore() },
      token: 'token-1',
    })
    fleet.env.net.serve('https://git.test', host.handle)
    const story = new PipelineStory(fleet, host, o.isManaged ?? true)
    const apis = [fleet.hub, ...[...fleet.clusters.values()].map((c) => c.client)]
    for (const api of apis) {
      for (const crd of fluxDefinitions()) must(await story.during(api.create(crdKind, crd as never, WRITE)))
      for (const name of o.environments ?? ['dev', 'staging', 'prod'])
        must(
          await story.during(
            api.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, WRITE),
          ),
        )
    }
    const files = (o.environments ?? ['staging', 'prod']).map((e) => [`apps/${e}.yaml`, appFile(e, '1.0.0')])
    await story.during(story.repository.push('main', Object.fromEntries(files), 'begin'))
    await story.secret('token-1')
    return story
  }

  get repository() {
    return this.host.repository(REPOSITORY)
  }

  start(env: Env = this.fleet.env, options: ManagerOptions = {}): Manager {
    const forges = new GitAccessPool(env, async (e, { url, credentials, secrets }) => {
      const authorization = credentials.type === 'header' ? credentials.value : ''
      return ok(openSimRepository(e, url.text, { authorization, git: credentials, secrets }))
    })
    return startManager(env, clientOf(env, 'hub', 'lockstep-controller'), { forges, ...options })
  }

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

  async until(holds: () => boolean, seconds = 120): Promise<boolean> {
    return (await this.fleet.env.clock.run(holds, seconds * 1000)) === 'done'
  }

  secret(token: string): Promise<unknown> {
    return this.keep('git', 'token', token)
  }

  /** The same, for whoever pushes to the base. */
  pushSecret(token: string): Promise<unknown> {
    return this.keep('push', 'bearerToken', token)
  }

  private keep(name: string, field: string, text: string): Promise<unknown> {
    const data = { [field]: bytesToBase64(new TextEncoder().encode(text)) }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, data }
    return this.during(this.fleet.hub.apply(secretKind, secret, WRITE)).then(must)
  }

  async pipeline(
    environments: Readonly<Record<string, EnvironmentOptions>>,
    o: { annotations?: Record<string, string>; spec?: object; name?: string } = {},
  ): Promise<void> {
    const pullRequest = {
      url: `https://git.test/${REPOSITORY}`,
      secretRef: { name: 'git' },
      provider: this.host.provider,
      apiUrl: `https://git.test${API[this.host.provider]}`,
    }
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Pipeline',
      metadata: { name: o.name ?? 'podinfo', namespace: NAMESPACE, annotations: o.annotations ?? {} },
      spec: {
        identity: 'podinfo',
        appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' },
        environments: Object.entries(environments).map(([name, e]) => ({
          name,
          targets:
            e.targets ??
            (e.clusters
              ? e.clusters.map((c) => ({ namespace: name, clusterRef: { name: c } }))
              : [{ namespace: name }]),
          ...(e.readiness ? { readiness: e.readiness } : {}),
          ...(e.from ? { from: e.from } : {}),
          ...(e.promotion === false || name === 'dev'
            ? {}
            : {
                promotion: {
                  strategy: 'pull-request',
                  ...e.promotion,
                  ...pullRequestOf(e.promotion, pullRequest),
                },
              }),
        })),
        ...o.spec,
      },
    }
    must(await this.during(this.fleet.hub.apply(pipelineKind, body as never, WRITE)))
  }

  /** As its controller reports it: all targets of an environment, or one cluster's. */
  runs(
    environment: string,
    version: string,
    o: { cluster?: string; ready?: boolean; generation?: number } = {},
  ): Promise<void> {
    return this.during(this.report(environment, version, o))
  }

  /** The same, while time is running. */
  async report(
    environment: string,
    version: string,
    o: { cluster?: string; ready?: boolean; generation?: number } = {},
  ): Promise<void> {
    const api = o.cluster === undefined ? this.fleet.hub : this.fleet.clusters.get(o.cluster)!.client
    const key = { namespace: environment, name: 'podinfo' }
    const found = await api.get(helmReleaseKind, key, { purpose: 'user' })
    const made = found.ok
      ? found.value
      : must(await api.create(helmReleaseKind, helmRelease(key) as never, WRITE))
    const generation = made.metadata.generation ?? 1
    const status = {
      observedGeneration: o.generation ?? generation,
      conditions: [
        {
          type: 'Ready',
          status: o.ready === false ? 'False' : 'True',
          observedGeneration: generation,
          reason: 'UpgradeSucceeded',
          message: 'ok',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      history: [historyEntry(version)],
    }
    must(await api.patch(helmReleaseKind, key, { status } as never, { ...WRITE, subresource: 'status' }))
  }

  /** What delivers an environment from the base: its HelmRelease follows what is written there. */
  async follows(...environments: readonly string[]): Promise<void> {
    for (const e of environments) this.followed.add(e)
    await this.deliver()
  }

  /** What is at the base is delivered. */
  async deliver(): Promise<void> {
    for (const e of this.followed) await this.runs(e, await this.atBase(e))
  }

  async atBase(environment: string, branch = 'main'): Promise<string> {
    const files = await this.during(this.filesOf(branch))
    return /version: "?([^" ]+)/.exec(files.get(`apps/${environment}.yaml`) ?? '')?.[1] ?? ''
  }

  private async filesOf(branch: string): Promise<Map<string, string>> {
    const { store } = this.repository
    const head = (await store.branches()).get(branch)
    const out = new Map<string, string>()
    for (const [path, entry] of head ? await store.files(head) : [])
      out.set(path, new TextDecoder().decode(await store.blob(entry.id)))
    return out
  }

  async ask(environment: string, request: string): Promise<void> {
    const annotations = { [`lockstep.dev/request.${environment}`]: request }
    const key = { namespace: NAMESPACE, name: 'podinfo' }
    must(await this.during(this.fleet.hub.patch(pipelineKind, key, { metadata: { annotations } }, WRITE)))
  }

  async approve(promotion: Stored<Promotion>): Promise<void> {
    const key = keyOfPromotion(promotion.spec)
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Approval',
      metadata: { name: `ok-${promotion.metadata.name}`, namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Pipeline', name: 'podinfo' },
        stage: promotion.spec.environment,
        revisionHash: key,
        approvedBy: 'ada',
      },
    }
    must(await this.during(this.fleet.hub.create(approvalKind, body as never, WRITE)))
  }

  /** There is none where a test has deleted it, and only there. */
  seen(): Stored<Pipeline> {
    return this.list(pipelineKind).find((o) => o.metadata.name === 'podinfo') as Stored<Pipeline>
  }

  environment(name: string) {
    return this.seen()?.status?.environments?.find((e) => e.name === name)
  }

  /** Earlier epochs first. */
  promotions(environment: string): Stored<Promotion>[] {
    return ([...this.list(promotionKind)] as Stored<Promotion>[])
      .filter((p) => p.spec.environment === environment)
      .sort((a, b) => a.spec.epoch - b.spec.epoch)
  }

  last(environment: string): Stored<Promotion> | undefined {
    return this.promotions(environment).at(-1)
  }

  holds(): Stored<Hold>[] {
    return [...this.list(holdKind)] as Stored<Hold>[]
  }

  /** Those that somebody else has taken away meanwhile are gone, too. */
  async dropHolds(): Promise<void> {
    for (const { metadata } of this.holds()) {
      const key = { namespace: NAMESPACE, name: metadata.name }
      const gone = await this.during(this.fleet.hub.delete(holdKind, key, WRITE))
      if (!gone.ok && gone.error.kind !== 'NotFound') must(gone)
    }
  }

  /** The phase of the newest promotion of an environment. */
  phase(environment: string): string | undefined {
    return this.last(environment)?.status?.phase
  }

  /** Reasons of what it waits for. */
  waits(environment: string): string[] {
    return (this.last(environment)?.status?.blockers ?? []).map((b) => b.reason)
  }

  /** Writes to the hub by the controllers, but for Leases and Events. */
  writes(): number {
    return this.fleet.commits.filter(
      (c) => !c.resource.startsWith('leases.') && !c.resource.startsWith('events'),
    ).length
  }

  private list(kind: Kind): readonly KubeObject[] {
    return this.fleet.objects(`${kind.plural}.${kind.group}`)
  }
}

/** What a test says of its pull requests, besides where they are. */
function pullRequestOf(promotion: object | undefined, place: object): object {
  const said = (promotion ?? {}) as { strategy?: string; pullRequest?: object }
  return (said.strategy ?? 'pull-request') === 'pull-request'
    ? { pullRequest: { ...place, ...said.pullRequest } }
    : {}
}

const helmRelease = (metadata: object) => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata,
  spec: {
    interval: '1m',
    chart: { spec: { chart: 'podinfo', sourceRef: { kind: 'HelmRepository', name: 'p' } } },
  },
})

const historyEntry = (chartVersion: string) => ({
  status: 'deployed',
  chartVersion,
  version: 1,
  digest: `sha256:${'a'.repeat(64)}`,
  namespace: 'x',
  name: 'podinfo',
  chartName: 'podinfo',
  configDigest: `sha256:${'b'.repeat(64)}`,
  firstDeployed: '2026-01-01T00:00:00Z',
  lastDeployed: '2026-01-01T00:00:00Z',
})
