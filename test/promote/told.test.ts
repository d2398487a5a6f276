/** Events of promotions: what people read in `kubectl describe` and `lockstep events`. */
import { describe, expect, it } from 'vitest'
import { PipelineStory } from './pipelinestory.ts'

/** As they are stored. */
interface Told {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid: string }
}

async function opened(seed: string, promotion: object = {}): Promise<PipelineStory> {
  const story = await PipelineStory.open(`told/${seed}`)
  await story.runs('dev', '1.0.0')
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: { promotion } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.runs('dev', '2.0.0')
  expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
  return story
}

/** What was said of a promotion, in that order. */
async function said(story: PipelineStory, { metadata: { uid } } = story.last('staging')!): Promise<string[]> {
  await story.pass(2)
  return story.fleet.commits
    .filter((c) => c.resource.startsWith('events') && c.old === undefined)
    .map((c) => c.next as unknown as Told)
    .filter(({ involvedObject: o }) => o.kind === 'Promotion' && o.uid === uid)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

const BEGUN = [
  'Normal Prepared: staging: 2.0.0 is Prepared',
  'Normal Applying: staging: 2.0.0 is Applying',
  'Normal Open: staging: 2.0.0 is Open',
]

describe('the Events of a promotion', () => {
  it('are its phases from Pending on, each once, to Succeeded', async () => {
    const story = await opened('succeeded')
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Converging', 61)).toBe(true)
    await story.deliver()
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 61)).toBe(true)
    await story.pass(120)
    expect(await said(story)).toEqual([
      ...BEGUN,
      'Normal Converging: staging: 2.0.0 is Converging',
      'Normal Verifying: staging: 2.0.0 is Verifying',
      'Normal Succeeded: staging: 2.0.0 is Succeeded',
    ])
  })

  it('end with a Warning where it is Rejected, and say what can be done', async () => {
    const story = await opened('rejected')
    await story.during(story.repository.close(1))
    expect(await story.until(() => story.phase('staging') === 'Rejected', 61)).toBe(true)
    expect(await said(story)).toEqual([
      ...BEGUN,
      'Warning Rejected: staging: 2.0.0 is Rejected: pull request #1 was closed without a merge; to promote again: lockstep promote',
    ])
  })

  it('end with a Warning where it has Failed, and say why', async () => {
    const story = await opened('failed', { convergeDeadlineSeconds: 30 })
    await story.during(story.repository.merge(1, { method: 'merge', by: 'person' }))
    expect(await story.until(() => story.phase('staging') === 'Failed', 180)).toBe(true)
    const told = await said(story)
    expect(told.slice(0, -1)).toEqual([...BEGUN, 'Normal Converging: staging: 2.0.0 is Converging'])
    expect(told.at(-1)).toMatch(
      /^Warning Failed: staging: 2\.0\.0 is Failed: targets are not at 2\.0\.0 after 30s: they are at 1\.0\.0$/,
    )
  })

  it('are no Warning where something newer has taken its place', async () => {
    const story = await opened('superseded')
    const old = story.last('staging')!
    await story.runs('dev', '3.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '3.0.0')).toBe(true)
    expect(await story.until(() => story.phase('staging') === 'Open')).toBe(true)
    const told = await said(story, old)
    expect(told.slice(0, -1)).toEqual(BEGUN)
    expect(told.at(-1)).toMatch(/^Normal Superseded: staging: 2\.0\.0 is Superseded: .*superseded by 3\.0\.0/)
  })
})
