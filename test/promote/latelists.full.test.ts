/** Lists of a host that are late: what was opened a moment ago is there, and nobody lists it. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { withKey } from '../../packages/lockstep/src/decisions/promotion/trailers.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { spawn } from '../simulation/process.ts'
import { appFile, PipelineStory } from './pipelinestory.ts'

const CREATE: FaultMatch = { method: 'POST', path: /\/pulls$/ }
const LATE_MS = 10_000

/** dev and staging at 1.0.0, and dev is to go on to 2.0.0. */
async function late(seed: string, promotion: object = {}, spec: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`late/${seed}`)
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } }, { spec })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  story.repository.listsBehindMs = LATE_MS
  return story
}

/** Somebody closes each pull request within a second of its being opened: no list has had it then. */
async function closedAtOnce(story: PipelineStory): Promise<void> {
  const act = async () => void (await story.repository.close(1))
  story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'after', act })
}

/** A process that never has the answer. */
async function diesWhenOpened(story: PipelineStory): Promise<void> {
  story.manager.stop()
  const of = (r: NetRequest) => r.method === 'POST' && /\/pulls$/.test(r.path)
  const crash = { write: 1, after: true, of }
  const process = spawn(story.fleet.env, 'first', { delayMs: 2, lossRate: 0, dropRate: 0, crash })
  story.manager = story.start(process.env)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => !process.alive, 300)).toBe(true)
}

/** What is said on the first one, which is closed. */
function closedWhy(story: PipelineStory): readonly string[] | undefined {
  const { state, comments } = story.repository.pulls.get(1)!
  return state === 'closed' ? comments : undefined
}

const opened = (story: PipelineStory): number =>
  story.repository.journal.pullsOf(keyOfPromotion(story.last('staging')!.spec)).length

