/** A hub, a Git host with a real repository, and what delivers the repository to the environments: all on loopback. */

import { type ApiServer, type CommitListener, createApiServer } from '@lockstep/apiserver/server'
import { type Env, supervise } from '@lockstep/kube/env'
import { bytesToBase64, type KubeObject, timestamp } from '@lockstep/kube/object'
import { fluxDefinitions } from '@lockstep/simulators/flux'
import { BareStore, openGitHost, type TestGitHost } from '@lockstep/simulators/githost'
import { deployerAccount, installManifests } from '../../../kit/install/index.ts'
import { CONTROLLER_USER, HUB, kubeconfigOf, serveLocally } from '../../../kit/localfleet/index.ts'

export const STAGE_NAMESPACE = 'platform'
export const APP = 'podinfo'
export const ENVIRONMENTS = ['staging', 'prod'] as const
export type StageEnvironment = (typeof ENVIRONMENTS)[number]
const REPOSITORY = 'shop/fleet'
const TOKEN = 'demo'
const USER = 'lockstep-demo'

export interface PromoteStage {
  readonly hub: ApiServer
  /** Kubeconfig of the controller for the hub: its text. */
  readonly kubeconfig: string
  readonly host: TestGitHost
  /** `127.0.0.1:port` of the Git host. */
  readonly hostAddress: string
  /** What an environment is to be, at the head of main. */
  atBase(environment: StageEnvironment): Promise<string>
  /** A person's commit on main. */
  write(environment: StageEnvironment, version: string, message: string): Promise<void>
  /** A person takes the last commit on main back. */
  revertMerge(): Promise<void>
  stop(): Promise<void>
}

const path = (environment: string): string => `apps/${environment}.yaml`

/** As a person has it: the comment stays, whatever is promoted. */
const fileOf = (environment: string, version: string): string => `# ${APP} in ${environment}
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: ${APP}
  namespace: ${environment}
spec:
  interval: 10m
  chart:
    spec:
      chart: ${APP}
      version: "${version}" # {"$promotion": "${STAGE_NAMESPACE}:${APP}:${environment}"}
`

/** `dir`: an empty directory for the repository. */
export async function openPromoteStage(
  env: Env,
  dir: string,
  onCommit: CommitListener,
): Promise<PromoteStage> {
  const hub = createApiServer(env, { name: HUB, onCommit })
  const put = (object: object): void => {
    const made = hub.local.create(object as KubeObject, USER)
    if (!made.ok) throw new Error(made.error.message)
  }
  const installed = installManifests({ namespaces: [STAGE_NAMESPACE], profiles: ['flux', 'pipelines'] })
  // The Pipeline reads releases in namespaces of the environments.
  const [, admin] = deployerAccount(STAGE_NAMESPACE, 'cluster-admin')
  for (const o of [...installed, admin!, ...fluxDefinitions()]) put(o)
  for (const name of ENVIRONMENTS) put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const store = await BareStore.create(env, `${dir}/fleet.git`)
  const host = openGitHost(env, { provider: 'github', token: TOKEN, repositories: { [REPOSITORY]: store } })
  const repository = host.repository(REPOSITORY)
  const files = Object.fromEntries(ENVIRONMENTS.map((e) => [path(e), fileOf(e, '6.0.0')]))
  await repository.push('main', files, 'Begin')

  let head: string | undefined
  let delivered: Promise<void> = Promise.resolve()
  let isOver = false
  const atBase = async (environment: StageEnvironment): Promise<string> => {
    const commit = (await store.branches()).get('main')
    const entry = commit === undefined ? undefined : (await store.files(commit)).get(path(environment))
    const text = entry ? new TextDecoder().decode(await store.blob(entry.id)) : ''
    return /version: "([^"]+)"/.exec(text)?.[1] ?? ''
  }
  /** As Flux does once it has fetched: what main says is what runs. */
  const deliver = (): Promise<void> => {
    delivered = delivered.then(fetched)
    return delivered
  }
  const fetched = async (): Promise<void> => {
    if (isOver) return
    const now = (await store.branches()).get('main')
    if (now === head) return
    head = now
    for (const e of ENVIRONMENTS) report(hub, e, await atBase(e), env.clock.now())
  }
  for (const e of ENVIRONMENTS) put(releaseOf(e))
  await deliver()

  const served = await serveLocally(env, new Map([[HUB, hub]]), 0)
  if (!served.ok) throw new Error(served.error.detail)
  const hostListening = await env.net.listen({ host: '127.0.0.1', port: 0 }, async (request) => {
    const answer = await host.handle(request)
    // A merge: what delivers from main hears of it, as by a webhook of the host.
    await repository.alone(async () => {})
    supervise(env, deliver)
    return answer
  })
  if (!hostListening.ok) throw new Error(hostListening.error.detail)
  put(secretOf())
  put(pipelineOf(hostListening.value.url))
  return {
    hub,
    kubeconfig: kubeconfigOf([HUB], (name) => served.value.accessOf(name, CONTROLLER_USER)),
    hostAddress: new URL(hostListening.value.url).host,
    host,
    atBase,
    async write(environment, version, message) {
      await repository.push('main', { [path(environment)]: fileOf(environment, version) }, message)
      await deliver()
    },
    async revertMerge() {
      const merge = (await store.branches()).get('main')!
      await repository.revert(merge)
      await deliver()
    },
    async stop() {
      isOver = true
      await delivered
      await Promise.all([served.value.close(), hostListening.value.close()])
    },
  }
}

const releaseOf = (environment: string) => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: APP, namespace: environment },
  spec: {
    interval: '10m',
    chart: { spec: { chart: APP, sourceRef: { kind: 'HelmRepository', name: APP } } },
  },
})

const secretOf = () => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'git', namespace: STAGE_NAMESPACE },
  data: { token: bytesToBase64(new TextEncoder().encode(TOKEN)) },
})

const pipelineOf = (hostUrl: string) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Pipeline',
  metadata: { name: APP, namespace: STAGE_NAMESPACE },
  spec: {
    identity: APP,
    appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: APP },
    environments: ENVIRONMENTS.map((name) => ({
      name,
      targets: [{ namespace: name }],
      ...(name === 'prod' ? { promotion: promotionBy(hostUrl) } : {}),
    })),
  },
})

const promotionBy = (hostUrl: string) => ({
  strategy: 'pull-request',
  pullRequest: {
    provider: 'github',
    url: `${hostUrl}/${REPOSITORY}`,
    apiUrl: `${hostUrl}/api/v3`,
    secretRef: { name: 'git' },
    autoMerge: true,
  },
  verify: { soakSeconds: 0 },
})

/** What helm-controller says once it runs. */
function report({ local }: ApiServer, environment: string, chartVersion: string, nowMs: number): void {
  const found = local.get('helmreleases.helm.toolkit.fluxcd.io', environment, APP)!
  const observedGeneration = found.metadata.generation ?? 1
  const at = timestamp(nowMs)
  const digest = (of: string): string => `sha256:${of.repeat(64)}`
  const status = {
    observedGeneration,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'UpgradeSucceeded',
        observedGeneration,
        message: 'Helm upgrade succeeded',
        lastTransitionTime: at,
      },
    ],
    history: [
      {
        name: APP,
        namespace: environment,
        version: 1,
        status: 'deployed',
        chartName: APP,
        chartVersion,
        digest: digest('a'),
        configDigest: digest('b'),
        firstDeployed: at,
        lastDeployed: at,
      },
    ],
  }
  const done = local.updateStatus({ ...found, status } as KubeObject, USER)
  if (!done.ok) throw new Error(done.error.message)
}
