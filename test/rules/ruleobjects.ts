/** Objects of one namespace: who needs whom is in the names of the tests that ask about them. */

import type { ClusterView } from '../../packages/lockstep/src/fleet/clusters/cluster.ts'
import { selectionId } from '../../packages/lockstep/src/fleet/connection/objectselections.ts'
import type { Objects } from './rulehub.ts'

const NS = 'ns'
const OWNER = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', controller: true }

interface Meta {
  readonly name: string
  readonly [field: string]: unknown
}

const object = (kind: string, meta: Meta, rest: object = {}) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind,
  metadata: { namespace: NS, uid: `${kind}-${meta.name}`, generation: 1, resourceVersion: '1', ...meta },
  ...rest,
})

export const module = (
  name: string,
  over: { readonly meta?: object; readonly spec?: object; readonly status?: object } = {},
) =>
  object(
    'Module',
    { name, ...over.meta },
    { spec: { source: {}, rollout: {}, ...over.spec }, ...(over.status ? { status: over.status } : {}) },
  )

/** The same, of kind BootstrapModule. */
export const bootstrap = (name: string, over: Parameters<typeof module>[1] = {}) => ({
  ...module(name, over),
  kind: 'BootstrapModule',
})

const needs = (name: string, more: object = {}) => [{ id: name, module: { kind: 'Module', name }, ...more }]

export const revision = (name: string, edges: readonly object[] = [], spec: object = {}) => ({
  name: `${name}-r1`,
  namespace: NS,
  module: { kind: 'Module', namespace: NS, name },
  revision: `v1:${name}`,
  edges,
  spec: { source: {}, ...spec },
  stored: { name: `${name}-r1`, namespace: NS, uid: `revision-${name}`, resourceVersion: '1' },
})

const edgeTo = (name: string, more: object = {}) => ({
  id: name,
  to: { kind: 'Module', namespace: NS, name },
  release: 'Same',
  optional: false,
  ...more,
})

interface InventoryOver {
  readonly owner?: string
  readonly serial?: number
  readonly health?: string
  readonly blockers?: readonly object[]
  readonly kind?: string
  readonly set?: object
  readonly revision?: string
}

export function inventory(name: string, cluster: string, o: InventoryOver = {}) {
  const { owner, serial, kind = 'Module' } = o
  const letter = kind === 'Module' ? 'm' : 's'
  const inventoryName = owner === undefined ? `${letter}.${name}.${cluster}` : `x.${name}.${cluster}`
  const admitted =
    serial === undefined
      ? undefined
      : { serial, contentSerial: serial, revision: o.revision ?? `v1:${name}`, bundle: 'v1:bundle' }
  return object(
    'Inventory',
    { name: inventoryName },
    {
      spec: {
        moduleRef: { kind, name, uid: `Module-${name}`, ...(owner === undefined ? {} : { owner }) },
        clusterRef: { kind: 'Secret', name: cluster },
        clusterUid: 'u',
        ...(admitted ? { admitted } : {}),
        ...(o.set ? { set: o.set } : {}),
      },
      status: {
        admittedSerial: serial,
        health: o.health ?? 'Healthy',
        ...(o.blockers ? { blockers: o.blockers } : {}),
      },
    },
  )
}

export const assemblage = (name: string, status: object = { clusterUid: 'u' }) =>
  object('RemoteAssemblage', { name }, { spec: { clusterRef: { kind: 'Secret', name } }, status })

export const external = (name: string, syncs: readonly object[] = []) =>
  object('RemoteAssemblage', { name }, { spec: { clusterRef: { kind: 'Secret', name: 'c1' }, syncs } })

export const consent = (kind: 'Hold' | 'Approval', name: string, target: object, generation = 1) =>
  object(kind, { name, generation }, { spec: { targetRef: target } })

export const set = (over: { readonly meta?: object; readonly status?: object } = {}) =>
  object(
    'ClusterResourceSet',
    { name: 'crs', ...over.meta },
    {
      spec: {
        resources: [
          { kind: 'ConfigMap', name: 'cm' },
          { kind: 'Secret', name: 'crs-secret' },
        ],
        clusterSelector: {},
      },
      ...(over.status ? { status: over.status } : {}),
    },
  )

export const pipeline = (name: string, target: string | undefined) =>
  object(
    'Pipeline',
    { name },
    {
      spec: {
        identity: 'shop',
        webhook: { secretRef: { name: 'hook-secret' } },
        environments: [
          {
            name: 'prod',
            promotion: { strategy: 'pull-request', pullRequest: { secretRef: { name: 'git-secret' } } },
            targets: [{ namespace: NS, ...(target === undefined ? {} : { clusterRef: { name: target } }) }],
          },
        ],
      },
    },
  )

