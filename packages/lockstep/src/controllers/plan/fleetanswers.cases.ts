/** Fleets in memory, and the causes that an answer about a unit names. */
import type { ControllerRevision } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker, summarized } from '../../api/blocker.ts'
import type { Hold, Inventory, Module, RemoteAssemblage } from '../../api/kinds/index.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { Cause } from '../../decisions/answer/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { revisionName } from '../cache/index.ts'
import type { FleetObjects } from './fleetcopy.ts'

export const NAMESPACE = 'platform'
export const AT = '2026-01-01T00:00:00Z'
export const NOW = Date.parse('2026-01-01T00:02:00Z')

const meta = (name: string) => ({
  name,
  namespace: NAMESPACE,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: AT,
})

interface ModuleFacts {
  readonly needs?: readonly string[]
  /** A ConfigMap that every unit depends on. */
  readonly object?: string
  readonly release?: string
  readonly blockers?: readonly NewBlocker[]
  readonly status?: Record<string, unknown>
}

const stored = (blockers: readonly NewBlocker[]) => blockers.map((b) => ({ ...b, since: AT }))

export const moduleOf = (name: string, f: ModuleFacts = {}): Stored<Module> => {
  const release = f.release ?? 'v2'
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: meta(name),
    spec: { release, targets: { clusterSelector: {} }, rollout: {}, dependsOn: edgesOf(f) },
    status: {
      release,
      currentRevision: `v1:${name}-${release}`,
      rollout: { phase: 'Progressing' },
      blockers: stored(f.blockers ?? []),
      ...f.status,
    },
  } as unknown as Stored<Module>
}

const edgesOf = ({ needs = [], object }: ModuleFacts) => [
  ...needs.map((name) => ({ id: name, module: { kind: 'Module', name }, release: 'Same', optional: false })),
  ...(object === undefined ? [] : [objectEdge(object)]),
]
const objectEdge = (name: string) => ({
  id: name,
  object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
  release: 'Same',
  optional: false,
})

/** The published revision of a Module. */
export const revisionOf = ({ metadata, spec }: Stored<Module>): Stored<ControllerRevision> =>
  ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: meta(
      revisionName(
        { kind: 'Module', namespace: NAMESPACE, name: metadata.name },
        `v1:${metadata.name}-${spec.release}`,
      ),
    ),
    revision: 1,
    data: {
      kind: 'Module',
      module: metadata.name,
      revision: `v1:${metadata.name}-${spec.release}`,
      bundle: 'v1:b',
      sourceRevision: 'x',
      spec: { release: spec.release, dependsOn: spec.dependsOn },
      inputs: [],
    },
  }) as unknown as Stored<ControllerRevision>

/** A unit that is deployed at a release, in a state. */
export function unitOf(
  name: string,
  cluster: string,
  release: string,
  state: string,
  blockers: readonly NewBlocker[] = [],
): Stored<Inventory> {
  const ref = { kind: 'Module', namespace: NAMESPACE, name }
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Inventory',
    metadata: meta(inventoryName(ref, cluster)),
    spec: {
      moduleRef: { kind: 'Module', name, uid: name },
      clusterRef: { kind: 'Secret', name: cluster },
      clusterUid: cluster,
      admitted: { revision: `v1:${name}-${release}`, release, bundle: 'b', gateDigest: 'g', serial: 1 },
      objects: [],
    },
    status: { state, admittedSerial: 1, blockers: stored(blockers) },
  } as unknown as Stored<Inventory>
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
  access: { type: 'Source', source: { type: 'Static', endpoint: { url: 'https://x' } }, version: '1' },
})

export const assemblageOf = (name: string, state: string, blockers: readonly NewBlocker[] = []) =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'RemoteAssemblage',
    metadata: meta(name),
    spec: { clusterRef: { kind: 'Secret', name } },
    status: {
      cluster: state,
      clusterUid: name,
      blockers: stored(blockers),
    },
  }) as unknown as Stored<RemoteAssemblage>

export const fleetOf = (
  modules: readonly Stored<Module>[],
  inventories: readonly Stored<Inventory>[],
  more: Partial<FleetObjects> & { readonly names?: readonly string[] } = {},
): FleetObjects => {
  const { names = ['a', 'b'], ...given } = more
  return {
    namespace: NAMESPACE,
    modules,
    inventories,
    revisions: modules.map(revisionOf),
    assemblages: names.map((n) => assemblageOf(n, 'Connected')),
    holds: [],
    approvals: [],
    disruptionBudgets: [],
    clusters: names.map(clusterOf),
    ...given,
  }
}

