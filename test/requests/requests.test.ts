/** Requests of a release and of a deletion: a request more for each unit, or for each object, fails with its verb and resource. */
import { beforeAll, describe, expect, it } from 'vitest'
import { TIER } from '../tier.ts'
import { CountedFleet, excessOf, type RequestCounts, totalOf } from './countedrelease.ts'

const IS_SAMPLE = TIER === 'short'
const UNITS = IS_SAMPLE ? 4 : 100
/** Changed objects of a unit. */
const CHANGED = 4

const APPLIES = {
  'c0 apply configmaps': 1,
  'c0 apply deployments': 1,
  'c0 apply serviceaccounts': 1,
  'c0 apply services': 1,
}
const UPGRADE: RequestCounts = {
  ...APPLIES,
  'c0 update configmaps': 1,
  'hub create controllerrevisions': 1,
  'hub create events': 2,
  'hub create secrets': 1,
  'hub patch controllerrevisions': 1,
  'hub update inventories': 3,
  'hub update inventories/status': 1,
  'hub update modules/status': 2,
}
const DELETION: RequestCounts = {
  'c0 delete configmaps': 2,
  'c0 delete deployments': 1,
  'c0 delete serviceaccounts': 1,
  'c0 delete services': 1,
  'hub delete inventories': 1,
  'hub patch inventories': 1,
  'hub patch modules': 1,
  'hub update inventories': 2,
  'hub update modules/status': 1,
}
/** Requests for the views of the cluster. */
const ONCE: RequestCounts = { 'hub update remoteassemblages/status': 4 }
/** The deletion of the kind or the Namespace is looked for. */
const READS: RequestCounts = { 'hub get customresourcedefinitions': 4, 'hub get namespaces': 4 }

describe(`${UNITS} units on one cluster`, () => {
  let upgrade: RequestCounts
  beforeAll(async () => {
    const fleet = await CountedFleet.begin('wide', UNITS, ['c0'])
    await fleet.release('1')
    upgrade = await fleet.release('2')
  })

  it('an upgrade needs no more requests than its budget', () => {
    expect(excessOf(upgrade, UNITS, UPGRADE, ONCE)).toEqual([])
    expect(totalOf(upgrade)).toBeLessThanOrEqual((12 + 1.1 * CHANGED) * UNITS)
  })

  it('each changed object is applied once, without a dry run', () => {
    const applies = Object.keys(APPLIES).reduce((sum, what) => sum + upgrade[what]!, 0)
    expect(applies).toBe(CHANGED * UNITS)
  })
})

it('a deletion needs at most 1.1 requests an object and 8 a unit', async () => {
  // More of them at once wait for a person.
  const units = 4
  const fleet = await CountedFleet.begin('wide', units, ['c0'])
  await fleet.release('1')
  const deletion = await fleet.deleteAll()
  expect(excessOf(deletion, units, DELETION, { ...ONCE, ...READS })).toEqual([])
  expect(totalOf(deletion)).toBeLessThanOrEqual((8 + 1.1 * CHANGED) * units)
})

it.skipIf(IS_SAMPLE)(
  'requests grow with the units, and with nothing else',
  { timeout: 600_000 },
  async () => {
    const totals: number[] = []
    for (const units of [25, 50, 100, 200, 400]) {
      const fleet = await CountedFleet.begin('wide', units, ['c0'])
      await fleet.release('1')
      totals.push(totalOf(await fleet.release('2')))
    }
    const exponent = Math.log2(totals.at(-1)! / totals[0]!) / Math.log2(400 / 25)
    expect(exponent).toBeGreaterThanOrEqual(0.98)
    expect(exponent).toBeLessThanOrEqual(1.02)
  },
)

it.skipIf(IS_SAMPLE)('a unit of a second cluster needs at most 6 requests and its objects', async () => {
  const [one, two] = await Promise.all(
    [['c0'], ['c0', 'c1']].map(async (clusters) => {
      const fleet = await CountedFleet.begin('wide', 4, clusters)
      await fleet.release('1')
      return totalOf(await fleet.release('2'))
    }),
  )
  expect(two! - one!).toBeLessThanOrEqual((6 + 1.1 * CHANGED) * 4)
})

it('the line of a request too many names its verb and resource', () => {
  expect(excessOf({ 'c0 get configmaps': 10, 'c0 apply configmaps': 10 }, 10, APPLIES, {})).toEqual([
    'c0 get configmaps: 10 requests for 10 units, limit 0',
  ])
})
