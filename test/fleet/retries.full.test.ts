/** What failed is tried again: all of it, or on one cluster. */
import { describe, expect, it } from 'vitest'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { RETRY_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { retryText } from '../../packages/lockstep/src/decisions/rollout/retry.ts'
import { LIFELIKE, type WorkloadFailure } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { deploymentManifest, Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1', 'c2', 'c3']
const FAILURE: WorkloadFailure = { image: 'web:2', outcome: 'ImagePull' }

/** Two are slow for longer than they may. */
async function failing(name: string, maxFailed: number): Promise<Story> {
  const story = await Story.begin(name, CLUSTERS, { delays: LIFELIKE })
  for (const n of [1, 2]) await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
  const rollout = { strategy: 'Replace', progressDeadlineSeconds: 60, maxFailed }
  const options = { health: { timeoutSeconds: 7200 }, rollout }
  await story.module('web', 'v1', options)
  expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
  for (const c of ['c0', 'c1']) story.fleet.clusters.get(c)!.world.fail(FAILURE)
  await story.module('web', 'v2', options)
  expect(await story.until(() => failedOf(story).length === 2, 300)).toBe(true)
  return story
}

const ledger = (story: Story) => story.see('web').status?.rollout?.ledger ?? []
const failedOf = (story: Story): string[] =>
  ledger(story)
    .filter((e) => e.failed !== undefined)
    .map((e) => e.cluster)

async function retry(story: Story, ...clusters: string[]): Promise<void> {
  const asked = retryText(`at-${story.fleet.env.clock.now()}`, clusters)
  const patch = { metadata: { annotations: { [RETRY_ANNOTATION]: asked } } }
  const key = { namespace: NAMESPACE, name: 'web' }
  must(await story.during(story.fleet.hub.patch(moduleKind, key, patch, { ...USER, precondition: 'any' })))
  const isAnswered = () => story.see('web').status?.lastHandledRetryAt === asked
  expect(await story.until(isAnswered, 30)).toBe(true)
}

describe('of one cluster', () => {
  it('a tolerated failure is counted from 0 there, and stays one elsewhere', async () => {
    const story = await failing('retry one', 2)
    expect(story.see('web').status?.rollout?.haltedAt).toBeUndefined()
    await retry(story, 'c1')
    expect(failedOf(story)).toEqual(['c0'])
    expect(ledger(story).find((e) => e.cluster === 'c1')!.runSeconds).toBeLessThan(10)
    // It runs its time anew, and no less.
    await story.pass(45)
    expect(failedOf(story)).toEqual(['c0'])
    expect(await story.until(() => failedOf(story).length === 2, 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
  it('a rollout that is halted goes on when no more has failed than is tolerated', async () => {
    const story = await failing('retry halted', 1)
    const { haltedAt } = story.see('web').status!.rollout!
    expect(haltedAt).toBe(story.see('web').status!.currentRevision)
    for (const c of ['c0', 'c1']) story.fleet.clusters.get(c)!.world.heal(FAILURE)
    await retry(story, 'c0')
    expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
    expect(story.see('web').status?.rollout).toMatchObject({ phase: 'Complete' })
  })
})

it('of all: each is tried again, also where nothing was halted', async () => {
  const story = await failing('retry all', 2)
  await retry(story)
  expect(failedOf(story)).toEqual([])
})
