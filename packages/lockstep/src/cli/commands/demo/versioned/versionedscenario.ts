/** What the demo plays: machines are to be replaced only after their network is new and they were checked again. */

import type { JsonObject, KubeObject } from '@lockstep/kube/object'
import { BEFORE, type FluxScenario, type ScenarioUnit, tagged } from '@lockstep/simulators/flux'

const NAMESPACE = 'default'

const object = (apiVersion: string, kind: string, name: string, more: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NAMESPACE },
  ...more,
})

const container = (image: string) => ({ containers: [{ name: 'main', image: `registry.example/${image}` }] })

const network: ScenarioUnit = {
  name: 'network',
  carrier: 'spec',
  objects: (release) => {
    const labels = { app: 'cni' }
    const spec = {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: container(`cni:${release}`) },
    }
    return [tagged(object('apps/v1', 'Deployment', 'cni', { spec }), 'network', release)]
  },
}

/** The Job that looks at the machines, and the script that it runs: whose name somebody forgot to make one of the release. */
export const CHECK_JOB = 'check-machines'
const checkpoint: ScenarioUnit = {
  name: 'machines-ready',
  carrier: 'source',
  needs: ['network'],
  checkpoint: true,
  objects: (_, discriminator = '') => {
    const template = { spec: { ...container('kubectl:1'), restartPolicy: 'Never' } }
    const script = object('v1', 'ConfigMap', 'check-script', {
      data: { 'check.sh': 'kubectl wait machines' },
    })
    const job = object('batch/v1', 'Job', `${CHECK_JOB}${discriminator}`, { spec: { template } })
    return [tagged(script, 'machines-ready', BEFORE), tagged(job, 'machines-ready', BEFORE, CHECK_JOB)]
  },
}

/** The same as a module: no Job, but what it looked at. */
export const CHECKPOINT_SPEC: JsonObject = {
  source: { none: {} },
  health: {
    expressions: [
      {
        apiVersion: 'cluster.x-k8s.io/v1beta1',
        kind: 'Machine',
        namespace: NAMESPACE,
        current: "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
      },
    ],
  },
}

const machines: ScenarioUnit = {
  name: 'machines',
  carrier: 'spec',
  needs: ['machines-ready'],
  objects: (release) => {
    const spec = { replicas: 3, template: { spec: { version: release } } }
    const workers = object('cluster.x-k8s.io/v1beta1', 'MachineDeployment', 'workers', { spec })
    return [tagged(workers, 'machines', release)]
  },
}

const addons: ScenarioUnit = {
  name: 'addons',
  carrier: 'spec',
  needs: ['machines'],
  objects: (release) => [
    tagged(object('v1', 'ConfigMap', 'addons', { data: { release } }), 'addons', release),
  ],
}

/** Dependants first, 0.3 s apart: as a chart of such units is written whose templates are in that order. */
export const versionedScenario: FluxScenario = {
  race: 'W1, W5, W6',
  title: 'a checkpoint before a rolling update of machines',
  units: [network, checkpoint, machines, addons],
  steps: [
    { atMs: 0, write: 'addons' },
    { atMs: 300, write: 'machines' },
    { atMs: 600, write: 'machines-ready' },
    { atMs: 900, write: 'network' },
  ],
  endMs: 150_000,
}

/** The new network is slow to come: its image is pulled only after so long. */
export const SLOW = { image: 'cni:v2', forMs: 45_000 } as const
