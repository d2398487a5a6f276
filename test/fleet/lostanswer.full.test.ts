/** A change whose answer nobody has read: what is on the cluster may be either. */
import { expect, it } from 'vitest'
import { dataOf, publish, ready, unit } from './single.ts'
import { configManifest, Story } from './steps.ts'

const GONE = { phase: 'receive', detail: 'the answer is lost' } as const
const isApply = (method: string, path: string): boolean =>
  method === 'PATCH' && path.includes('configmaps/x') && !path.includes('dryRun')

/** `x` and `other` at 1; from then on the cluster does what it is asked of `x`, and no answer comes back. */
async function withoutAnswers(name: string): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  // Once more after its create, which leaves other marks.
  for (const n of ['0', '1']) {
    await publish(story, [configManifest('x', n), configManifest('other', '1')])
    await ready(story)
  }
  story.fleet.env.net.wire('https://edge.test', {
    before: async () => undefined,
    after: async ({ method, path }) => (isApply(method, path) ? GONE : undefined),
  })
  await publish(story, [configManifest('x', '2'), configManifest('other', '1')])
  expect(await story.until(() => dataOf(story) !== undefined && value(story) === '2')).toBe(true)
  expect(unit(story)?.status?.health).not.toBe('Healthy')
  return story
}

const value = (story: Story, name = 'x'): unknown =>
  (dataOf(story, name) as { value?: unknown } | undefined)?.value

it.each([
  ['a process that knows of it', false],
  ['another process', true],
])('what it had before is written again by %s', async (name, isRestarted) => {
  const story = await withoutAnswers(`lost answer, ${name}`)
  if (isRestarted) story.manager.stop()
  story.fleet.env.net.wire('https://edge.test', undefined)
  if (isRestarted) story.manager = story.fleet.startController()
  const from = story.fleet.commits.length
  await publish(story, [configManifest('x', '1'), configManifest('other', '1')])
  await ready(story)
  expect(value(story)).toBe('1')
  expect(story.writes('edge', from)).toEqual(['apply configmaps default/x'])
  expect(unit(story)?.spec.objects?.some((o) => o.changing)).toBe(false)
})
