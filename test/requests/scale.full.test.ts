import { beforeAll, describe, expect, it } from 'vitest'
import { type FleetCost, ScaledFleet } from './scaledfleet.ts'

const SIZE = { clusters: 100, modules: 3, objects: 3 }
const UNITS = SIZE.clusters * SIZE.modules
/** Requests of a unit: its bookkeeping, its changed object, two live reads of its dependency. */
const EACH = 6 + 1.1 + 2
/** Requests of a Module for its revision, its Events and its progress. */
const PUBLISHING = 20

describe(`${SIZE.clusters} clusters with ${SIZE.modules} modules`, () => {
  let fleet: ScaledFleet
  let upgrade: FleetCost
  beforeAll(async () => {
    fleet = await ScaledFleet.begin(SIZE)
    await fleet.release('1')
    upgrade = await fleet.release('2')
    await fleet.rest(60)
  }, 300_000)

  it('a release needs at most 6 requests a unit, those for its object, and two reads of its dependency', () => {
    expect(upgrade.requests).toBeLessThanOrEqual(EACH * UNITS + PUBLISHING * SIZE.modules)
  })

  it('a fleet at rest needs no request', async () => {
    const { requests } = await fleet.rest(1800)
    expect(requests).toBe(0)
  })

  it('drift on a tenth of the units needs at most 1.1 requests to a cluster each, within 2 s', async () => {
    const { requests, changes, ms } = await fleet.drift(0.1)
    expect(requests).toBeLessThanOrEqual(1.1 * changes)
    expect(ms).toBeLessThanOrEqual(2000)
  })

  it('a restart with nothing changed writes nothing', async () => {
    await fleet.rest(600)
    const { writes } = await fleet.restart()
    const after = await fleet.rest(600)
    expect([writes, after.writes]).toEqual([0, 0])
  })
})
