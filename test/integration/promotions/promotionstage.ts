/** Where promotions take place: environments on the hub and on a cluster, a Git host over HTTP, and git itself behind it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { established, READ, value, WRITE } from '../../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../../packages/kube/src/client/client.ts'
import { sleep } from '../../../packages/kube/src/env/sleep.ts'
import { crdKind, secretKind } from '../../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, type KubeObject, timestamp } from '../../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../../packages/kube/src/object/kind.ts'
import { approvalKind } from '../../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { type Hold, holdKind } from '../../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { type Pipeline, pipelineKind } from '../../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import type { EnvironmentStatus } from '../../../packages/lockstep/src/api/kinds/pipeline/status.ts'
import { type Promotion, promotionKind } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import {
  keyOfPromotion,
  promotionName,
} from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { fluxDefinitions } from '../../../packages/simulators/src/flux/fluxdefinitions.ts'
import { BareStore } from '../../../packages/simulators/src/githost/barestore.ts'
import {
  type HostKind,
  openGitHost,
  type TestGitHost,
} from '../../../packages/simulators/src/githost/githost.ts'
import type { Corner } from '../fleetsubject.ts'

export const ANY = { ...WRITE, precondition: 'any', force: true } as const
export const REPOSITORY = 'shop/fleet'
export const AUTO = { pullRequest: { autoMerge: true } }
export const helmReleaseKind: Kind = {
  group: 'helm.toolkit.fluxcd.io',
  version: 'v2',
  kind: 'HelmRelease',
  plural: 'helmreleases',
  namespaced: true,
}
const APP = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' }
const definition = fluxDefinitions().find((d) => d.metadata.name === 'helmreleases.helm.toolkit.fluxcd.io')!
const base64 = (text: string) => bytesToBase64(new TextEncoder().encode(text))

/** Below the URL of a host. */
const API: Readonly<Record<HostKind, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }

/** dev on the hub, prod on the cluster. */
export type EnvironmentName = 'dev' | 'prod'

/** One pipeline, by the name of which all is called; its identity is the namespace of its case. */
export const PIPELINE = 'podinfo'

export class PromotionStage {
  readonly c: Corner
  readonly host: TestGitHost
  readonly store: BareStore
  /** Of the host. */
  readonly url: string

  constructor(c: Corner, host: TestGitHost, store: BareStore, url: string) {
    this.c = c
    this.host = host
    this.store = store
    this.url = url
  }

  get repository() {
    return this.host.repository(REPOSITORY)
  }

  /** Where prod has its revision, with the marker of weave's pipelines. */
  file(version: string): string {
    const marker = `{"$promotion": "${this.c.namespace}:${PIPELINE}:prod"}`
    return `# What runs in prod\nspec:\n  version: "${version}" # ${marker}\n`
  }

  async bytesAt(branch: string, path: string): Promise<Uint8Array> {
    const commit = (await this.store.branches()).get(branch)!
    const entry = (await this.store.files(commit)).get(path)!
    return this.store.blob(entry.id)
  }

  async textAt(branch = 'main', path = 'apps/prod.yaml'): Promise<string> {
    return new TextDecoder().decode(await this.bytesAt(branch, path))
  }

