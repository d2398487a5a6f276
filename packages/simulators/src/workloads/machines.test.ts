import { expect, it } from 'vitest'
import { testCluster } from '../../../apiserver/src/server/testcluster.cases.ts'
import { at, type KubeObject } from '../../../kube/src/object/index.ts'
import { startWorld } from '../world/startworld.ts'
import { isReadyMachine, machineDefinitions } from './machines.ts'

const workers = (version: string): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'MachineDeployment',
  metadata: { name: 'workers', namespace: 'default' },
  spec: { replicas: 3, template: { spec: { version } } },
})

it('a new version replaces machines one by one, and says when it is done', async () => {
  const { env, server, later } = testCluster()
  const { local } = server
  for (const d of machineDefinitions()) local.create(d, 'test')
  const delays = { notice: [5, 5], start: [5000, 5000] } as const
  const world = startWorld(env, local, { name: 'test', delays, machines: true })
  local.apply(workers('v1'), 'test')
  await later(30_000)
  const status = () => local.get('machinedeployments.cluster.x-k8s.io', 'default', 'workers')?.status
  expect(status()).toMatchObject({ phase: 'Running', replicas: 3, updatedReplicas: 3, readyReplicas: 3 })
  local.apply(workers('v2'), 'test')
  const seen = new Set<string>()
  for (let i = 0; i < 20; i++) {
    await later(1000)
    const machines = local.list('machines.cluster.x-k8s.io', 'default')
    expect(machines.filter(isReadyMachine).length).toBeGreaterThanOrEqual(2)
    for (const m of machines) seen.add(String(m.metadata.name))
  }
  expect(status()).toMatchObject({ phase: 'Running', observedGeneration: 2, unavailableReplicas: 0 })
  expect(at(status(), 'conditions', 0, 'status')).toBe('True')
  expect([...seen].filter((n) => n.includes('v2')).length).toBe(3)
  world.stop()
})
