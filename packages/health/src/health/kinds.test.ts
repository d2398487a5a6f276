/** What the types of a kind say and is easily got wrong: words that look like others, what comes first, what is no failure. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import type { HealthProfile } from '../state/healthstate.ts'
import { healthOf } from './health.ts'

/** `Ready=False/Failed@1`: of generation 1; the objects here are of generation 2. */
const conditions = (...list: string[]) => ({
  conditions: list.map((text) => {
    const [, type, status, reason = '', observed] = /^([^=]+)=(\w+)(?:\/(\w+))?(?:@(\d+))?$/.exec(text) ?? []
    return {
      type,
      status,
      reason,
      message: `about ${type}`,
      ...(observed === undefined ? {} : { observedGeneration: Number(observed) }),
    }
  }),
})

const object = (type: string, body: object): KubeObject => {
  const cut = type.lastIndexOf('/')
  const { annotations, ...rest } = body as { readonly annotations?: object }
  const metadata = { name: 'x', generation: 2, ...(annotations ? { annotations } : {}) }
  return { apiVersion: type.slice(0, cut), kind: type.slice(cut + 1), metadata, ...rest } as KubeObject
}
const of = (type: string, body: object, profile: HealthProfile = 'Lockstep') => {
  const { state, message } = healthOf(object(type, body), 0, undefined, profile)
  return [state, message]
}
const status = (...parts: readonly object[]) => ({ status: Object.assign({}, ...parts) })

type Row = readonly [type: string, body: object, state: string, message: string]

