import { describe, it } from 'vitest'
import {
  type ClusterApiVersion,
  RELEASES,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { rowsOfTier } from '../tier.ts'
import { takeoverCases } from './takeover.cases.ts'
import { simTakeover } from './takeover.world.ts'

for (const version of rowsOfTier(Object.keys(RELEASES) as ClusterApiVersion[], () => 'a version'))
  describe(`Cluster API ${version}, simulated, and Lockstep`, () => {
    for (const c of takeoverCases.filter((x) => x.versions?.includes(version) ?? true))
      it(c.name, async () => {
        const w = await simTakeover(version, c.clusters)
        await w.upstream.start()
        await c.run(w)
        await w.close()
      })
  })
