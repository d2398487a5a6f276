/** Argo CD, Rollouts, Workflows, Events (argoproj.io): the types of their `pkg/apis`. */
import { absent, type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

const RUN_ENDED = { Degraded: ['Error', 'Failed'], Unknown: ['Inconclusive'] } as const
const UPDATING = 'Waiting for roll out to finish: '

export const argoprojRules: readonly KindRules[] = [
  {
    group: 'argoproj.io',
    kinds: ['AnalysisRun'],
    rules: [
      absent('status', 'Progressing', 'Waiting for analysis run to finish: status has not been reconciled.'),
      ...words('status.phase', { Progressing: ['Pending', 'Running'] }, 'Analysis run is running'),
      ...words('status.phase', { Degraded: ['Error'] }, '{status.message|Analysis run had an error}'),
      ...words('status.phase', { Degraded: ['Failed'] }, '{status.message|Analysis run failed}'),
      ...words('status.phase', RUN_ENDED, '{status.message|Analysis run was inconclusive}'),
      ...words(
        'status.phase',
        { Healthy: ['Successful'] },
        '{status.message|Analysis run completed successfully}',
      ),
    ],
  },
  {
    group: 'argoproj.io',
    kinds: ['Experiment'],
    rules: [
      absent('status', 'Progressing', 'Waiting for experiment to finish: status has not been reconciled.'),
      ...words('status.phase', { Progressing: ['Pending', 'Running'] }, 'Experiment is running'),
      ...words('status.phase', { Degraded: ['Error'] }, '{status.message|Experiment had an error}'),
      ...words('status.phase', { Degraded: ['Failed'] }, '{status.message|Experiment failed}'),
      ...words('status.phase', RUN_ENDED, '{status.message|Experiment was inconclusive}'),
      ...words('status.phase', { Healthy: ['Successful'] }, 'Experiment is successful'),
    ],
  },
  {
    group: 'argoproj.io',
    kinds: ['Rollout'],
    rules: [
      on('InvalidSpec=True', 'Degraded'),
      absent('status', 'Progressing', 'Waiting for rollout spec update to be observed'),
      stale('Waiting for rollout spec update to be observed'),
      // A Rollout of a Deployment (workloadRef) has seen what its annotation counts.
      when(
        "int(metadata.?annotations[?'rollout.argoproj.io/workload-generation'].orValue('0')) > int(status.?workloadObservedGeneration.orValue('0'))",
        'Progressing',
        'Waiting for rollout spec update to be observed',
      ),
      on('Progressing=False/RolloutAborted|ProgressDeadlineExceeded', 'Degraded'),
      on('Paused=True', 'Suspended', 'Rollout is paused'),
      on('Progressing=Unknown/RolloutPaused', 'Suspended', 'Rollout is paused'),
      ...words(
        'status.phase',
        {
          Degraded: ['Degraded'],
          Suspended: ['Paused'],
          Progressing: ['Progressing'],
          Healthy: ['Healthy'],
        },
        '{status.message}',
      ),
      ...words('spec.paused', { Suspended: [true] }, 'Rollout is paused'),
      // Before version 1.0 there was no phase.
      when(
        'status.?updatedReplicas.orValue(0) < spec.?replicas.orValue(1)',
        'Progressing',
        `${UPDATING}More replicas need to be updated`,
      ),
      when(
        'status.?availableReplicas.orValue(0) < status.?updatedReplicas.orValue(0)',
        'Progressing',
        `${UPDATING}updated replicas are still becoming available`,
      ),
      when(
        'status.?replicas.orValue(0) > status.?updatedReplicas.orValue(0)',
        'Progressing',
        `${UPDATING}old replicas are pending termination`,
      ),
      on('Available=True', 'Healthy', ''),
    ],
  },
  {
    group: 'argoproj.io',
    kinds: ['Workflow'],
    rules: [
      absent('status.phase', 'Progressing'),
      ...words(
        'status.phase',
        {
          Progressing: ['Pending', 'Running'],
          Healthy: ['Succeeded'],
          Degraded: ['Failed', 'Error'],
        },
        '{status.message}',
      ),
      otherwise('Unknown', '{status.message}'),
    ],
  },
  {
    group: 'argoproj.io',
    kinds: ['CronWorkflow'],
    rules: [
      on('SubmissionError=True', 'Degraded'),
      on('SpecError=True', 'Degraded'),
      otherwise('Healthy', 'CronWorkflow is healthy.'),
    ],
  },
  {
    group: 'argoproj.io',
    kinds: ['ApplicationSet'],
    rules: [
      on('ErrorOccurred=True', 'Degraded'),
      on('RolloutProgressing=True', 'Progressing'),
      on('ResourcesUpToDate=False', 'Degraded'),
      on('ResourcesUpToDate=True', 'Healthy'),
      otherwise('Progressing', 'Waiting for the status to be reported'),
    ],
  },
  {
    group: 'argoproj.io',
    kinds: ['EventBus', 'EventSource', 'Sensor'],
    rules: [
      on('Configured=False', 'Degraded'),
      on('DependenciesProvided=False', 'Degraded'),
      on('SourcesProvided=False', 'Degraded'),
      on('TriggersProvided=False', 'Degraded'),
      on('Deployed=False', 'Degraded'),
      on('Deployed=True', 'Healthy'),
      otherwise('Progressing', 'Waiting for deployment'),
    ],
  },
  {
    // Argo CD has no check for its own Applications since 1.8; here a wait for one that is broken would be no wait.
    group: 'argoproj.io',
    kinds: ['Application'],
    profile: 'Lockstep',
    rules: [
      ...words(
        'status.health.status',
        { Degraded: ['Degraded'], Suspended: ['Suspended'] },
        '{status.health.status} {status.health.message}',
      ),
      // Health is that of what was compared last (argo-cd #29649).
      when(
        'has(status.sync) && has(status.sync.comparedTo) && (status.sync.comparedTo.?source != spec.?source || status.sync.comparedTo.?sources != spec.?sources)',
        'Progressing',
        'Argo CD has not compared it with this source yet',
      ),
      when(
        "status.?sync.?status.orValue('') == 'OutOfSync' && !spec.?syncPolicy.?automated.hasValue()",
        'Progressing',
        'OutOfSync, and nothing syncs it by itself: sync it in Argo CD',
      ),
      ...words('status.health.status', {
        Progressing: ['Progressing', 'Missing', 'Unknown'],
      }),
      ...words('status.sync.status', { Progressing: ['OutOfSync', 'Unknown'] }),
      {
        when: {
          path: 'status.sync.status',
          in: ['Synced'],
          cel: "status.?health.?status.orValue('') == 'Healthy'",
        },
        state: 'Healthy',
        message: 'Synced and Healthy',
      },
      otherwise('Progressing', 'no health yet'),
    ],
  },
]
