/** A Pipeline that is made anew with an identity of which there was one before: what was merged then and taken back since is another epoch. */
import { describe, expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { pipelineKind } from '../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { PipelineStory } from './pipelinestory.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const KEY = { namespace: NAMESPACE, name: 'podinfo' }

const HOLD = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Hold',
  metadata: { name: 'ours', namespace: NAMESPACE },
  spec: { targetRef: { kind: 'Pipeline', name: 'podinfo' }, environments: ['staging'], reason: 'not now' },
}

const pulls = (story: PipelineStory) => story.repository.pulls.list().map((p) => p.state)
const ends = (story: PipelineStory) =>
  story.promotions('staging').map(({ spec, status }) => `${spec.epoch} ${status?.phase} ${status?.reason}`)

/** 2.0.0 is merged as the first pull request there ever was, and taken back at the base and on the cluster. */
async function takenBack(seed: string): Promise<PipelineStory> {
  const story = await PipelineStory.open(`keyreused/${seed}`)
  await story.runs('dev', '2.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: {} })
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
  expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
  await story.deliver()
  expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
  const { commit } = story.last('staging')!.status!.result!
  await story.during(story.repository.revert(commit!))
  await story.deliver()
  return story
}

/** With all of its Promotions and Holds, and with whoever remembers anything of it; for so long there is none. */
async function madeAnew(story: PipelineStory, seconds: number, hold?: object): Promise<void> {
  must(await story.during(story.fleet.hub.delete(pipelineKind, KEY, WRITE)))
  story.manager.stop()
  for (const { metadata } of story.promotions('staging'))
    must(await story.during(story.fleet.hub.delete(promotionKind, metadata, WRITE)))
  await story.dropHolds()
  await story.during(sleep(story.fleet.env.clock, seconds * 1000))
  if (hold) must(await story.during(story.fleet.hub.create(holdKind, hold as never, WRITE)))
  await story.pipeline({ dev: {}, staging: {} })
  story.manager = story.start()
}

describe('P20: a key whose pull request was merged before, and taken back since', () => {
  it('is Aborted as KeyReused, and the next epoch has a pull request of its own', async () => {
    const story = await takenBack('next')
    const first = keyOfPromotion(story.last('staging')!.spec)
    await madeAnew(story, 3600)
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    expect(ends(story)).toEqual(['1 Aborted KeyReused', '2 Open undefined'])
    const [used, next] = story.promotions('staging')
    expect(keyOfPromotion(used!.spec)).toBe(first)
    expect(used!.status?.message).toBe(
      'pull request #1 of the same key was merged before: the next epoch follows',
    )
    expect(next!.spec.revision).toBe('2.0.0')
    expect(story.environment('staging')?.intent?.epoch).toBe(2)
    expect(pulls(story)).toEqual(['merged', 'open'])
    await story.during(story.repository.merge(2, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    expect(await story.atBase('staging')).toBe('2.0.0')
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
    await story.pass(600)
    expect(ends(story)).toHaveLength(2)
    expect(pulls(story)).toEqual(['merged', 'merged'])
  })

  it('is not reused where the value is still there: what was merged then is what was wanted', async () => {
    const story = await PipelineStory.open('keyreused/there')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} })
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 130)).toBe(true)
    await madeAnew(story, 3600)
    expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
    await story.pass(600)
    expect(ends(story)).toEqual(['1 Succeeded Promoted'])
    expect(pulls(story)).toEqual(['merged'])
  })

  it('goes by when it was merged: what was open while the object was lost, and is merged and taken back since, is held', async () => {
    const story = await PipelineStory.open('keyreused/open')
    await story.runs('dev', '2.0.0')
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: {} })
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    await madeAnew(story, 3600, HOLD)
    expect(await story.until(() => story.phase('staging') === 'Pending')).toBe(true)
    await story.during(story.repository.merge(1, { method: 'squash', by: 'person' }))
    const { mergeCommit } = story.repository.pulls.get(1)!
    await story.during(story.repository.revert(mergeCommit!))
    await story.dropHolds()
    expect(await story.until(() => story.phase('staging') === 'Failed', 130)).toBe(true)
    await story.pass(600)
    expect(ends(story)).toEqual(['1 Failed RevertedInGit'])
    expect(pulls(story)).toEqual(['merged'])
  })

  it('less than 5 minutes before the new Promotion is taken for its own: clocks differ, so it is RevertedInGit and held', async () => {
    const story = await takenBack('soon')
    await madeAnew(story, 60)
    expect(await story.until(() => story.phase('staging') === 'Failed')).toBe(true)
    await story.pass(600)
    expect(ends(story)).toEqual(['1 Failed RevertedInGit'])
    expect(story.holds().map((h) => h.metadata.name)).toEqual(['podinfo-staging-1-reverted'])
    expect(pulls(story)).toEqual(['merged'])
  })
})
