/** A base from which somebody takes something out by force, after promotions were made on it: they do not bring it back. */
import { describe, expect, it } from 'vitest'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { PipelineStory } from './pipelinestory.ts'

const CREATE: FaultMatch = { method: 'POST', path: /\/pulls$/ }

interface Rewriting {
  readonly story: PipelineStory
  /** The head of the base as it was, and is to be again. */
  readonly first: string
  /** The commit that comes to it, and is taken out. */
  readonly out: string
}

/** dev and staging at 1.0.0; 2.0.0 will be made on a commit that should not be there. */
async function leaked(
  seed: string,
  pullRequest: object,
  before = (_: PipelineStory): void => {},
): Promise<Rewriting> {
  const story = await PipelineStory.open(`rewritten/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion: { pullRequest } } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  story.repository.needsChecks = true
  const first = (await story.during(story.repository.store.branches())).get('main')!
  const out = await story.during(story.repository.push('main', { 'secret.md': 'leaked' }, 'more'))
  before(story)
  await story.runs('dev', '2.0.0')
  return { story, first, out: out! }
}

const intentOf = (story: PipelineStory) => story.last('staging')!.status!.intent!

/** In the history of the base. */
async function isThere({ story, out }: Rewriting): Promise<boolean> {
  const { store } = story.repository
  const open = [(await story.during(store.branches())).get('main')!]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === out) return true
    open.push(...((await story.during(store.commit(at)))?.parents ?? []))
  }
  return false
}

async function succeedsWithout(r: Rewriting): Promise<void> {
  const { story } = r
  expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  expect(await story.atBase('staging')).toBe('2.0.0')
  expect(await isThere(r)).toBe(false)
  const { journal } = story.repository
  const key = keyOfPromotion(story.last('staging')!.spec)
  expect(story.promotions('staging').map((p) => p.spec.epoch)).toEqual([1, 2])
  expect([journal.pullsOf(key).length, journal.changesOf(key, 'main').length]).toEqual([1, 1])
  expect(story.last('staging')!.status?.rebuilt).toBe(1)
}

describe('X11: a base that is rewritten', () => {
  it.each([
    ['us', true],
    ['people', false],
  ])(
    'while a pull request waits to be merged by %s: the same change is made on the new one, on the same pull request',
    async (who, autoMerge) => {
      const r = await leaked(who, { autoMerge })
      const { story, first, out } = r
      expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
      const before = intentOf(story)
      expect(before.base).toBe(out)
      await story.during(story.repository.forcePush('main', first))
      expect(
        await story.until(() => intentOf(story).base === first && story.phase('staging') === 'Open', 130),
      ).toBe(true)
      expect(intentOf(story).branch).toBe(before.branch)
      story.repository.block(1, false)
      if (!autoMerge) await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
      await succeedsWithout(r)
    },
  )

  it('in the minute before we merge: what was looked at together is looked at once more', async () => {
    const r = await leaked('late', { autoMerge: true })
    const { story, first } = r
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    // Until the next look that all have together, and a moment after it.
    story.repository.block(1, false)
    const act = () => story.repository.forcePush('main', first)
    story.host.faults.add({ method: 'GET', path: /\/pulls(\/\d+)?$/, nth: 1 }, { kind: 'after', act })
    await succeedsWithout(r)
  })

  it('after the push, before there is a pull request: the branch is moved first', async () => {
    const r = await leaked('pushed', { autoMerge: true }, ({ host }) => {
      host.faults.add({ ...CREATE, nth: 1 }, { kind: 'limit', which: 'secondary', seconds: 60 })
    })
    const { story, first } = r
    expect(await story.until(() => story.waits('staging')[0] === 'HostRateLimited')).toBe(true)
    expect(intentOf(story).base).toBe(r.out)
    await story.during(story.repository.forcePush('main', first))
    expect(await story.until(() => story.phase('staging') === 'Open', 130)).toBe(true)
    expect(intentOf(story).base).toBe(first)
    story.repository.block(1, false)
    await succeedsWithout(r)
  })

  it('where conflicts are left to people: it is not merged by us, and says why', async () => {
    const { story, first } = await leaked('wait', { autoMerge: true, onConflict: 'Wait' })
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.forcePush('main', first))
    story.repository.block(1, false)
    await story.pass(600)
    expect(story.phase('staging')).toBe('Open')
    expect(story.last('staging')!.status!.blockers![0]).toMatchObject({
      reason: 'MergeBlocked',
      facts: { because: 'BaseRewritten', number: 1 },
    })
    expect(story.repository.pulls.get(1)?.state).toBe('open')
  })

  it('that only goes on costs nobody a rebuild', async () => {
    const { story } = await leaked('on', { autoMerge: true })
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.push('main', { 'other.md': 'more' }, 'more'))
    await story.pass(130)
    expect(story.last('staging')!.status?.rebuilt).toBeUndefined()
    story.repository.block(1, false)
    expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
  })
})
