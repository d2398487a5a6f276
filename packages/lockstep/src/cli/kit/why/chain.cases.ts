/** What `lockstep why` follows: snapshots of a fleet, and the chains that come of them. */
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { API_VERSION } from '../../../api/apiversion.ts'
import { blocked } from '../../../api/blocker.ts'
import type { Inventory, Module } from '../../../api/kinds/index.ts'
import type { WaitRefOf } from '../../../api/reasons/index.ts'
import type { ClusterView } from '../../../fleet/clusters/cluster.ts'
import type { FleetSnapshot } from '../snapshot/snapshot.ts'
import { chainOf } from './chain.ts'
import type { ObjectWithPods } from './podnodes.ts'
import type { WhyNode } from './whytree.ts'

export const AT = '2026-01-01T00:00:00Z'
export const NOW = Date.parse('2026-01-01T00:02:00Z')

const meta = (name: string) => ({
  name,
  namespace: 'platform',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: AT,
})

interface ModuleFacts {
  readonly needs?: readonly string[]
  /** Of all that it needs, no more than the waves before this one. */
  readonly beforeWave?: number
  readonly release?: string
  /** The Module of the cluster group that it is an application of. */
  readonly of?: string
  readonly status?: Record<string, unknown>
}

export function module(name: string, f: ModuleFacts = {}): Stored<Module> {
  const release = f.release ?? 'v2'
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: {
      ...meta(name),
      ...(f.of === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: API_VERSION, kind: 'Module', name: f.of, uid: f.of, controller: true },
            ],
          }),
    },
    spec: {
      release,
      targets: { clusterSelector: {} },
      dependsOn: (f.needs ?? []).map((n) => ({
        id: n,
        module: { kind: n.startsWith('set-') ? 'ClusterResourceSet' : 'Module', name: n },
        release: 'Same',
        optional: false,
        ...(f.beforeWave === undefined ? {} : { beforeWave: f.beforeWave }),
      })),
    },
    status: {
      release,
      currentRevision: `${name}-${release}`,
      rollout: { phase: 'Progressing' },
      ...f.status,
    },
  } as unknown as Stored<Module>
}

export function unit(
  name: string,
  cluster: string,
  release: string,
  state: string,
  more: object = {},
): Stored<Inventory> {
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Inventory',
    metadata: meta(`m.${name}.${cluster}`),
    spec: {
      moduleRef: { kind: 'Module', name, uid: name },
      clusterRef: { kind: 'Secret', name: cluster },
      clusterUid: cluster,
      admitted: { revision: `${name}-${release}`, release, bundle: 'b', gateDigest: 'g', serial: 1 },
      objects: [
        { group: 'apps', version: 'apps/v1', kind: 'Deployment', namespace: 'certs', name: 'webhook' },
      ],
    },
    status: { state, admittedSerial: 1, ...more },
  } as unknown as Stored<Inventory>
}

const cluster = (name: string): ClusterView => ({
  kind: 'Secret',
  namespace: 'platform',
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
  access: { type: 'Kubeconfig', endpoint: { url: 'https://x' }, version: '1' },
})

export const assemblage = (name: string, state: string, message = '', syncs: readonly object[] = []) =>
  ({
    metadata: meta(name),
    spec: { clusterRef: { kind: 'Secret', name }, syncs },
    status: { cluster: state, conditions: [{ type: 'Ready', status: 'False', reason: state, message }] },
  }) as never

const webhookIn = (namespace: string): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name: 'webhook',
  namespace,
  cluster: 'a',
  object: { apiVersion: 'apps/v1', kind: 'Deployment' },
})

/** The Deployment is not ready, in the words of its health. */
export const applyingSince = (since: string, detail: string) => ({
  blockers: [{ ...blocked('Applying', [webhookIn('certs')], { state: 'NotReady', detail }), since }],
})

export const applying = applyingSince(AT, '0 of 1 replicas')

const leaving = {
  blockers: [
    {
      ...blocked('FinalizerPending', [webhookIn('certs')], {
        next: 'Remove',
        finalizers: ['example.com/slow'],
      }),
      since: AT,
    },
  ],
}

const VAULT = { kind: 'Unit', name: 'hub-vault', namespace: 'platform', cluster: 'a' } as const
const VAULT_FACTS = {
  edge: 'hub-vault',
  state: 'Deploying',
  detail: 'Deployment certs/webhook: 0 of 1',
} as const

/** The record of a module that had the name before. */
const FORMER = {
  kind: 'Module',
  name: 'certs',
  uid: 'former',
  removal: { cause: 'ModuleDeleted', policy: 'Delete' },
}

const awaited = {
  waiter: 'ConfigMap certs/app',
  ask: 'Healthy',
  rule: 'lockstep.dev/depends-on',
} as const

const absent = {
  blockers: [
    { ...blocked('WaitNotFound', [webhookIn('base')], { state: 'NotFound', ...awaited }), since: AT },
    { ...blocked('WaitingForObject', [webhookIn('base')], { state: 'Ordered', ...awaited }), since: AT },
  ],
}

export function snapshot(s: Partial<FleetSnapshot>): FleetSnapshot {
  return {
    modules: [],
    inventories: [],
    foreign: [],
    holds: [],
    clusters: [cluster('a'), cluster('b')],
    assemblages: [assemblage('a', 'Connected'), assemblage('b', 'Connected')],
    nowMs: NOW,
    ...s,
  }
}

export const texts = (nodes: readonly WhyNode[], depth = 0): string[] =>
  nodes.flatMap((n) => [`${'  '.repeat(depth)}${n.label}: ${n.reason}`, ...texts(n.children, depth + 1)])

