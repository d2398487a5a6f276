/** How often a module's status is written while its fleet moves (ADR 0049). */
import { expect, it } from 'vitest'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { deploymentManifest, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 40 }, (_, i) => `c${i}`)

it('what only tells how far it is: once in a second, however many clusters come to their end in it', async () => {
  const story = await Story.begin('status writes', CLUSTERS, { delays: LIFELIKE })
  for (const n of [1, 2]) await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
  const rollout = { rollout: { strategy: 'Replace' } }
  await story.module('web', 'v1', rollout)
  expect(await story.until(() => story.isReady('web'), 300)).toBe(true)

  const { clock } = story.fleet.env
  const at: number[] = []
  const push = story.fleet.commits.push.bind(story.fleet.commits)
  story.fleet.commits.push = (...commits) => {
    for (const c of commits) if (c.resource === 'modules.lockstep.dev') at.push(clock.steady())
    return push(...commits)
  }
  await story.module('web', 'v2', rollout)
  expect(
    await story.until(() => story.see('web').status?.clusters?.updated === 40 && story.isReady('web'), 300),
  ).toBe(true)
  const seconds = Math.ceil((at.at(-1)! - at[0]!) / 1000)
  // Beside these: the spec, its revision, the starts, and that all is ready.
  expect(at.length).toBeLessThanOrEqual(seconds + 5)
})
