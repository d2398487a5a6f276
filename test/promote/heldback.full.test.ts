/** D19: what somebody has led back is held, and nothing is promoted over it: not by a newer revision, and not by an old request. */
import { describe, expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

/** dev and staging are at 1.0.0, and that is promoted. */
async function settled(
  seed: string,
  promotion: object,
  clusters: readonly string[] = [],
): Promise<PipelineStory> {
  const story = await PipelineStory.open(`heldback/${seed}`, { clusters })
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  if (clusters.length === 0) await story.runs('staging', '1.0.0')
  for (const cluster of clusters) await story.runs('staging', '1.0.0', { cluster })
  await story.pipeline({
    dev: {},
    staging: { promotion, ...(clusters.length === 0 ? {} : { clusters }) },
  })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const PUSH = {
  strategy: 'push',
  push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } },
}
const AUTO = { pullRequest: { autoMerge: true } }

/** Promoted to its end by pull request. */
async function promoted(story: PipelineStory, version: string, clusters: readonly string[] = []) {
  await story.runs('dev', version)
  await story.until(
    () => story.phase('staging') === 'Converging' && story.last('staging')?.spec.revision === version,
  )
  if (clusters.length === 0) await story.runs('staging', version)
  for (const cluster of clusters) await story.runs('staging', version, { cluster })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.pass(10)
}

const holds = (story: PipelineStory) => story.holds().map((h) => h.metadata.name)
const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)

describe('a request', () => {
  it('lets go of Holds once: the next revision comes upon those that were made since', async () => {
    const verify = {
      soakSeconds: 0,
      timeoutSeconds: 60,
      checks: [{ name: 'slo', readyExpr: "revision != '2.0.0'" }],
    }
    const story = await settled('request', { strategy: 'manual', verify, rollback: 'OnFailure' })
    await story.ask('staging', 'r1')
    const isAsked = () => story.promotions('staging').length === 2 && story.phase('staging') === 'Succeeded'
    expect(await story.until(isAsked, 300)).toBe(true)
    expect(story.last('staging')?.spec.requestID).toBe('r1')
    await story.runs('dev', '2.0.0')
    await story.until(() => story.last('staging')?.spec.revision === '2.0.0')
    expect(story.last('staging')?.spec.requestID).toBeUndefined()
    await story.runs('staging', '2.0.0')
    await story.until(() => story.last('staging')?.spec.rollbackOf !== undefined, 300)
    await story.runs('staging', '1.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 300)).toBe(true)
    expect(holds(story)).toEqual(['podinfo-staging-3-rollback'])
    await story.runs('dev', '3.0.0')
    await story.pass(60)
    expect([holds(story), moves(story).at(-1)]).toEqual([['podinfo-staging-3-rollback'], '3.0.0 Pending'])
    expect(story.waits('staging')).toContain('Held')
    await story.ask('staging', 'r2')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(holds(story)).toEqual([])
    expect(moves(story).at(-2)).toBe('3.0.0 Superseded')
  })
})

describe('a request that names its revision', () => {
  it('does not ask whether it is there still where others come from', async () => {
    const story = await settled('stated', {})
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.close(1))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    await story.runs('dev', '2.0.0', { ready: false })
    await story.ask('staging', 'r1')
    await story.pass(60)
    expect(story.phase('staging')).not.toBe('Open')
    await story.ask('staging', 'r2=2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open', 60)).toBe(true)
    expect(story.last('staging')?.spec.revision).toBe('2.0.0')
  })
})