export const of = (s: FleetSnapshot, name: string, on: string, live = new Map<string, ObjectWithPods>()) =>
  chainOf(s, s.modules.find((m) => m.metadata.name === name)!, on, live)

export const certs = module('certs')
export const moving = unit('certs', 'a', 'v2', 'Delivering', applying)
export const cases: readonly [string, FleetSnapshot, string, string, readonly string[]][] = [
  [
    'what is ready waits for nothing',
    snapshot({ modules: [certs], inventories: [unit('certs', 'a', 'v2', 'Ready')] }),
    'certs',
    'a',
    [],
  ],
  [
    'an object that is not healthy',
    snapshot({ modules: [certs], inventories: [moving] }),
    'certs',
    'a',
    ['Deployment certs/webhook: Applying'],
  ],
  [
    'a dependency, and what it waits for',
    snapshot({
      modules: [certs, module('web', { needs: ['certs'] })],
      inventories: [moving, unit('web', 'a', 'v1', 'Ready')],
    }),
    'web',
    'a',
    ['needs certs at v2: DependencyNotReady', '  Deployment certs/webhook: Applying'],
  ],
  [
    'waves of a dependency that are not done, and what they wait for',
    snapshot({
      modules: [certs, module('web', { needs: ['certs'], beforeWave: 5 })],
      inventories: [
        unit('certs', 'a', 'v2', 'Delivering', { ...applying, doneBeforeWave: 4 }),
        unit('web', 'a', 'v1', 'Ready'),
      ],
    }),
    'web',
    'a',
    ['needs certs at v2: DependencyNotReady', '  Deployment certs/webhook: Applying'],
  ],
  [
    'waves that are done are not waited for, whatever comes after them',
    snapshot({
      modules: [certs, module('web', { needs: ['certs'], beforeWave: 5 })],
      inventories: [
        unit('certs', 'a', 'v2', 'Delivering', { ...applying, doneBeforeWave: 5 }),
        unit('web', 'a', 'v1', 'Ready'),
      ],
    }),
    'web',
    'a',
    ['Module/web: Ready'],
  ],
  [
    'an application that later waves of its group wait for, and what that waits for',
    snapshot({
      modules: [
        module('hub'),
        module('hub-vault', { of: 'hub', needs: ['hub'], beforeWave: 5 }),
        module('hub-idle', { of: 'hub', needs: ['hub'] }),
      ],
      inventories: [
        unit('hub', 'a', 'v2', 'Delivering', {
          health: 'Progressing',
          admittedSerial: 1,
          doneBeforeWave: 5,
          blockers: [{ ...blocked('DependencyNotReady', [VAULT], VAULT_FACTS), since: AT }],
        }),
        unit('hub-vault', 'a', 'v2', 'Delivering', applying),
      ],
    }),
    'hub',
    'a',
    ['waits for hub-vault: DependencyNotReady', '  Deployment certs/webhook: Applying'],
  ],
  [
    'what two dependencies need is followed once',
    snapshot({
      modules: [certs, module('web', { needs: ['certs'] }), module('top', { needs: ['certs', 'web'] })],
      inventories: [moving, unit('web', 'a', 'v1', 'Ready'), unit('top', 'a', 'v1', 'Ready')],
    }),
    'top',
    'a',
    [
      'needs certs at v2: DependencyNotReady',
      '  Deployment certs/webhook: Applying',
      'needs web at v2: DependencyNotStarted',
      '  needs certs at v2: DependencyNotReady',
    ],
  ],
  [
    'an object that it does not deliver, though it delivers one of that name',
    snapshot({ modules: [certs], inventories: [unit('certs', 'a', 'v2', 'Delivering', absent)] }),
    'certs',
    'a',
    ['waits for Deployment base/webhook: WaitNotFound'],
  ],
  [
    'a ClusterResourceSet: what its Module waits for',
    snapshot({
      modules: [module('crs-set-cni'), module('web', { needs: ['set-cni'] })],
      inventories: [unit('crs-set-cni', 'a', 'v1', 'Ready')],
    }),
    'web',
    'a',
    ['needs set-cni at v2: DependencyNotStarted', '  Module/crs-set-cni: Ready'],
  ],
  [
    'a module that is not there',
    snapshot({ modules: [module('web', { needs: ['nix'] })] }),
    'web',
    'a',
    ['needs nix: DependencyMissing'],
  ],
  [
    'another release',
    snapshot({
      modules: [module('certs', { release: 'v1' }), module('web', { needs: ['certs'] })],
      inventories: [unit('certs', 'a', 'v1', 'Ready')],
    }),
    'web',
    'a',
    ['needs certs at v2: ReleaseMismatch'],
  ],
  [
    'a cluster that cannot be reached',
    snapshot({
      modules: [certs],
      inventories: [moving],
      assemblages: [assemblage('a', 'Unreachable', 'ECONNREFUSED')],
    }),
    'certs',
    'a',
    ['cluster a: Unreachable'],
  ],
  [
    'a deleted module of the same name that still leaves, and what holds that',
    snapshot({
      modules: [certs],
      inventories: [unit('certs', 'a', 'v2', 'Removing', leaving)],
      assemblages: [assemblage('a', 'Connected', '', [FORMER])],
    }),
    'certs',
    'a',
    [
      'the Module certs before this one: PreviousModuleRemoving',
      '  Deployment certs/webhook: FinalizerPending',
    ],
  ],
  [
    'a cycle ends',
    snapshot({ modules: [module('x', { needs: ['y'] }), module('y', { needs: ['x'] })] }),
    'x',
    'a',
    ['needs y at v2: DependencyNotStarted', '  needs x at v2: DependencyNotStarted'],
  ],
]
