/** Operators of databases and search: CloudNativePG, Zalando, MariaDB, Percona, Elastic, ClickHouse, Atlas, Solr. */
import { absent, type KindRule, type KindRules, on, otherwise, when, words } from './kindrule.ts'

/** Elastic's health: a colour, of all its kinds (`common/v1` HealthStatus). */
const elastic = (name: string, ...first: KindRule[]): KindRule[] => [
  ...first,
  ...words('status.health', { Healthy: ['green'] }, `${name} status is Green`),
  ...words('status.health', { Degraded: ['red'] }, `${name} status is Red`),
]
const NOT_KNOWN = 'status is not known yet'

const elasticKinds: readonly KindRules[] = [
  {
    group: 'elasticsearch.k8s.elastic.co',
    kinds: ['Elasticsearch'],
    rules: [
      // Stalled: a node cannot be shut down, and nothing goes on.
      ...words('status.phase', { Degraded: ['Invalid', 'Stalled'] }, 'Elasticsearch phase is {status.phase}'),
      ...words(
        'status.phase',
        { Progressing: ['ApplyingChanges', 'MigratingData'] },
        'Elasticsearch phase is {status.phase}',
      ),
      ...elastic('Elasticsearch Cluster'),
      ...words(
        'status.health',
        { Progressing: ['yellow'] },
        'Elasticsearch Cluster status is Yellow. Check the status of indices, replicas and shards',
      ),
      otherwise('Unknown', `Elasticsearch Cluster ${NOT_KNOWN}`),
    ],
  },
  {
    group: 'beat.k8s.elastic.co',
    kinds: ['Beat'],
    rules: [
      ...elastic('Elastic Beat'),
      ...words(
        'status.health',
        { Progressing: ['yellow'] },
        'Elastic Beat status is deploying, there is {status.?availableNodes.orValue(0)} instance(s) on {status.?expectedNodes.orValue(0)} expected',
      ),
      otherwise('Unknown', `Elastic Beat ${NOT_KNOWN}`),
    ],
  },
  ...['logstash', 'kibana', 'apm', 'agent', 'enterprisesearch', 'maps'].map(
    (name): KindRules => ({
      group: `${name}.k8s.elastic.co`,
      kinds: '*',
      rules: [
        ...elastic('{kind}'),
        ...words('status.health', { Progressing: ['yellow'] }, '{kind} status is Yellow'),
        otherwise('Unknown', `{kind} ${NOT_KNOWN}`),
      ],
    }),
  ),
]

/**
 * MariaDB operator: conditions Ready and Complete (`api/v1alpha1/condition_types.go`, `pkg/condition`). A connection that
 * cannot be made is not Ready for the reason `Healthy`, the error being the message.
 */
const mariadb: readonly KindRules[] = [
  ...['k8s.mariadb.com', 'mariadb.mmontes.io'].map(
    (group): KindRules => ({
      group,
      kinds: ['MariaDB', 'MaxScale', 'Connection', 'Database', 'User', 'Grant'],
      rules: [
        on('Ready=True', 'Healthy'),
        on('Ready=False/ConnectionFailed|Failed|Healthy', 'Degraded'),
        on('Ready=False/Suspended', 'Suspended'),
        on('Ready=False', 'Progressing'),
        otherwise('Progressing', 'No status info available'),
      ],
    }),
  ),
  ...['k8s.mariadb.com', 'mariadb.mmontes.io'].map(
    (group): KindRules => ({
      group,
      kinds: ['Backup', 'Restore', 'SqlJob'],
      rules: [
        // A Job that has failed is complete, too: its reason tells.
        on('Complete=True/JobFailed', 'Degraded', '{condition.reason} {condition.message}'),
        on('Complete=False/Failed', 'Degraded', '{condition.reason} {condition.message}'),
        on('Complete=False/JobSuspended', 'Suspended', '{condition.reason} {condition.message}'),
        on('Complete=True', 'Healthy', '{condition.reason} {condition.message}'),
        on('Complete=False', 'Progressing', '{condition.reason} {condition.message}'),
        otherwise('Progressing', 'No status info available'),
      ],
    }),
  ),
]

/** Percona's states (`AppState`). */
const percona = (paused: string, error: string): KindRule[] => [
  ...words('status.state', { Degraded: ['error'] }, error),
  ...words(
    'status.state',
    { Healthy: ['ready'], Progressing: ['initializing', 'stopping'] },
    '{status.?ready.orValue(0)}/{status.?size.orValue(0)} node(s) are ready',
  ),
  ...words('status.state', { Suspended: ['paused'] }, paused),
  otherwise('Unknown', 'Cluster status is unknown'),
]

