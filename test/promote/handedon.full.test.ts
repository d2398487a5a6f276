/** One pull request that goes on from one revision to the next (`onNewer: Update`): it stays on the branch of the first. */
import { describe, expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { keyInBody } from '../../packages/lockstep/src/decisions/promotion/trailers.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { appFile, PipelineStory } from './pipelinestory.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const ENVIRONMENTS = { dev: {}, staging: { promotion: { onNewer: 'Update' } } }

/** Pull request #1 is for 2.0.0. */
async function opened(seed: string, spec: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`handedon/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline(ENVIRONMENTS, { spec })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await goesOn(story, '2.0.0')
  return story
}

/** And is for 3.0.0 now. */
async function handedOn(seed: string): Promise<PipelineStory> {
  const story = await opened(seed)
  await goesOn(story, '3.0.0')
  return story
}

const isLast = (story: PipelineStory, version: string) => story.last('staging')?.spec.revision === version

async function goesOn(story: PipelineStory, version: string): Promise<void> {
  await story.runs('dev', version)
  const isOpen = () => isLast(story, version) && story.phase('staging') === 'Open'
  expect(await story.until(isOpen, 120)).toBe(true)
}

const pushes = (story: PipelineStory) =>
  story.host.requests.filter((r) => r.method === 'POST' && /push$/.test(r.path)).length

const titles = (story: PipelineStory) =>
  story.repository.pulls.list().map((p) => `#${p.number} ${p.state} ${p.title.split(' to ')[1]}`)

const merge = (story: PipelineStory, method: 'merge' | 'squash' | 'rebase' = 'merge') =>
  story.during(story.repository.merge(1, { method, by: 'person' }))

async function revert(story: PipelineStory): Promise<void> {
  const head = (await story.during(story.repository.store.branches())).get('main')!
  await story.during(story.repository.revert(head))
}

async function deleted(story: PipelineStory): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'podinfo' }
  must(await story.during(story.fleet.hub.delete(pipelineKind, key, WRITE)))
  expect(await story.until(() => story.promotions('staging').length === 0, 10)).toBe(true)
}

const changes = (story: PipelineStory) =>
  story.repository.journal.changesOf(keyOfPromotion(story.last('staging')!.spec), 'main').length

describe('a pipeline that is made anew', () => {
  it('goes on with what is open, which is on the branch of an earlier revision', async () => {
    const story = await handedOn('open')
    const before = story.last('staging')!.spec
    await deleted(story)
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    expect(story.last('staging')!.spec).toMatchObject({ epoch: before.epoch, revision: '3.0.0' })
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 open 3.0.0 in staging'])
    await merge(story)
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
    await story.pass(120)
    expect([changes(story), [...(await story.during(story.repository.store.branches())).keys()]]).toEqual([
      1,
      ['main'],
    ])
  })

  it('leaves alone what others have put on that branch, and says so', async () => {
    const story = await handedOn('theirs')
    const { branch = '' } = story.last('staging')!.status!.intent!
    await deleted(story)
    await story.during(story.repository.push(branch, { 'README.md': 'theirs' }, 'theirs'))
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.waits('staging').includes('BranchModified'), 120)).toBe(true)
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 open 3.0.0 in staging'])
  })

  it('rejects what was closed meanwhile', async () => {
    const story = await handedOn('closed')
    await deleted(story)
    await story.during(story.repository.close(1))
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.phase('staging') === 'Rejected', 120)).toBe(true)
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 closed 3.0.0 in staging'])
  })

  it.each(['merge', 'squash', 'rebase'] as const)(
    'does not do again what was merged (%s) and reverted before, by that key',
    async (method) => {
      const story = await handedOn(`merged/${method}`)
      await merge(story, method)
      await deleted(story)
      await revert(story)
      // Of what was opened less than 5 minutes ago two clocks do not tell which is older.
      await story.pass(400)
      await story.pipeline(ENVIRONMENTS)
      await story.pass(300)
      const [first] = story.promotions('staging').filter((p) => p.spec.revision === '3.0.0')
      expect(first!.status).toMatchObject({ reason: 'KeyReused' })
      const { journal } = story.repository
      expect(journal.changesOf(keyOfPromotion(first!.spec), 'main')).toHaveLength(1)
      expect(journal.pullsOf(keyOfPromotion(first!.spec))).toEqual([])
    },
  )

  it('closes what is left open where the base has the value already', async () => {
    const story = await handedOn('present')
    await deleted(story)
    const files = { 'apps/staging.yaml': appFile('staging', '3.0.0') }
    await story.during(story.repository.push('main', files, 'by hand'))
    await story.pipeline(ENVIRONMENTS)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 120)).toBe(true)
    await story.pass(200)
    expect(titles(story)).toEqual(['#1 closed 3.0.0 in staging'])
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })
})