  async atBase(branch = 'main'): Promise<string> {
    return /version: "?([^" ]+)"? +#/.exec(await this.textAt(branch))?.[1] ?? ''
  }

  async branches(): Promise<string[]> {
    return [...(await this.store.branches()).keys()].sort()
  }

  secret(name: string, data: Readonly<Record<string, string>>): Promise<unknown> {
    const metadata = { name, namespace: this.c.namespace }
    const encoded = Object.fromEntries(Object.entries(data).map(([k, v]) => [k, base64(v)]))
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, data: encoded }
    return this.c.hub.apply(secretKind, body, ANY).then(value)
  }

  /** As Flux's helm-controller says it. */
  runs(environment: EnvironmentName, version: string, o: AppStatus = {}): Promise<void> {
    return this.runsOn(environment === 'dev' ? this.c.hub : this.c.c1, version, o)
  }

  runsOn(client: KubeClient, version: string, o: AppStatus = {}): Promise<void> {
    return report(this.c, client, version, o)
  }

  /** What the base has runs in prod. */
  async deliver(): Promise<void> {
    await this.runs('prod', await this.atBase())
  }

  /** `promotion`: of prod; with `autoMerge` and the like in its own block. */
  async pipeline(
    promotion: PromotionAsk = {},
    o: { name?: string; clusters?: readonly string[]; spec?: object } = {},
  ): Promise<void> {
    const { pullRequest, ...rest } = promotion
    const isPullRequest = (rest.strategy ?? 'pull-request') === 'pull-request'
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Pipeline',
      metadata: { name: o.name ?? PIPELINE, namespace: this.c.namespace },
      spec: {
        identity: this.c.namespace,
        appRef: APP,
        environments: [
          { name: 'dev', targets: [{ namespace: this.c.namespace }] },
          {
            name: 'prod',
            targets: (o.clusters ?? ['c1']).map((name) => ({
              namespace: this.c.namespace,
              clusterRef: { name },
            })),
            promotion: {
              strategy: 'pull-request',
              verify: { soakSeconds: 0 },
              ...rest,
              ...(isPullRequest ? { pullRequest: { ...this.pullRequest, ...pullRequest } } : {}),
            },
          },
        ],
        ...o.spec,
      },
    }
    value(await this.c.hub.apply(pipelineKind, body as never, ANY))
  }

  private get pullRequest() {
    const { url } = this
    return {
      provider: this.host.provider,
      url: `${url}/${REPOSITORY}`,
      apiUrl: `${url}${API[this.host.provider]}`,
      secretRef: { name: 'git' },
    }
  }

  /** To push without a host's API. */
  get push() {
    return { url: `${this.url}/${REPOSITORY}`, secretRef: { name: 'push' } }
  }

  name(epoch: number, revision: string): string {
    return promotionName({ identity: this.c.namespace, environment: 'prod', epoch, revision })
  }

  /** A promotion into prod, once it is so. */
  until(
    [epoch, revision]: readonly [number, string],
    what: string,
    holds: (p: Stored<Promotion>) => boolean,
  ): Promise<Stored<Promotion>> {
    const name = this.name(epoch, revision)
    return this.c.until(this.c.hub, promotionKind, name, what, (p) => p !== undefined && holds(p))
  }

  untilPhase(of: readonly [number, string], ...phases: readonly string[]): Promise<Stored<Promotion>> {
    return this.until(of, phases.join(' or '), (p) => phases.includes(p.status?.phase ?? 'Pending'))
  }

  untilWaits(of: readonly [number, string], reason: string): Promise<Stored<Promotion>> {
    return this.until(
      of,
      `waiting: ${reason}`,
      (p) => p.status?.blockers?.some((b) => b.reason === reason) === true,
    )
  }

  /** What the pipeline says of an environment. */
  async untilEnvironment(
    name: EnvironmentName,
    what: string,
    holds: (e: EnvironmentStatus) => boolean,
  ): Promise<EnvironmentStatus> {
    const of = (p: Stored<Pipeline> | undefined) =>
      p?.status?.environments?.find((e) => e.name === name) as EnvironmentStatus | undefined
    const found = await this.c.until(this.c.hub, pipelineKind, PIPELINE, what, (p) => {
      const e = of(p)
      return e !== undefined && holds(e)
    })
    return of(found)!
  }

  /** What was there before anybody looked is the first epoch: nothing is to be done for it. */
  async settled(
    promotion: PromotionAsk = {},
    o: { clusters?: readonly string[]; spec?: object } = {},
  ): Promise<void> {
    await Promise.all([this.runs('dev', '6.0.0'), this.runs('prod', '6.0.0')])
    await this.pipeline(promotion, o)
    const isOver = (e: EnvironmentStatus) => e.phase === 'Failed' || e.arrived !== undefined
    const prod = await this.untilEnvironment('prod', 'at what was there before', isOver)
    if (prod.phase === 'Failed') throw new Error(JSON.stringify((await this.promotions())[0]!.status))
  }

  /** Delivered, and its end. */
  async succeeds(of: readonly [number, string]): Promise<Stored<Promotion>> {
    await this.untilPhase(of, 'Converging', 'Verifying')
    await this.deliver()
    const done = await this.untilPhase(of, 'Succeeded')
    expect(await this.atBase()).toBe(of[1])
    return done
  }

  /** All promotions into prod, earlier ones first. */
  async promotions(): Promise<Stored<Promotion>[]> {
    const found = value(await this.c.hub.list(promotionKind, { ...READ, namespace: this.c.namespace }))
    return [...found.items].sort((a, b) => a.spec.epoch - b.spec.epoch)
  }

  async holds(): Promise<Stored<Hold>[]> {
    return [...value(await this.c.hub.list(holdKind, { ...READ, namespace: this.c.namespace })).items]
  }

  /** One change of the base and so many pull requests for it, whatever was tried. */
  once({ spec }: Stored<Promotion>, pulls = 1): void {
    const { journal } = this.repository
    const key = keyOfPromotion(spec)
    expect([journal.pullsOf(key).length, journal.changesOf(key, 'main').length]).toEqual([pulls, 1])
  }

  /** `#1 merged 6.1.0` */
  pulls(): string[] {
    return this.repository.pulls
      .list()
      .map((p) => `#${p.number} ${p.state} ${/ to (\S+) in /.exec(p.title)?.[1] ?? p.title}`)
  }

  /** What the host was asked to change, pushes among it. */
  changes(): string[] {
    return this.host.requests
      .filter((r) => r.method !== 'GET' && !r.path.includes('git-upload-pack'))
      .map((r) => `${r.method} ${r.path}`)
  }

  /** As who asks, where admission policies look at that. */
  async approve({ spec, metadata }: Stored<Promotion>): Promise<void> {
    const consent = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Approval',
      metadata: { name: `ok-${metadata.name}`, namespace: this.c.namespace },
      spec: {
        targetRef: { kind: 'Pipeline', name: PIPELINE },
        stage: 'prod',
        revisionHash: keyOfPromotion(spec),
        approvedBy: 'admin',
      },
    }
    value(await this.c.hub.create(approvalKind, consent as never, WRITE))
  }

  async ask(request: string): Promise<void> {
    const annotations = { 'lockstep.dev/request.prod': request }
    const key = { namespace: this.c.namespace, name: PIPELINE }
    value(await this.c.hub.patch(pipelineKind, key, { metadata: { annotations } }, ANY))
  }

  /** Nothing tells that nothing comes. */
  quiet(seconds: number): Promise<void> {
    return sleep(this.c.subject.env.clock, seconds * 1000)
  }
}