describe('a pull request that no list has', () => {
  it('is known by the number in the answer, and read by it', async () => {
    const story = await late('answered')
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(story.last('staging')!.status?.result?.pullRequest?.number).toBe(1)
    expect(story.host.requests.filter((r) => r.method === 'POST' && /\/pulls$/.test(r.path)).length).toBe(1)
  })

  it('and will not have one for an hour is no reason for another one, or to give up: it is asked for, and found then', async () => {
    const story = await late('hour')
    story.repository.listsBehindMs = 3_600_000
    story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'lose' })
    await story.runs('dev', '2.0.0')
    await story.pass(600)
    expect(story.waits('staging')).toEqual(['HostInconsistent'])
    expect(story.phase('staging')).toBe('Applying')
    expect(opened(story)).toBe(1)
    const posts = story.host.requests.filter((r) => r.method === 'POST' && /\/pulls$/.test(r.path)).length
    expect(posts).toBeGreaterThan(3)
    expect(posts).toBeLessThan(20)
    const branches = [...(await story.during(story.repository.store.branches())).keys()]
    expect(branches.filter((b) => b.startsWith('lockstep/podinfo/staging/2-'))).toHaveLength(1)
    story.repository.listsBehindMs = 0
    expect(await story.until(() => story.phase('staging') === 'Open', 70)).toBe(true)
    expect(story.last('staging')!.status?.result?.pullRequest?.number).toBe(1)
    expect(opened(story)).toBe(1)
  })

  it('was closed by somebody before it was listed: it is rejected, and no other one is opened', async () => {
    const story = await late('closed')
    await closedAtOnce(story)
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Rejected', 300)).toBe(true)
    expect(opened(story)).toBe(1)
  })

  it('was opened by a process that died, and closed: the next one waits until it would be listed', async () => {
    const story = await late('died')
    await closedAtOnce(story)
    await diesWhenOpened(story)
    story.manager = story.start()
    expect(await story.until(() => story.waits('staging').includes('HostInconsistent'), 60)).toBe(true)
    const [waits] = story.last('staging')!.status!.blockers!
    expect(waits!.message).toMatch(
      /^pull request of branch lockstep\/podinfo\/staging\/2-\S+ may be missing in lists/,
    )
    expect(await story.until(() => story.phase('staging') === 'Rejected', 300)).toBe(true)
    expect(opened(story)).toBe(1)
  })

  it('was opened by another leader, and closed: a branch that is as one would push it may have had one', async () => {
    const story = await late('both')
    const { clock } = story.fleet.env
    // The second of two that push the same at once has its answer when all is over.
    const act = async () => {
      while (!story.repository.pulls.get(1)) await sleep(clock, 100)
      await story.repository.close(1)
    }
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 2 }, { kind: 'before', act })
    const other = story.start()
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Rejected', 300)).toBe(true)
    expect(opened(story)).toBe(1)
    other.stop()
  })

  it('lost its branch before it was listed: that is pushed again, and is no sign that nothing was opened', async () => {
    const story = await late('branch')
    const branch = () => story.last('staging')!.status!.intent!.branch!
    const act = async () => void (await story.repository.deleteBranch(branch()))
    // The answer with its number is lost with it.
    story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'after', act })
    story.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'lose' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Rejected', 300)).toBe(true)
    expect(opened(story)).toBe(1)
  })

  it('keeps its branch, although the base has the value by now: the host would close it without a word', async () => {
    const story = await late('kept')
    await diesWhenOpened(story)
    const files = { 'apps/staging.yaml': appFile('staging', '2.0.0') }
    await story.during(story.repository.push('main', files, 'by hand'))
    await story.deliver()
    story.manager = story.start()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 300)).toBe(true)
    await story.pass(600)
    expect(closedWhy(story)).toEqual([expect.stringMatching(/^This promotion has ended|^Duplicate of/)])
  })

  it('was opened by another leader while this one pushed, and the base has the value: its branch stays as well', async () => {
    const story = await late('kept-for-another')
    const act = async () => {
      const { status, spec } = story.last('staging')!
      const body = withKey('', keyOfPromotion(spec))
      await story.repository.open({ head: status!.intent!.branch!, base: 'main', title: 'Promote', body })
      await story.repository.push('main', { 'apps/staging.yaml': appFile('staging', '2.0.0') }, 'by hand')
    }
    story.host.faults.add({ method: 'POST', path: /push$/, nth: 1 }, { kind: 'after', act })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Converging', 60)).toBe(true)
    await story.deliver()
    await story.pass(900)
    expect(story.phase('staging')).toBe('Succeeded')
    expect(closedWhy(story)).toEqual([expect.stringMatching(/^This promotion has ended|^Duplicate of/)])
    expect([...(await story.during(story.repository.store.branches())).keys()]).toEqual(['main'])
  })

  it('is closed with its promotion, which is deleted before any list has it: its branch stays until then', async () => {
    const story = await late('deleted', {}, { deletionPolicy: 'Close' })
    await diesWhenOpened(story)
    const { name } = story.last('staging')!.metadata
    const key = { namespace: NAMESPACE, name }
    const o = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
    must(await story.during(story.fleet.hub.delete(promotionKind, key, o)))
    story.manager = story.start()
    await story.pass(5)
    expect(story.waits('staging')).toEqual(['ClosingPullRequests'])
    const isGone = () => !story.promotions('staging').some((p) => p.metadata.deletionTimestamp)
    expect(await story.until(isGone, 120)).toBe(true)
    expect(closedWhy(story)).toEqual([`Promotion ${name} was deleted`])
  })

  it('is closed with its promotion, which is deleted right after it was opened: what is made in its place finds it', async () => {
    const story = await late('deleted-open', {}, { deletionPolicy: 'Close' })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Open', 120)).toBe(true)
    const { name } = story.last('staging')!.metadata
    const key = { namespace: NAMESPACE, name }
    const o = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
    must(await story.during(story.fleet.hub.delete(promotionKind, key, o)))
    await story.pass(3)
    expect(story.waits('staging')).toEqual(['ClosingPullRequests'])
    // The next leader knows nothing of what this one has opened.
    story.manager.stop()
    story.manager = story.start()
    await story.pass(300)
    expect(story.phase('staging')).toBe('Rejected')
    expect(opened(story)).toBe(1)
  })
})
