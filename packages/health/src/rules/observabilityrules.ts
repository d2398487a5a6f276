/** Grafana, Prometheus, VictoriaMetrics, Jaeger, Kiali, OpenTelemetry, Datadog, Coralogix, Humio. */
import {
  absent,
  type KindRule,
  type KindRules,
  observedBy,
  on,
  otherwise,
  stale,
  when,
  words,
} from './kindrule.ts'

/** A condition of their own for each kind: `DashboardSynchronized`. */
const grafana = (condition: string): KindRule[] => {
  const said = `{condition.reason} for ${condition} because {condition.message}`
  return [
    on('Suspended=True', 'Suspended'),
    on('InvalidSpec=True', 'Degraded'),
    on('NoMatchingInstance=True', 'Degraded'),
    on('NoMatchingFolder=True', 'Degraded'),
    on('NotificationPolicyLoopDetected=True', 'Degraded'),
    on(`${condition}=True`, 'Healthy', said),
    on(`${condition}=False`, 'Degraded', said),
    // Before version 5.16 there were no conditions.
    when('has(status.hash)', 'Healthy'),
    otherwise('Progressing'),
  ]
}

const GRAFANA_KINDS = {
  GrafanaAlertRuleGroup: 'AlertGroupSynchronized',
  GrafanaContactPoint: 'ContactPointSynchronized',
  GrafanaDashboard: 'DashboardSynchronized',
  GrafanaDatasource: 'DatasourceSynchronized',
  GrafanaFolder: 'FolderSynchronized',
  GrafanaLibraryPanel: 'LibraryPanelSynchronized',
  GrafanaMuteTiming: 'MuteTimingSynchronized',
  GrafanaNotificationPolicy: 'NotificationPolicySynchronized',
  GrafanaNotificationTemplate: 'NotificationTemplateSynchronized',
} as const

const grafanas: readonly KindRules[] = [
  {
    group: 'grafana.integreatly.org',
    kinds: ['Grafana'],
    rules: [
      absent('status', 'Progressing', 'Waiting for Grafana status info'),
      ...words('status.stageStatus', { Degraded: ['failed'] }, 'Failed at stage {status.stage}'),
      {
        when: { path: 'status.stage', in: ['complete'], cel: "status.?stageStatus.orValue('') == 'success'" },
        state: 'Healthy',
        message: '',
      },
      otherwise('Progressing', 'At stage {status.stage}'),
    ],
  },
  ...Object.entries(GRAFANA_KINDS).flatMap(([kind, condition]): KindRules[] => [
    observedBy(condition, 'grafana.integreatly.org', [kind]),
    { group: 'grafana.integreatly.org', kinds: [kind], rules: grafana(condition) },
  ]),
  {
    group: 'grafana-org-operator.kubitus-project.gitlab.io',
    kinds: '*',
    rules: [
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', 'Waiting ...'),
    ],
  },
]

/** Status of LogScale's (Humio's) kinds: the state of what is in the server. */
const humio = {
  Degraded: ['ConfigError'],
  Healthy: ['Exists', 'Ready', 'Running'],
  Missing: ['NotFound'],
  Unknown: ['Unknown'],
} as const

const humios: readonly KindRules[] = [
  {
    group: 'core.humio.com',
    kinds: ['HumioCluster'],
    rules: [
      ...words('status.state', { Healthy: ['Running'] }, 'Cluster is in a healthy running state'),
      ...words(
        'status.state',
        { Degraded: ['ConfigError'] },
        '{status.message|User-provided cluster specification resulted in a configuration error}',
      ),
      ...words(
        'status.state',
        { Progressing: ['Pending'] },
        'Cluster is waiting on resources to be provisioned',
      ),
      ...words('status.state', { Progressing: ['Restarting'] }, 'Cluster pods are being restarted'),
      ...words('status.state', { Progressing: ['Upgrading'] }, 'Cluster pods are being upgraded'),
      otherwise('Progressing', 'Update in progress'),
    ],
  },
  {
    group: 'core.humio.com',
    kinds: '*',
    rules: [
      ...words('status.state', humio, 'Component state: {status.state}.'),
      otherwise('Progressing', 'Update in progress'),
    ],
  },
]

/** `statusReplicas` is `ready/wanted`. */
const READY = "int(status.scale.statusReplicas.split('/')[0])"
const WANTED = "int(status.scale.statusReplicas.split('/')[1])"
const IS_COUNTED = "status.?scale.?statusReplicas.orValue('').matches('^[0-9]+/[0-9]+$')"

const collector: readonly KindRule[] = [
  ...words('spec.mode', { Healthy: ['sidecar'] }, 'Collector is running in sidecar mode'),
  when(`!(${IS_COUNTED})`, 'Progressing', 'Waiting for the collector'),
  when(
    `${WANTED} == 0 && spec.?mode.orValue('') == 'daemonset'`,
    'Healthy',
    'DaemonSet has no eligible nodes (0/0)',
  ),
  when(`${READY} == ${WANTED}`, 'Healthy', 'All replicas are ready'),
  when(`${READY} == 0`, 'Degraded', 'No replicas are ready'),
  otherwise('Progressing', 'Replicas are starting up'),
]