export const texts = (causes: readonly Cause[], depth = 0): string[] =>
  causes.flatMap((c) => [`${'  '.repeat(depth)}${c.label}: ${c.reason}`, ...texts(c.children, depth + 1)])

/** A gate blocker that stands for one of an object of the unit itself. */
export const ofObject = (cluster: string): NewBlocker =>
  blocked(
    'DependencyNotReady',
    [
      {
        kind: 'Object',
        name: 'webhook',
        namespace: 'certs',
        cluster,
        object: { apiVersion: 'apps/v1', kind: 'Deployment' },
      },
    ],
    { edge: 'x', state: 'NotReady', detail: '0 of 1 replicas' },
  )

const missing = (cluster: string): NewBlocker => {
  const on: WaitRefOf<'Object'> = {
    kind: 'Object',
    name: 'database',
    namespace: 'default',
    cluster,
    object: { apiVersion: 'v1', kind: 'ConfigMap' },
  }
  return blocked('DependencyMissing', [on], { edge: 'database' })
}

/** A Module whose units wait for a ConfigMap on their own cluster: what the controller stores of it. */
export const waitingForObject = (clusters: readonly string[]): Stored<Module> =>
  moduleOf('app', {
    object: 'database',
    blockers: summarized(clusters.map((cluster) => ({ cluster, blocker: missing(cluster) }))),
  })

const onClusterA: WaitRefOf<'Cluster'> = { kind: 'Cluster', name: 'a', namespace: NAMESPACE }
const unreachable = blocked('ClusterUnreachable', [onClusterA], { error: 'ECONNREFUSED' })
const connecting = blocked('ClusterConnecting', [onClusterA], { error: 'ECONNREFUSED' })

const WEBHOOK = 'Deployment certs/webhook: DependencyNotReady'
const certs = moduleOf('certs')
const deletedCerts: Stored<Module> = { ...certs, metadata: { ...certs.metadata, deletionTimestamp: AT } }
const moving = unitOf('certs', 'a', 'v2', 'Delivering', [ofObject('a')])
const held = blocked('Held', [{ kind: 'Hold', name: 'audit' }], { action: 'Suspend', target: 'certs' })
const heldCerts = moduleOf('certs', { blockers: [held] })
const suspension = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Hold',
  metadata: meta('audit'),
  spec: { targetRef: { kind: 'Module', name: 'certs' }, action: 'Suspend', reason: 'audit' },
} as unknown as Stored<Hold>
/** The unit of a deleted Module of the same name. */
function formerUnit(): Stored<Inventory> {
  const unit = unitOf('certs', 'a', 'v2', 'Removing', [ofObject('a')])
  const removal = { cause: 'ModuleDeleted', policy: 'Delete' } as const
  const assigned = { uid: 'former', revision: 'v1:certs-v2', bundle: 'b', stage: 'all', serial: 2, removal }
  return { ...unit, spec: { ...unit.spec, assigned } }
}

export interface AnswerCase {
  readonly name: string
  readonly fleet: FleetObjects
  readonly unit: readonly [module: string, cluster: string]
  readonly state: string
  readonly causes: readonly string[]
}

