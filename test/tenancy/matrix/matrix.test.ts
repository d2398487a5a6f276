import { describe, expect, it } from 'vitest'
import { PROFILES } from '../../../packages/lockstep/src/api/rights.ts'
import { simFleet } from '../../fleet/simfleet.ts'
import { underInstalledRoles } from '../installedroles.ts'
import { matrixCase } from './matrixcase.ts'
import { type MatrixHub, playMatrix } from './runmatrix.ts'

async function simulated(seed: string): Promise<MatrixHub & { stop(): void }> {
  const fleet = await simFleet(seed, [], { unjudged: true })
  const audit = underInstalledRoles(fleet, [], PROFILES)
  const manager = fleet.startController()
  const { clock } = fleet.env
  return {
    admin: fleet.hub,
    find: ({ group, plural }, name, namespace = '') =>
      fleet.hubApi.local.get(group === '' ? plural : `${plural}.${group}`, namespace, name),
    async during(work) {
      let settled = false
      void work
        .finally(() => {
          settled = true
        })
        .catch(() => {})
      await clock.run(() => settled)
      return work
    },
    until: async (holds) => (await clock.run(holds, 120_000)) === 'done',
    pass: (ms) => clock.run(() => false, ms),
    audit: async () => audit,
    stop: () => manager.stop(),
  }
}

describe('matrix', () => {
  it('differences', async () => {
    const hub = await simulated('matrix')
    const n = Number(process.env.N ?? 100)
    const cases = Array.from({ length: n }, (_, i) => matrixCase(`matrix-${i}`)).filter(
      (c) => !process.env.P || c.path.name.includes(process.env.P),
    )
    const t = process.hrtime.bigint()
    const found = await playMatrix(hub, cases)
    hub.stop()
    console.log(Number(process.hrtime.bigint() - t) / 1e9)
    expect(found).toEqual([])
  }, 600_000)
})
