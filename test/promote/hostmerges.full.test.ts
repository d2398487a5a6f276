/** P13: what we merge is what was checked, and a host that does not let us is not pressed. */
import { describe, expect, it } from 'vitest'
import type { HostKind } from '../../packages/simulators/src/githost/githost.ts'
import type { FaultMatch } from '../../packages/simulators/src/githost/hostfault.ts'
import { PipelineStory } from './pipelinestory.ts'

const AUTO = { promotion: { pullRequest: { autoMerge: true } } }
const HOUR = 3600
/** On each host it ends so; how it is asked for differs. */
const MERGE: FaultMatch = { path: /\/merge$/ }
const HOSTS: readonly HostKind[] = ['github', 'gitlab', 'gitea']

async function settled(seed: string, provider: HostKind): Promise<PipelineStory> {
  const story = await PipelineStory.open(`hostmerges/${seed}/${provider}`, { provider })
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: AUTO })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

const merges = (story: PipelineStory) => story.host.requests.filter((r) => MERGE.path!.test(r.path))
const changesByUs = (story: PipelineStory) =>
  story.repository.journal.changes.filter((c) => c.branch === 'main' && c.by !== 'person')

describe.each(HOSTS)('P13: at %s', (provider) => {
  it('somebody pushes to the branch between our look and our merge: it is not merged, and waits for people', async () => {
    const story = await settled('foreign', provider)
    const act = () => {
      const { branch = '' } = story.last('staging')!.status!.intent!
      return story.repository.push(branch, { 'theirs.md': 'x' }, 'theirs')
    }
    story.host.faults.add({ ...MERGE, nth: 1 }, { kind: 'before', act })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.waits('staging').includes('BranchModified'), 180)).toBe(true)
    await story.pass(600)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Open', ['BranchModified']])
    expect([changesByUs(story), await story.atBase('staging')]).toEqual([[], '1.0.0'])
    // Once, before it was known.
    expect(merges(story)).toHaveLength(1)
  })

  it('that says 405 for an hour: asked once a minute at most, costs no attempt, and is merged then', async () => {
    const story = await settled('405', provider)
    story.host.faults.add({ ...MERGE, nth: 1, times: 1000 }, { kind: 'status', status: 405 })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => merges(story).length > 0, 180)).toBe(true)
    await story.pass(HOUR)
    const asked = merges(story)
    const waits = asked.slice(1).map((r, i) => r.at - asked[i]!.at)
    // A minute by the status, which has whole seconds.
    expect([waits.filter((ms) => ms <= 59_000), asked.length <= HOUR / 60 + 1]).toEqual([[], true])
    // It is not given up either.
    expect(asked.length).toBeGreaterThan(HOUR / 60 / 2)
    expect([story.phase('staging'), story.waits('staging')]).toEqual(['Open', ['MergeBlocked']])
    expect(story.last('staging')!.status?.attempt).toBeUndefined()
    story.host.faults.clear()
    expect(await story.until(() => story.phase('staging') === 'Converging', 130)).toBe(true)
    expect(changesByUs(story)).toHaveLength(1)
  })

  it('that says 405 is not asked more often because targets change meanwhile', async () => {
    const story = await settled('turns', provider)
    story.host.faults.add({ ...MERGE, nth: 1, times: 1000 }, { kind: 'status', status: 405 })
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => merges(story).length > 0, 180)).toBe(true)
    // Each of these wakes the promotion.
    for (let i = 0; i < 60; i++) {
      await story.runs('dev', '2.0.0', { ready: i % 2 === 0 })
      await story.runs('staging', '1.0.0', { ready: i % 2 === 0 })
      await story.pass(10)
    }
    const asked = merges(story)
    const waits = asked.slice(1).map((r, i) => r.at - asked[i]!.at)
    expect(waits.filter((ms) => ms < 60_000)).toEqual([])
  })
})
