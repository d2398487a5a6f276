/** Pipelines that are made anew, restored, or two of one name; and clusters that are gone. */
import { describe, expect, it } from 'vitest'
import type { NetFailure } from '../../packages/kube/src/env/net.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import {
  keyOfPromotion,
  promotionName,
} from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const PUSHES = {
  strategy: 'push',
  push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } },
}
const KEY = { namespace: NAMESPACE, name: 'podinfo' }

/** dev and staging at 1.0.0, and a pull request for 2.0.0 that is open. */
async function opened(seed: string): Promise<PipelineStory> {
  const story = await PipelineStory.open(`identity/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: {} })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  return story
}

const pulls = (story: PipelineStory) => story.repository.pulls.list().map((p) => p.state)

/** All Promotions are gone, and with another process all that was remembered of them. */
async function forget(story: PipelineStory): Promise<void> {
  story.manager.stop()
  for (const { metadata } of story.promotions('staging'))
    must(await story.during(story.fleet.hub.delete(promotionKind, metadata, WRITE)))
}

async function merges(story: PipelineStory): Promise<void> {
  await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
  expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  expect(await story.atBase('staging')).toBe('2.0.0')
}

describe('P20: a pipeline', () => {
  it('that is made anew finds its pull request again', async () => {
    const story = await opened('anew')
    const before = keyOfPromotion(story.last('staging')!.spec)
    must(await story.during(story.fleet.hub.delete(pipelineKind, KEY, WRITE)))
    await forget(story)
    expect(pulls(story)).toEqual(['open'])
    await story.pipeline({ dev: {}, staging: {} })
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(keyOfPromotion(story.last('staging')!.spec)).toBe(before)
    await merges(story)
    expect(pulls(story)).toEqual(['merged'])
  })

  it.each([
    ['its pipeline', true],
    ['it alone', false],
  ])(
    'half a minute after a promotion was deleted, %s, its commit is its own all the same',
    async (_, all) => {
      const story = await PipelineStory.open(`identity/later/${all}`)
      const auto = { promotion: { pullRequest: { autoMerge: true } } }
      await story.runs('dev', '1.0.0')
      await story.follows('staging')
      await story.pipeline({ dev: {}, staging: auto })
      expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
      story.repository.needsChecks = true
      await story.runs('dev', '2.0.0')
      expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
      const { base, tree, commit } = story.last('staging')!.status!.intent!
      if (all) must(await story.during(story.fleet.hub.delete(pipelineKind, KEY, WRITE)))
      await forget(story)
      await story.during(sleep(story.fleet.env.clock, 30_000))
      if (all) await story.pipeline({ dev: {}, staging: auto })
      story.manager = story.start()
      expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
      await story.pass(70)
      expect(story.last('staging')!.status!.intent).toMatchObject({ base, tree, commit, found: true })
      expect(story.waits('staging')).toEqual(['MergeBlocked'])
      story.repository.block(1, false)
      expect(await story.until(() => story.phase('staging') === 'Converging', 130)).toBe(true)
      expect(pulls(story)).toEqual(['merged'])
    },
  )

  it('a commit of before whose branch is deleted then is made anew', async () => {
    const story = await PipelineStory.open('identity/deleted')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    const opening = { method: 'POST', path: /\/pulls$/, nth: 1 }
    story.host.faults.add(opening, { kind: 'status', status: 502 })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.host.requests.some((r) => r.status === 502))).toBe(true)
    const { branch = '', commit } = story.last('staging')!.status!.intent!
    await forget(story)
    await story.during(sleep(story.fleet.env.clock, 30_000))
    const act = () => story.repository.deleteBranch(branch)
    story.host.faults.add(opening, { kind: 'before', act })
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { intent } = story.last('staging')!.status!
    expect([intent?.branch, intent?.found, intent?.commit === commit]).toEqual([branch, undefined, false])
    expect(pulls(story)).toEqual(['open'])
  })

  it('a push that was taken back is not done again for a Promotion that is made anew', async () => {
    const story = await PipelineStory.open('identity/pushed')
    await story.pushSecret('token-1')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: { promotion: PUSHES } })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
    const key = keyOfPromotion(story.last('staging')!.spec)
    const changes = () => story.repository.journal.changesOf(key, 'main').length
    expect(changes()).toBe(1)
    const [pushed] = story.repository.journal.changesOf(key, 'main')
    await story.during(story.repository.revert(pushed!.to!))
    await story.deliver()
    await story.pass(5)
    await forget(story)
    await story.during(sleep(story.fleet.env.clock, 30_000))
    await story.dropHolds()
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Failed', 130)).toBe(true)
    expect([keyOfPromotion(story.last('staging')!.spec), story.last('staging')!.status!.reason]).toEqual([
      key,
      'RevertedInGit',
    ])
    expect(changes()).toBe(1)
    expect(await story.atBase('staging')).toBe('1.0.0')
  })

  it('that is made anew after its merge does nothing twice, and takes no epoch that there was', async () => {
    const story = await opened('merged')
    await merges(story)
    const before = story.last('staging')!.spec.epoch
    must(await story.during(story.fleet.hub.delete(pipelineKind, KEY, WRITE)))
    await forget(story)
    await story.pipeline({ dev: {}, staging: {} })
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    expect(story.last('staging')!.spec.epoch).toBe(before)
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(story.last('staging')!.spec.epoch).toBe(before + 1)
    expect(pulls(story)).toEqual(['merged', 'open'])
  })

  it('that is made anew knows epochs of pull requests whose branches are gone', async () => {
    const story = await opened('rejected')
    const { branch = '' } = story.last('staging')!.status!.intent!
    await story.during(story.repository.close(1))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    await story.during(story.repository.deleteBranch(branch))
    must(await story.during(story.fleet.hub.delete(pipelineKind, KEY, WRITE)))
    await forget(story)
    await story.runs('dev', '3.0.0')
    await story.pipeline({ dev: {}, staging: {} })
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(story.last('staging')!.spec).toMatchObject({ epoch: 3, revision: '3.0.0' })
  })

  it('whose status is that of an old backup goes on where it was', async () => {
    const story = await PipelineStory.open('identity/backup')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(5)
    const backup = story.seen().status
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const key = keyOfPromotion(story.last('staging')!.spec)
    await forget(story)
    const restored = { ...story.seen(), status: backup }
    const o = { ...WRITE, subresource: 'status' } as const
    must(await story.during(story.fleet.hub.update(pipelineKind, restored as never, o)))
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(keyOfPromotion(story.last('staging')!.spec)).toBe(key)
    await merges(story)
    expect(pulls(story)).toEqual(['merged'])
  })

  it('restored to when its source was where it is again: the Promotions that are ahead of it are not left behind', async () => {
    const story = await PipelineStory.open('identity/ahead')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} })
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(5)
    const backup = story.seen().status
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    story.manager.stop()
    await story.runs('dev', '1.0.0')
    const o = { ...WRITE, subresource: 'status' } as const
    const restored = { ...story.seen(), status: backup } as never
    must(await story.during(story.fleet.hub.update(pipelineKind, restored, o)))
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    expect(story.promotions('staging').map((p) => [p.spec.revision, p.status?.phase])).toEqual([
      ['1.0.0', 'Succeeded'],
      ['2.0.0', 'Superseded'],
      ['1.0.0', 'Succeeded'],
    ])
    expect(story.environment('staging')?.intent?.epoch).toBe(3)
    expect(pulls(story)).toEqual(['closed'])
  })

  it('restored, with its Promotion, to when that was open: what has followed it at the base since is no way back', async () => {
    const story = await opened('restored-open')
    const { name } = story.last('staging')!.metadata
    const backup = { pipeline: story.seen().status, promotion: story.last('staging')!.status }
    for (const [number, version] of [
      [1, '2.0.0'],
      [2, '3.0.0'],
    ] as const) {
      await story.runs('dev', version)
      const isOpen = () =>
        story.last('staging')?.spec.revision === version && story.phase('staging') === 'Open'
      expect(await story.until(isOpen, 120)).toBe(true)
      await story.during(story.repository.merge(number, { method: 'merge', by: 'person' }))
      expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
      await story.deliver()
      expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
    }
    await story.pass(700)
    story.manager.stop()
    const { hub } = story.fleet
    must(await story.during(hub.delete(promotionKind, story.last('staging')!.metadata, WRITE)))
    const o = { ...WRITE, subresource: 'status' } as const
    const old = story.promotions('staging').find((p) => p.metadata.name === name)
    const promotion = { ...old, status: backup.promotion } as never
    must(await story.during(hub.update(promotionKind, promotion, o)))
    const pipeline = { ...story.seen(), status: backup.pipeline } as never
    must(await story.during(hub.update(pipelineKind, pipeline, o)))
    story.manager = story.start()
    await story.pass(1800)
    expect(story.promotions('staging').map((p) => [p.spec.revision, p.status?.phase])).toEqual([
      ['1.0.0', 'Succeeded'],
      ['2.0.0', 'Superseded'],
      ['3.0.0', 'Succeeded'],
    ])
    expect([story.holds(), pulls(story)]).toEqual([[], ['merged', 'merged']])
  })

  it('with the identity of an older one does nothing, and says whose it is', async () => {
    const story = await opened('two')
    await story.pass(2)
    const promotions = story.promotions('staging').length
    await story.pipeline({ dev: {}, staging: {} }, { name: 'other' })
    await story.pass(120)
    const other = must(
      await story.during(story.fleet.hub.get(pipelineKind, { ...KEY, name: 'other' }, { purpose: 'user' })),
    )
    expect(other.status?.conditions?.find((c) => c.type === 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'IdentityConflict',
      message: expect.stringContaining('identity podinfo belongs to Pipeline platform/podinfo'),
    })
    expect(story.promotions('staging')).toHaveLength(promotions)
    await merges(story)
    expect(pulls(story)).toEqual(['merged'])
  })
})

describe('an object of the name of a Promotion that is none of its pipeline', () => {
  it('is named, and in its place the Promotion is made once it is gone', async () => {
    const story = await PipelineStory.open('identity/name')
    for (const e of ['dev', 'staging']) await story.runs(e, '1.0.0')
    const id = { identity: 'podinfo', environment: 'staging', epoch: 1, revision: '1.0.0' }
    const key = { namespace: NAMESPACE, name: promotionName(id) }
    const theirs = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Promotion',
      metadata: key,
      spec: { ...id, pipelineRef: { kind: 'Pipeline', name: 'old' }, settings: { strategy: 'manual' } },
    }
    must(await story.during(story.fleet.hub.create(promotionKind, theirs as never, WRITE)))
    await story.pipeline({ dev: {}, staging: {} })
    await story.pass(30)
    expect(story.environment('staging')?.blockers).toMatchObject([
      { reason: 'IdentityConflict', facts: { because: 'Owner', owner: 'old' } },
    ])
    must(await story.during(story.fleet.hub.delete(promotionKind, key, WRITE)))
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 90)).toBe(true)
  })
})

describe('P7: a cluster of the last environment that is gone', () => {
  it('keeps nobody before it waiting, is named, and on its answer it goes on within 5 s', async () => {
    const story = await PipelineStory.open('identity/p7', { clusters: ['eu', 'us'] })
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    for (const cluster of ['eu', 'us']) await story.runs('prod', '1.0.0', { cluster })
    const promotion = { pullRequest: { autoMerge: true } }
    await story.pipeline({ dev: {}, staging: { promotion }, prod: { promotion, clusters: ['eu', 'us'] } })
    expect(await story.until(() => story.phase('prod') === 'Succeeded')).toBe(true)
    const { net } = story.fleet.env
    net.unserve('https://eu.test')
    net.cut('https://eu.test')
    await story.pass(120)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    expect(await story.until(() => story.last('prod')?.spec.revision === '2.0.0')).toBe(true)
    await story.pass(600)
    expect([story.phase('prod'), story.waits('prod')]).toEqual(['Pending', ['TargetUnreachable']])
    expect(story.last('prod')!.status!.blockers![0]).toMatchObject({
      on: [{ kind: 'Object' }, { kind: 'Cluster', name: 'eu' }],
      facts: { because: 'NoAnswer' },
    })
    expect(await story.atBase('prod')).toBe('1.0.0')
    net.serve('https://eu.test', story.fleet.clusters.get('eu')!.api.handle)
    expect(await story.until(() => story.phase('prod') === 'Converging', 5)).toBe(true)
    expect(await story.atBase('prod')).toBe('2.0.0')
  })

  it.each([
    ['refuses', 0],
    ['swallows everything', 10_000],
  ])(
    'that %s is read within 5 s of its return, whenever that is, and is not asked often until then',
    async (how, ms) => {
      const story = await PipelineStory.open(`identity/back/${how}`, { clusters: ['eu', 'us'] })
      const { net, clock } = story.fleet.env
      await story.runs('dev', '1.0.0')
      for (const cluster of ['eu', 'us']) await story.runs('prod', '1.0.0', { cluster })
      await story.pipeline({ dev: {}, prod: { promotion: false, clusters: ['eu', 'us'] } })
      const ready = () => story.environment('prod')?.ready
      expect(await story.until(() => ready() === '2/2')).toBe(true)
      let asked = 0
      const before = async (): Promise<NetFailure> => {
        asked++
        await sleep(clock, ms)
        return { phase: 'connect', detail: 'connect ETIMEDOUT' }
      }
      for (const seconds of [300, 301.7, 303.1, 304.4]) {
        net.wire('https://eu.test', { before })
        net.cut('https://eu.test')
        await story.pass(seconds)
        expect(ready()).toBe('1/2')
        asked = 0
        await story.pass(60)
        expect(asked).toBeLessThanOrEqual(30)
        net.wire('https://eu.test', undefined)
        expect(await story.until(() => ready() === '2/2', 5), `after ${seconds} s`).toBe(true)
      }
    },
  )
})
