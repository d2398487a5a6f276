/** A commit that is stored, and that the process which is to push it makes as another one: its author is another. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { spawn } from '../simulation/process.ts'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

const [ADA, BOB] = ['Ada <ada@example.com>', 'Bob <bob@example.com>']
const AUTO = { pullRequest: { autoMerge: true } }
const PUSH_TO_BASE = {
  strategy: 'push',
  push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } },
}
const PUSH: FaultMatch = { method: 'POST', path: /push$/ }

/** dev and staging at 1.0.0, and nothing to be done. */
async function settled(seed: string, promotion: object): Promise<PipelineStory> {
  const story = await PipelineStory.open(`author/${seed}`)
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

/** Ada's process, which dies at its n-th push; then Bob's. */
async function handedOver(
  story: PipelineStory,
  act: () => Promise<void>,
  o: { after: boolean; nth?: number },
) {
  story.manager.stop()
  const of = (r: NetRequest) => r.method === PUSH.method && PUSH.path!.test(r.path)
  const crash = { write: o.nth ?? 1, after: o.after, of }
  const process = spawn(story.fleet.env, 'ada', { delayMs: 2, lossRate: 0, dropRate: 0, crash })
  story.manager = story.start(process.env, { person: ADA })
  await act()
  expect(await story.until(() => !process.alive, 300)).toBe(true)
  story.manager = story.start(story.fleet.env, { person: BOB })
}

/** One pull request and one change of the base, whose commit is by this one. */
async function succeedsOnce(story: PipelineStory, pulls: number, author: string): Promise<void> {
  expect(await story.until(() => story.phase('staging') === 'Converging', 300)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  expect(await story.atBase('staging')).toBe('2.0.0')
  const { journal, store } = story.repository
  const { spec, status } = story.last('staging')!
  const key = keyOfPromotion(spec)
  expect(story.promotions('staging').map((p) => p.spec.epoch)).toEqual([1, 2])
  expect([journal.pullsOf(key).length, journal.changesOf(key, 'main').length]).toEqual([pulls, 1])
  const commit = await story.during(store.commit(status!.intent!.commit!))
  expect([commit?.author.startsWith(author), commit?.committer.startsWith(author)]).toEqual([true, true])
}

describe('another author than that of the commit that is stored', () => {
  it.each([
    ['a pull request, not pushed yet: it is made anew', AUTO, false, 1, BOB],
    ['a pull request, whose branch is there: it stays as it is', AUTO, true, 1, ADA],
    ['a push to the base, not done yet: it is made anew', PUSH_TO_BASE, false, 0, BOB],
    ['a push to the base, which is done: it stays as it is', PUSH_TO_BASE, true, 0, ADA],
  ])('%s', async (seed, promotion, after, pulls, author) => {
    const story = await settled(seed, promotion)
    await handedOver(story, () => story.runs('dev', '2.0.0'), { after })
    await succeedsOnce(story, pulls, author)
    expect(story.last('staging')!.status?.rebuilt).toBe(after ? undefined : 1)
  })

  it('a branch that is to be moved after a conflict: moved once, on the same pull request', async () => {
    const story = await settled('move', AUTO)
    story.repository.needsChecks = true
    const act = async () => {
      await story.runs('dev', '2.0.0')
      expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
      const files = { 'apps/staging.yaml': conflicting }
      await story.during(story.repository.push('main', files, 'mine'))
      story.repository.block(1, false)
    }
    await handedOver(story, act, { after: false, nth: 2 })
    await succeedsOnce(story, 1, BOB)
    expect(story.last('staging')!.status?.rebuilt).toBe(2)
  })

  it.each([
    ['after that of the new one: it is refused', 0],
    ['before that of the new one: its branch is moved', 9000],
  ])('a push of the old one that arrives %s', async (_, lateMs) => {
    const story = await settled(`late/${lateMs}`, AUTO)
    story.manager.stop()
    const ada = spawn(story.fleet.env, 'ada', { delayMs: 2, lossRate: 0, dropRate: 0 })
    story.manager = story.start(ada.env, { person: ADA })
    story.host.faults.add({ ...PUSH, nth: 1 }, { kind: 'late', ms: 8000 })
    story.host.faults.add({ ...PUSH, nth: 2 }, { kind: 'late', ms: lateMs })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Applying')).toBe(true)
    await story.pass(1)
    ada.kill()
    const old = story.last('staging')!.status!.intent!.commit
    story.manager = story.start(story.fleet.env, { person: BOB })
    await succeedsOnce(story, 1, BOB)
    const branch = story.last('staging')!.status!.intent!.branch!
    const moves = story.repository.journal.changes.filter((c) => c.branch === branch)
    expect(moves.some((c) => c.to === old)).toBe(lateMs > 0)
  })
})

const conflicting = `# staging
spec:
  chart:
    version: 1.1.0 # {"$promotion": "platform:podinfo:staging"}
`
