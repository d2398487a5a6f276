/**
 * Cluster API (cluster.x-k8s.io and its providers): phases, and conditions with a severity (`api/v1beta1`), or with `Paused`
 * and `Available` among them (`api/core/v1beta2`).
 */
import { type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

const ERROR = "c.status == 'False' && c.?severity.orValue('') == 'Error'"
const isBad = (type: string): string =>
  `status.?conditions.orValue([]).exists(c, c.type == '${type}' && ${ERROR})`

/** By `spec.paused` of its Cluster, or by an annotation of its own. */
const paused = on('Paused=True', 'Suspended', '{condition.message|It is paused}')

export const clusterApiRules: readonly KindRules[] = [
  {
    group: 'cluster.x-k8s.io',
    kinds: ['Cluster'],
    rules: [
      ...words('spec.paused', { Suspended: [true] }, 'Cluster is paused'),
      paused,
      ...words('status.phase', { Degraded: ['Failed'] }, '{conditions.Ready.message|Cluster has failed}'),
      when(isBad('Ready'), 'Degraded', '{conditions.Ready.message}'),
      {
        when: { conditions: 'Ready=True', path: 'status.phase', in: ['Provisioned'] },
        state: 'Healthy',
        message: 'Cluster is running',
      },
      {
        when: { conditions: 'Available=True', path: 'status.phase', in: ['Provisioned'] },
        state: 'Healthy',
        message: 'Cluster is running',
      },
      otherwise('Progressing', 'Waiting for clusters'),
    ],
  },
  {
    group: 'cluster.x-k8s.io',
    kinds: ['Machine'],
    rules: [
      paused,
      ...words('status.phase', { Degraded: ['Failed'] }, '{conditions.Ready.message|Machine has failed}'),
      when(isBad('Ready'), 'Degraded', '{conditions.Ready.message}'),
      ...words('status.phase', { Healthy: ['Running'] }, 'Machine is running'),
      otherwise('Progressing', 'Waiting for machines'),
    ],
  },
  {
    group: 'cluster.x-k8s.io',
    kinds: ['MachineDeployment'],
    rules: [
      ...words('spec.paused', { Suspended: [true] }, '{kind} is paused'),
      paused,
      ...words('status.phase', { Degraded: ['Failed'] }, '{conditions.Ready.message|It has failed}'),
      when(isBad('Ready'), 'Degraded', '{conditions.Ready.message}'),
      ...words('status.phase', { Progressing: ['ScalingUp'] }, 'Cluster is spawning machines'),
      ...words('status.phase', { Progressing: ['ScalingDown'] }, 'Cluster is stopping machines'),
      ...words('status.phase', { Healthy: ['Running'] }, '{kind} is running'),
      otherwise('Progressing', 'Waiting for machines'),
    ],
  },
  {
    group: 'cluster.x-k8s.io',
    kinds: ['MachinePool'],
    rules: [
      paused,
      ...words(
        'status.phase',
        { Degraded: ['Failed'], Unknown: ['Unknown'] },
        'MachinePool is {status.phase}',
      ),
      // Its machines come and go with an autoscaler.
      ...words(
        'status.phase',
        { Healthy: ['Running', 'Scaling', 'ScalingUp', 'ScalingDown'] },
        'MachinePool is {status.phase}',
      ),
      otherwise('Progressing', 'MachinePool is {status.phase|not observed yet}'),
    ],
  },
  {
    group: 'cluster.x-k8s.io',
    kinds: ['MachineHealthCheck'],
    rules: [
      on('RemediationAllowed=False', 'Degraded'),
      when(
        'status.?currentHealthy.orValue(0) < status.?expectedMachines.orValue(0)',
        'Degraded',
        '{status.?currentHealthy.orValue(0)} of {status.expectedMachines} machines are healthy',
      ),
      otherwise('Healthy'),
    ],
  },
  {
    group: 'addons.cluster.x-k8s.io',
    kinds: ['ClusterResourceSet'],
    rules: [
      on('ResourcesApplied=False', 'Degraded'),
      on('ResourcesApplied=True', 'Healthy', 'cluster resource set is applied'),
      otherwise('Progressing', 'Initializing cluster resource set'),
    ],
  },
  {
    group: 'controlplane.cluster.x-k8s.io',
    kinds: [
      'AWSManagedControlPlane',
      'K0sControlPlane',
      'KamajiControlPlane',
      'KubeadmControlPlane',
      'RKE2ControlPlane',
      'ROSAControlPlane',
      'TalosControlPlane',
    ],
    rules: [
      paused,
      when("status.?failureMessage.orValue('') != ''", 'Degraded', '{status.failureMessage}'),
      stale('Waiting for the control plane spec to be reconciled'),
      when(
        `status.?conditions.orValue([]).exists(c, ${ERROR})`,
        'Degraded',
        `{status.conditions.filter(c, ${ERROR}).map(c, c.?message.orValue('')).join(' ')}`,
      ),
      on('EKSControlPlaneUpdating=True', 'Progressing', 'EKS control plane is updating'),
      ...words(
        'status.ready',
        { Progressing: [false] },
        'Control plane is not ready (.status.ready is false)',
      ),
      on('Ready=True', 'Healthy', 'Control plane is ready'),
      on('Available=True', 'Healthy', 'Control plane is ready'),
      otherwise('Progressing', 'Control plane is not ready'),
    ],
  },
]
