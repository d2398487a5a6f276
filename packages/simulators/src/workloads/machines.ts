/** Machines of Cluster API, simulated: a MachineDeployment replaces its machines one by one when its version changes. */
import { at, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { condition, type Engine } from './engine.ts'
import { ownerOf } from './runpods.ts'

const GROUP = 'cluster.x-k8s.io'
const API_VERSION = `${GROUP}/v1beta1`

const definition = (kind: string, plural: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind, plural },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      },
    ],
  },
})

/** The two kinds, with as much of a schema as the simulation needs: none. */
export const machineDefinitions = (): readonly KubeObject[] => [
  definition('MachineDeployment', 'machinedeployments'),
  definition('Machine', 'machines'),
]

const MACHINES = `machines.${GROUP}`
const versionOf = (o: KubeObject): string =>
  String(at(o, 'spec', 'version') ?? at(o, 'spec', 'template', 'spec', 'version'))
export const isReadyMachine = (m: KubeObject): boolean =>
  m.metadata.deletionTimestamp === undefined && at(m, 'status', 'phase') === 'Running'

export function runMachines(engine: Engine): void {
  engine.control(MACHINES, (machine) => {
    if (at(machine, 'status', 'phase') === 'Running') return
    if (at(machine, 'status', 'phase') === undefined) {
      engine.again(MACHINES, machine, engine.context.delays.start)
      engine.report(machine, statusOf(engine, machine, 'Provisioning', false))
    } else engine.report(machine, statusOf(engine, machine, 'Running', true))
  })
  engine.control(`machinedeployments.${GROUP}`, (owner) => {
    if (owner.metadata.deletionTimestamp !== undefined) return
    roll(engine, owner)
    report(engine, owner)
  })
}

/** One at a time: a machine that is to go goes when all others run, and is made anew when it is gone. */
function roll(engine: Engine, owner: KubeObject): void {
  const machines = engine.owned(MACHINES, owner)
  const wanted = Number(at(owner, 'spec', 'replicas') ?? 1)
  const old = machines.filter((m) => versionOf(m) !== versionOf(owner))
  if (machines.length < wanted) create(engine, owner, machines)
  else if (old[0] && machines.every(isReadyMachine)) engine.context.api.remove(MACHINES, old[0])
}

function create(engine: Engine, owner: KubeObject, machines: readonly KubeObject[]): void {
  const names = new Set(machines.map((m) => m.metadata.name))
  const version = versionOf(owner)
  const base = `${owner.metadata.name}-${version.replace(/[^a-z0-9]+/g, '-')}`
  let n = 0
  while (names.has(`${base}-${n}`)) n++
  engine.context.api.create({
    apiVersion: API_VERSION,
    kind: 'Machine',
    metadata: {
      name: `${base}-${n}`,
      ...(owner.metadata.namespace ? { namespace: owner.metadata.namespace } : {}),
      ownerReferences: [ownerOf(owner, API_VERSION)],
    },
    spec: { version, providerID: `sim://${base}-${n}` },
  })
}

function statusOf(engine: Engine, machine: KubeObject, phase: string, isReady: boolean) {
  const now = engine.now()
  const ready = condition(machine, 'Ready', isReady ? 'True' : 'False', phase, '', now)
  return {
    phase,
    conditions: [ready] as JsonValue,
    ...(isReady ? { nodeRef: { name: machine.metadata.name ?? '' } } : {}),
  }
}

function report(engine: Engine, owner: KubeObject): void {
  const machines = engine.owned(MACHINES, owner)
  const wanted = Number(at(owner, 'spec', 'replicas') ?? 1)
  const ready = machines.filter(isReadyMachine)
  const updated = machines.filter((m) => versionOf(m) === versionOf(owner))
  const isDone = updated.filter(isReadyMachine).length === wanted && machines.length === wanted
  engine.report(owner, {
    observedGeneration: owner.metadata.generation ?? 0,
    replicas: machines.length,
    updatedReplicas: updated.length,
    readyReplicas: ready.length,
    unavailableReplicas: Math.max(0, wanted - ready.length),
    phase: isDone ? 'Running' : 'ScalingUp',
    conditions: [
      condition(owner, 'Ready', isDone ? 'True' : 'False', isDone ? 'Running' : 'Rolling', '', engine.now()),
    ],
  })
}