describe('a promotion that is deleted alone, after it was merged and reverted', () => {
  it('is not done again', async () => {
    const story = await handedOn('alone')
    await merge(story)
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await revert(story)
    const { uid, name } = story.last('staging')!.metadata
    const key = { namespace: NAMESPACE, name }
    must(await story.during(story.fleet.hub.delete(promotionKind, key, WRITE)))
    expect(await story.until(() => story.last('staging')?.metadata.uid !== uid, 10)).toBe(true)
    await story.pass(300)
    const { journal } = story.repository
    const [again] = story.promotions('staging').filter((p) => p.metadata.name === name)
    expect(journal.changesOf(keyOfPromotion(again!.spec), 'main')).toHaveLength(1)
    expect(again!.status?.phase).toBe('Failed')
  })
})

describe('a promotion that is deleted alone, while it is open', () => {
  it('is made anew, and takes it up again', async () => {
    const story = await handedOn('taken-up')
    await story.pass(120)
    const { name } = story.last('staging')!.metadata
    must(await story.during(story.fleet.hub.delete(promotionKind, { namespace: NAMESPACE, name }, WRITE)))
    await story.pass(900)
    expect([story.phase('staging'), titles(story)]).toEqual(['Open', ['#1 open 3.0.0 in staging']])
  })
})

describe('the branch', () => {
  it('is moved once, although lists say for a while that it is where it was', async () => {
    const story = await opened('late')
    story.repository.listsBehindMs = 10_000
    await story.pass(120)
    const before = pushes(story)
    await story.runs('dev', '3.0.0')
    await story.pass(30)
    expect([pushes(story) - before, story.waits('staging')]).toEqual([1, ['AwaitingMerge']])
  })

  it('is moved once as well where its pull request was edited a moment before', async () => {
    const story = await opened('twice')
    await story.pass(120)
    await goesOn(story, '3.0.0')
    const before = pushes(story)
    await story.runs('dev', '4.0.0')
    await story.pass(30)
    expect([pushes(story) - before, story.waits('staging')]).toEqual([1, ['AwaitingMerge']])
  })
})

describe('the body', () => {
  it('that people save as it was two revisions before is repaired, and no other one is opened', async () => {
    const story = await opened('body')
    const { body } = story.repository.pulls.get(1)!
    for (const version of ['3.0.0', '4.0.0']) await goesOn(story, version)
    await story.pass(120)
    await story.during(story.repository.edit(1, { body: `looks good\n\n${body}` }))
    await story.pass(900)
    expect(titles(story)).toEqual(['#1 open 4.0.0 in staging'])
    expect(keyInBody(story.repository.pulls.get(1)!.body)).toBe(keyOfPromotion(story.last('staging')!.spec))
  })
})

describe('a pull request that was handed on before any list had it', () => {
  it('is found by its number', async () => {
    const story = await PipelineStory.open('handedon/late')
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline(ENVIRONMENTS)
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    story.repository.listsBehindMs = 10_000
    let [isAsked, isReleased] = [false, false]
    const act = async () => {
      isAsked = true
      while (!isReleased) await sleep(story.fleet.env.clock, 100)
    }
    story.host.faults.add({ method: 'POST', path: /pulls$/, nth: 1 }, { kind: 'before', act })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => isAsked, 60)).toBe(true)
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => isLast(story, '3.0.0') && story.phase('staging') === 'Pending')).toBe(true)
    isReleased = true
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    await story.pass(60)
    expect(titles(story)).toEqual(['#1 open 3.0.0 in staging'])
  })
})

