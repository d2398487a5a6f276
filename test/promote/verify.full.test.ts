/** What is verified before it counts as promoted, and the way back where it does not hold. */
import { describe, expect, it } from 'vitest'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

const jobKind = defineKind<KubeObject>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
})
const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'smoke:v1' }] }
const job = (spec: object = {}) => ({ template: { spec: { template: { spec: pod }, ...spec } } })

/** staging is led by hand, and this is asked of it. */
async function verified(seed: string, checks: readonly object[], o: object = {}) {
  const story = await PipelineStory.open(seed)
  await story.runs('dev', '1.0.0')
  await story.runs('staging', '1.0.0')
  const verify = { soakSeconds: 0, timeoutSeconds: 120, checks }
  const begin = () =>
    story.pipeline({ dev: {}, staging: { promotion: { strategy: 'manual', verify, ...o } } })
  return { story, begin }
}

const jobs = (story: PipelineStory) => story.fleet.objects('jobs.batch')
const madeJobs = (story: PipelineStory) =>
  story.fleet.commits.filter((c) => c.resource === 'jobs.batch' && c.verb === 'create').map((c) => c.key)

describe('the first promotion of all', () => {
  it('that does not hold has nothing to go back to: that is said, and nothing is held', async () => {
    const { story, begin } = await verified('nothing', [{ name: 'slo', readyExpr: 'false' }], {
      rollback: 'OnFailure',
    })
    await begin()
    expect(await story.until(() => story.phase('staging') === 'Failed', 300)).toBe(true)
    const reasons = () => (story.environment('staging')?.blockers ?? []).map((b) => b.reason)
    expect(await story.until(() => reasons().includes('NothingToRollBackTo'))).toBe(true)
    await story.pass(600)
    expect(story.promotions('staging').map((p) => p.spec.epoch)).toEqual([1])
    expect(story.holds()).toEqual([])
  })
})