const APIS: readonly Row[] = [
  // A word of one kind is not that of another.
  ['camel.apache.org/v1/Build', status({ phase: 'Running' }), 'Progressing', 'Waiting for Build'],
  ['camel.apache.org/v1/Build', status({ phase: 'Interrupted' }), 'Degraded', 'The build has failed'],
  ['camel.apache.org/v1/Integration', status({ phase: 'Running' }), 'Healthy', 'Integration is Running'],
  [
    'camel.apache.org/v1/Integration',
    status({ phase: 'Running' }, conditions('Ready=False')),
    'Progressing',
    'about Ready',
  ],
  ['acme.cert-manager.io/v1/Order', status({ state: 'ready' }), 'Progressing', 'Waiting for the ACME server'],
  ['acme.cert-manager.io/v1/Order', status({ state: 'valid' }), 'Healthy', ''],
  ['acme.cert-manager.io/v1/Order', status({ state: 'errored' }), 'Degraded', 'state errored'],
  [
    'clickhouse.altinity.com/v1/ClickHouseInstallation',
    status({ status: 'Aborted' }),
    'Degraded',
    'ClickHouse status: Aborted',
  ],
  [
    'clickhouse.altinity.com/v1/ClickHouseInstallation',
    status({ status: 'Failed' }),
    'Degraded',
    'status Failed',
  ],
  [
    'elasticsearch.k8s.elastic.co/v1/Elasticsearch',
    status({ phase: 'Stalled', health: 'green' }),
    'Degraded',
    'Elasticsearch phase is Stalled',
  ],
  [
    'trident.netapp.io/v1/TridentBackendConfig',
    status({ phase: 'Lost', lastOperationStatus: 'Success' }),
    'Degraded',
    'The backend is Lost',
  ],
  ['cluster.x-k8s.io/v1beta1/MachinePool', status({ phase: 'Unknown' }), 'Unknown', 'MachinePool is Unknown'],
  // What is paused on purpose.
  ['pxc.percona.com/v1/PerconaXtraDBCluster', status({ state: 'paused' }), 'Suspended', 'Cluster is paused'],
  [
    'pxc.percona.com/v1/PerconaXtraDBCluster',
    status({ state: 'error', message: ['no quorum', 'no disk'] }),
    'Degraded',
    'no quorum; no disk',
  ],
  [
    'k8s.mariadb.com/v1alpha1/MariaDB',
    status(conditions('Ready=False/Suspended')),
    'Suspended',
    'about Ready',
  ],
  [
    'k8s.mariadb.com/v1alpha1/Restore',
    status(conditions('Complete=False/JobSuspended')),
    'Suspended',
    'JobSuspended about Complete',
  ],
  [
    'cluster.x-k8s.io/v1beta2/Machine',
    status({ phase: 'Running' }, conditions('Paused=True/Paused')),
    'Suspended',
    'about Paused',
  ],
  [
    'db.atlasgo.io/v1alpha1/AtlasMigration',
    status(conditions('Ready=False/ApprovalPending')),
    'Suspended',
    'ApprovalPending',
  ],
  [
    'sparkoperator.k8s.io/v1beta2/SparkApplication',
    status({ applicationState: { state: 'SUSPENDED' } }),
    'Suspended',
    'SparkApplication is SUSPENDED',
  ],
  [
    'fluxcd.controlplane.io/v1/FluxInstance',
    { annotations: { 'fluxcd.controlplane.io/reconcile': 'disabled' }, ...status(conditions('Ready=True')) },
    'Suspended',
    'fluxcd.controlplane.io/reconcile is disabled',
  ],
  [
    'fluxcd.controlplane.io/v1/ResourceSet',
    { spec: { suspend: true }, ...status(conditions('Ready=True/Done')) },
    'Healthy',
    'Done',
  ],
  [
    'kafka.strimzi.io/v1beta2/KafkaTopic',
    status(conditions('ReconciliationPaused=True')),
    'Suspended',
    'KafkaTopic is paused',
  ],
  [
    'karpenter.sh/v1/NodeClaim',
    status(conditions('Ready=True', 'DisruptionReason=True/Drifted')),
    'Suspended',
    'about DisruptionReason',
  ],
  [
    'rollouts.kruise.io/v1beta1/Rollout',
    status({ phase: 'Progressing', blueGreenStatus: { currentStepState: 'StepPaused' } }),
    'Suspended',
    'Rollout is Paused need manual intervention',
  ],
  [
    'game.kruise.io/v1alpha1/GameServerSet',
    {
      spec: { replicas: 1, updateStrategy: { rollingUpdate: { partition: '50%' } } },
      ...status({ readyReplicas: 1 }),
    },
    'Suspended',
    'Partition=50%, waiting for manual intervention',
  ],
  // A failure, though the reason or another condition sounds well.
  [
    'k8s.mariadb.com/v1alpha1/Connection',
    status(conditions('Ready=False/Healthy')),
    'Degraded',
    'about Ready',
  ],
  [
    'k8s.mariadb.com/v1alpha1/Backup',
    status(conditions('Complete=False/Failed')),
    'Degraded',
    'Failed about Complete',
  ],
  [
    'db.atlasgo.io/v1alpha1/AtlasSchema',
    status(conditions('Ready=False/VerifyingFirstRun')),
    'Degraded',
    'VerifyingFirstRun: about Ready',
  ],
  [
    'flink.apache.org/v1beta1/FlinkDeployment',
    status({ lifecycleState: 'ROLLED_BACK', jobManagerDeploymentStatus: 'READY' }),
    'Degraded',
    'It was rolled back to the last stable spec',
  ],
  [
    'flink.apache.org/v1beta1/FlinkDeployment',
    status({ lifecycleState: 'UPGRADING', jobManagerDeploymentStatus: 'READY' }),
    'Progressing',
    'It is UPGRADING',
  ],
  [
    'flink.apache.org/v1beta1/FlinkDeployment',
    status({ lifecycleState: 'STABLE', jobManagerDeploymentStatus: 'READY' }),
    'Healthy',
    '',
  ],
  [
    'monitoring.coreos.com/v1/Prometheus',
    status(conditions('Available=True', 'Reconciled=False')),
    'Degraded',
    'about Reconciled',
  ],
  [
    'monitoring.coreos.com/v1/Prometheus',
    status({ replicas: 2, updatedReplicas: 1 }, conditions('Available=True', 'Reconciled=True')),
    'Progressing',
    '1 of 2 replicas are updated',
  ],
  [
    'grafana.integreatly.org/v1beta1/GrafanaDashboard',
    status(conditions('DashboardSynchronized=True', 'NoMatchingFolder=True')),
    'Degraded',
    'about NoMatchingFolder',
  ],
  [
    'config.openshift.io/v1/ClusterVersion',
    status(conditions('Available=True', 'Failing=True')),
    'Degraded',
    'about Failing',
  ],
  [
    'zookeeper.pravega.io/v1beta1/ZookeeperCluster',
    status({ replicas: 3, readyReplicas: 3 }, conditions('Error=True/UpgradeFailed')),
    'Degraded',
    'about Error',
  ],
  [
    'pkg.crossplane.io/v1/ProviderRevision',
    status(conditions('RevisionHealthy=False/UnhealthyPackageRevision')),
    'Degraded',
    'about RevisionHealthy',
  ],
  [
    'core.cnrm.cloud.google.com/v1beta1/ConfigConnector',
    status({ healthy: false, errors: ['no rights', 'no API'] }),
    'Degraded',
    'no rights; no API',
  ],
  [
    'core.gardener.cloud/v1beta1/Shoot',
    status({ lastOperation: { state: 'Succeeded' } }, conditions('EveryNodeReady=False')),
    'Degraded',
    'EveryNodeReady: about EveryNodeReady',
  ],
  [
    'rabbitmq.com/v1alpha1/SuperStream',
    status(conditions('Ready=False/FailedCreateOrUpdate')),
    'Degraded',
    'about Ready',
  ],
  [
    'velero.io/v1/Backup',
    status({ phase: 'FailedValidation', validationErrors: ['no location'] }),
    'Degraded',
    'Backup phase is FailedValidation: no location',
  ],
  // None, though a condition is not True.
  [
    'operator.knative.dev/v1beta1/KnativeServing',
    status(conditions('DependenciesInstalled=Unknown')),
    'Progressing',
    'Waiting for KnativeServing',
  ],
  [
    'numaflow.numaproj.io/v1alpha1/Pipeline',
    status(conditions('Deployed=True', 'VerticesHealthy=Unknown')),
    'Progressing',
    'about VerticesHealthy',
  ],
  [
    'gateway.networking.k8s.io/v1/GatewayClass',
    status(conditions('Accepted=False/Pending')),
    'Progressing',
    'about Accepted',
  ],
  [
    'core.gardener.cloud/v1beta1/Shoot',
    status({ lastOperation: { state: 'Succeeded' } }, conditions('EveryNodeReady=Progressing')),
    'Progressing',
    'Component state: Update in progress',
  ],
  [
    'pkg.crossplane.io/v1/FunctionRevision',
    status(conditions('RevisionHealthy=True/Healthy', 'RuntimeHealthy=False')),
    'Progressing',
    'about RuntimeHealthy',
  ],
  [
    'apiextensions.crossplane.io/v1alpha1/ManagedResourceDefinition',
    status(conditions('Established=True/Established')),
    'Healthy',
    'Established',
  ],
  [
    'kafka.banzaicloud.io/v1beta1/KafkaCluster',
    status({
      state: 'ClusterRunning',
      cruiseControlTopicStatus: 'CruiseControlTopicReady',
      brokersState: {
        3: {
          configurationState: 'ConfigInSync',
          gracefulActionState: { cruiseControlState: 'GracefulUpscaleRunning' },
        },
      },
    }),
    'Progressing',
    'Waiting for CruiseControl',
  ],
  [
    'work.karmada.io/v1alpha2/ResourceBinding',
    status(conditions('Scheduled=True', 'FullyApplied=True'), {
      aggregatedStatus: [{ clusterName: 'a', health: 'Unknown' }],
    }),
    'Unknown',
    'Current resource status is not known of all clusters',
  ],
  [
    'work.karmada.io/v1alpha2/ResourceBinding',
    status(conditions('Scheduled=True', 'FullyApplied=True'), {
      aggregatedStatus: [{ clusterName: 'a', health: 'Unhealthy' }],
    }),
    'Degraded',
    'Current resource status is unhealthy on a',
  ],
]