describe('what cannot go on', () => {
  it.each([
    ['the branch cannot be moved', { method: 'POST', path: /push$/ }],
    ['its body cannot be changed', { method: 'PATCH', path: /pulls/ }],
  ])('is closed in the end: %s', async (_, where) => {
    const story = await opened(`fails/${where.method}`)
    story.host.faults.add(where, { kind: 'status', status: 502 })
    await story.runs('dev', '3.0.0')
    const hasFailed = () => isLast(story, '3.0.0') && story.phase('staging') === 'Failed'
    expect(await story.until(hasFailed, 900)).toBe(true)
    story.host.faults.clear()
    await story.pass(900)
    expect(story.repository.pulls.list().map((p) => p.state)).toEqual(['closed'])
  })

  it('since it was followed before it had begun, and what follows waits for consent', async () => {
    const story = await PipelineStory.open('handedon/followed')
    const approved = async (version: string) => {
      const isAsked = () =>
        isLast(story, version) && story.waits('staging').some((w) => w.includes('Approval'))
      expect(await story.until(isAsked, 120)).toBe(true)
      await story.approve(story.last('staging')!)
    }
    await story.runs('dev', '1.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: { promotion: { onNewer: 'Update', approval: 'Required' } } })
    await approved('1.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.runs('dev', '2.0.0')
    await approved('2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const third = () => story.promotions('staging').find((p) => p.spec.revision === '3.0.0')
    let isReleased = false
    const act = async () => {
      while (third()?.status?.phase === 'Prepared' && !isReleased) await sleep(story.fleet.env.clock, 100)
    }
    story.host.faults.add({ method: 'GET', path: /pulls/ }, { kind: 'before', act })
    await story.runs('dev', '3.0.0')
    await approved('3.0.0')
    expect(await story.until(() => third()?.status?.phase === 'Prepared', 120)).toBe(true)
    await story.runs('dev', '4.0.0')
    expect(await story.until(() => isLast(story, '4.0.0'), 60)).toBe(true)
    await story.pass(3)
    isReleased = true
    await approved('4.0.0')
    await story.pass(1500)
    expect(titles(story).filter((t) => / open /.test(t))).toEqual([expect.stringMatching(/ 4\.0\.0 /)])
  })

  it('while its pipeline is deleted, with Close, is closed', async () => {
    const story = await opened('close', { deletionPolicy: 'Close' })
    await story.pass(55)
    const isHandedOn = () =>
      story.promotions('staging').some((p) => p.status?.result?.transferredTo !== undefined)
    let isReleased = false
    const act = async () => {
      while (isHandedOn() && story.phase('staging') === 'Pending' && !isReleased)
        await sleep(story.fleet.env.clock, 100)
    }
    story.host.faults.add({ method: 'GET', path: /refs/ }, { kind: 'before', act })
    await story.runs('dev', '3.0.0')
    expect(await story.until(isHandedOn, 120)).toBe(true)
    await story.pass(20)
    const key = { namespace: NAMESPACE, name: 'podinfo' }
    must(await story.during(story.fleet.hub.delete(pipelineKind, key, WRITE)))
    await story.pass(1)
    isReleased = true
    await story.pass(900)
    expect([story.seen(), story.repository.pulls.list().map((p) => p.state)]).toEqual([undefined, ['closed']])
  })

  it('for a quarter of an hour, and then ends without having begun, is closed all the same', async () => {
    const story = await opened('held')
    const isHandedOn = () =>
      story.promotions('staging').some((p) => p.status?.result?.transferredTo !== undefined)
    // It cannot be made ready, and then it may not.
    const act = async () => {
      if (!isHandedOn() || story.holds().length > 0) return
      story.host.faults.add({ path: /\/-\/git\// }, { kind: 'status', status: 502 })
      const spec = { targetRef: { kind: 'Pipeline', name: 'podinfo' }, action: 'Suspend' }
      const hold = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Hold',
        metadata: { name: 'wait', namespace: NAMESPACE },
        spec: { ...spec, environments: ['staging'], reason: 'we look at it' },
      }
      const o = { purpose: 'user', manager: 'user', precondition: 'any' } as const
      must(await story.fleet.hub.create(holdKind, hold as never, o))
    }
    story.host.faults.add({ method: 'GET', path: /refs/ }, { kind: 'before', act })
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.holds().length > 0, 120)).toBe(true)
    await story.pass(5)
    story.host.faults.clear()
    await story.pass(900)
    expect([story.phase('staging'), titles(story)]).toEqual(['Pending', ['#1 open 2.0.0 in staging']])
    const text = '# staging\nspec: {}\n'
    await story.during(story.repository.push('main', { 'apps/staging.yaml': text }, 'no marker any more'))
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Failed', 120)).toBe(true)
    await story.pass(120)
    expect(titles(story)).toEqual(['#1 closed 2.0.0 in staging'])
  })
})