describe('a check', () => {
  it('by an expression sees all targets, and the revision', async () => {
    const readyExpr =
      "targets.all(t, t.namespace == 'staging' && t.object.spec.interval == '1m') && revision == '1.0.0'"
    const { story, begin } = await verified('expression', [{ name: 'slo', readyExpr }])
    await begin()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0')).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Failed', 180)).toBe(true)
    expect(story.last('staging')!.status).toMatchObject({
      reason: 'VerificationFailed',
      endedIn: 'Verifying',
      message: expect.stringContaining('verification timed out after 2m: check slo: '),
      checks: [{ name: 'slo', state: 'Failed' }],
    })
  })

  it('by a Job makes one, which is its own, and what it has ended with stays', async () => {
    const { story, begin } = await verified(
      'job',
      [{ name: 'smoke', job: job({ ttlSecondsAfterFinished: 0 }) }],
      {
        verify: {
          soakSeconds: 60,
          timeoutSeconds: 1200,
          checks: [{ name: 'smoke', job: job() }],
        },
      },
    )
    await begin()
    expect(await story.until(() => jobs(story).length === 1)).toBe(true)
    const promotion = story.last('staging')!
    expect(jobs(story)[0]).toMatchObject({
      metadata: {
        name: `${promotion.metadata.name}-smoke`,
        ownerReferences: [{ kind: 'Promotion', uid: promotion.metadata.uid }],
      },
    })
    const check = () => story.last('staging')?.status?.checks?.[0]?.state
    expect(await story.until(() => check() === 'Passed')).toBe(true)
    const key = { namespace: NAMESPACE, name: jobs(story)[0]!.metadata.name ?? '' }
    const o = { purpose: 'user', manager: 'user', precondition: 'any' } as const
    must(await story.during(story.fleet.hub.delete(jobKind, key, o)))
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    expect(madeJobs(story)).toHaveLength(1)
  })

  it('by a Job that fails ends it at once, with what the Job says', async () => {
    const { story, begin } = await verified('failed', [{ name: 'smoke', job: job({ suspend: true }) }])
    await begin()
    expect(await story.until(() => jobs(story).length === 1)).toBe(true)
    await story.pass(5)
    const key = { namespace: NAMESPACE, name: jobs(story)[0]!.metadata.name ?? '' }
    const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'it is red' }
    const since = { lastTransitionTime: '2026-01-01T00:00:00Z', lastProbeTime: '2026-01-01T00:00:00Z' }
    const conditions = [
      { ...failed, type: 'FailureTarget', ...since },
      { ...failed, ...since },
    ]
    const status = { startTime: since.lastProbeTime, conditions } as never
    const o = { purpose: 'user', manager: 'user', precondition: 'any', subresource: 'status' } as const
    must(await story.during(story.fleet.hub.patch(jobKind, key, { status }, o)))
    expect(await story.until(() => story.phase('staging') === 'Failed', 5)).toBe(true)
    expect(story.last('staging')!.status?.message).toMatch(/^check smoke failed: Job platform\/.*it is red/)
  })

  describe('by a Job whose name is that of one that is there already', () => {
    const checks = [{ name: 'smoke', job: job() }]
    const said = (story: PipelineStory) => story.last('staging')?.status?.checks?.[0]?.message ?? ''

    /** As long as somebody has a finalizer on it, a Job that is deleted is there. */
    const keeps = async (story: PipelineStory, key: object, finalizers: string[]) =>
      must(
        await story.during(story.fleet.hub.patch(jobKind, key as never, { metadata: { finalizers } }, WRITE)),
      )

    /** 2.0.0 has succeeded, and its Promotion is deleted alone, so that it is made anew. */
    async function anew(seed: string) {
      const { story, begin } = await verified(seed, checks, { rollback: 'OnFailure' })
      await begin()
      expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
      await story.runs('dev', '2.0.0')
      expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
      await story.runs('staging', '2.0.0')
      expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
      await story.pass(60)
      const { name, uid } = story.last('staging')!.metadata
      const key = { namespace: NAMESPACE, name: `${name}-smoke` }
      await keeps(story, key, ['example.com/logs'])
      must(await story.during(story.fleet.hub.delete(promotionKind, { ...key, name }, WRITE)))
      const isAnew = () => story.last('staging')?.metadata.uid !== uid && said(story).startsWith('Job ')
      expect(await story.until(isAnew)).toBe(true)
      return { story, key }
    }

    it('waits until that is gone', async () => {
      const { story, key } = await anew('job/anew')
      await story.pass(30)
      expect(said(story)).toBe(
        `Job platform/${key.name} belongs to another promotion and is deleted with it; delete it if it remains`,
      )
      await keeps(story, key, [])
      expect(await story.until(() => story.phase('staging') === 'Succeeded', 60)).toBe(true)
      expect(story.promotions('staging').map((p) => p.spec.revision)).toEqual(['1.0.0', '2.0.0'])
      expect([madeJobs(story).length, story.holds()]).toEqual([3, []])
    })

    it('fails by its timeout where that stays, and says whose Job it is', async () => {
      const { story, key } = await anew('job/stays')
      expect(await story.until(() => story.promotions('staging')[1]?.status?.phase === 'Failed', 180)).toBe(
        true,
      )
      expect(story.promotions('staging')[1]!.status?.message).toContain(
        `verification timed out after 2m: check smoke: Job platform/${key.name} belongs to another promotion`,
      )
    })
  })

  it('by a metric is asked for every 30 seconds; what gives no answer is waited for', async () => {
    const metric = { url: 'https://prom.test/p', query: 'errors', expr: 'value < 0.01' }
    const { story, begin } = await verified('metric', [{ name: 'slo', metric }])
    const asked: { url: string; atMs: number }[] = []
    const answers = [
      { status: 503, body: '{}' },
      ...['0.5', '0.001'].map((v) => ({
        status: 200,
        body: JSON.stringify({
          status: 'success',
          data: { resultType: 'vector', result: [{ metric: {}, value: [1, v] }] },
        }),
      })),
    ]
    story.fleet.env.net.serve('https://prom.test', async (r) => {
      asked.push({ url: r.url, atMs: story.fleet.env.clock.now() })
      return { headers: {}, ...answers[Math.min(asked.length, answers.length) - 1]! }
    })
    await begin()
    const check = () => story.last('staging')?.status?.checks?.[0]
    expect(await story.until(() => check() !== undefined)).toBe(true)
    expect(check()).toMatchObject({ state: 'Running', message: expect.stringContaining('503') })
    expect(await story.until(() => check()?.state === 'Failed', 31)).toBe(true)
    expect(check()?.message).toBe('value < 0.01 does not hold of 0.5')
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 31)).toBe(true)
    expect(asked.map((a) => a.url)).toEqual(Array(3).fill('/p/api/v1/query?query=errors'))
    expect(asked[2]!.atMs - asked[0]!.atMs).toBeGreaterThanOrEqual(60_000)
  })

  it.each([
    [
      'a Secret',
      { secretRef: { name: 'prom' } },
      'Failed',
      'metric.url: http:// is not encrypted; write https://',
    ],
    ['no Secret', {}, 'Passed', undefined],
  ] as const)(
    'by a metric that is asked for in plain text, with %s',
    async (seed, secret, state, message) => {
      const metric = { url: 'http://prom.test:9090', query: 'errors', expr: 'value < 0.01', ...secret }
      const { story, begin } = await verified(seed, [{ name: 'slo', metric }])
      const data = { resultType: 'vector', result: [{ metric: {}, value: [1, '0'] }] }
      const body = JSON.stringify({ status: 'success', data })
      story.fleet.env.net.serve('http://prom.test:9090', async () => ({ status: 200, headers: {}, body }))
      await begin()
      const check = () => story.last('staging')?.status?.checks?.[0]
      expect(await story.until(() => check()?.state === state)).toBe(true)
      expect(check()?.message).toBe(message)
    },
  )
})

