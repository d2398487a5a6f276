/** Manifests of kinds that the order and the health rules know, and of kinds that nobody should have thought of. */
import fc from 'fast-check'
import { identityOf, type KubeObject, refOf } from '../../packages/kube/src/object/index.ts'
import { hostile, inherited, mostly } from './arbitraryjson.ts'

const TYPES: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['v1', 'Namespace'],
  ['v1', 'ServiceAccount'],
  ['v1', 'Secret'],
  ['v1', 'ConfigMap'],
  ['v1', 'Service'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'Pod'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['apps/v1', 'ReplicaSet'],
  ['batch/v1', 'Job'],
  ['batch/v1', 'CronJob'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['example.com/v1', 'Widget'],
  ['gateway.networking.k8s.io/v1', 'Gateway'],
  ['a/b/c', 'Widget'],
  ['/', 'List'],
]

const type = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...TYPES) },
  { weight: 1, arbitrary: inherited.map((kind) => ['v1', kind] as const) },
)

const name = fc.constantFrom('a', 'b', 'constructor')
const annotations = fc.constantFrom<Readonly<Record<string, string>> | undefined>(
  undefined,
  undefined,
  undefined,
  { 'argocd.argoproj.io/sync-wave': '-1' },
  { 'argocd.argoproj.io/sync-wave': '2' },
  { 'argocd.argoproj.io/sync-wave': 'soon', 'helm.sh/hook-weight': '1' },
  { 'argocd.argoproj.io/hook': 'PreSync' },
  { 'helm.sh/hook': 'crd-install' },
  { 'lockstep.dev/depends-on': '/namespaces/z/PersistentVolumeClaim/out' },
  {
    'config.kubernetes.io/apply-time-mutation':
      '[{sourceRef: {kind: Pod, name: out}, sourcePath: $.kind, targetPath: \'$.metadata.annotations["x"]\'}]',
    x: 'of',
  },
  { 'lockstep.dev/wait-for': '[{"apiVersion":"v1","kind":"Pod","name":"out","when":"has(object.status)"}]' },
)

const podSpec = fc.record(
  {
    serviceAccountName: mostly('a', 'default'),
    containers: mostly([{ envFrom: [{ configMapRef: { name: 'a' } }], env: [null, { valueFrom: 7 }] }]),
    volumes: mostly([{ secret: { secretName: 'b' } }, { projected: { sources: [{ secret: null }] } }]),
    imagePullSecrets: mostly([{ name: 'a' }]),
  },
  { requiredKeys: [] },
)

/** One spec for all kinds: each reads its own part of it. */
const spec = fc.record(
  {
    group: mostly('example.com'),
    scope: mostly('Namespaced', 'Cluster'),
    names: mostly({ kind: 'Widget' }),
    template: fc.oneof(
      podSpec.map((p) => ({ spec: p })),
      hostile,
    ),
    containers: mostly([]),
    replicas: mostly(0, 1, 3),
    paused: mostly(true, false),
    suspend: mostly(true, false),
    type: mostly('LoadBalancer', 'ClusterIP'),
    updateStrategy: mostly({ type: 'OnDelete' }, { rollingUpdate: { partition: 1 } }),
    progressDeadlineSeconds: mostly(600),
  },
  { requiredKeys: [] },
)

const condition = fc.record({
  type: mostly(
    'Ready',
    'Available',
    'Progressing',
    'Stalled',
    'Reconciling',
    'Complete',
    'Failed',
    'Established',
  ),
  status: mostly('True', 'False', 'Unknown'),
  reason: mostly('ProgressDeadlineExceeded', 'NewReplicaSetAvailable', 'Unschedulable', 'Pending'),
  message: mostly('it says so'),
})

const count = mostly(0, 1, 3)
const waiting = [{ state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } }]

/** What operators, tools and attackers may write into a status. */
const status = fc.record(
  {
    observedGeneration: mostly(1, 2),
    conditions: fc.oneof(fc.array(fc.oneof(condition, hostile), { maxLength: 4 }), hostile),
    phase: mostly('Pending', 'Running', 'Succeeded', 'Failed', 'Bound', 'Lost', 'Terminating'),
    reason: mostly('Evicted'),
    message: mostly('it was evicted'),
    containerStatuses: mostly(waiting),
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    currentReplicas: count,
    fullyLabeledReplicas: count,
    desiredNumberScheduled: count,
    currentNumberScheduled: count,
    updatedNumberScheduled: count,
    numberAvailable: count,
    numberReady: count,
    currentRevision: mostly('a', 'b'),
    updateRevision: mostly('a', 'b'),
    startTime: mostly('2026-01-01T00:00:00Z'),
  },
  { requiredKeys: [] },
)

/** An object as a bundle has it: with a name, with maps of strings, else with anything. */
export const manifests: fc.Arbitrary<KubeObject> = fc
  .record({
    type,
    name,
    namespace: fc.constantFrom(undefined, undefined, 'a', 'b'),
    annotations,
    spec: fc.oneof(
      { weight: 6, arbitrary: spec },
      { weight: 1, arbitrary: podSpec },
      { weight: 1, arbitrary: hostile },
    ),
    subjects: mostly([{ kind: 'ServiceAccount', name: 'a', namespace: 'a' }, { kind: 'ServiceAccount' }]),
    roleRef: mostly({ kind: 'Role', name: 'a' }, { kind: 'constructor', name: 'a' }),
  })
  .map(({ type: [apiVersion, kind], name: n, namespace, annotations: notes, ...rest }) => ({
    apiVersion,
    kind,
    metadata: {
      name: n,
      ...(namespace === undefined ? {} : { namespace }),
      ...(notes === undefined ? {} : { annotations: notes }),
    },
    ...rest,
  }))

/** Objects of different identity, in any order. */
export const bundles: fc.Arbitrary<readonly KubeObject[]> = fc.uniqueArray(manifests, {
  selector: (o) => identityOf(refOf(o)),
  maxLength: 6,
})

/** An object as a server may hand it out. */
export const liveObjects: fc.Arbitrary<KubeObject> = fc
  .record({
    manifest: manifests,
    status: fc.oneof({ weight: 8, arbitrary: status }, { weight: 1, arbitrary: hostile }),
    generation: fc.constantFrom(undefined, 1, 2),
    creationTimestamp: fc.constantFrom(undefined, '2026-01-01T00:00:00Z', 'yesterday'),
    deletionTimestamp: fc.constantFrom(undefined, undefined, undefined, '2026-01-01T00:00:00Z'),
  })
  .map(({ manifest, status: said, ...meta }) => ({
    ...manifest,
    metadata: { ...manifest.metadata, ...meta },
    ...(said === undefined ? {} : { status: said }),
  }))
