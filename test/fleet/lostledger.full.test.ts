/** Somebody wipes the status of a module, and with it the ledger, while its rollout is under way. */
import { describe, expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Slots } from './slots.ts'
import { deploymentManifest, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 12 }, (_, i) => `c${i}`)
const MAX = 3
const ROLLOUT = {
  strategy: 'Staged',
  maxUnavailable: MAX,
  stages: [{ name: 'canary', clusters: ['c0', 'c1'] }],
}

async function wipe(story: Story): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'web' }
  for (let tries = 0; tries < 20; tries++) {
    const module = must(await story.during(story.fleet.hub.get(moduleKind, key, USER)))
    const { status: _, ...rest } = module
    const done = await story.during(
      story.fleet.hub.update(moduleKind, rest as never, { ...USER, subresource: 'status' }),
    )
    if (done.ok) return
  }
  throw new Error('the status could not be wiped')
}

const isThere = (story: Story): boolean =>
  CLUSTERS.every((c) => JSON.stringify(story.live(c, 'deployments.apps', 'web')?.spec).includes('web:2'))

interface Run {
  readonly writes: number
  readonly wiped: number
  /** Most clusters that were under way at once, as far as records and Inventories say. */
  readonly most: number
}

/** From 1 to 2 on twelve clusters; `when` says at which commits of the hub the status is wiped. */
async function rollout(
  name: string,
  when: (story: Story, commits: number, slots: Slots) => boolean,
): Promise<Run> {
  const story = await Story.begin(name, CLUSTERS, { delays: LIFELIKE })
  for (const n of [1, 2]) await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
  const from = story.fleet.commits.length
  const slots = new Slots(story, 'web')
  const { clock, net } = story.fleet.env
  net.wire('https://hub.test', {
    before: async ({ method, path }) => {
      // An admission: it is under way for long.
      if (method === 'PUT' && /inventories\/[^/]+$/.test(path.split('?')[0]!)) await sleep(clock, 10_000)
      return undefined
    },
  })
  await story.module('web', 'v2', { rollout: ROLLOUT })
  let wiped = 0
  for (;;) {
    const seen = story.fleet.commits.length
    const isDone = () => story.isReady('web') && slots.underWay().length === 0 && isThere(story)
    if (!(await story.until(() => isDone() || story.fleet.commits.length > seen, 900)))
      throw new Error(`it does not end: ${story.blockers('web').join('; ')}`)
    if (isDone()) break
    if (when(story, story.fleet.commits.length - from, slots)) {
      await wipe(story)
      wiped++
    }
  }
  expect(story.fleet.oracles.violations).toEqual([])
  const writes = CLUSTERS.flatMap((c) => story.writes(c, from)).length
  return { writes, wiped, most: slots.most }
}

const REFERENCE = rollout('kept', () => false)

describe('a status that is wiped during a rollout', () => {
  it.each([
    ['at every 20th write', 20],
    ['at every 7th write', 7],
    ['at every 3rd write', 3],
  ])(
    '%s: the ledger is there again before anything starts, no limit is passed, and it ends',
    async (_, every) => {
      const reference = await REFERENCE
      expect(reference.most).toBe(MAX)
      let next = every
      const run = await rollout(`wiped ${every}`, (_s, commits) => {
        if (commits < next) return false
        next = commits + every
        return true
      })
      expect(run.wiped).toBeGreaterThan(5)
      expect(run.most).toBeLessThanOrEqual(MAX)
      expect(run.writes).toBeLessThanOrEqual(reference.writes * 1.02)
    },
  )

  it('what is assigned, and not admitted yet, is counted by its assignment alone', async () => {
    let isWiped = false
    const run = await rollout('assigned', (story, _, slots) => {
      const last = story.fleet.commits.at(-1)!
      const isAll = at(last.next, 'spec', 'assigned') !== undefined && slots.underWay().length === MAX
      if (isWiped || !isAll) return false
      isWiped = true
      return true
    })
    expect([run.wiped, run.most]).toEqual([1, MAX])
  })
})
