/** D19: a request lets go of what was held before it, once: not of what was made since, whatever a process knows of both. */
import { describe, expect, it } from 'vitest'
import { promotionKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { HeldWatches } from '../fleet/heldwatches.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { behind } from './backintime.ts'
import { PipelineStory } from './pipelinestory.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const VERIFY = {
  soakSeconds: 0,
  timeoutSeconds: 60,
  checks: [{ name: 'slo', readyExpr: "revision != '3.0.0'" }],
}
const BACK = { verify: VERIFY, rollback: 'OnFailure' }

const holds = (story: PipelineStory) => story.holds().map((h) => h.metadata.name)
const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => `${p.spec.epoch} ${p.spec.revision} ${p.status?.phase}`)

/** People bring what is promoted: 1.0.0, and then 2.0.0. */
async function promoted(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`askedonce/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.runs('staging', '1.0.0')
  await story.pipeline({ dev: {}, staging: { promotion: { strategy: 'manual', ...promotion } } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Converging')).toBe(true)
  await story.runs('staging', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.pass(30)
  return story
}

/** Somebody asks, has it, and leads the environment back after that. */
async function ledBack(story: PipelineStory): Promise<void> {
  await story.ask('staging', 'r1')
  const isAsked = () => story.last('staging')?.spec.epoch === 3 && story.phase('staging') === 'Succeeded'
  expect(await story.until(isAsked)).toBe(true)
  await story.pass(10)
  await story.runs('staging', '1.0.0')
  await story.pass(30)
  expect(holds(story)).toEqual(['podinfo-staging-3-left'])
}

/** The next process does not hear of what has become of a resource since `version`, for three seconds. */
async function startsBehind(story: PipelineStory, resource: string, version: string): Promise<void> {
  const { env } = story.fleet
  const held = new HeldWatches()
  held.hold(resource)
  story.manager = story.start(held.surroundings({ ...env, net: behind(env.net, resource, version) }))
  await story.pass(3)
  held.hold()
}

describe('an environment that was led back after somebody had asked', () => {
  it('stays held where a process does not know of the Promotion yet that was asked for', async () => {
    const story = await promoted('promotions')
    const { resourceVersion } = story.seen().metadata
    await ledBack(story)
    story.manager.stop()
    await story.pass(200)
    await startsBehind(story, 'promotions', resourceVersion)
    await story.runs('dev', '3.0.0')
    await story.pass(60)
    expect(holds(story)).toEqual(['podinfo-staging-3-left'])
    expect(moves(story).slice(2)).toEqual(['3 2.0.0 Succeeded', '4 3.0.0 Pending'])
    expect(story.waits('staging')).toEqual(['Held'])
  })

  it('stays held where somebody deletes that Promotion, which is made anew', async () => {
    const story = await promoted('deleted')
    await ledBack(story)
    await story.pass(300)
    const { name } = story.last('staging')!.metadata
    must(await story.during(story.fleet.hub.delete(promotionKind, { namespace: NAMESPACE, name }, WRITE)))
    await story.pass(60)
    expect(holds(story)).toEqual(['podinfo-staging-3-left'])
    expect([moves(story).at(-1), story.waits('staging')]).toEqual(['3 2.0.0 Pending', ['Held']])
  })
})

it('a request lets go of a Hold as well of which a process has not heard yet', async () => {
  const story = await promoted('holds')
  const { resourceVersion } = story.seen().metadata
  await story.runs('staging', '1.0.0')
  await story.pass(20)
  expect(holds(story)).toEqual(['podinfo-staging-2-left'])
  story.manager.stop()
  await story.ask('staging', 'r1')
  await story.pass(60)
  await startsBehind(story, 'holds', resourceVersion)
  await story.pass(60)
  expect([holds(story), moves(story).at(-1)]).toEqual([[], '3 2.0.0 Converging'])
})

describe('a way back that has its Hold', () => {
  /** 3.0.0 fails, and 2.0.0 comes back. */
  async function goneBack(seed: string): Promise<{ story: PipelineStory; before: string }> {
    const story = await promoted(seed, BACK)
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    const before = story.seen().metadata.resourceVersion
    await story.runs('staging', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.rollbackOf !== undefined, 300)).toBe(true)
    expect(holds(story)).toEqual(['podinfo-staging-3-rollback'])
    await story.pass(30)
    return { story, before }
  }

  it('does not have it again where people have deleted it, and a process knows of neither', async () => {
    const { story, before } = await goneBack('wayback')
    await story.dropHolds()
    await story.pass(30)
    story.manager.stop()
    await story.pass(60)
    await startsBehind(story, 'promotions', before)
    await story.pass(60)
    expect([holds(story), moves(story).at(-1)]).toEqual([[], '4 2.0.0 Converging'])
  })
})
