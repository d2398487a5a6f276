/** The cases of takeover and hand-back beside the real Cluster API, where its managers are (`clusterapimanager.ts`). */
import { afterAll, beforeAll, describe, it } from 'vitest'
import {
  type ClusterApiVersion,
  RELEASES,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { takeoverCases } from '../integration/takeover.cases.ts'
import { takeoverOn } from '../integration/takeover.world.ts'
import { findManager } from './clusterapimanager.ts'
import { openRealWorld, type RealWorld } from './clusterapistage.ts'

for (const version of Object.keys(RELEASES) as ClusterApiVersion[]) {
  const files = findManager(version)
  if (!files)
    console.warn(
      `Cluster API ${version} is not there (LOCKSTEP_CAPI_MANAGERS): takeovers are not tried beside it`,
    )
  describe.skipIf(!files)(`Cluster API ${version}, real, and Lockstep`, () => {
    const cases = takeoverCases.filter((c) => c.versions?.includes(version) ?? true)
    let real: RealWorld

    beforeAll(async () => {
      real = await openRealWorld(files!)
      await real.upstream.start()
    }, 120_000)
    afterAll(() => real?.close(), 60_000)

    for (const [i, c] of cases.entries())
      it(c.name, async () => {
        const w = await takeoverOn(await real.stage(`takeover-${i}`, c.clusters))
        await c.run(w)
        await w.close()
      }, 120_000)
  })
}
