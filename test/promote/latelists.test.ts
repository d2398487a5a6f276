/** Lists of a host that are late: what was opened a moment ago is there, and nobody lists it. */
import { describe, expect, it } from 'vitest'
import type { Where } from '../../src/apiserver/githost/faults.ts'
import { keyOfPromotion } from '../../src/core/promotion/key.ts'
import type { NetRequest } from '../../src/env/net.ts'
import { sleep } from '../../src/env/sleep.ts'
import { spawn } from '../simulation/process.ts'
import { appFile, PipelineStory } from './pipelinestory.ts'

const CREATE: Where = { method: 'POST', path: /\/pulls$/ }
const LATE_MS = 10_000

/** dev and staging at 1.0.0, and dev is to go on to 2.0.0. */
async function late(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`late/${seed}`)
  await story.pushSecret('token-1')
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
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
      /^a pull request of branch lockstep\/podinfo\/staging\/2-\S+ may have been/,
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
    expect(story.repository.pulls.get(1)).toMatchObject({
      state: 'closed',
      comments: [expect.stringMatching(/^This promotion has ended|^Duplicate of/)],
    })
  })
})