/** What prod is asked to promote by. */
export type PromotionAsk = { readonly strategy?: string; readonly pullRequest?: object } & Readonly<
  Record<string, unknown>
>

interface AppStatus {
  readonly ready?: boolean
  /** Of the object, as its controller has seen it; absent: the last. */
  readonly generation?: number
}

async function report(c: Corner, client: KubeClient, chartVersion: string, o: AppStatus): Promise<void> {
  const key = { namespace: c.namespace, name: APP.name }
  const body = {
    apiVersion: APP.apiVersion,
    kind: APP.kind,
    metadata: key,
    spec: {
      interval: '10m',
      chart: { spec: { chart: 'podinfo', sourceRef: { kind: 'HelmRepository', name: 'podinfo' } } },
    },
  }
  const made = value(await client.apply(helmReleaseKind, body as never, ANY))
  const generation = made.metadata.generation ?? 1
  const at = timestamp(c.subject.env.clock.now())
  const digest = `sha256:${'a'.repeat(64)}`
  const status = {
    observedGeneration: o.generation ?? generation,
    conditions: [
      {
        type: 'Ready',
        status: o.ready === false ? 'False' : 'True',
        reason: 'UpgradeSucceeded',
        message: 'ok',
        observedGeneration: generation,
        lastTransitionTime: at,
      },
    ],
    history: [
      {
        name: APP.name,
        namespace: key.namespace,
        version: 1,
        status: 'deployed',
        chartName: APP.name,
        chartVersion,
        digest,
        configDigest: digest,
        firstDeployed: at,
        lastDeployed: at,
      },
    ],
  }
  value(await client.patch(helmReleaseKind, key, { status } as never, { ...ANY, subresource: 'status' }))
}

/** A case with a repository, its host, and their credentials. */
export async function withPlace(
  c: Corner,
  work: (p: PromotionStage) => Promise<void>,
  provider: HostKind = 'github',
): Promise<void> {
  const { env } = c.subject
  const root = mkdtempSync(join(tmpdir(), 'lockstep-promotion-case-'))
  const store = await BareStore.create(env, join(root, 'fleet.git'))
  const host = openGitHost(env, { provider, token: 'hush', repositories: { [REPOSITORY]: store } })
  const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, host.handle)
  if (!listening.ok) throw new Error(listening.error.detail)
  const place = new PromotionStage(c, host, store, listening.value.url)
  try {
    await place.repository.push('main', { 'apps/prod.yaml': place.file('6.0.0') }, 'Begin')
    await place.secret('git', { token: 'hush' })
    await place.secret('push', { username: 'lockstep', password: 'hush' })
    await defined(c)
    await work(place)
  } finally {
    await listening.value.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Flux's kind, everywhere. */
async function defined(c: Corner): Promise<void> {
  for (const client of [c.hub, c.c1, c.subject.c2.client]) {
    value(await client.apply(crdKind, definition as KubeObject as never, ANY))
    await established(client, definition.metadata.name!)
  }
}