describe('by the types of its kind', () => {
  it.each(APIS)('%s %j', (type, body, state, message) => {
    expect(of(type, body)).toEqual([state, message])
  })
})

describe('a condition of an older generation', () => {
  const kinds: readonly (readonly [type: string, condition: string])[] = [
    ['cert-manager.io/v1/Certificate', 'Ready'],
    ['gateway.networking.k8s.io/v1/GatewayClass', 'Accepted'],
    ['monitoring.coreos.com/v1/Alertmanager', 'Reconciled'],
    ['grafana.integreatly.org/v1beta1/GrafanaFolder', 'FolderSynchronized'],
  ]
  it.each(kinds)('of %s says nothing, but as Argo CD reads it', (type, condition) => {
    const [old, now] = [1, 2].map((g) => status(conditions(`${condition}=True@${g}`, 'Available=True')))
    expect(of(type, old!)).toEqual(['Progressing', `${condition} is about an older generation`])
    expect(of(type, old!, 'Argo')[0]).toBe('Healthy')
    expect(of(type, now!)[0]).toBe('Healthy')
  })
  it.each(['Issuer', 'ClusterIssuer'])('of an %s counts: it is kept while the account is', (kind) => {
    expect(of(`cert-manager.io/v1/${kind}`, status(conditions('Ready=True@1')))[0]).toBe('Healthy')
  })
  it('of a managed resource counts: Crossplane does not write the same one twice', () => {
    const synced = status(conditions('Ready=True@1', 'Synced=True@1'))
    expect(of('rds.aws.upbound.io/v1/Instance', synced)[0]).toBe('Healthy')
  })
  it('another one, that is not asked for, may be old', () => {
    const renewed = status(conditions('Ready=True@2', 'Issuing=False@1'))
    expect(of('cert-manager.io/v1/Certificate', renewed)[0]).toBe('Healthy')
  })
})