export const answerCases: readonly AnswerCase[] = [
  {
    name: 'a ready unit waits for nothing',
    fleet: fleetOf([certs], [unitOf('certs', 'a', 'v2', 'Ready')]),
    unit: ['certs', 'a'],
    state: 'Ready',
    causes: [],
  },
  {
    name: 'an object that is not healthy',
    fleet: fleetOf([certs], [moving]),
    unit: ['certs', 'a'],
    state: 'Waiting',
    causes: [WEBHOOK],
  },
  {
    name: 'under a Suspend Hold: the Hold first, because no other remedy has an effect before its end',
    fleet: fleetOf([heldCerts], [moving], { holds: [suspension] }),
    unit: ['certs', 'a'],
    state: 'Waiting',
    causes: ['Hold audit: Held', WEBHOOK],
  },
  {
    name: 'a dependency, and its causes',
    fleet: fleetOf(
      [certs, moduleOf('web', { needs: ['certs'] })],
      [moving, unitOf('web', 'a', 'v1', 'Ready')],
    ),
    unit: ['web', 'a'],
    state: 'Waiting',
    causes: ['certs: DependencyNotReady', `  ${WEBHOOK}`],
  },
  {
    name: 'causes of two dependencies appear once',
    fleet: fleetOf(
      [certs, moduleOf('web', { needs: ['certs'] }), moduleOf('top', { needs: ['certs', 'web'] })],
      [moving, unitOf('web', 'a', 'v1', 'Ready'), unitOf('top', 'a', 'v1', 'Ready')],
    ),
    unit: ['top', 'a'],
    state: 'Waiting',
    causes: [
      'certs: DependencyNotReady',
      `  ${WEBHOOK}`,
      'web: DependencyNotStarted',
      '  certs: DependencyNotReady',
    ],
  },
  {
    name: 'a Module that does not exist',
    fleet: fleetOf([moduleOf('web', { needs: ['nix'] })], []),
    unit: ['web', 'a'],
    state: 'Waiting',
    causes: ['Module platform/nix: DependencyMissing'],
  },
  {
    name: 'another release is the cause, not the state of the dependency',
    fleet: fleetOf(
      [moduleOf('certs', { release: 'v1' }), moduleOf('web', { needs: ['certs'] })],
      [unitOf('certs', 'a', 'v1', 'Delivering', [ofObject('a')])],
    ),
    unit: ['web', 'a'],
    state: 'Waiting',
    causes: ['certs: ReleaseMismatch'],
  },
  {
    name: 'a cluster that does not answer',
    fleet: fleetOf([certs], [moving], {
      assemblages: [assemblageOf('a', 'Unreachable', [unreachable]), assemblageOf('b', 'Connected')],
    }),
    unit: ['certs', 'a'],
    state: 'Waiting',
    causes: ['cluster a: ClusterUnreachable'],
  },
  {
    name: 'a ready unit of a cluster that has not answered since a change of the leader',
    fleet: fleetOf([certs], [unitOf('certs', 'a', 'v2', 'Ready')], {
      assemblages: [assemblageOf('a', 'Connecting', [connecting]), assemblageOf('b', 'Connected')],
    }),
    unit: ['certs', 'a'],
    state: 'Waiting',
    causes: ['cluster a: ClusterConnecting'],
  },
  {
    name: 'a cluster that was deleted: no Module is blamed',
    fleet: fleetOf([certs], [unitOf('certs', 'z', 'v2', 'Ready')]),
    unit: ['certs', 'z'],
    state: 'NotSelected',
    causes: ['cluster z: ClusterGone'],
  },
  {
    name: 'a cluster that is being deleted',
    fleet: fleetOf([certs], [moving], { clusters: [{ ...clusterOf('a'), deleting: true }, clusterOf('b')] }),
    unit: ['certs', 'a'],
    state: 'Waiting',
    causes: ['cluster a: ClusterDeleting'],
  },
  {
    name: 'a deleted Module of the same name, and what blocks its removal',
    fleet: fleetOf([certs], [formerUnit()]),
    unit: ['certs', 'a'],
    state: 'Waiting',
    causes: [WEBHOOK],
  },
  {
    name: 'a deleted Module whose unit is gone: what the removal of the others waits for',
    fleet: fleetOf([deletedCerts], [moving]),
    unit: ['certs', 'b'],
    state: 'NotSelected',
    causes: ['certs on a: Removing', '  certs on a: Waiting', `    ${WEBHOOK}`],
  },
  {
    name: 'a deleted Module whose units are all gone',
    fleet: fleetOf([deletedCerts], []),
    unit: ['certs', 'a'],
    state: 'NotSelected',
    causes: ['Module platform/certs: Pending'],
  },
  {
    name: 'a cycle ends',
    fleet: fleetOf([moduleOf('x', { needs: ['y'] }), moduleOf('y', { needs: ['x'] })], []),
    unit: ['x', 'a'],
    state: 'Waiting',
    causes: ['y: DependencyNotStarted', '  x: DependencyNotStarted'],
  },
  {
    name: 'a cluster that the Module does not select has no unit',
    fleet: fleetOf([certs], []),
    unit: ['certs', 'z'],
    state: 'NotSelected',
    causes: ['Module platform/certs: NotSelected'],
  },
]
