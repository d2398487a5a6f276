/** Random rights of accounts, on a hub in virtual time. A case is drawn by its seed. */
import { expect, it } from 'vitest'
import { sharedCrds } from '../../../packages/lockstep/src/api/crd/crd.ts'
import { PROFILES } from '../../../packages/lockstep/src/api/rights.ts'
import { auditProblems } from '../../audit/auditproblems.ts'
import { simFleet } from '../../fleet/simfleet.ts'
import { expectSeen } from '../../property.ts'
import { rowToAdd, withKnownSeeds } from '../../seeds.ts'
import { RUNS, TIER } from '../../tier.ts'
import { underInstalledRoles } from '../installedroles.ts'
import { matrixCase, matrixSeeds } from './matrixcase.ts'
import { type MatrixHub, playMatrix } from './runmatrix.ts'

const MINUTES = 60_000
/** Milliseconds after which nothing changes any more: refusals are tried again until then. */
const REST_MS = 30_000
/** Cases of one hub. */
const BATCH = 50
const replayed = process.env.LOCKSTEP_SEED
const CASES = TIER === 'full' ? 2 * RUNS : TIER === 'short' ? RUNS / 2 : RUNS

async function simulatedHub(seed: string): Promise<MatrixHub & { stop(): void }> {
  const fleet = await simFleet(seed, [], { unjudged: true })
  // The definitions of Cluster API.
  for (const o of sharedCrds()) fleet.hubApi.local.create(o as never, 'install')
  const audit = underInstalledRoles(fleet, [], PROFILES)
  let manager = fleet.startController()
  const { clock } = fleet.env
  return {
    admin: fleet.hub,
    find: ({ group, plural }, name, namespace = '') =>
      fleet.hubApi.local.get(group === '' ? plural : `${plural}.${group}`, namespace, name),
    async during(work) {
      let isSettled = false
      const settled = (): void => {
        isSettled = true
      }
      work.then(settled, settled)
      await clock.run(() => isSettled)
      return work
    },
    async until(holds) {
      if ((await clock.run(holds, 2 * MINUTES)) !== 'done') return false
      await clock.run(() => false, REST_MS)
      return holds()
    },
    async restart() {
      manager.stop()
      manager = fleet.startController()
    },
    audit: async () => audit,
    stop: () => manager.stop(),
  }
}

interface Played {
  readonly differences: readonly string[]
  readonly allowed: number
}

/** Cases that share a hub. */
async function played(name: string, seeds: readonly string[]): Promise<Played> {
  const cases = seeds.map(matrixCase)
  const hub = await simulatedHub(name)
  const result = await playMatrix(hub, cases)
  hub.stop()
  const managed = new Set(cases.map((c) => c.scene.own))
  expect(auditProblems(await hub.audit(), { managed })).toEqual([])
  return result
}

it('requests with all rights have their effect; others have none, and name a missing right', {
  timeout: 20 * MINUTES,
}, async () => {
  const seeds = replayed === undefined ? withKnownSeeds(matrixSeeds(CASES)) : [replayed]
  const differences: string[] = []
  let allowed = 0
  for (let i = 0; i < seeds.length; i += BATCH) {
    const result = await played(`matrix/${i}`, seeds.slice(i, i + BATCH))
    differences.push(...result.differences)
    allowed += result.allowed
  }
  const rows = differences.map((d) => rowToAdd(d.split(':')[0]!))
  expect([...differences, ...rows].join('\n')).toBe('')
  if (replayed !== undefined) return
  expectSeen(allowed, 0.4, seeds.length)
  expectSeen(seeds.length - allowed, 0.3, seeds.length)
})

// Its list is answered before its watch is refused: a start that was recorded was assigned without values.
it('a binding that cannot be resolved any more is not deployed by its name', async () => {
  expect((await played('matrix/0', ['m-8'])).differences).toEqual([])
})
