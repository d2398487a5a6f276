/** Removals over the whole hub: many Modules of many. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { allowed, blocked, deleteAll, exists, patched, there } from './removedmodules.ts'
import { must } from './simfleet.ts'
import { USER } from './single.ts'
import { manyModules } from './starts/manymodules.ts'
import { forked } from './starts/start.ts'
import type { Story } from './steps.ts'

const RECORD = { namespace: 'lockstep-system', name: 'lockstep-removals' }
const TWENTY = manyModules(20)

const begun = async (name: string): Promise<{ story: Story; names: readonly string[] }> => ({
  story: await forked(TWENTY, name),
  names: TWENTY.names,
})

it('eight Modules of twenty are deleted without a question', async () => {
  const { story } = await begun('few')
  const names = TWENTY.names.slice(-8)
  await deleteAll(story, names)
  expect(await story.until(() => names.every((m) => !exists(story, m)), 120)).toBe(true)
  expect(there(story, names)).toBe(0)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('all Modules of a hub, deleted at once, wait until their removal is allowed', async () => {
  const nine = manyModules(9)
  const { names } = nine
  const story = await forked(nine, 'all')
  await deleteAll(story, names)
  await story.pass(900)
  // 24 of the 27 units are within the limit.
  const left = names.filter((m) => exists(story, m))
  expect(there(story, names)).toBeGreaterThanOrEqual(3)
  expect(blocked(story, left).join('\n')).toContain('RemovalTooLarge')
  await allowed(story, left)
  expect(await story.until(() => left.every((m) => !exists(story, m)), 60)).toBe(true)
  expect(there(story, names)).toBe(0)
  expect(story.fleet.oracles.violations).toEqual([])
})

describe('most Modules of a hub, deleted in a minute', () => {
  it('wait until their removal is allowed; then they go, dependents first', async () => {
    const { story, names } = await begun('many')
    const last = names.slice(-13)
    await deleteAll(story, last)
    await story.pass(900)
    const left = last.filter((m) => exists(story, m))
    // At most half of the units had begun.
    expect(there(story, names)).toBeGreaterThanOrEqual(30)
    expect(left.length).toBeGreaterThanOrEqual(3)
    expect(blocked(story, left).join('\n')).toMatch(
      /RemovalTooLarge: \d+ units of \d+ Modules on 3 clusters would be removed.*: lockstep removal allow -n platform --all, or lockstep removal orphan/,
    )
    await allowed(story, left)
    expect(await story.until(() => left.every((m) => !exists(story, m)), 60)).toBe(true)
    expect(there(story, names)).toBe(21)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('or until they are orphaned: their objects stay', async () => {
    const { story, names } = await begun('orphans')
    await deleteAll(story, names.slice(-13))
    await story.pass(60)
    const left = names.slice(-13).filter((m) => exists(story, m))
    const kept = there(story, names)
    await patched(story, left, () => ({ spec: { apply: { deletionPolicy: 'Orphan' } } }))
    expect(await story.until(() => left.every((m) => !exists(story, m)), 60)).toBe(true)
    // The deletion of one unit was in progress.
    expect(there(story, names)).toBeGreaterThanOrEqual(kept - 1)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('count on under a new leader', async () => {
    const { story, names } = await begun('leaders')
    for (const m of names.slice(-13).reverse()) {
      await story.deleteModule(m)
      await story.pass(10)
      story.manager.stop()
      story.manager = story.fleet.startController()
    }
    await story.pass(300)
    expect(there(story, names)).toBe(30)
    expect(blocked(story, names).join('\n')).toMatch(/RemovalTooLarge: 9 units of 3 Modules .*\(30 started\)/)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('wait on if only one of them is allowed', async () => {
    const { story, names } = await begun('one allowed')
    const doomed = names.slice(-13)
    await deleteAll(story, doomed)
    await story.pass(60)
    const left = doomed.filter((m) => exists(story, m))
    const [first, ...others] = left.reverse()
    await allowed(story, [first!])
    expect(await story.until(() => !exists(story, first!), 60)).toBe(true)
    // Those that are left would still be too many.
    expect(blocked(story, others).length).toBeGreaterThan(0)
  })

  it('a broken record is replaced', async () => {
    const { story, names } = await begun('spoiled')
    await story.deleteModule(names[19]!)
    expect(await story.until(() => !exists(story, names[19]!), 60)).toBe(true)
    const spoiled = { data: { since: 'yesterday', of: 'many', begun: '-' } }
    must(await story.during(story.fleet.hub.patch(configMapKind, RECORD, spoiled as never, USER)))
    await story.deleteModule(names[18]!)
    expect(await story.until(() => !exists(story, names[18]!), 120)).toBe(true)
    const now = must(await story.during(story.fleet.hub.get(configMapKind, RECORD, USER)))
    expect(now.data).toMatchObject({ of: '57', begun: '3' })
  })
})
