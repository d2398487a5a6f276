/** Pipelines of weaveworks, as they are, under our controllers. */
import { describe, expect, it } from 'vitest'
import { crdKind, leaseKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { timestamp } from '../../packages/kube/src/object/index.ts'
import type { CommandContext } from '../../packages/lockstep/src/cli/kit/command.ts'
import {
  followAllPipelines,
  readAllPipelines,
} from '../../packages/lockstep/src/cli/kit/pipelines/allpipelines.ts'
import type { PipelineSnapshot } from '../../packages/lockstep/src/cli/kit/pipelines/pipelinesnapshot.ts'
import type { ManagerOptions } from '../../packages/lockstep/src/controllers/runtime/options.ts'
import { weaveIdentity } from '../../packages/lockstep/src/decisions/weave/weavepipeline.ts'
import {
  WEAVE_LEASE,
  weavePipelineKind,
} from '../../packages/lockstep/src/decisions/weave/weavepipelinekind.ts'
import { openWebhookServer } from '../../packages/lockstep/src/gitproviders/events/webhookserver.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'
import { weaveDefinition } from './weavedefinition.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
/** As the pipeline-controller is tested with, end to end, but for where its host is. */
const PULL = {
  type: 'github',
  baseBranch: 'main',
  url: 'https://git.test/o/r',
  secretRef: { name: 'git' },
}
const weave = (o: { promotion?: object; annotations?: object; spec?: object } = {}) => ({
  apiVersion: 'pipelines.weave.works/v1alpha1',
  kind: 'Pipeline',
  metadata: {
    name: 'podinfo',
    namespace: NAMESPACE,
    annotations: o.annotations ?? { 'lockstep.dev/managed': 'true' },
  },
  spec: {
    appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' },
    environments: [
      { name: 'dev', targets: [{ namespace: 'dev' }] },
      { name: 'staging', targets: [{ namespace: 'staging' }] },
    ],
    promotion: o.promotion ?? { strategy: { 'pull-request': PULL } },
    ...o.spec,
  },
})

const NONE: ManagerOptions = {}

async function served(
  seed: string,
  object: object,
  options: ManagerOptions = { weave: { managesAll: false } },
) {
  const story = await PipelineStory.open(`weave/${seed}`)
  story.manager.stop()
  const { hub, env } = story.fleet
  must(await story.during(hub.create(crdKind, weaveDefinition as never, WRITE)))
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  const put = async (o: object) => must(await story.during(hub.apply(weavePipelineKind, o as never, WRITE)))
  await story.pass(5)
  await put(object)
  const start = () => {
    story.manager = story.start(env, options)
  }
  const seen = () =>
    story.fleet.objects('pipelines.pipelines.weave.works')[0] as never as {
      metadata: { resourceVersion: string }
      status?: {
        conditions?: { type: string; status: string; reason: string; message: string }[]
        environments?: Record<string, { waitingApproval?: object; targets: object[] }>
      }
    }
  const said = (type: string) => {
    const c = seen().status?.conditions?.find((x) => x.type === type)
    return c && [c.status, c.reason, c.message]
  }
  return { story, put, start, seen, said, hub, env }
}

/** Reasons that `lockstep status pipeline/podinfo` gives for the pipeline as a whole: once, and kept current. */
async function told(story: PipelineStory): Promise<string[]> {
  const c = { env: story.fleet.env, signal: new AbortController().signal } as unknown as CommandContext
  const hub = { client: story.fleet.hub, server: 'hub', namespace: NAMESPACE }
  const once = must(await story.during(readAllPipelines(c, hub)))
  const live = must(await story.during(followAllPipelines(c, hub, () => {})))
  const of = ({ pipelines }: PipelineSnapshot) => (pipelines[0]?.status?.blockers ?? []).map((b) => b.reason)
  expect(of(live.snapshot())).toEqual(of(once))
  live.stop()
  return of(once)
}

const OK = ['True', 'ReconciliationSucceeded', 'All clusters checked']

describe('P19: a Pipeline of weaveworks', () => {
  it('is promoted by levels, with its marker, and told so in the words of its controller', async () => {
    const { story, start, seen, said } = await served('levels', weave())
    start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(await story.atBase('staging', story.last('staging')!.status!.intent!.branch)).toBe('2.0.0')
    expect(story.last('staging')!.spec.identity).toBe(weaveIdentity(NAMESPACE, 'podinfo'))
    await story.pass(5)
    expect(said('Ready')).toEqual(OK)
    expect(said('PromotionPending')).toBeUndefined()
    const app = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' }
    expect(seen().status?.environments).toEqual({
      dev: { targets: [{ clusterAppRef: app, ready: true, revision: '2.0.0' }] },
      staging: {
        targets: [{ clusterAppRef: app, ready: true, revision: '1.0.0' }],
        promotion: {
          revision: '2.0.0',
          succeeded: true,
          lastAttemptedTime: expect.stringMatching(/^2026-/),
          pullRequest: { url: story.last('staging')!.status!.result!.pullRequest!.url, state: 'open' },
        },
      },
    })
    const { resourceVersion } = seen().metadata
    await story.pass(600)
    expect(seen().metadata.resourceVersion).toBe(resourceVersion)
  })

  it('says what the first environment lacks', async () => {
    const { story, start, said } = await served('pending', weave())
    await story.runs('dev', '2.0.0', { ready: false })
    start()
    expect(await story.until(() => said('PromotionPending') !== undefined)).toBe(true)
    expect(said('PromotionPending')).toEqual([
      ...['True', 'EnvironmentNotReady', 'Waiting for all targets to be ready'],
    ])
    expect(said('Ready')).toEqual(OK)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => said('PromotionPending') === undefined)).toBe(true)
  })

  it('is served on while clusters come', async () => {
    const { story, start, hub } = await served('clusters', weave())
    start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    const labels = { 'lockstep.dev/cluster': 'true' }
    const metadata = { name: 'late', namespace: NAMESPACE, labels }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: {} }
    must(await story.during(hub.apply(secretKind, secret, WRITE)))
    await story.pass(5)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  })

  it('that is manual shows what waits for approval', async () => {
    const promotion = { manual: true, strategy: { 'pull-request': PULL } }
    const { story, start, seen } = await served('manual', weave({ promotion }))
    await story.runs('dev', '2.0.0')
    start()
    expect(await story.until(() => story.waits('staging').includes('AwaitingApproval'))).toBe(true)
    await story.pass(2)
    expect(seen().status?.environments?.staging?.waitingApproval).toEqual({ revision: '2.0.0' })
    await story.approve(story.last('staging')!)
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.pass(2)
    expect(seen().status?.environments?.staging).not.toHaveProperty('waitingApproval')
  })

  it.each<[string, object, string]>([
    [
      'both strategies',
      { promotion: { strategy: { 'pull-request': PULL, notification: {} } } },
      'spec.promotion.strategy: StrategyAmbiguous',
    ],
    [
      'no target',
      { spec: { environments: [{ name: 'dev', targets: [] }] } },
      'spec.environments[0].targets: NoTargets',
    ],
    ['an unknown field', { spec: { paused: true } }, 'spec.paused: unknown field'],
  ])('with %s is not promoted, and says so', async (name, o, problem) => {
    const { story, start, said } = await served(name, weave(o))
    start()
    expect(await story.until(() => said('Ready') !== undefined)).toBe(true)
    expect(said('Ready')).toEqual(['False', 'InvalidSpec', expect.stringContaining(problem)])
    await story.pass(60)
    expect(story.fleet.objects('pipelines.lockstep.dev')).toEqual([])
  })

  it.each<[string, object, ManagerOptions, boolean]>([
    ['no annotation', {}, { weave: { managesAll: false } }, false],
    ['no annotation, and all', {}, { weave: { managesAll: true } }, true],
    ['a no, and all', { 'lockstep.dev/managed': 'false' }, { weave: { managesAll: true } }, false],
    ['a yes, and nobody who serves', { 'lockstep.dev/managed': 'true' }, NONE, false],
  ])('with %s is served: %#', async (name, annotations, options, is) => {
    const { story, start, seen } = await served(name, weave({ annotations }), options)
    start()
    await story.pass(30)
    expect(story.promotions('staging').length > 0).toBe(is)
    expect(seen().status !== undefined).toBe(is)
  })

  it('is left alone while its own controller holds its Lease, and goes on when that is over', async () => {
    const { story, start, hub, env, seen } = await served('lease', weave())
    must(
      await story.during(
        hub.create(
          namespaceKind,
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'weave' } },
          WRITE,
        ),
      ),
    )
    const renew = async () => {
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: WEAVE_LEASE, namespace: 'weave' },
        spec: {
          holderIdentity: 'pipeline-controller-0',
          leaseDurationSeconds: 15,
          renewTime: `${timestamp(env.clock.now()).slice(0, -1)}.000000Z`,
        },
      }
      must(await story.during(hub.apply(leaseKind, lease as never, WRITE)))
    }
    await renew()
    start()
    const mine = () => story.fleet.commits.filter((c) => /pipelines|promotions/.test(c.resource)).length
    const writes = mine()
    for (let i = 0; i < 12; i++) {
      await story.pass(10)
      await renew()
    }
    expect([mine(), seen().status]).toEqual([writes, undefined])
    expect(await told(story)).toEqual(['PreviousControllerActive'])
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 60)).toBe(true)
    await story.runs('dev', '2.0.0')
    await renew()
    await story.pass(10)
    const before = mine()
    await renew()
    await story.runs('dev', '3.0.0')
    await story.pass(14)
    expect(mine()).toBe(before)
    expect((await told(story))[0]).toBe('PreviousControllerActive')
    await story.pass(20)
    expect(await told(story)).toEqual([])
  })

  it('takes no unsigned event', async () => {
    const { story, start, env } = await served('unsigned', weave())
    env.net.serve(
      'http://events.test',
      openWebhookServer(env, { trusted: [], desk: () => story.manager.eventDesk }),
    )
    start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    const connection = env.net.connect({ url: 'http://events.test' }, 'operator')
    const path = `/promotion/${NAMESPACE}/podinfo/dev`
    const headers = { 'content-type': 'application/json' }
    const answer = await story.during(connection.request({ method: 'POST', path, headers, body: '{}' }))
    expect(must(answer).status).toBe(401)
  })

  it('given back is promoted no more, and its pull request stays', async () => {
    const { story, start, put } = await served('back', weave())
    start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await put(weave({ annotations: { 'lockstep.dev/managed': 'false' } }))
    expect(await story.until(() => story.fleet.objects('pipelines.lockstep.dev').length === 0, 30)).toBe(true)
    await story.runs('dev', '3.0.0')
    await story.pass(120)
    expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['open'])
  })

  it('beside one of ours of its name is not touched', async () => {
    const { story, start, said } = await served('beside', weave())
    await story.pipeline({ dev: {}, staging: {} })
    start()
    expect(await story.until(() => said('Ready') !== undefined)).toBe(true)
    expect(said('Ready')).toEqual([
      'False',
      'InvalidSpec',
      expect.stringContaining('does not belong to this one'),
    ])
    expect(story.seen().spec.identity).toBe('podinfo')
  })
})