describe('an environment that is led back', () => {
  it('in one of its clusters is held, and the others are not promoted over it', async () => {
    const clusters = ['eu', 'us']
    const story = await settled('one-cluster', AUTO, clusters)
    await promoted(story, '2.0.0', clusters)
    await story.runs('staging', '1.0.0', { cluster: 'eu' })
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    await story.runs('dev', '3.0.0')
    await story.pass(300)
    expect([moves(story).at(-1), await story.atBase('staging')]).toEqual(['3.0.0 Pending', '2.0.0'])
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
  })

  it('after the newest pull request was closed is held', async () => {
    const story = await settled('rejected', { pullRequest: { autoMerge: false } })
    await story.runs('dev', '2.0.0')
    await story.until(() => story.phase('staging') === 'Open')
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    await promoted(story, '2.0.0')
    await story.runs('dev', '3.0.0')
    await story.until(() => story.phase('staging') === 'Open')
    await story.during(story.repository.close(2))
    expect(await story.until(() => story.phase('staging') === 'Rejected')).toBe(true)
    expect(holds(story)).toEqual([])
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    await story.runs('dev', '4.0.0')
    await story.pass(300)
    expect(moves(story).at(-1)).toBe('4.0.0 Pending')
  })

  it('while a newer pull request waits: that is not merged by us until somebody says so', async () => {
    const story = await settled('open', AUTO)
    await promoted(story, '2.0.0')
    story.repository.needsChecks = true
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    story.repository.block(2, false)
    await story.pass(300)
    expect([moves(story).at(-1), story.waits('staging')]).toEqual(['3.0.0 Open', ['MergeBlocked', 'Held']])
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Converging', 180)).toBe(true)
  })

  it('and once more after its Hold was deleted: that is said, too', async () => {
    const story = await settled('twice', AUTO)
    await promoted(story, '2.0.0')
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    await story.dropHolds()
    await story.pass(120)
    expect(holds(story)).toEqual([])
    await story.runs('staging', '0.9.0')
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    await story.runs('dev', '3.0.0')
    await story.pass(300)
    expect(moves(story).at(-1)).toBe('3.0.0 Pending')
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
  })

  it('there and back, and there again: each is said, and its Hold names where it is', async () => {
    const story = await settled('again', AUTO)
    await promoted(story, '2.0.0')
    const reason = () => story.holds()[0]?.spec.reason ?? ''
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(reason()).toMatch(/^staging changed from 2.0.0 to 1.0.0 /)
    await story.runs('staging', '0.9.0')
    await story.pass(5)
    expect(reason()).toMatch(/^staging changed from 2.0.0 to 0.9.0 /)
    await story.dropHolds()
    await story.pass(60)
    expect(holds(story)).toEqual([])
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(reason()).toMatch(/^staging changed from 2.0.0 to 1.0.0 /)
  })

  it('by a Hold that somebody lets end, and elsewhere after that: it holds again', async () => {
    const story = await settled('ended', AUTO)
    await promoted(story, '2.0.0')
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    const key = { namespace: NAMESPACE, name: 'podinfo-staging-2-left' }
    const until = { spec: { until: '2026-01-01T00:00:01Z' } }
    await story.during(story.fleet.hub.patch(holdKind, key, until, WRITE))
    await story.runs('staging', '0.9.0')
    await story.pass(5)
    await story.runs('dev', '3.0.0')
    await story.pass(300)
    expect([moves(story).at(-1), story.waits('staging')]).toEqual(['3.0.0 Pending', ['Held']])
    expect(story.holds()[0]?.spec.until).toBeUndefined()
  })

  it('leaves a Hold of that name as people have made it', async () => {
    const story = await settled('theirs', AUTO)
    await promoted(story, '2.0.0')
    const mine = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: 'podinfo-staging-2-left', namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Pipeline', name: 'podinfo' },
        action: 'Suspend',
        environments: ['prod'],
        reason: 'mine',
      },
    }
    await story.during(story.fleet.hub.create(holdKind, mine as never, WRITE))
    await story.runs('staging', '1.0.0')
    await story.pass(60)
    expect(story.holds().map((h) => h.spec)).toMatchObject([{ environments: ['prod'], reason: 'mine' }])
  })

  it('while its base moves: nothing is made ready, or asked of a host more than once a minute', async () => {
    const story = await settled('moving', PUSH)
    const refused = { kind: 'limit', which: 'primary', seconds: 60 } as const
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 1 }, refused)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Applying')).toBe(true)
    await story.runs('staging', '0.9.0')
    await story.pass(180)
    const before = story.host.requests.length
    for (let i = 0; i < 60; i++) {
      await story.during(story.repository.push('main', { 'note.md': `${i}` }, 'theirs'))
      await story.runs('staging', '0.9.0', { ready: i % 2 === 1 })
      await story.pass(10)
    }
    expect([moves(story).at(-1), story.last('staging')?.status?.rebuilt]).toEqual([
      '2.0.0 Applying',
      undefined,
    ])
    // In 10 minutes: what it is on, and what is there, each once a minute, with the rule whose answer it was.
    expect(story.host.requests.length - before).toBeLessThan(60)
    await story.runs('staging', '0.9.0')
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(await story.atBase('staging')).toBe('2.0.0')
  })

  it('while a push to its base is refused: that is not tried again until somebody says so', async () => {
    const story = await settled('push', PUSH)
    story.host.faults.add(
      { method: 'POST', path: /push$/, nth: 1 },
      { kind: 'limit', which: 'primary', seconds: 60 },
    )
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Applying')).toBe(true)
    await story.pass(20)
    await story.runs('staging', '0.9.0')
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-1-left'])
    await story.pass(1200)
    expect([moves(story).at(-1), story.waits('staging')]).toEqual(['2.0.0 Applying', ['Held']])
    expect(await story.atBase('staging')).toBe('1.0.0')
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
  })

  it('while a push is refused, and somebody asks for it: what was begun before gives way to that', async () => {
    const story = await settled('push-asked', PUSH)
    story.host.faults.add(
      { method: 'POST', path: /push$/, nth: 1 },
      { kind: 'limit', which: 'primary', seconds: 60 },
    )
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Applying')).toBe(true)
    await story.runs('staging', '0.9.0')
    await story.pass(300)
    await story.ask('staging', 'r1')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect([holds(story), moves(story)]).toEqual([
      [],
      ['1.0.0 Succeeded', '2.0.0 Superseded', '2.0.0 Converging'],
    ])
  })

  it('sends nothing on: what follows it keeps its pull request', async () => {
    const story = await PipelineStory.open('heldback/followers')
    for (const e of ['dev', 'staging', 'prod']) await story.runs(e, '1.0.0')
    await story.pipeline({ dev: {}, staging: { promotion: { strategy: 'manual' } }, prod: {} })
    const isDone = () => story.phase('staging') === 'Succeeded' && story.phase('prod') === 'Succeeded'
    expect(await story.until(isDone)).toBe(true)
    await promoted(story, '2.0.0')
    expect(await story.until(() => story.phase('prod') === 'Open')).toBe(true)
    await story.runs('staging', '1.0.0')
    await story.pass(120)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    expect(story.environment('staging')?.settled?.revision).toBe('2.0.0')
    expect(story.promotions('prod').map((p) => `${p.spec.revision} ${p.status?.phase}`)).toEqual([
      '1.0.0 Succeeded',
      '2.0.0 Open',
    ])
    expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['open'])
  })

  it('while nobody leads: who leads next merges nothing, even before there is a Hold', async () => {
    const story = await settled('leader', AUTO)
    await promoted(story, '2.0.0')
    story.repository.needsChecks = true
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.manager.stop()
    await story.runs('staging', '1.0.0')
    story.repository.block(2, false)
    await story.during(sleep(story.fleet.env.clock, 120_000))
    story.manager = story.start()
    await story.pass(300)
    expect([moves(story).at(-1), holds(story)]).toEqual(['3.0.0 Open', ['podinfo-staging-2-left']])
  })
})