describe('P18: what does not hold', () => {
  const bad = [{ name: 'slo', readyExpr: "revision == '1.0.0'" }]
  const back = { rollback: 'OnFailure' }
  const of = (story: PipelineStory) =>
    story
      .promotions('staging')
      .map((p) => [p.spec.revision, p.status?.phase, p.spec.rollbackOf !== undefined])

  it('goes back once, past the one Hold that only the way back passes', async () => {
    const { story, begin } = await verified('back', bad, back)
    await begin()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.promotions('staging').length === 3, 300)).toBe(true)
    const [, failed, rollback] = story.promotions('staging')
    expect(rollback!.spec).toMatchObject({ revision: '1.0.0', epoch: 3, rollbackOf: failed!.metadata.name })
    expect(story.holds().map((h) => [h.metadata.name, h.spec.passedBy, h.spec.environments])).toEqual([
      ['podinfo-staging-2-rollback', rollback!.metadata.name, ['staging']],
    ])
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '1.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 300)).toBe(true)
    await story.runs('dev', '3.0.0')
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Pending', ['Held']])
    expect(story.holds()).toHaveLength(1)
  })

  it('what fails on the way back too is left for people', async () => {
    const { story, begin } = await verified('twice', bad, { ...back, convergeDeadlineSeconds: 60 })
    await begin()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.promotions('staging').length === 3, 300)).toBe(true)
    await story.runs('staging', '1.0.0', { ready: false })
    expect(await story.until(() => story.phase('staging') === 'Failed', 300)).toBe(true)
    await story.pass(3600)
    expect(of(story)).toEqual([
      ['1.0.0', 'Succeeded', false],
      ['2.0.0', 'Failed', false],
      ['1.0.0', 'Failed', true],
    ])
    expect(story.holds().filter((h) => h.spec.passedBy !== undefined)).toHaveLength(1)
  })

  it('a closed window lets nothing start, and what is open stays open', async () => {
    const story = await PipelineStory.open('window')
    await story.runs('dev', '1.0.0')
    await story.runs('staging', '1.0.0')
    await story.pipeline({ dev: {}, staging: {} })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const closed = { windows: [{ action: 'Deny', schedule: '* * * * *', durationSeconds: 3600 }] }
    await story.pipeline({ dev: {}, staging: { promotion: { ...closed, onNewer: 'Update' } } })
    await story.pass(600)
    expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['open'])
    await story.during(story.repository.close(1))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    await story.runs('dev', '3.0.0')
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Pending', ['WindowClosed']])
    expect(story.repository.pulls.list()).toHaveLength(1)
    expect(at(story.last('staging') as never, 'status', 'intent')).toBeUndefined()
  })
})