export const databaseRules: readonly KindRules[] = [
  ...elasticKinds,
  ...mariadb,
  {
    group: 'psmdb.percona.com',
    kinds: ['PerconaServerMongoDB'],
    rules: percona(
      '{status.?ready.orValue(0)}/{status.?size.orValue(0)} node(s) are ready',
      '{status.message|The operator has an error}',
    ),
  },
  {
    group: 'pxc.percona.com',
    kinds: ['PerconaXtraDBCluster'],
    rules: percona(
      'Cluster is paused',
      "{status.?message.orValue(['The operator has an error']).join('; ')}",
    ),
  },
  {
    group: 'postgresql.cnpg.io',
    kinds: ['Cluster'],
    rules: [
      when(
        "metadata.?annotations[?'cnpg.io/reconciliationLoop'].orValue('') == 'disabled'",
        'Suspended',
        'Cluster reconciliation is suspended',
      ),
      when(
        "metadata.?annotations[?'cnpg.io/hibernation'].orValue('') == 'on'",
        'Suspended',
        'Cluster is hibernated',
      ),
      ...words('status.phase', { Healthy: ['Cluster in healthy state'] }, 'Cluster in healthy state'),
      ...words(
        'status.phase',
        {
          Progressing: [
            'Setting up primary',
            'Creating a new replica',
            'Waiting for the instances to become active',
            'Applying configuration',
            'Online upgrade in progress',
            'Upgrading cluster',
            'Upgrading Postgres major version',
            'Cluster upgrade delayed',
            'Primary instance is being restarted in-place',
            'Primary instance is being restarted without a switchover',
            'Promoting to primary cluster',
            'Switchover in progress',
          ],
        },
        '{status.phaseReason|The operator is at work}',
      ),
      ...words('status.phase', { Suspended: ['Waiting for user action'] }),
      absent('status.phase', 'Progressing', 'Waiting for the operator'),
      otherwise('Degraded', '{status.phaseReason|It is in no healthy state}'),
    ],
  },
  {
    group: 'acid.zalan.do',
    kinds: ['postgresql'],
    rules: [
      ...words('status.PostgresClusterStatus', {
        Healthy: ['Running'],
        Progressing: ['Creating', 'Updating'],
        Degraded: ['CreateFailed', 'UpdateFailed', 'SyncFailed', 'Invalid'],
      }),
      otherwise('Progressing', 'Waiting for postgres cluster status...'),
    ],
  },
  ...(['clickhouse.altinity.com', 'clickhouse-keeper.altinity.com'] as const).map((group): KindRules => {
    const name = group.includes('keeper') ? 'ClickHouseKeeper' : 'ClickHouse'
    return {
      group,
      kinds: [`${name}Installation`],
      rules: [
        ...words('status.status', { Healthy: ['Completed'] }, `${name} installation completed successfully`),
        ...words(
          'status.status',
          { Progressing: ['InProgress', 'Terminating'] },
          `${name} installation in progress`,
        ),
        ...words('status.status', { Degraded: ['Aborted'] }, `${name} status: {status.status}`),
        absent('status.status', 'Progressing', `${name} status not yet available`),
      ],
    }
  }),
  {
    group: 'db.atlasgo.io',
    kinds: ['AtlasMigration', 'AtlasSchema'],
    rules: [
      on('Ready=True', 'Healthy', '{condition.reason}'),
      on('Ready=False/Reconciling|GettingDevDB', 'Progressing', '{condition.reason}'),
      on('Ready=False/ApprovalPending', 'Suspended', '{condition.reason}'),
      on('Ready=False', 'Degraded', '{condition.reason}: {condition.message}'),
      otherwise('Progressing', 'Waiting for reconciliation'),
    ],
  },
  {
    group: 'solr.apache.org',
    kinds: ['SolrCloud'],
    rules: [
      when(
        'status.?replicas.orValue(0) < spec.?replicas.orValue(3) || status.?readyReplicas.orValue(0) < status.?replicas.orValue(0)',
        'Progressing',
        'Not all replicas are ready',
      ),
      when(
        'status.?upToDateNodes.orValue(0) < status.?replicas.orValue(0)',
        'Progressing',
        'Not all replicas are up to date',
      ),
      otherwise('Healthy', 'Solr is ready'),
    ],
  },
  {
    group: 'zookeeper.pravega.io',
    kinds: ['ZookeeperCluster'],
    rules: [
      on('Error=True', 'Degraded'),
      on('Upgrading=True', 'Progressing'),
      when(
        'status.?readyReplicas.orValue(0) > 0 && status.readyReplicas == spec.?replicas.orValue(status.?replicas.orValue(0))',
        'Healthy',
        'All ZK Nodes have joined the ensemble',
      ),
      otherwise('Progressing', 'Waiting for ZK Nodes to join the ensemble'),
    ],
  },
]
