import { at, canonicalJson, type KubeObject, sha256Hex } from '@lockstep/kube/object'
import { condition, type Engine } from './engine.ts'
import { replicaSetOf } from './replicasets.ts'

const REVISION = 'deployment.kubernetes.io/revision'

/** Deployments: a ReplicaSet for each template; the old ones shrink once the new one is available. */
export function runDeployments(engine: Engine): void {
  engine.follow('replicasets.apps')
  engine.control('deployments.apps', (d) => {
    if (d.metadata.deletionTimestamp !== undefined) return
    const hash = sha256Hex(canonicalJson(at(d, 'spec', 'template'))).slice(0, 10)
    const sets = engine.owned('replicasets.apps', d)
    const current = sets.find((rs) => rs.metadata.labels?.['pod-template-hash'] === hash)
    const want = Number(at(d, 'spec', 'replicas') ?? 1)
    const isPaused = at(d, 'spec', 'paused') === true
    if (!current && !isPaused) engine.context.api.create(replicaSetOf(d, hash, nextRevision(sets)))
    if (current && Number(at(current, 'spec', 'replicas')) !== want) scale(engine, current, want)
    const available = count(current, 'availableReplicas')
    if (current && available >= want)
      for (const old of sets)
        if (old !== current && Number(at(old, 'spec', 'replicas')) > 0) scale(engine, old, 0)
    report(engine, d, current, sets, want)
  })
}

function nextRevision(sets: readonly KubeObject[]): number {
  return Math.max(0, ...sets.map((rs) => Number(rs.metadata.annotations?.[REVISION] ?? 0))) + 1
}

const count = (rs: KubeObject | undefined, field: string): number =>
  Number((rs && at(rs, 'status', field)) ?? 0)

function scale(engine: Engine, rs: KubeObject, replicas: number): void {
  engine.context.api.update({ ...rs, spec: { ...(rs.spec as object), replicas } })
}

function report(
  engine: Engine,
  d: KubeObject,
  current: KubeObject | undefined,
  sets: readonly KubeObject[],
  want: number,
): void {
  const sum = (field: string): number => sets.reduce((n, rs) => n + count(rs, field), 0)
  const replicas = sum('replicas')
  const updated = count(current, 'replicas')
  const available = sum('availableReplicas')
  const isDone = updated >= want && count(current, 'availableReplicas') >= want && replicas === updated
  const now = engine.now()
  const name = current?.metadata.name ?? ''
  const isAvailable = available >= Math.max(0, want - Math.floor(want / 4))
  engine.report(d, {
    observedGeneration: d.metadata.generation ?? 0,
    ...(replicas > 0 ? { replicas } : {}),
    ...(updated > 0 ? { updatedReplicas: updated } : {}),
    ...(sum('readyReplicas') > 0 ? { readyReplicas: sum('readyReplicas') } : {}),
    ...(available > 0 ? { availableReplicas: available } : {}),
    ...(want - available > 0 ? { unavailableReplicas: want - available } : {}),
    conditions: [
      isAvailable
        ? condition(
            d,
            'Available',
            'True',
            'MinimumReplicasAvailable',
            'Deployment has minimum availability.',
            now,
          )
        : condition(
            d,
            'Available',
            'False',
            'MinimumReplicasUnavailable',
            'Deployment does not have minimum availability.',
            now,
          ),
      condition(
        d,
        'Progressing',
        'True',
        isDone ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        isDone ? `ReplicaSet "${name}" has successfully progressed.` : `ReplicaSet "${name}" is progressing.`,
        now,
      ),
    ],
  })
}
