/** The world of the takeover itself: who wrote what is told apart, and upstream is as it was beside Lockstep's controllers. */
import { describe, expect, it } from 'vitest'
import {
  addCluster,
  addConfigMap,
  addSet,
  LOCKSTEP_AGENT,
  must,
  simTakeover,
  UPSTREAM_AGENT,
  workloadWrites,
} from './takeover.world.ts'

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: default\n'

describe('a world for takeovers', () => {
  for (const version of ['1.8', '1.9', '1.13'] as const)
    it(`Cluster API ${version} beside Lockstep: a set that is not managed is upstream's alone`, async () => {
      const w = await simTakeover({ version, clusters: ['c1'] })
      await w.upstream.start()
      const lockstep = w.startLockstep()
      await addCluster(w, 'c1')
      await addConfigMap(w, 'a', { x: MANIFEST })
      await addSet(w, 'crs1', { resources: ['ConfigMap/a'] })
      await w.settle()
      await must(w, 'c1', 'POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'by-hand' },
      })
      expect(workloadWrites(w, UPSTREAM_AGENT).map((r) => `${r.method} ${r.path}`)).toEqual([
        'POST /api/v1/namespaces/default/configmaps',
      ])
      expect(workloadWrites(w, LOCKSTEP_AGENT)).toEqual([])
      expect(workloadWrites(w, 'kubectl')).toHaveLength(1)
      lockstep.stop()
      await w.close()
    })
})
