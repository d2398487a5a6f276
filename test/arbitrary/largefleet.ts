/** A fleet of many clusters, in memory: modules that need one another, and nothing delivered yet. */

import { cronCalendar } from '../../packages/kube/src/env/calendar.ts'
import type { ControllerRevision } from '../../packages/kube/src/kinds/types.ts'
import { digestOf } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { moduleSpec } from '../../packages/lockstep/src/api/kinds/module/spec.ts'
import { controllerRevisionOf } from '../../packages/lockstep/src/controllers/cache/revisions.ts'
import type { FleetPlanInput } from '../../packages/lockstep/src/controllers/plan/planfleet.ts'
import { moduleId } from '../../packages/lockstep/src/decisions/graph/moduleref.ts'
import type { ClusterView } from '../../packages/lockstep/src/fleet/clusters/cluster.ts'

const NAMESPACE = 'platform'

export const specOf = (needs: readonly string[], rollout: object) => ({
  targets: { clusterSelector: {} },
  source: { configMaps: [{ name: 'all' }] },
  release: '1',
  dependsOn: needs.map((name) => ({ id: name, module: { kind: 'Module', name } })),
  rollout,
})

/** Each module needs the one before it, in rows of so many. */
export function fleetOf(modules: number, clusters: number, rollout: object, row = modules): FleetPlanInput {
  const made = Array.from({ length: modules }, (_, i) =>
    moduleOf(`m${i}`, i % row === 0 ? [] : [`m${i - 1}`], rollout),
  )
  const revisions = made.map((m, i) => revisionOf(m, i))
  return {
    namespace: NAMESPACE,
    modules: made,
    revisions,
    inventories: [],
    assemblages: [],
    holds: [],
    approvals: [],
    disruptionBudgets: [],
    clusters: Array.from({ length: clusters }, (_, i) => clusterOf(`c${i}`)),
    publishes: new Map(
      made.map((m, i) => [
        moduleId({ kind: 'Module', namespace: NAMESPACE, name: m.metadata.name }),
        digestOf('bench/1', `r${i}`),
      ]),
    ),
    nowMs: 0,
    calendar: cronCalendar,
    maxRemoval: '50%',
  }
}

const stored = (name: string) => ({
  name,
  namespace: NAMESPACE,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
})

const moduleOf = (name: string, needs: readonly string[], rollout: object): Stored<Module> => ({
  apiVersion: API_VERSION,
  kind: 'Module',
  metadata: { ...stored(name), generation: 1 },
  spec: moduleSpec.parse(specOf(needs, rollout)),
})

function revisionOf({ metadata, spec }: Stored<Module>, i: number): Stored<ControllerRevision> {
  const revision = digestOf('bench/1', `r${i}`)
  const made = controllerRevisionOf({
    module: { kind: 'Module', namespace: NAMESPACE, name: metadata.name },
    uid: metadata.uid,
    spec,
    inputs: [],
    revision,
    bundle: revision,
    values: undefined,
    mentions: [],
    claims: [],
    sourceRevision: '',
    number: 1,
    now: 0,
  })
  return { ...made, metadata: { ...made.metadata, ...stored(made.metadata.name ?? '') } }
}

const clusterOf = (name: string): ClusterView => ({
  kind: 'Secret',
  namespace: NAMESPACE,
  name,
  standsIn: false,
  objectName: name,
  uid: name,
  labels: {},
  annotations: {},
  properties: {},
  paused: undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Unread', message: '' },
})
