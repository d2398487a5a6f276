/** Takeover and hand-back, on the simulated upstream (`takeover.test.ts`) and on the real one (`test/real/takeover.test.ts`). */
import { expect } from 'vitest'
import { addCluster, addConfigMap, addSet } from '../../src/apiserver/world/clusterapi/stage.cases.ts'
import { LOCKSTEP_AGENT, type TakeoverCase, UPSTREAM_AGENT, workloadWrites } from './takeover.world.ts'

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: takeover-x\n  namespace: default\n'

const notManaged: TakeoverCase = {
  name: "a set that is not managed is upstream's alone, and who writes what is told apart",
  clusters: ['c1'],
  async run(w) {
    const lockstep = w.startLockstep()
    await addCluster(w, 'c1')
    await addConfigMap(w, 'a', { x: MANIFEST })
    await addSet(w, 'crs1', { resources: ['ConfigMap/a'] })
    await w.settle()
    expect(workloadWrites(w, UPSTREAM_AGENT).map((r) => r.path.replace(/\?.*/, ''))).toEqual([
      '/api/v1/namespaces/default/configmaps',
    ])
    expect(workloadWrites(w, LOCKSTEP_AGENT)).toEqual([])
    lockstep.stop()
  },
}

export const takeoverCases: readonly TakeoverCase[] = [notManaged]
