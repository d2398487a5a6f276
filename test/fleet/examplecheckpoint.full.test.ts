/** The barrier of examples/checkpoints, against objects as Cluster API reports them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { expressionRules, selectionHealth } from '../../packages/health/src/health/expressionrule.ts'
import { at, type KubeObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { moduleSpec } from '../../packages/lockstep/src/api/kinds/module/spec.ts'

const [document] = parseYamlStream(readFileSync('examples/checkpoints/machines-ready.yaml', 'utf8'))
const { health } = moduleSpec.parse(at(document, 'spec'))
const rules = expressionRules(health.expressions)

const READY = { conditions: [{ type: 'Ready', status: 'True' }] }

function objectOf(kind: string, spec: object, status: object): KubeObject {
  const { apiVersion } = health.expressions!.find((e) => e.kind === kind)!
  const labels = { 'cluster.x-k8s.io/cluster-name': 'edge-7' }
  return { apiVersion, kind, metadata: { name: 'x', namespace: 'edge-7', labels }, spec, status }
}

const state = (o: KubeObject): string =>
  selectionHealth(rules.find((r) => r.entry.kind === o.kind)!, [o]).state

const all = { replicas: 3, updatedReplicas: 3, readyReplicas: 3 }
const machine = { providerID: 'metal://1' }
const cases: readonly [what: string, o: KubeObject, state: string][] = [
  [
    'control plane, all new',
    objectOf('KubeadmControlPlane', { replicas: 3 }, { ...READY, ...all }),
    'Healthy',
  ],
  [
    'control plane, one still old',
    objectOf('KubeadmControlPlane', { replicas: 3 }, { ...READY, ...all, updatedReplicas: 2 }),
    'Progressing',
  ],
  [
    'control plane, one too many while it rolls',
    objectOf('KubeadmControlPlane', { replicas: 3 }, { ...READY, ...all, replicas: 4 }),
    'Progressing',
  ],
  [
    'workers, all new',
    objectOf('MachineDeployment', { replicas: 3 }, { ...READY, ...all, phase: 'Running' }),
    'Healthy',
  ],
  ['workers, none wanted', objectOf('MachineDeployment', { replicas: 0 }, {}), 'Healthy'],
  [
    'workers, one away',
    objectOf(
      'MachineDeployment',
      { replicas: 3 },
      { ...READY, ...all, phase: 'Running', unavailableReplicas: 1 },
    ),
    'Progressing',
  ],
  ['a machine with its node', objectOf('Machine', machine, { ...READY, nodeRef: { name: 'n' } }), 'Healthy'],
  ['a machine without a node', objectOf('Machine', machine, READY), 'Progressing'],
  ['a machine that failed', objectOf('Machine', machine, { ...READY, phase: 'Failed' }), 'Degraded'],
]

describe('machines-ready', () => {
  it.each(cases)('%s', (_, o, expected) => {
    expect(state(o)).toBe(expected)
  })
  it.each(rules.map((r) => [r.entry.kind!, r] as const))('no %s at all is not ready', (_, rule) => {
    expect(selectionHealth(rule, []).message).toBe(`0 of at least 1 ${rule.entry.kind}s`)
  })
})