const VICTORIA = [
  'VLCluster',
  'VLogs',
  'VLSingle',
  'VMAgent',
  'VMAlert',
  'VMAlertmanager',
  'VMAuth',
  'VMCluster',
  'VMSingle',
]
const victoria: readonly KindRule[] = [
  ...words('status.updateStatus', { Healthy: ['operational'] }, 'All components are operational'),
  ...words('status.updateStatus', { Degraded: ['failed'] }, '{status.reason|The update has failed}'),
  ...words('status.updateStatus', { Suspended: ['paused'] }, 'Reconciliation is paused'),
  ...words('status.updateStatus', { Progressing: ['expanding'] }, 'The change is being made'),
]

const PROMETHEUS = ['Alertmanager', 'Prometheus', 'PrometheusAgent', 'ThanosRuler']

export const observabilityRules: readonly KindRules[] = [
  ...grafanas,
  ...humios,
  observedBy('Reconciled', 'monitoring.coreos.com', PROMETHEUS),
  {
    group: 'monitoring.coreos.com',
    kinds: PROMETHEUS,
    rules: [
      ...words('spec.paused', { Suspended: [true] }, 'Reconciliation is paused'),
      // What is available then is what was before.
      on('Reconciled=False', 'Degraded'),
      // Some of its Pods are there.
      on('Available=Degraded', 'Progressing'),
      on('Available=False', 'Degraded', '{condition.message|The instances are not available}'),
      when(
        'has(status.updatedReplicas) && status.updatedReplicas < status.?replicas.orValue(0)',
        'Progressing',
        '{status.updatedReplicas} of {status.replicas} replicas are updated',
      ),
      on('Available=True', 'Healthy', 'All instances are available'),
      // Operators before version 0.57 report no conditions: then none is waited for.
    ],
  },
  {
    group: 'operator.victoriametrics.com',
    kinds: VICTORIA,
    rules: [...victoria, otherwise('Progressing', 'Waiting for the operator')],
  },
  // Of the rest only newer operators report.
  { group: 'operator.victoriametrics.com', kinds: '*', rules: victoria },
  {
    group: 'jaegertracing.io',
    kinds: ['Jaeger'],
    rules: [
      ...words('status.phase', { Healthy: ['Running'] }, 'Jaeger is Running'),
      ...words('status.phase', { Degraded: ['Failed'] }, 'Jaeger has failed'),
      otherwise('Progressing', 'Waiting for Jaeger'),
    ],
  },
  {
    // Conditions of an operator made with Ansible.
    group: 'kiali.io',
    kinds: ['Kiali', 'OSSMConsole'],
    rules: [
      on('Failure=True', 'Degraded'),
      on('Successful=True', 'Healthy'),
      on('Running=True', 'Progressing'),
      otherwise('Progressing', 'Waiting for the operator'),
    ],
  },
  { group: 'opentelemetry.io', kinds: ['OpenTelemetryCollector'], rules: collector },
  {
    group: 'datadoghq.com',
    kinds: ['DatadogMetric'],
    rules: [
      on('Valid=False', 'Degraded'),
      on('Error=True', 'Degraded'),
      on('Valid=True', 'Healthy', 'DatadogMetric is healthy'),
      otherwise('Progressing', 'Waiting for DatadogMetric'),
    ],
  },
  {
    group: 'coralogix.com',
    kinds: '*',
    rules: [
      on('RemoteSynced=True', 'Healthy', 'Resource is ready'),
      on('RemoteSynced=False', 'Degraded'),
      absent('status', 'Progressing', 'Waiting for the resource to be synced'),
    ],
  },
]

export const keptnRules: readonly KindRules[] = [
  ...(['status.status', 'status.overallStatus'] as const).map(
    (path): KindRules => ({
      group: 'lifecycle.keptn.sh',
      kinds:
        path === 'status.overallStatus'
          ? ['KeptnEvaluation']
          : ['KeptnAppVersion', 'KeptnTask', 'KeptnWorkloadInstance', 'KeptnWorkloadVersion'],
      rules: [
        ...words(path, { Healthy: ['Succeeded', 'Warning'] }, '{kind} is healthy'),
        ...words(path, { Degraded: ['Failed', 'Cancelled', 'Deprecated'] }, '{kind} is degraded'),
        otherwise('Progressing', '{kind} is progressing'),
      ],
    }),
  ),
  {
    group: 'metrics.keptn.sh',
    kinds: ['Analysis'],
    rules: [
      stale('Analysis is progressing'),
      {
        when: { path: 'status.state', in: ['Completed'], cel: 'status.?pass.orValue(false)' },
        state: 'Healthy',
        message: 'Analysis is healthy',
      },
      {
        when: { path: 'status.state', in: ['Completed'], cel: 'status.?warning.orValue(false)' },
        state: 'Healthy',
        message: 'Analysis is healthy with warnings',
      },
      ...words('status.state', { Degraded: ['Completed'] }, 'Analysis is degraded'),
      otherwise('Progressing', 'Analysis is progressing'),
    ],
  },
]
