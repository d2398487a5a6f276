/** Kinds of Kubernetes for which Argo CD has a check that kstatus has not; only in its profile. */
import { type KindRules, on, otherwise, when, words } from './kindrule.ts'

export const kubernetesRules: readonly KindRules[] = [
  {
    group: 'apiextensions.k8s.io',
    kinds: ['CustomResourceDefinition'],
    profile: 'Argo',
    rules: [
      on('Terminating=True', 'Progressing', 'CRD is terminating: {condition.message}'),
      on('NamesAccepted=False', 'Degraded', 'CRD names have not been accepted: {condition.message}'),
      on('Established=False/Installing', 'Progressing', 'CRD is being installed'),
      on('Established=False', 'Degraded', 'CRD is not established'),
      on('NonStructuralSchema=True', 'Degraded', 'Schema violations found: {condition.message}'),
      on('Established=True', 'Healthy', 'CRD is healthy'),
      otherwise('Progressing', 'Status conditions not found'),
    ],
  },
  {
    group: 'batch',
    kinds: ['CronJob'],
    profile: 'Argo',
    rules: [
      ...words('spec.suspend', { Healthy: [true] }, 'CronJob is Suspended'),
      when(
        'status.?active.orValue([]).size() > 0',
        'Healthy',
        'The job is running. Its last execution may not have been successful',
      ),
      when('!has(status.lastScheduleTime)', 'Healthy', 'CronJob has not been scheduled yet'),
      when(
        '!has(status.lastSuccessfulTime)',
        'Healthy',
        'The CronJob never completed successfully. It may not be healthy',
      ),
      when(
        'timestamp(status.lastSuccessfulTime) < timestamp(status.lastScheduleTime)',
        'Degraded',
        'CronJob has not completed its last execution successfully',
      ),
      otherwise('Healthy', 'CronJob has completed its last execution successfully'),
    ],
  },
  {
    group: 'policy',
    kinds: ['PodDisruptionBudget'],
    profile: 'Argo',
    rules: [
      when(
        "status.?conditions.orValue([]).exists(c, c.type == 'DisruptionAllowed' && c.?reason.orValue('') == 'SyncFailed')",
        'Degraded',
        'PodDisruptionBudget has SyncFailed',
      ),
      otherwise('Healthy', 'PodDisruptionBudget is healthy'),
    ],
  },
]
