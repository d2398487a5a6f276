/** What goes wrong between a promotion and its host. */
import { describe, expect, it } from 'vitest'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { manyPipelines } from './manypipelines.ts'
import { PipelineStory } from './pipelinestory.ts'

async function settled(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(seed)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

/** One pull request and one change of the base for each key. */
function exactlyOnce(story: PipelineStory, changes = 1): void {
  const { journal } = story.repository
  const key = keyOfPromotion(story.last('staging')!.spec)
  expect(journal.pullsOf(key)).toHaveLength(1)
  expect(journal.changesOf(key, 'main')).toHaveLength(changes)
}

/** What is sent for one promotion that is merged by us: its host calls and pushes. */
const CALLS: readonly [string, { method: string; path: RegExp }][] = [
  ['the push', { method: 'POST', path: /push$/ }],
  ['the pull request', { method: 'POST', path: /\/pulls$/ }],
  ['the merge', { method: 'PUT', path: /\/merge$/ }],
  ['the list of pull requests', { method: 'GET', path: /\/pulls\?/ }],
  ['the branches', { method: 'GET', path: /refs$/ }],
]

describe('P3, X17: an answer that is lost', () => {
  it.each(CALLS)('of %s: done once all the same, and never Failed', async (_, where) => {
    const story = await settled(`p3/${where.path.source}`, { pullRequest: { autoMerge: true } })
    story.host.faults.add({ ...where, nth: 1, times: 2 }, { kind: 'lose' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 300)).toBe(true)
    exactlyOnce(story)
  })

  it('of all of them, at first', async () => {
    const story = await settled('p3/all', { pullRequest: { autoMerge: true } })
    for (const [, where] of CALLS) story.host.faults.add({ ...where, nth: 1 }, { kind: 'lose' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
    exactlyOnce(story)
  })
})

describe('P11, P13: the base moves while the host merges', () => {
  it('three times: asked again after a minute each, merged once, nothing of anybody is lost', async () => {
    const story = await settled('p13/overtaken', { pullRequest: { autoMerge: true } })
    story.repository.overtakesMerges = 3
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging').includes('MergeBlocked'), 60)).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
    exactlyOnce(story)
    const merges = story.host.requests.filter((r) => r.method === 'PUT' && /\/merge$/.test(r.path))
    expect(merges.map((r) => r.status)).toEqual([405, 405, 405, 200])
    const waits = merges.slice(1).map((r, i) => r.at - merges[i]!.at)
    expect(waits.every((ms) => ms >= 60_000)).toBe(true)
    const { store } = story.repository
    expect((await store.files((await store.branches()).get('main')!)).has('beside.txt')).toBe(true)
  })
})

describe('P9: a host that fails', () => {
  const create = { method: 'POST', path: /\/pulls$/ }

  it('four times: done at the fifth attempt', async () => {
    const story = await settled('p9/4')
    story.host.faults.add({ ...create, nth: 1, times: 4 }, { kind: 'status', status: 502 })
    const from = story.fleet.env.clock.now()
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open', 600)).toBe(true)
    const took = (story.fleet.env.clock.now() - from) / 1000
    expect([took > 150 * 0.8, took < 150 * 1.2 + 5]).toEqual([true, true])
    const tries = story.host.requests.filter((r) => r.method === 'POST' && create.path.test(r.path))
    expect(tries).toHaveLength(5)
  })

  it('five times: that is said, and nothing more is asked', async () => {
    const story = await settled('p9/5')
    story.host.faults.add({ ...create, nth: 1, times: 5 }, { kind: 'status', status: 502 })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Failed', 600)).toBe(true)
    expect(story.last('staging')!.status).toMatchObject({
      reason: 'RetriesExhausted',
      message: expect.stringMatching(/^5 attempts failed in .*: POST \/repos\/o\/r\/pulls: 502/),
    })
    await story.pass(900)
    const asked = story.host.requests.length
    await story.pass(24 * 3600)
    expect(story.host.requests.length).toBe(asked)
  })
})

describe('P9: a host that does not answer while a pull request is open', () => {
  const down = { kind: 'status', status: 503 } as const
  const failed = (story: PipelineStory, from = 0) =>
    story.host.requests.slice(from).filter((r) => r.status === 503)

  /** Open, merged by us once its checks are over. */
  async function open(seed: string): Promise<PipelineStory> {
    const story = await settled(seed, { pullRequest: { autoMerge: true } })
    story.repository.needsChecks = true
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    return story
  }

  it('for hours: asked ever less often, and that counts for nothing once something is to be done', async () => {
    const story = await open('p9/down')
    story.host.faults.add({}, down)
    await story.pass(7200)
    const n = failed(story).length
    expect([n >= 10, n <= 24]).toEqual([true, true])
    expect(story.last('staging')!.status?.attempt).toBeUndefined()
    story.host.faults.clear()
    const merge = { method: 'PUT', path: /\/merge$/, nth: 1 }
    story.host.faults.add(merge, { kind: 'status', status: 502 })
    story.repository.block(1, false)
    expect(await story.until(() => story.last('staging')!.status?.attempt === 1, 800)).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Converging', 15)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    exactlyOnce(story)
  })

  it('twice: the second time it begins with a short wait again', async () => {
    const story = await open('p9/twice')
    story.host.faults.add({}, down)
    await story.pass(3600)
    story.host.faults.clear()
    expect(await story.until(() => story.waits('staging')[0] === 'MergeBlocked', 800)).toBe(true)
    await story.pass(120)
    const [writes, before] = [story.writes(), story.host.requests.length]
    await story.pass(600)
    // What was counted is not written back.
    expect(story.writes()).toBe(writes)
    story.host.faults.add({}, down)
    expect(await story.until(() => failed(story, before).length === 2, 75)).toBe(true)
    const [first, second] = failed(story, before)
    expect(second!.at - first!.at).toBeLessThanOrEqual(13_000)
  })

  it('a merge that fails as often as there are attempts ends it, also where processes change meanwhile', async () => {
    const story = await open('p9/merges')
    story.host.faults.add({ method: 'PUT', path: /\/merge$/ }, { kind: 'status', status: 502 })
    story.repository.block(1, false)
    expect(await story.until(() => story.last('staging')!.status?.attempt === 3, 300)).toBe(true)
    story.manager.stop()
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Failed', 300)).toBe(true)
    expect(story.last('staging')!.status?.message).toMatch(/^5 attempts failed in /)
    const merges = story.host.requests.filter((r) => r.method === 'PUT' && /\/merge$/.test(r.path))
    expect(merges).toHaveLength(5)
  })
})

describe('P10: a limit of the host', () => {
  it('is waited for, and costs no attempt', async () => {
    const story = await settled('p10')
    story.host.faults.add(
      { method: 'POST', path: /\/pulls$/, nth: 1 },
      { kind: 'limit', which: 'secondary', seconds: 90 },
    )
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging').includes('HostRateLimited'))).toBe(true)
    const asked = story.host.requests.length
    await story.pass(88)
    expect(story.host.requests.length).toBe(asked)
    expect(await story.until(() => story.phase('staging') === 'Open', 10)).toBe(true)
    expect(story.last('staging')!.status?.attempt).toBeUndefined()
  })

  it('that one pipeline has met is every one of its credential: nobody asks anything before it ends', async () => {
    const story = await PipelineStory.open('trouble/p10/all')
    const file = (n: string) => `version: 1.0.0 # {"$promotion": "platform:${n}:staging"}\n`
    await story.during(
      story.repository.push('main', { 'apps/a.yaml': file('a'), 'apps/b.yaml': file('b') }, 'two'),
    )
    for (const e of ['dev', 'staging']) await story.runs(e, '1.0.0')
    await story.pipeline({ dev: {}, staging: {} }, { name: 'a', spec: { identity: 'a' } })
    await story.pass(60)
    const limit = { kind: 'limit', which: 'secondary', seconds: 90 } as const
    story.host.faults.add({ method: 'POST', path: /\/pulls$/, nth: 1 }, limit)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.host.requests.at(-1)?.status === 403)).toBe(true)
    const asked = story.host.requests.length
    await story.pipeline({ dev: {}, staging: {} }, { name: 'b', spec: { identity: 'b' } })
    await story.pass(88)
    expect(story.host.requests.length).toBe(asked)
    const open = () => story.promotions('staging').filter((p) => p.status?.phase === 'Open').length
    expect(await story.until(() => open() === 2, 30)).toBe(true)
  })

  it('is not met by many pipelines with one credential: they take their time, and all get there', {
    timeout: 60_000,
  }, async () => {
    const { unfinished, mostAMinute, writes } = await manyPipelines(24, 1200)
    expect([unfinished, mostAMinute <= 60]).toEqual([[], true])
    // A push, a pull request and a merge; so the limit was in the way.
    expect(writes).toBeGreaterThanOrEqual(72)
  })
})

describe('P11: commits of others on the branch', () => {
  it('are counted, and stay', async () => {
    const story = await settled('foreign', { pullRequest: { autoMerge: false } })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { branch = '' } = story.last('staging')!.status!.intent!
    for (const n of [1, 2]) await story.during(story.repository.push(branch, { [`${n}.md`]: 'x' }, 'theirs'))
    expect(await story.until(() => story.waits('staging').includes('BranchModified'))).toBe(true)
    const [blocker] = story.last('staging')!.status!.blockers!
    expect(blocker?.facts).toMatchObject({ because: 'ExternalCommits', number: 1, commits: 2 })
  })
})

describe('an environment that leaves its pipeline', () => {
  it('ends nothing: what was under way says so, and goes on once it is back', async () => {
    const story = await settled('environment-gone')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { number } = story.last('staging')!.status!.result!.pullRequest!
    await story.pipeline({ dev: {} })
    expect(await story.until(() => story.waits('staging').includes('PipelineNotFound'))).toBe(true)
    await story.pipeline({ dev: {}, staging: {} })
    await story.during(story.repository.merge(number, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
    expect(story.promotions('staging').filter((p) => p.spec.revision === '2.0.0')).toHaveLength(1)
  })
})

describe('X15: credentials', () => {
  it('that are refused are waited for, and a new Secret goes on at once', async () => {
    const story = await settled('x15')
    story.host.rotate('token-2')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging').includes('CredentialsRejected'))).toBe(true)
    const [blocker] = story.last('staging')!.status!.blockers!
    expect(blocker?.message).toMatch(
      /^Secret platform\/git, key token: https:\/\/git\.test\/o\/r: .*Bad credentials/,
    )
    await story.pass(300)
    // To begin to watch the Secret is no change of it.
    expect(story.host.requests.filter((r) => r.status === 401)).toHaveLength(1)
    await story.secret('token-2')
    expect(await story.until(() => story.phase('staging') === 'Open', 5)).toBe(true)
    expect(story.last('staging')!.status?.attempt).toBeUndefined()
  })
})

describe('X15: credentials that are taken again, by the same Secret', () => {
  it('are tried after ten minutes, and cost no attempt', async () => {
    const story = await settled('x15/same')
    story.host.rotate('token-2')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging').includes('CredentialsRejected'))).toBe(true)
    story.host.rotate('token-1')
    const asked = story.host.requests.length
    await story.pass(590)
    expect(story.host.requests.length).toBe(asked)
    expect(await story.until(() => story.phase('staging') === 'Open', 40)).toBe(true)
    expect(story.last('staging')!.status?.attempt).toBeUndefined()
  })
})

describe('X15: credentials that are refused before anything was begun', () => {
  it('keep the pipeline waiting, ask nobody again, and a new Secret goes on at once', async () => {
    const story = await PipelineStory.open('x15/first')
    story.host.rotate('token-2')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} })
    const waits = () => (story.environment('staging')?.blockers ?? []).map((b) => b.reason)
    expect(await story.until(() => waits().includes('CredentialsRejected'))).toBe(true)
    await story.pass(300)
    expect(story.host.requests).toHaveLength(1)
    await story.secret('token-2')
    expect(await story.until(() => story.phase('staging') === 'Open', 5)).toBe(true)
  })
})

describe('P11: a base that moves', () => {
  it('before the push: one commit, on the last of them', async () => {
    const story = await settled('p11')
    let moved = 0
    story.host.faults.add(
      { method: 'POST', path: /push$/, nth: 1, times: 3 },
      {
        kind: 'before',
        act: async () => {
          moved++
          await story.repository.push('main', { [`note-${moved}.md`]: 'x' }, 'meanwhile')
        },
      },
    )
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const { branch } = story.last('staging')!.status!.intent!
    expect(await story.atBase('staging', branch)).toBe('2.0.0')
  })
})

describe('X13: what people do to a pull request', () => {
  it('a body without its key is repaired, and it stays ours', async () => {
    const story = await settled('x13')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.edit(1, { body: 'mine' }))
    await story.pass(120)
    expect(story.repository.pulls.get(1)?.body).toMatch(/^mine\n\n<!-- lockstep-promotion: [0-9a-f]{64} -->$/)
    expect(story.phase('staging')).toBe('Open')
  })
})
