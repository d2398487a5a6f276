/** The simulated Cluster API and the real one: the same scripts, and after each step the same to be seen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ClusterApiVersion,
  RELEASES,
} from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { defects } from '../../packages/simulators/src/clusterapi/defects.cases.ts'
import { play, type Script, type Seen } from '../../packages/simulators/src/clusterapi/script.cases.ts'
import { scripts } from '../../packages/simulators/src/clusterapi/scripts.cases.ts'
import { simStage } from '../../packages/simulators/src/clusterapi/simstage.cases.ts'
import { recorded } from '../../packages/simulators/src/clusterapi/vectors.cases.ts'
import { findManager } from './clusterapimanager.ts'
import { openRealWorld, type RealWorld } from './clusterapistage.ts'

const STEP_MS = 30_000

for (const version of Object.keys(RELEASES) as ClusterApiVersion[]) {
  const files = findManager(version)
  if (!files)
    console.warn(
      `Cluster API ${version} is not there (LOCKSTEP_CAPI_MANAGERS): the simulated one is not compared with it`,
    )
  describe.skipIf(!files)(`Cluster API ${version}, simulated and real`, () => {
    const played = [...scripts, ...defects, recorded].filter((s) => s.versions?.includes(version) ?? true)
    let real: RealWorld

    beforeAll(async () => {
      real = await openRealWorld(files!)
      await real.upstream.start()
    }, 120_000)
    afterAll(() => real?.close(), 60_000)

    for (const [i, script] of played.entries())
      it(
        script.name,
        async () => {
          const simulated: (readonly [string, Seen])[] = []
          const sim = await simStage(version, script.clusters, { checked: !script.unchecked })
          await sim.upstream.start()
          await play(sim, script, (step, seen) => simulated.push([step, inAnyOrder(script, seen)]))
          await sim.close()
          const stage = await real.stage(`script-${i}`, script.clusters)
          await play(stage, script, (step, seen) => {
            expect([step, inAnyOrder(script, seen)]).toEqual(
              simulated.filter(([s]) => s === step).map(([s, x]) => [s, x])[0],
            )
          })
          await stage.close()
        },
        script.steps.length * STEP_MS,
      )
  })
}

/** Clusters are taken in the order of a map. */
const inAnyOrder = ({ clusters }: Script, seen: Seen): Seen =>
  clusters.length > 1 ? { ...seen, writes: [...seen.writes].sort() } : seen
