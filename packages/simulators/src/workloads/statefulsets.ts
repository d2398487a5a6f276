import { at, canonicalJson, type KubeObject, sha256Hex } from '@lockstep/kube/object'
import type { Engine } from './engine.ts'
import { isReadyPod, podOf } from './runpods.ts'

const HASH = 'controller-revision-hash'

/** StatefulSets: one Pod after another, from 0; updates from the last. */
export function runStatefulSets(engine: Engine): void {
  engine.follow('pods')
  engine.control('statefulsets.apps', (set) => {
    if (set.metadata.deletionTimestamp !== undefined) return
    const hash = `${set.metadata.name}-${sha256Hex(canonicalJson(at(set, 'spec', 'template'))).slice(0, 10)}`
    const pods = engine.owned('pods', set).filter((p) => p.metadata.deletionTimestamp === undefined)
    const want = Number(at(set, 'spec', 'replicas') ?? 1)
    for (const pod of pods) if (ordinal(pod) >= want) engine.context.api.remove('pods', pod)
    step(
      engine,
      set,
      pods.filter((p) => ordinal(p) < want),
      want,
      hash,
    )
    report(engine, set, hash, want)
  })
}

const ordinal = (pod: KubeObject): number =>
  Number(/-(\d+)$/.exec(pod.metadata.name ?? '')?.[1] ?? Number.POSITIVE_INFINITY)

/** The next missing Pod, if those before it are ready; else the last one of an older template is replaced. */
function step(
  engine: Engine,
  set: KubeObject,
  pods: readonly KubeObject[],
  want: number,
  hash: string,
): void {
  for (let n = 0; n < want; n++) {
    const pod = pods.find((p) => ordinal(p) === n)
    if (!pod) {
      const made = podOf(
        set,
        'apps/v1',
        at(set, 'spec', 'template'),
        `${set.metadata.name}-${n}`,
        set.metadata.name ?? '',
      )
      engine.context.api.create({
        ...made,
        metadata: { ...made.metadata, labels: { ...made.metadata.labels, [HASH]: hash } },
      })
      return
    }
    if (!isReadyPod(pod) && pod.metadata.labels?.[HASH] === hash) return
  }
  const old = [...pods].reverse().find((p) => p.metadata.labels?.[HASH] !== hash)
  if (old) engine.context.api.remove('pods', old)
}

function report(engine: Engine, set: KubeObject, hash: string, want: number): void {
  const pods = engine.owned('pods', set).filter((p) => p.metadata.deletionTimestamp === undefined)
  const updated = pods.filter((p) => p.metadata.labels?.[HASH] === hash)
  const ready = pods.filter(isReadyPod).length
  const isDone = updated.length === want && ready >= want && pods.length === want
  const before = at(set, 'status', 'currentRevision')
  engine.report(set, {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    availableReplicas: ready,
    ...(isDone
      ? { currentReplicas: want }
      : pods.length > updated.length
        ? { currentReplicas: pods.length - updated.length }
        : {}),
    ...(updated.length > 0 ? { updatedReplicas: updated.length } : {}),
    currentRevision: isDone || typeof before !== 'string' ? hash : before,
    updateRevision: hash,
    collisionCount: 0,
  })
}
