/** Messages and streams: Strimzi, Confluent, Koperator, RabbitMQ, Flink, Spark, Numaflow, Numaplane. */
import { absent, type KindRule, type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

const strimzi = (name: string): KindRule[] => [
  on('Ready=True', 'Healthy', ''),
  on('NotReady=True', 'Degraded'),
  on('ReconciliationPaused=True', 'Suspended', '{kind} is paused'),
  otherwise('Progressing', `Waiting for ${name}`),
]

const rabbitTopology: readonly KindRule[] = [
  on('Ready=True', 'Healthy', 'RabbitMQ {object.kind.lowerAscii()} ready'),
  on('Ready=False', 'Degraded'),
  otherwise('Unknown', 'RabbitMQ {object.kind.lowerAscii()} status is unknown'),
]

const NOT_ALL_KNOWN = 'Waiting for RabbitMQ cluster readiness (conditions unknown)'

const rabbit: readonly KindRules[] = [
  {
    group: 'rabbitmq.com',
    kinds: ['RabbitmqCluster'],
    rules: [
      absent('status.conditions', 'Progressing', 'Waiting for RabbitMQ Operator'),
      on('ReconcileSuccess=False', 'Degraded'),
      on('NoWarnings=False', 'Degraded'),
      on('ClusterAvailable=Unknown', 'Progressing', NOT_ALL_KNOWN),
      on('AllReplicasReady=Unknown', 'Progressing', NOT_ALL_KNOWN),
      on('ClusterAvailable=False', 'Progressing', 'Waiting for RabbitMQ cluster formation'),
      on('AllReplicasReady=False', 'Progressing', 'Waiting for RabbitMQ instances ready'),
      on('ClusterAvailable=True & AllReplicasReady=True', 'Healthy', 'RabbitMQ cluster ready'),
      otherwise('Progressing', NOT_ALL_KNOWN),
    ],
  },
  {
    group: 'rabbitmq.com',
    kinds: [
      'Binding',
      'Exchange',
      'Federation',
      'OperatorPolicy',
      'Permission',
      'Policy',
      'Queue',
      'SchemaReplication',
      'Shovel',
      'SuperStream',
      'TopicPermission',
      'User',
      'Vhost',
    ],
    rules: rabbitTopology,
  },
]

/** Confluent for Kubernetes: a phase of components, and an application state of what lives in them. */
const confluent: readonly KindRules[] = [
  {
    group: 'platform.confluent.io',
    kinds: ['Connector'],
    rules: [
      on('platform.confluent.io/app-ready=False', 'Degraded'),
      when('status.?failedTasksCount.orValue(0) > 0', 'Degraded', 'Connector has failed tasks'),
      ...words('status.connectorState', { Degraded: ['FAILED'] }, 'Connector failed'),
      ...words('status.connectorState', { Suspended: ['PAUSED'] }, 'Connector paused'),
      ...words('status.connectorState', { Healthy: ['RUNNING'] }, 'Connector running'),
      otherwise('Progressing', 'Waiting for Connector'),
    ],
  },
  {
    group: 'platform.confluent.io',
    kinds: [
      'Connect',
      'ControlCenter',
      'Kafka',
      'KafkaRestProxy',
      'KRaftController',
      'KsqlDB',
      'SchemaRegistry',
      'Zookeeper',
    ],
    rules: [
      ...words('status.phase', { Healthy: ['RUNNING'] }, '{kind} running'),
      ...words('status.phase', { Progressing: ['PROVISIONING'] }, '{kind} provisioning'),
      ...words('status.phase', { Degraded: ['FAILED', 'ERROR'] }, '{kind} failed'),
      otherwise('Progressing', 'Waiting for {kind}'),
    ],
  },
]

/** Numaflow: each kind has its parts as conditions, and a phase. */
const numaflow = (...parts: string[]): KindRule[] => [
  stale('Waiting for {kind} status'),
  // Numaplane says so of the one that it has tried and given up.
  when(
    "metadata.?labels[?'numaplane.numaproj.io/progressive-result-state'].orValue('') == 'failed'",
    'Degraded',
    'Failed progressive upgrade',
  ),
  ...words('status.phase', { Healthy: ['Paused', 'Pausing'] }, '{kind} is paused'),
  ...words('status.phase', { Degraded: ['Failed'] }, '{status.message|It has failed}'),
  ...parts.map((part) => on(`${part}=False`, 'Degraded')),
  on('Deployed=False', 'Degraded'),
  on('Configured=False', 'Degraded'),
  absent('status.conditions', 'Progressing', 'Waiting for {kind} status'),
  // All conditions begin as Unknown.
  ...[...parts, 'Deployed', 'Configured'].map((part) => on(`${part}=Unknown`, 'Progressing')),
  ...words('status.phase', { Progressing: ['Pending', 'Deleting'] }, '{kind} is {status.phase}'),
  otherwise('Healthy', '{kind} is healthy'),
]

const numaplane: readonly KindRule[] = [
  absent('status', 'Progressing', 'Not yet reconciled'),
  stale('Not yet reconciled'),
  ...words('status.phase', { Degraded: ['Failed'] }, '{status.message}'),
  on('ProgressiveUpgradeSucceeded=False', 'Degraded', '{condition.message|Progressive upgrade failed}'),
  ...words('status.phase', { Progressing: ['Pending'] }, 'Update in progress'),
  on('PipelinePausingOrPaused=True', 'Healthy'),
  on('MonoVertexPausingOrPaused=True', 'Healthy'),
  on('ChildResourcesHealthy=False/Progressing', 'Progressing', 'Child Progressing'),
  on('ChildResourcesHealthy=False', 'Degraded'),
  on('ChildResourcesHealthy=Unknown', 'Progressing'),
  ...words('status.phase', { Healthy: ['Deployed'] }, 'Healthy'),
  otherwise('Progressing', 'Update in progress'),
]

/** States of a SparkApplication (`api/v1beta2` ApplicationStateType). */
const spark: readonly KindRule[] = [
  ...words(
    'status.applicationState.state',
    { Degraded: ['FAILED', 'SUBMISSION_FAILED', 'FAILING'] },
    '{status.applicationState.errorMessage|SparkApplication failed}',
  ),
  ...words('status.applicationState.state', { Healthy: ['RUNNING'] }, 'SparkApplication is Running'),
  ...words(
    'status.applicationState.state',
    { Healthy: ['COMPLETED', 'SUCCEEDING'] },
    'SparkApplication was Successful',
  ),
  ...words(
    'status.applicationState.state',
    { Progressing: ['SUBMITTED', ''] },
    'SparkApplication is Submitted',
  ),
  ...words(
    'status.applicationState.state',
    { Progressing: ['PENDING_RERUN'] },
    'SparkApplication is Pending Rerun',
  ),
  ...words(
    'status.applicationState.state',
    { Suspended: ['SUSPENDED'], Unknown: ['UNKNOWN'] },
    'SparkApplication is {status.applicationState.state}',
  ),
  otherwise('Progressing', 'Waiting for the operator'),
]

export const messageQueueRules: readonly KindRules[] = [
  { group: 'kafka.strimzi.io', kinds: ['KafkaTopic'], rules: strimzi('Kafka Topic') },
  { group: 'kafka.strimzi.io', kinds: ['KafkaUser'], rules: strimzi('Kafka User') },
  {
    group: 'kafka.strimzi.io',
    kinds: [
      'Kafka',
      'KafkaBridge',
      'KafkaConnect',
      'KafkaConnector',
      'KafkaMirrorMaker',
      'KafkaMirrorMaker2',
    ],
    rules: strimzi('{kind}'),
  },
  {
    // A proposal waits for somebody who approves it.
    group: 'kafka.strimzi.io',
    kinds: ['KafkaRebalance'],
    rules: [
      on('ProposalReady=True', 'Suspended', 'the proposal waits to be approved'),
      on('Stopped=True', 'Suspended', 'it is stopped'),
      ...strimzi('{kind}'),
    ],
  },
  ...rabbit,
  ...confluent,
  {
    group: 'kafka.banzaicloud.io',
    kinds: ['KafkaCluster'],
    rules: [
      when(
        "status.?state.orValue('') in ['ClusterRollingUpgrading', 'ClusterReconciling'] || status.?cruiseControlTopicStatus.orValue('') != 'CruiseControlTopicReady'",
        'Progressing',
        'Waiting for KafkaCluster',
      ),
      // Brokers that Cruise Control is to add or remove.
      when(
        "status.?brokersState.orValue({}).exists(b, status.brokersState[b].?gracefulActionState.?cruiseControlState.orValue('').matches('(Required|Scheduled|Running)$'))",
        'Progressing',
        'Waiting for CruiseControl',
      ),
      when(
        "status.?brokersState.orValue({}).exists(b, status.brokersState[b].?configurationState.orValue('') != 'ConfigInSync' || status.brokersState[b].?perBrokerConfigurationState.orValue('') == 'PerBrokerConfigError' || !status.brokersState[b].?gracefulActionState.?cruiseControlState.orValue('').endsWith('Succeeded'))",
        'Degraded',
        'Broker Config is out of Sync or CruiseControlState is not Ready',
      ),
      ...words(
        'status.state',
        { Healthy: ['ClusterRunning'] },
        'Kafka Brokers, CruiseControl and cluster are in Healthy State.',
      ),
      otherwise('Progressing', 'Waiting for KafkaCluster'),
    ],
  },
  {
    group: 'flink.apache.org',
    kinds: ['FlinkDeployment', 'FlinkSessionJob'],
    rules: [
      ...words(
        'status.reconciliationStatus.success',
        { Degraded: [false] },
        '{status.reconciliationStatus.error|It is not reconciled}',
      ),
      ...words(
        'status.jobManagerDeploymentStatus',
        { Degraded: ['ERROR'] },
        '{status.error|The job manager has an error}',
      ),
      ...words('status.lifecycleState', { Degraded: ['FAILED'] }, '{status.error|The deployment has failed}'),
      // What runs is the last spec that was stable, not the one that was asked for.
      ...words(
        'status.lifecycleState',
        { Degraded: ['ROLLED_BACK'] },
        '{status.error|It was rolled back to the last stable spec}',
      ),
      ...words('status.jobStatus.state', { Degraded: ['FAILED'] }, '{status.error|The job has failed}'),
      ...words('status.lifecycleState', { Healthy: ['STABLE', 'SUSPENDED'] }, ''),
      ...words(
        'status.lifecycleState',
        { Progressing: ['CREATED', 'UPGRADING', 'DEPLOYED', 'ROLLING_BACK'] },
        'It is {status.lifecycleState}',
      ),
      // Before version 1.2 there was no state of its life.
      ...words('status.jobManagerDeploymentStatus', { Healthy: ['READY'] }, ''),
      {
        when: { path: 'status.jobStatus.state', in: ['SUSPENDED', 'FINISHED'] },
        state: 'Healthy',
        message: '',
      },
      otherwise('Progressing', 'Waiting for deploying'),
    ],
  },
  { group: 'sparkoperator.k8s.io', kinds: ['SparkApplication'], rules: spark },
  {
    group: 'numaflow.numaproj.io',
    kinds: ['InterStepBufferService'],
    rules: numaflow('ChildrenResourcesHealthy'),
  },
  { group: 'numaflow.numaproj.io', kinds: ['MonoVertex'], rules: numaflow('PodsHealthy', 'DaemonHealthy') },
  {
    group: 'numaflow.numaproj.io',
    kinds: ['Pipeline'],
    rules: numaflow('VerticesHealthy', 'DaemonServiceHealthy', 'SideInputsManagersHealthy'),
  },
  { group: 'numaflow.numaproj.io', kinds: ['Vertex'], rules: numaflow('PodsHealthy') },
  {
    group: 'numaplane.numaproj.io',
    kinds: ['ISBServiceRollout', 'MonoVertexRollout', 'NumaflowControllerRollout', 'PipelineRollout'],
    rules: numaplane,
  },
]
