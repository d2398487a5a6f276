/** OpenShift, Open Cluster Management, Ansible, nmstate, ODF. */
import { absent, type KindRule, type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

/** Conditions of OpenShift's operators (`config.openshift.io` ClusterOperator). */
const clusterOperator = (name: string): KindRule[] => [
  on('Degraded=True', 'Degraded'),
  // The ClusterVersion calls it so.
  on('Failing=True', 'Degraded'),
  on('Available=True & Progressing=True', 'Progressing', '{conditions.Progressing.message}'),
  on('Available=True', 'Healthy', `${name} is available`),
  on('Progressing=True', 'Progressing'),
  on('Available=False', 'Degraded'),
  otherwise('Progressing', `Status of ${name} is not known yet`),
]

const NON_COMPLIANT = "'NonCompliant'"

const ocm: readonly KindRules[] = [
  {
    group: 'policy.open-cluster-management.io',
    kinds: ['Policy'],
    rules: [
      ...words('spec.disabled', { Healthy: [true] }, 'Policy is disabled'),
      absent('status.compliant', 'Progressing', 'Waiting for the status to be reported'),
      // On the hub the status is by cluster, on a cluster by template.
      when(
        `status.?status.orValue([]).exists(s, s.?compliant.orValue('') == ${NON_COMPLIANT})`,
        'Degraded',
        `NonCompliant clusters: {status.status.filter(s, s.?compliant.orValue('') == ${NON_COMPLIANT}).map(s, s.clustername).join(', ')}`,
      ),
      when(
        `status.?details.orValue([]).exists(s, s.?compliant.orValue('') == ${NON_COMPLIANT})`,
        'Degraded',
        `NonCompliant templates: {status.details.filter(s, s.?compliant.orValue('') == ${NON_COMPLIANT}).map(s, s.templateMeta.name).join(', ')}`,
      ),
      {
        when: { path: 'status.compliant', in: ['Compliant'], cel: 'has(status.details)' },
        state: 'Healthy',
        message: 'All templates are compliant',
      },
      ...words('status.compliant', { Healthy: ['Compliant'] }, 'All clusters are compliant'),
      ...words('status.compliant', { Degraded: ['NonCompliant'] }, 'Policy is not compliant'),
      otherwise('Progressing', 'Waiting for the status to be reported'),
    ],
  },
  {
    group: 'policy.open-cluster-management.io',
    kinds: ['ConfigurationPolicy'],
    rules: [
      absent('status.compliant', 'Progressing', 'Waiting for the status to be reported'),
      when(
        'status.?lastEvaluatedGeneration.orValue(metadata.?generation.orValue(0)) != metadata.?generation.orValue(0)',
        'Progressing',
        'Waiting for the status to be updated',
      ),
      when(
        `status.compliant == ${NON_COMPLIANT}`,
        'Degraded',
        "{status.?compliancyDetails.orValue([]).map(d, d.?conditions.orValue([]).map(c, c.?message.orValue('')).join('; ')).join('; ')}",
      ),
      when(
        "status.compliant == 'Compliant'",
        'Healthy',
        "{status.?compliancyDetails.orValue([]).map(d, d.?conditions.orValue([]).map(c, c.?message.orValue('')).join('; ')).join('; ')}",
      ),
      otherwise('Progressing', 'Waiting for the status to be updated'),
    ],
  },
  {
    group: 'policy.open-cluster-management.io',
    kinds: ['OperatorPolicy'],
    rules: [
      absent('status', 'Progressing', 'Waiting for the status to be reported'),
      stale('Waiting for the status to be updated'),
      on('Compliant=True', 'Healthy'),
      on('Compliant=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for the compliance condition'),
    ],
  },
  {
    group: 'policy.open-cluster-management.io',
    kinds: ['CertificatePolicy'],
    rules: [
      ...words(
        'status.compliant',
        { Healthy: ['Compliant'] },
        'All certificates found comply with the policy',
      ),
      ...words(
        'status.compliant',
        { Degraded: ['NonCompliant'] },
        'At least one certificate does not comply with the policy',
      ),
      otherwise('Progressing', 'Waiting for the status to be reported'),
    ],
  },
]

const ansible: readonly KindRule[] = [
  absent('status.ansibleJobResult', 'Progressing', 'Waiting for AnsibleJob'),
  ...words(
    'status.ansibleJobResult.status',
    {
      Healthy: ['successful'],
      Degraded: ['failed', 'error', 'canceled'],
      Progressing: ['new', 'pending', 'waiting', 'running'],
    },
    '{status.ansibleJobResult.status} job - {status.ansibleJobResult.url}',
  ),
]

export const openshiftRules: readonly KindRules[] = [
  {
    group: 'operator.openshift.io',
    kinds: ['IngressController'],
    rules: clusterOperator('IngressController'),
  },
  {
    group: 'config.openshift.io',
    kinds: ['ClusterOperator', 'ClusterVersion'],
    rules: clusterOperator('{kind}'),
  },
  {
    group: 'apps.openshift.io',
    kinds: ['DeploymentConfig'],
    rules: [
      ...words('spec.paused', { Suspended: [true] }, 'Deployment config is paused'),
      on('Progressing=False', 'Degraded', '{condition.message|Deployment config is degraded}'),
      on(
        'Available=False & Progressing!=True',
        'Degraded',
        '{condition.message|Deployment config is degraded}',
      ),
      on(
        'Available=True & Progressing=True/NewReplicationControllerAvailable',
        'Healthy',
        'Deployment config is healthy',
      ),
      on('Available=True & !Progressing', 'Healthy', 'Deployment config is healthy'),
      otherwise('Progressing', 'replication controller is waiting for pods to run'),
    ],
  },
  ...ocm,
  { group: 'tower.ansible.com', kinds: ['AnsibleJob'], rules: ansible },
  {
    group: 'nmstate.io',
    kinds: ['NodeNetworkConfigurationPolicy'],
    rules: [
      on('Degraded=True', 'Degraded', '{condition.reason}: {condition.message}'),
      on('Progressing=True', 'Progressing', '{condition.reason}: {condition.message}'),
      on('Available=True', 'Healthy', '{condition.reason}: {condition.message}'),
      on('Ignored=True', 'Suspended', '{condition.reason}'),
      otherwise('Progressing', 'Waiting for the nodes'),
    ],
  },
  {
    group: 'ocs.openshift.io',
    kinds: ['StorageCluster'],
    rules: [
      on('Degraded=True', 'Degraded'),
      on('VersionMismatch=True', 'Degraded'),
      on('Progressing=True', 'Progressing'),
      on('Available=True', 'Healthy'),
      on('Available=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for status'),
    ],
  },
]
