/** Objects that the person of a random handover writes. */
import { defineKind } from '../../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../../packages/lockstep/src/api/apiversion.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import type { HandoverModule } from './handoverplan.ts'

export const claimKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
})

export const EXISTING_NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n0' } }
export const EXISTING_CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'n0-data', namespace: 'n0' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}

export function moduleBody(m: HandoverModule): object {
  const matchLabels = m.ring === 'all' ? {} : { ring: m.ring }
  const takeOverFrom = m.takesFrom.map((name) => ({ kind: 'Module', name }))
  const spec = {
    source: { configMaps: [{ name: `src-${m.name}` }] },
    targets: { clusterSelector: { matchLabels } },
    ...(takeOverFrom.length > 0 ? { apply: { takeOverFrom } } : {}),
    dependsOn: m.edges.map(({ on, optional }) => ({
      id: on,
      module: { kind: 'Module', name: on },
      ...(optional ? { optional } : {}),
    })),
  }
  return { apiVersion: API_VERSION, kind: 'Module', metadata: { name: m.name, namespace: NAMESPACE }, spec }
}

export const sourceBody = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `src-${name}`, namespace: NAMESPACE },
  data: { 'all.yaml': text },
})

const targetOf = (name: string) => ({ kind: 'Module' as const, name })

export const holdBody = (name: string, spec: object): object => ({
  apiVersion: API_VERSION,
  kind: 'Hold',
  metadata: { name: `hold-${name}`, namespace: NAMESPACE },
  spec: { targetRef: targetOf(name), reason: 'test', ...spec },
})

export const approvalBody = (name: string, revisionHash: string) => ({
  apiVersion: API_VERSION,
  kind: 'Approval',
  metadata: { name: `prune-${name}-${revisionHash.slice(-12)}`, namespace: NAMESPACE },
  spec: {
    targetRef: targetOf(name),
    stage: 'prune',
    point: 'After' as const,
    revisionHash,
    approvedBy: 'ann',
  },
})