it('Holds of two pipelines whose names would be one hold both', async () => {
  const story = await PipelineStory.open('heldback/names')
  for (const e of ['dev', 'staging', 'prod']) await story.runs(e, '1.0.0')
  const of = (namespace: string) => ({ targets: [{ namespace }], promotion: { strategy: 'manual' } })
  await story.pipeline({ dev: {}, 'eu-prod': of('staging') }, { name: 'shop', spec: { identity: 'shop' } })
  await story.pipeline({ dev: {}, prod: of('prod') }, { name: 'shop-eu', spec: { identity: 'shop-eu' } })
  const areBoth = (phase: string, epoch: number) => () =>
    ['eu-prod', 'prod'].every((e) => story.last(e)?.spec.epoch === epoch && story.phase(e) === phase)
  expect(await story.until(areBoth('Succeeded', 1))).toBe(true)
  await story.runs('dev', '2.0.0')
  expect(await story.until(areBoth('Converging', 2))).toBe(true)
  for (const e of ['staging', 'prod']) await story.runs(e, '2.0.0')
  expect(await story.until(areBoth('Succeeded', 2))).toBe(true)
  await story.pass(30)
  await story.runs('staging', '1.0.0')
  await story.pass(30)
  await story.runs('prod', '1.0.0')
  await story.pass(30)
  const held = () => story.holds().map((h) => `${h.metadata.name} of ${h.spec.targetRef.name}`)
  expect(held()).toEqual([
    'shop-eu-prod-2-left of shop',
    expect.stringMatching(/^shop-eu-prod-2-left-[0-9a-f]{8} of shop-eu$/),
  ])
  await story.runs('dev', '3.0.0')
  expect(await story.until(areBoth('Pending', 3))).toBe(true)
  await story.pass(60)
  expect([story.waits('eu-prod'), story.waits('prod')]).toEqual([['Held'], ['Held']])
  const request = { metadata: { annotations: { 'lockstep.dev/request.prod': 'r1' } } }
  const key = { namespace: NAMESPACE, name: 'shop-eu' }
  await story.during(story.fleet.hub.patch(pipelineKind, key, request, WRITE))
  expect(await story.until(() => story.phase('prod') === 'Converging')).toBe(true)
  expect([held(), story.phase('eu-prod')]).toEqual([['shop-eu-prod-2-left of shop'], 'Pending'])
})
