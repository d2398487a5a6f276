import { at, type KubeObject } from '@lockstep/kube/object'
import type { Engine } from './engine.ts'
import { isReadyPod, ownerOf, podOf } from './runpods.ts'

const SUFFIX = 'bcdfghjklmnpqrstvwxz2456789'

/** Five characters as Kubernetes appends them to generated names. */
function suffix(engine: Engine): string {
  return Array.from(
    { length: 5 },
    () => SUFFIX[Math.floor(engine.context.random.next() * SUFFIX.length)],
  ).join('')
}

/** ReplicaSets: as many Pods as asked for. */
export function runReplicaSets(engine: Engine): void {
  engine.follow('pods')
  engine.control('replicasets.apps', (rs) => {
    if (rs.metadata.deletionTimestamp !== undefined) return
    const pods = activePods(engine, rs)
    const want = Number(at(rs, 'spec', 'replicas') ?? 1)
    const workload = rs.metadata.ownerReferences?.[0]?.name ?? rs.metadata.name ?? ''
    const template = at(rs, 'spec', 'template')
    for (let n = pods.length; n < want; n++) {
      engine.context.api.create(
        podOf(rs, 'apps/v1', template, `${rs.metadata.name}-${suffix(engine)}`, workload),
      )
    }
    // Those that are not ready go first, as with Kubernetes.
    const surplus = [...pods]
      .sort((a, b) => Number(isReadyPod(a)) - Number(isReadyPod(b)))
      .slice(0, Math.max(0, pods.length - want))
    for (const pod of surplus) engine.context.api.remove('pods', pod)
    const now = activePods(engine, rs)
    const ready = now.filter(isReadyPod).length
    engine.report(rs, {
      replicas: now.length,
      ...(now.length > 0 ? { fullyLabeledReplicas: now.length } : {}),
      ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
      observedGeneration: rs.metadata.generation ?? 0,
    })
  })
}

/** Pods that have ended are none of its replicas any more (kubernetes `controller.FilterActivePods`). */
function activePods(engine: Engine, rs: KubeObject): KubeObject[] {
  const isOver = (p: KubeObject): boolean =>
    ['Succeeded', 'Failed'].includes(String(at(p, 'status', 'phase')))
  return engine.owned('pods', rs).filter((p) => p.metadata.deletionTimestamp === undefined && !isOver(p))
}

/** The ReplicaSet of a Deployment's template. */
export function replicaSetOf(deployment: KubeObject, hash: string, revision: number): KubeObject {
  const template = (at(deployment, 'spec', 'template') ?? {}) as {
    metadata?: { labels?: Record<string, string> }
  }
  const labels = { ...template.metadata?.labels, 'pod-template-hash': hash }
  const selector = (at(deployment, 'spec', 'selector') ?? {}) as { matchLabels?: Record<string, string> }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(deployment.metadata.namespace ? { namespace: deployment.metadata.namespace } : {}),
      labels,
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
      ownerReferences: [ownerOf(deployment, 'apps/v1')],
    },
    spec: {
      replicas: at(deployment, 'spec', 'replicas') ?? 1,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, 'pod-template-hash': hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}
