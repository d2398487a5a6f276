/** How often controllers reconcile: recorded when routes were written by hand, for one release and at rest. */
import { expect, it } from 'vitest'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 8 }, (_, i) => `c${i}`)
const NEEDS: Readonly<Record<string, readonly string[]>> = { a: [], b: ['a'], c: ['b'], d: ['a'], e: [] }

/** Reconciles of each controller that one release of five modules cost on eight clusters. */
const RECORDED = { assemblage: 167, module: 356, unit: 836 }
/** A change of a rule may add a tenth. */
const MOST = 1.1

const counts = (story: Story): Record<string, number> => {
  const found: Record<string, number> = {}
  for (const { name, labels, value } of story.fleet.env.meters.read())
    if (name === 'lockstep_reconcile_total')
      found[labels.controller!] = (found[labels.controller!] ?? 0) + value
  return found
}

const since = (before: Record<string, number>, after: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(after).map(([k, n]) => [k, n - (before[k] ?? 0)]))

async function release(story: Story, version: string): Promise<void> {
  for (const [name, dependsOn] of Object.entries(NEEDS)) {
    const manifest = name === 'a' ? deploymentManifest : configManifest
    await story.config(`${name}-${version}`, manifest(name, `${name}:${version}`))
    await story.module(name, `${name}-${version}`, {
      release: version,
      dependsOn,
      rollout: { maxUnavailable: 3 },
    })
  }
  await story.pass(1)
  expect(await story.until(() => Object.keys(NEEDS).every((m) => story.isReady(m)), 900)).toBe(true)
  await story.pass(60)
}

it('a release costs no more reconciles than it did, and a fleet at rest costs none', async () => {
  const story = await Story.begin('reconciles', CLUSTERS, { delays: LIFELIKE })
  await release(story, 'r1')
  const before = counts(story)
  await release(story, 'r2')
  const cost = since(before, counts(story))
  expect(Object.keys(cost).sort()).toEqual(Object.keys(RECORDED))
  for (const [controller, recorded] of Object.entries(RECORDED)) {
    expect(cost[controller], controller).toBeGreaterThan(0)
    expect(cost[controller], controller).toBeLessThanOrEqual(MOST * recorded)
  }
  const atRest = counts(story)
  await story.pass(240)
  expect(counts(story)).toEqual(atRest)
})
