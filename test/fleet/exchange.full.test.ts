/** Twenty clusters leave a module, and twenty others join. */
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { allowed } from './removedmodules.ts'
import { clientOf, clusterSecret, must } from './simfleet.ts'
import { USER } from './single.ts'
import { Slots } from './slots.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const TOTAL = 20
const named = (prefix: string): string[] => Array.from({ length: TOTAL }, (_, i) => `${prefix}${i}`)
const OLD = named('old')
const NEW = named('new')
const inRegion = (region: string) => ({ targets: { clusterSelector: { matchLabels: { region } } } })

/** All twenty old ones are ready; whoever leaves need not ask. */
async function begun(name: string, rollout: object): Promise<Story> {
  const story = await Story.begin(name, [...OLD, ...NEW], { delays: LIFELIKE })
  story.manager.stop()
  const { env, hub } = story.fleet
  story.manager = startManager(env, clientOf(env, 'hub', 'lockstep-controller'), { maxRemoval: '100%' })
  for (const [region, names] of Object.entries({ old: OLD, new: NEW }))
    for (const cluster of names)
      must(
        await story.during(
          hub.apply(secretKind, clusterSecret(cluster, { region }), { ...USER, force: true }),
        ),
      )
  await story.config('v1', deploymentManifest('web', 'web:1'))
  await story.module('web', 'v1', { ...inRegion('old'), rollout: { ...rollout, strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'), 900)).toBe(true)
  return story
}

const withIt = (story: Story): string[] =>
  [...OLD, ...NEW].filter((c) => story.live(c, 'deployments.apps', 'web') !== undefined)

it.each([
  { maxSurge: 0, maxUnavailable: 2, widest: TOTAL },
  { maxSurge: 5, maxUnavailable: 2, widest: TOTAL + 5 },
])('maxSurge $maxSurge, maxUnavailable $maxUnavailable: it is on $widest of them at most', async (limits) => {
  const { maxSurge, maxUnavailable, widest } = limits
  const rollout = { maxSurge, maxUnavailable }
  const story = await begun(`exchange ${maxSurge} ${maxUnavailable}`, rollout)
  const slots = new Slots(story, 'web')
  expect(slots.widest).toBe(TOTAL)
  await story.module('web', 'v1', { ...inRegion('new'), rollout: { ...rollout, strategy: 'Replace' } })
  expect(await story.until(() => withIt(story).join() === NEW.join() && story.isReady('web'), 3600)).toBe(
    true,
  )
  expect(slots.mostLeaving).toBe(maxUnavailable)
  expect(slots.most).toBeLessThanOrEqual(maxUnavailable)
  expect(slots.widest).toBeLessThanOrEqual(widest)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('those that cannot leave yet hold up the others only beyond the surge', async () => {
  const rollout = { maxSurge: 5, maxUnavailable: 2 }
  const story = await begun('surge', rollout)
  await story.config('dep', configManifest('dep', '1'))
  const dependant = { ...inRegion('old'), dependsOn: ['web'], rollout: { strategy: 'Replace' } }
  await story.module('dep', 'dep', dependant)
  expect(await story.until(() => story.isReady('dep'), 300)).toBe(true)
  const slots = new Slots(story, 'web')
  await story.module('web', 'v1', { ...inRegion('new'), rollout: { ...rollout, strategy: 'Replace' } })
  await story.pass(300)
  expect([slots.widest, slots.mostLeaving]).toEqual([TOTAL + 5, 0])
  expect(story.blockers('web')).toContain(
    'RolloutLimit: rollout limit reached (maxSurge 25/25): 15 clusters queued',
  )
  await story.deleteModule('dep')
  // Together they remove more than half of the units of the hub.
  await allowed(story, ['dep', 'web'])
  expect(await story.until(() => withIt(story).join() === NEW.join() && story.isReady('web'), 3600)).toBe(
    true,
  )
  expect(slots.widest).toBe(TOTAL + 5)
  expect([1, 2]).toContain(slots.mostLeaving)
  expect(story.fleet.oracles.violations).toEqual([])
})
