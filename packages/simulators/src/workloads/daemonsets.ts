import { at, canonicalJson, sha256Hex } from '@lockstep/kube/object'
import type { Engine } from './engine.ts'
import { isReadyPod, podOf } from './runpods.ts'

const HASH = 'controller-revision-hash'

/** DaemonSets: one Pod on each node; a simulated cluster has one node. */
export function runDaemonSets(engine: Engine): void {
  engine.follow('pods')
  engine.control('daemonsets.apps', (set) => {
    if (set.metadata.deletionTimestamp !== undefined) return
    const hash = sha256Hex(canonicalJson(at(set, 'spec', 'template'))).slice(0, 10)
    const pods = engine.owned('pods', set).filter((p) => p.metadata.deletionTimestamp === undefined)
    const current = pods.find((p) => p.metadata.labels?.[HASH] === hash)
    for (const old of pods) if (old !== current) engine.context.api.remove('pods', old)
    if (!current) {
      const made = podOf(
        set,
        'apps/v1',
        at(set, 'spec', 'template'),
        `${set.metadata.name}-${hash.slice(0, 5)}`,
        set.metadata.name ?? '',
      )
      engine.context.api.create({
        ...made,
        metadata: { ...made.metadata, labels: { ...made.metadata.labels, [HASH]: hash } },
      })
    }
    const ready = current && isReadyPod(current) ? 1 : 0
    engine.report(set, {
      observedGeneration: set.metadata.generation ?? 0,
      currentNumberScheduled: 1,
      desiredNumberScheduled: 1,
      numberMisscheduled: 0,
      numberReady: ready,
      ...(current ? { updatedNumberScheduled: 1 } : {}),
      ...(ready > 0 ? { numberAvailable: 1 } : { numberUnavailable: 1 }),
    })
  })
}