export const promotion = (name: string, of: string) =>
  object(
    'Promotion',
    { name },
    {
      spec: {
        pipelineRef: { kind: 'Pipeline', name: of },
        environment: 'prod',
        settings: { strategy: 'pull-request', pullRequest: { secretRef: { name: 'git-secret' } } },
      },
    },
  )

export const plain = (kind: string, name: string, more: Meta = { name }) => object(kind, { ...more, name })

export const view = (name: string, over: object = {}): ClusterView =>
  ({
    kind: 'Secret',
    namespace: NS,
    name,
    objectName: name,
    labels: {},
    annotations: {},
    access: { type: 'Source' },
    ...over,
  }) as unknown as ClusterView

export const HUB = view('hub', { kind: 'Hub', namespace: '', access: { type: 'Hub' } })
export const C1 = view('c1')
export const CAPI = view('c2', { kind: 'ClusterAPI', objectName: 'capi-2' })

/** The object that edge and gate of Module `edge` name, and that of the external record. */
export const WATCHED = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name: 'database' }
export const FOREIGN_WATCHED = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name: 'foreign' }
export const idOf = (s: object): string => selectionId(s as never)
export const secretOf = (name: string): string =>
  idOf({ apiVersion: 'v1', kind: 'Secret', namespace: NS, name })

const crsOwner = {
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  name: 'crs',
  uid: 'crs',
  controller: true,
}

export const OBJECTS: Objects = {
  modules: [
    module('base', { spec: { source: { configMaps: [{ name: 'cm' }] } } }),
    module('app', { spec: { dependsOn: needs('base') } }),
    module('shop', { spec: { dependsOn: needs('app') } }),
    module('edge', { spec: { dependsOn: [{ id: 'o', object: WATCHED }] } }),
    module('beyond', {
      spec: { dependsOn: [{ id: 'b', module: { kind: 'BootstrapModule', name: 'boot' } }] },
    }),
    module('far', { spec: { dependsOn: needs('beyond') } }),
    module('needshub', { spec: { dependsOn: needs('onhub') } }),
    module('afterset', {
      spec: { dependsOn: [{ id: 's', module: { kind: 'ClusterResourceSet', name: 'crs' } }] },
    }),
    module('onhub', { spec: { targets: { hub: true } } }),
    module('group', { spec: { source: { secrets: [{ name: 'module-secret' }] } } }),
    module('part', { meta: { ownerReferences: [{ ...OWNER, name: 'group', uid: 'Module-group' }] } }),
    module('crs-crs', { meta: { ownerReferences: [crsOwner] } }),
  ],
  bootstrapModules: [bootstrap('boot')],
  revisions: [
    revision('app', [edgeTo('base')]),
    revision('external', [edgeTo('base')], { dependsOn: [{ id: 'o', object: FOREIGN_WATCHED }] }),
  ],
  inventories: [
    inventory('base', 'c1', {
      serial: 1,
      blockers: [{ reason: 'DependentAhead', message: '' }],
    }),
    inventory('base', 'c2', { serial: 1 }),
    inventory('app', 'c1', { serial: 1 }),
    inventory('app', 'c2', { serial: 1 }),
    inventory('shop', 'c1', { serial: 1 }),
    inventory('boot', 'c1', { serial: 1, kind: 'BootstrapModule' }),
    inventory('beyond', 'c1', { serial: 1 }),
    inventory('far', 'c1', { serial: 1 }),
    inventory('needshub', 'c1', { serial: 1 }),
    inventory('afterset', 'c2', { serial: 1 }),
    inventory('onhub', 'hub', { serial: 1 }),
    inventory('group', 'c1', { serial: 1, health: 'Progressing' }),
    inventory('external', 'c1', { serial: 1, owner: 'theirs' }),
    inventory('onhub', 'hub', { serial: 1, owner: 'theirs' }),
    inventory('crs', 'c2', { kind: 'ClusterResourceSet', set: {} }),
    inventory('crs-crs', 'c2', { serial: 1 }),
  ],
  assemblages: [assemblage('c1')],
  foreign: [external('theirs', [{ kind: 'Module', name: 'external', revision: 'v1:external' }])],
  holds: [],
  approvals: [],
  disruptionBudgets: [object('DisruptionBudget', { name: 'budget' }, { spec: {} })],
  pipelines: [pipeline('p1', 'c1'), pipeline('p2', undefined)],
  promotions: [promotion('run1', 'p1')],
  shards: [],
  sets: [set()],
  setBindings: [],
}
