/** A few objects of each family, as the documentation of its kinds shows them. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { healthOf } from './health.ts'

type Row = readonly [type: string, kind: string, body: object, state: string, message: string | RegExp]

const ready = (status: string, reason = '', message = '') => ({
  status: { conditions: [{ type: 'Ready', status, reason, message }] },
})
const conditions = (...list: string[]) => ({
  status: {
    conditions: list.map((text) => {
      const [type, rest = ''] = text.split('=')
      const [status, reason = ''] = rest.split('/')
      return { type, status, reason, message: `about ${type}` }
    }),
  },
})
const status = (s: object) => ({ status: s })

const rows: readonly Row[] = [
  // Argo
  [
    'argoproj.io/v1alpha1',
    'Rollout',
    status({ phase: 'Paused', message: 'CanaryPauseStep' }),
    'Suspended',
    'CanaryPauseStep',
  ],
  ['argoproj.io/v1alpha1', 'Workflow', status({ phase: 'Succeeded' }), 'Healthy', ''],
  ['argoproj.io/v1alpha1', 'Application', {}, 'Progressing', 'no health yet'],
  [
    'promoter.argoproj.io/v1alpha1',
    'PullRequest',
    ready('False', 'RateLimited', 'too many requests'),
    'Degraded',
    'Pull request reconciliation failed (RateLimited): too many requests',
  ],
  // Flux
  [
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    ready('False', 'HealthCheckFailed', 'timeout'),
    'Degraded',
    'HealthCheckFailed: timeout',
  ],
  [
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    ready('False', 'DependencyNotReady', 'base is not'),
    'Progressing',
    'base is not',
  ],
  [
    'source.toolkit.fluxcd.io/v1',
    'GitRepository',
    { spec: { suspend: true }, ...ready('True', 'Succeeded') },
    'Suspended',
    'spec.suspend is true',
  ],
  ['source.toolkit.fluxcd.io/v1', 'OCIRepository', {}, 'Progressing', /controller/],
  // Certificates
  [
    'cert-manager.io/v1',
    'Certificate',
    conditions('Ready=True', 'Issuing=True/Renewing'),
    'Progressing',
    'about Issuing',
  ],
  [
    'cert-manager.io/v1',
    'CertificateRequest',
    conditions('Ready=False/Pending'),
    'Progressing',
    'about Ready',
  ],
  [
    'acme.cert-manager.io/v1',
    'Order',
    status({ state: 'invalid', reason: 'no such host' }),
    'Degraded',
    'no such host',
  ],
  // Clouds
  [
    'ec2.aws.crossplane.io/v1',
    'VPC',
    conditions('Ready=True/Available', 'Synced=False/ReconcileError'),
    'Degraded',
    'about Synced',
  ],
  [
    'database.aws.upbound.io/v1',
    'Instance',
    conditions('Ready=False/Creating', 'Synced=True'),
    'Progressing',
    'Waiting for Instance to be available',
  ],
  ['aws.crossplane.io/v1beta1', 'ProviderConfig', {}, 'Healthy', /./],
  [
    'sns.services.k8s.aws/v1alpha1',
    'Topic',
    conditions('ACK.ResourceSynced=True'),
    'Healthy',
    'about ACK.ResourceSynced',
  ],
  [
    'sns.services.k8s.aws/v1alpha1',
    'Topic',
    conditions('ACK.Terminal=True'),
    'Degraded',
    'about ACK.Terminal',
  ],
  [
    'storage.cnrm.cloud.google.com/v1beta1',
    'StorageBucket',
    conditions('Ready=False/DependencyNotFound'),
    'Degraded',
    'about Ready',
  ],
  [
    'karpenter.sh/v1',
    'NodeClaim',
    conditions('Launched=True', 'Registered=Unknown'),
    'Progressing',
    'Instance launched, waiting for registration',
  ],
  // Networks
  [
    'gateway.networking.k8s.io/v1',
    'Gateway',
    conditions('Accepted=True', 'Programmed=False/Invalid'),
    'Degraded',
    'about Programmed',
  ],
  [
    'gateway.networking.k8s.io/v1',
    'TLSRoute',
    status({
      parents: [
        {
          parentRef: { name: 'edge' },
          conditions: [{ type: 'Accepted', status: 'False', message: 'no listener' }],
        },
      ],
    }),
    'Degraded',
    'Parent edge: no listener',
  ],
  ['gateway.networking.k8s.io/v1', 'HTTPRoute', {}, 'Progressing', 'Waiting for HTTPRoute status'],
  [
    'gloo.solo.io/v1',
    'Upstream',
    status({ statuses: { a: { state: 1 }, b: { state: 2, reason: 'no port' } } }),
    'Degraded',
    'no port',
  ],
  ['projectcontour.io/v1', 'HTTPProxy', conditions('Valid=True'), 'Healthy', 'about Valid'],
  ['install.istio.io/v1alpha1', 'IstioOperator', status({ status: 'ERROR' }), 'Degraded', /./],
  // Clusters
  ['cluster.x-k8s.io/v1beta1', 'Machine', status({ phase: 'Provisioning' }), 'Progressing', /machine/],
  ['cluster.x-k8s.io/v1beta1', 'Cluster', { spec: { paused: true } }, 'Suspended', 'Cluster is paused'],
  [
    'core.gardener.cloud/v1beta1',
    'Shoot',
    {
      status: {
        lastOperation: { state: 'Failed' },
        conditions: [{ type: 'APIServerAvailable', status: 'True' }],
      },
    },
    'Degraded',
    /./,
  ],
  // Data
  [
    'postgresql.cnpg.io/v1',
    'Cluster',
    status({ phase: 'Switchover in progress', phaseReason: 'to a-2' }),
    'Progressing',
    'to a-2',
  ],
  [
    'elasticsearch.k8s.elastic.co/v1',
    'Elasticsearch',
    status({ phase: 'Ready', health: 'green' }),
    'Healthy',
    /Green/,
  ],
  ['kibana.k8s.elastic.co/v1', 'Kibana', status({ health: 'red' }), 'Degraded', 'Kibana status is Red'],
  [
    'k8s.mariadb.com/v1alpha1',
    'Restore',
    conditions('Complete=True/JobFailed'),
    'Degraded',
    'JobFailed about Complete',
  ],
  [
    'psmdb.percona.com/v1',
    'PerconaServerMongoDB',
    status({ state: 'error', ready: 2, size: 3, message: 'no primary' }),
    'Degraded',
    'no primary',
  ],
  [
    'acid.zalan.do/v1',
    'postgresql',
    status({ PostgresClusterStatus: 'CreateFailed' }),
    'Degraded',
    'CreateFailed',
  ],
  // Messages
  [
    'kafka.strimzi.io/v1beta2',
    'KafkaMirrorMaker2',
    conditions('NotReady=True'),
    'Degraded',
    'about NotReady',
  ],
  ['rabbitmq.com/v1beta1', 'Queue', conditions('Ready=True'), 'Healthy', 'RabbitMQ queue ready'],
  [
    'sparkoperator.k8s.io/v1beta2',
    'SparkApplication',
    status({ applicationState: { state: 'COMPLETED' } }),
    'Healthy',
    /Successful/,
  ],
  [
    'numaflow.numaproj.io/v1alpha1',
    'Pipeline',
    conditions('Configured=True', 'Deployed=False'),
    'Degraded',
    'about Deployed',
  ],
  // Observability
  [
    'monitoring.coreos.com/v1',
    'Prometheus',
    conditions('Available=True', 'Reconciled=True'),
    'Healthy',
    /available/,
  ],
  [
    'grafana.integreatly.org/v1beta1',
    'GrafanaFolder',
    conditions('NoMatchingInstance=True'),
    'Degraded',
    'about NoMatchingInstance',
  ],
  [
    'operator.victoriametrics.com/v1beta1',
    'VMCluster',
    status({ updateStatus: 'expanding' }),
    'Progressing',
    'The change is being made',
  ],
  // Secrets and policies
  [
    'external-secrets.io/v1',
    'ExternalSecret',
    conditions('Ready=False/SecretSyncedError'),
    'Degraded',
    'about Ready',
  ],
  ['kyverno.io/v1', 'ClusterPolicy', conditions('Ready=True'), 'Healthy', 'about Ready'],
  // Storage
  [
    'ceph.rook.io/v1',
    'CephBlockPool',
    status({ phase: 'Progressing' }),
    'Progressing',
    'CephBlockPool phase is Progressing',
  ],
  ['snapshot.storage.k8s.io/v1', 'VolumeSnapshot', status({ readyToUse: false }), 'Progressing', /status/],
  ['velero.io/v1', 'BackupStorageLocation', status({ phase: 'Unavailable' }), 'Degraded', /Unavailable/],
  ['kubevirt.io/v1', 'VirtualMachine', status({ printableStatus: 'Stopped' }), 'Suspended', 'Stopped'],
  ['minio.min.io/v2', 'Tenant', status({ currentState: 'Initialized' }), 'Healthy', 'Initialized'],
  // Workloads
  [
    'serving.knative.dev/v1',
    'Service',
    ready('Unknown', 'Deploying', 'on its way'),
    'Progressing',
    'on its way',
  ],
  [
    'keda.sh/v1alpha1',
    'ScaledObject',
    conditions('Ready=True', 'Fallback=True'),
    'Degraded',
    'about Fallback',
  ],
  ['flagger.app/v1beta1', 'Canary', status({ phase: 'Waiting' }), 'Suspended', /^Waiting/],
  ['tekton.dev/v1', 'TaskRun', conditions('Succeeded=False/TaskRunTimeout'), 'Degraded', 'about Succeeded'],
  ['apps.kruise.io/v1alpha1', 'BroadcastJob', status({ phase: 'completed' }), 'Healthy', /completed/],
  [
    'work.karmada.io/v1alpha2',
    'ResourceBinding',
    { ...conditions('Scheduled=True', 'FullyApplied=True') },
    'Healthy',
    '',
  ],
  // OpenShift
  [
    'config.openshift.io/v1',
    'ClusterOperator',
    conditions('Available=True', 'Progressing=True', 'Degraded=False'),
    'Progressing',
    'about Progressing',
  ],
  [
    'operators.coreos.com/v1alpha1',
    'ClusterServiceVersion',
    status({ phase: 'Failed', message: 'no rights' }),
    'Degraded',
    'no rights',
  ],
  [
    'policy.open-cluster-management.io/v1',
    'Policy',
    status({ compliant: 'NonCompliant', status: [{ clustername: 'a', compliant: 'NonCompliant' }] }),
    'Degraded',
    'NonCompliant clusters: a',
  ],
  [
    'capabilities.3scale.net/v1beta1',
    'Backend',
    conditions('Synced=True'),
    'Healthy',
    '3scale Backend is synced',
  ],
]

describe('by the rules of its family', () => {
  it.each(rows)('%s %s', (apiVersion, kind, body, state, message) => {
    const o = { apiVersion, kind, metadata: { name: 'x' }, ...body } as KubeObject
    const health = healthOf(o, 0)
    expect(health).toMatchObject({
      state,
      message: expect.stringMatching(
        typeof message === 'string' ? `^${message.replace(/[.*+?()|[\]]/g, '\\$&')}$` : message,
      ),
    })
    expect(health.rule).toMatch(/^[\w*.-]+\/(\w+|\*)$/)
  })
})

describe('by conventions', () => {
  const cases: readonly (readonly [body: object, state: string, rule: string, message: string])[] = [
    [{}, 'Healthy', 'existence', ''],
    [conditions('Ready=True'), 'Healthy', 'conditions', 'about Ready'],
    [conditions('Ready=False/Broken'), 'Degraded', 'conditions', 'about Ready'],
    [conditions('Ready=False/StillProvisioning'), 'Progressing', 'conditions', 'about Ready'],
    [conditions('Available=True', 'Ready=False/Broken'), 'Degraded', 'conditions', 'about Ready'],
    [conditions('Ready=True', 'Failed=True'), 'Degraded', 'conditions', 'about Failed'],
    [conditions('Ready=Unknown'), 'Progressing', 'conditions', 'about Ready'],
    [conditions('Stalled=True'), 'Degraded', 'conditions', 'about Stalled'],
    [conditions('Reconciling=True', 'Ready=True'), 'Progressing', 'conditions', 'about Reconciling'],
    [
      conditions('PodsHealthy=True', 'RemoteSynced=False/Denied'),
      'Degraded',
      'conditions',
      'about RemoteSynced',
    ],
    [
      status({ observedGeneration: 1 }),
      'Progressing',
      'observedGeneration',
      'its controller has seen generation 1 of 2',
    ],
    [
      status({ conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] }),
      'Progressing',
      'conditions',
      'Ready is about an older generation',
    ],
    [
      status({ phase: 'Provisioning', message: 'step 1' }),
      'Progressing',
      'status.phase',
      'phase Provisioning: step 1',
    ],
    [status({ phase: 'Running' }), 'Healthy', 'existence', ''],
    [status({ state: 'SUBMISSION_FAILED' }), 'Degraded', 'status.state', 'state SUBMISSION_FAILED'],
    [status({ state: 'MigratingData' }), 'Progressing', 'status.state', 'state MigratingData'],
    [status({ phase: 'Paused' }), 'Suspended', 'status.phase', 'phase Paused'],
    [status({ health: 'red' }), 'Degraded', 'status.health', 'health red'],
  ]
  it.each(cases)('%j is %s by %s', (body, state, rule, message) => {
    const o = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'x', generation: 2 },
      ...body,
    }
    expect(healthOf(o as KubeObject, 0)).toEqual({ state, message, rule })
  })
})
