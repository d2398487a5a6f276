/** What runs and rolls out by other means: Knative, KServe, KEDA, Kruise, Flagger, Karmada, Tekton, Spot, functions. */
import { absent, type KindRule, type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

/** Knative's contract: Ready True, False for good, Unknown on the way (`pkg/apis/condition_types.go`). */
const knative = (name: string): KindRule[] => [
  stale('{kind} has not seen its last change yet'),
  on('Ready=True', 'Healthy', `${name} is healthy.`),
  on('Ready=Unknown', 'Progressing'),
  on('Ready=False', 'Degraded'),
]
const SERVING = ['Configuration', 'DomainMapping', 'Revision', 'Route']
const EVENTING = ['Broker', 'Channel', 'Parallel', 'Sequence', 'Subscription', 'Trigger']
const waiting = otherwise('Progressing', 'Waiting for {kind}')

/** Operators that install Knative: what is not ready is still being installed. */
const knativeOperator: readonly KindRule[] = [
  on('InstallSucceeded=False', 'Degraded'),
  on('Ready=True', 'Healthy', '{kind} is healthy.'),
  on('Ready=False', 'Progressing'),
  on('Ready=Unknown', 'Progressing'),
  otherwise('Progressing', 'Waiting for {kind}'),
]

const keda: readonly KindRule[] = [
  on('Paused=True', 'Suspended'),
  on('Ready=False', 'Degraded'),
  on('Fallback=True', 'Degraded'),
  // Some of its triggers work, some do not.
  on('Ready=Unknown/PartialTriggerError', 'Degraded'),
  on('Ready=True', 'Healthy'),
  on('Ready=Unknown', 'Progressing'),
  otherwise('Progressing', 'Waiting for {kind}'),
]

/** OpenKruise's workloads (`apps/v1alpha1`, `apps/v1beta1`): replicas, and a rollout that stops at a partition. */
const isPaused =
  'spec.?updateStrategy.?rollingUpdate.?paused.orValue(false) || spec.?updateStrategy.?paused.orValue(false)'
/** A number or a percentage. */
const partition =
  'string(spec.?updateStrategy.?partition.orValue(spec.?updateStrategy.?rollingUpdate.?partition.orValue(0)))'
const isPartitioned = `!(${partition} in ['0', '0%'])`
/** How many are to be updated: all, but for what a partition that is a number keeps back. */
const EXPECTED = 'status.?expectedUpdatedReplicas.orValue(spec.?replicas.orValue(1) - int(KEPT))'.replace(
  'KEPT',
  partition,
)
/** As with StatefulSets of Kubernetes, what a partition keeps back for good is as it should be. */
const isAsPartitioned = (updated: string): string =>
  `${isPartitioned} && (has(status.expectedUpdatedReplicas) || !${partition}.endsWith('%')) && status.?${updated}.orValue(0) >= ${EXPECTED} && status.?readyReplicas.orValue(0) >= spec.?replicas.orValue(1)`
const kruiseWorkload = (name: string): KindRule[] => [
  absent('status', 'Progressing', 'Waiting for initialization'),
  stale('Waiting for spec update to be observed'),
  when(isPaused, 'Suspended', `${name} is paused`),
  ...['FailedScale', 'FailedUpdate', 'FailedCreatePod', 'FailedUpdatePod'].map((type) =>
    on(`${type}=True`, 'Degraded', '{condition.message|Some replicas are not ready or available}'),
  ),
  on('Progressing!=True/ProgressDeadlineExceeded', 'Degraded'),
  when(
    isAsPartitioned('updatedAvailableReplicas'),
    'Healthy',
    `All that the partition of ${name} lets be updated is`,
  ),
  when(isPartitioned, 'Suspended', `${name} needs manual intervention`),
  when(
    'status.?updatedAvailableReplicas.orValue(0) < spec.?replicas.orValue(1)',
    'Progressing',
    `${name} is still rolling out`,
  ),
  otherwise('Healthy', `All ${name} workloads are ready and updated`),
]

const kruise: readonly KindRules[] = [
  { group: 'apps.kruise.io', kinds: ['CloneSet'], rules: kruiseWorkload('Cloneset') },
  { group: 'apps.kruise.io', kinds: ['StatefulSet'], rules: kruiseWorkload('Statefulset') },
  {
    // As with DaemonSets of Kubernetes. Argo CD takes it for one that was not looked at yet.
    group: 'apps.kruise.io',
    kinds: ['DaemonSet'],
    profile: 'Lockstep',
    rules: [
      stale('Waiting for spec update to be observed'),
      when(
        'has(status.observedGeneration) && has(status.desiredNumberScheduled) && status.desiredNumberScheduled == 0',
        'Healthy',
        'No node is to have a Pod of it',
      ),
    ],
  },
  {
    group: 'apps.kruise.io',
    kinds: ['DaemonSet'],
    rules: [
      when('status.?desiredNumberScheduled.orValue(0) == 0', 'Progressing', 'Waiting for initialization'),
      stale('Waiting for spec update to be observed'),
      when(isPaused, 'Suspended', 'Daemonset is paused'),
      when(
        `${isPartitioned} && status.?updatedNumberScheduled.orValue(0) < status.desiredNumberScheduled`,
        'Suspended',
        'Daemonset needs manual intervention',
      ),
      when(
        'status.?updatedNumberScheduled.orValue(0) < status.desiredNumberScheduled || status.?numberAvailable.orValue(0) < status.desiredNumberScheduled',
        'Progressing',
        'Daemonset is still rolling out',
      ),
      otherwise('Healthy', 'All Daemonset workloads are ready and updated'),
    ],
  },
  {
    group: 'apps.kruise.io',
    kinds: ['BroadcastJob'],
    rules: [
      ...words('spec.paused', { Suspended: [true] }, 'BroadcastJob is Paused'),
      ...words('status.phase', { Suspended: ['paused'] }, 'BroadcastJob is Paused'),
      ...words('status.phase', { Healthy: ['completed'] }, 'BroadcastJob is completed successfully'),
      ...words('status.phase', { Degraded: ['failed'] }, 'BroadcastJob failed'),
      otherwise('Progressing', 'BroadcastJob is still running'),
    ],
  },
  {
    group: 'apps.kruise.io',
    kinds: ['AdvancedCronJob'],
    rules: [
      ...words('spec.paused', { Suspended: [true] }, 'AdvancedCronJob is Paused'),
      when('status.?active.orValue([]).size() > 0', 'Progressing', 'AdvancedCronJobs has active jobs'),
      when('has(status.lastScheduleTime)', 'Healthy', 'AdvancedCronJobs has run successfully'),
      otherwise('Healthy', 'AdvancedCronJobs has not run yet'),
    ],
  },
  {
    group: 'rollouts.kruise.io',
    kinds: ['Rollout'],
    rules: [
      stale('Rollout has not seen its last change yet'),
      ...words(
        'status.phase',
        { Degraded: ['Disabled', 'Disabling', 'Terminating'] },
        'Rollout is Disabled or Terminating',
      ),
      ...words(
        'status.canaryStatus.currentStepState',
        { Suspended: ['StepPaused'] },
        'Rollout is Paused need manual intervention',
      ),
      ...words(
        'status.blueGreenStatus.currentStepState',
        { Suspended: ['StepPaused'] },
        'Rollout is Paused need manual intervention',
      ),
      ...words('status.phase', { Healthy: ['Healthy'] }, 'Rollout is Completed'),
      otherwise('Progressing', 'Rollout is still progressing'),
    ],
  },
  {
    group: 'game.kruise.io',
    kinds: ['GameServer'],
    rules: [
      absent('status.currentState', 'Unknown', 'Waiting for GameServer to be ready'),
      when(
        'status.?desiredState.orValue(status.currentState) != status.currentState',
        'Progressing',
        'State change: {status.currentState} → {status.desiredState}',
      ),
      when(
        "status.?podStatus.?conditions.orValue([]).exists(c, c.status == 'False')",
        'Degraded',
        "Pod is not ready: {status.podStatus.conditions.filter(c, c.status == 'False').map(c, c.type).join(', ')}",
      ),
      when(
        "status.?conditions.orValue([]).exists(c, c.status == 'False')",
        'Degraded',
        "Not normal: {status.conditions.filter(c, c.status == 'False').map(c, c.type).join(', ')}",
      ),
      otherwise('Healthy', 'GameServer is {status.currentState}'),
    ],
  },
  {
    group: 'game.kruise.io',
    kinds: ['GameServerSet'],
    rules: [
      stale('Waiting for GameServerSet spec update to be observed'),
      when(
        isAsPartitioned('updatedReadyReplicas'),
        'Healthy',
        'All that the partition of the GameServerSet lets be updated is',
      ),
      when(
        isPartitioned,
        'Suspended',
        'Partition={spec.updateStrategy.rollingUpdate.partition}, waiting for manual intervention',
      ),
      when(
        'status.?readyReplicas.orValue(0) < spec.?replicas.orValue(0) || status.?updatedReadyReplicas.orValue(0) < spec.?replicas.orValue(0)',
        'Progressing',
        'Waiting for GameServerSet replicas',
      ),
      otherwise('Healthy', 'All GameServerSet replicas are updated and ready'),
    ],
  },
]

const flagger: readonly KindRule[] = [
  ...words(
    'status.phase',
    {
      Degraded: ['Failed'],
      Healthy: ['Initialized', 'Succeeded'],
      Suspended: ['Waiting', 'WaitingPromotion'],
      Progressing: ['Initializing', 'Progressing', 'Promoting', 'Finalising', 'Terminating'],
    },
    '{status.phase} --- {conditions.Promoted.message}',
  ),
  otherwise('Progressing', 'Waiting for the analysis'),
]

/** Karmada: a binding is well if its works are, on every cluster that it was scheduled to. */
const karmada: readonly KindRule[] = [
  absent('status.conditions', 'Progressing', 'Current resource status is insufficient'),
  on('Scheduled=False', 'Progressing', 'Current resource status is insufficient'),
  on('FullyApplied=False', 'Progressing', 'Current resource status is insufficient'),
  on('!FullyApplied', 'Progressing', 'Current resource status is insufficient'),
  when(
    "status.?aggregatedStatus.orValue([]).exists(s, s.?health.orValue('') == 'Unhealthy')",
    'Degraded',
    "Current resource status is unhealthy on {status.aggregatedStatus.filter(s, s.?health.orValue('') == 'Unhealthy').map(s, s.?clusterName.orValue('')).join(', ')}",
  ),
  when(
    "status.?aggregatedStatus.orValue([]).exists(s, s.?health.orValue('Unknown') != 'Healthy')",
    'Unknown',
    'Current resource status is not known of all clusters',
  ),
  when(
    'status.?schedulerObservedGeneration.orValue(metadata.?generation.orValue(0)) < metadata.?generation.orValue(0)',
    'Progressing',
    'Current resource status is insufficient',
  ),
  otherwise('Healthy'),
]

/** Tekton's runs have one condition, which is Unknown while they run. */
const tekton: readonly KindRule[] = [
  on('Succeeded=True', 'Healthy'),
  on('Succeeded=False', 'Degraded'),
  otherwise('Progressing', '{conditions.Succeeded.message|It has not started}'),
]

/** KServe: `transitionStatus` of the model, beside Knative's conditions (`serving/v1beta1` ModelStatus). */
const kserve: readonly KindRule[] = [
  absent('status', 'Progressing', 'Waiting for InferenceService to report status...'),
  ...words(
    'status.modelStatus.transitionStatus',
    { Degraded: ['BlockedByFailedLoad', 'InvalidSpec'] },
    '{status.modelStatus.transitionStatus}: {status.modelStatus.lastFailureInfo.message|the model cannot be loaded}',
  ),
  on('Stopped=True', 'Suspended', 'InferenceService is Stopped'),
  ...words(
    'status.modelStatus.transitionStatus',
    { Progressing: ['InProgress'] },
    '0: transitionStatus | InProgress',
  ),
  on('Ready=True', 'Healthy', 'InferenceService is healthy.'),
  on('Ready=Unknown', 'Progressing'),
  on('Ready=False', 'Degraded'),
  otherwise('Progressing', 'Waiting for InferenceService'),
]

export const workflowRules: readonly KindRules[] = [
  { group: 'serving.knative.dev', kinds: ['Service'], rules: [...knative('Knative Service'), waiting] },
  { group: '*.knative.dev', kinds: [...SERVING, ...EVENTING], rules: [...knative('{kind}'), waiting] },
  { group: '*.knative.dev', kinds: ['KnativeServing', 'KnativeEventing'], rules: knativeOperator },
  { group: '*.knative.dev', kinds: '*', rules: knative('{kind}') },
  { group: 'serving.kserve.io', kinds: ['InferenceService', 'InferenceGraph'], rules: kserve },
  { group: 'keda.sh', kinds: ['ScaledJob', 'ScaledObject'], rules: keda },
  ...kruise,
  { group: 'flagger.app', kinds: ['Canary'], rules: flagger },
  { group: 'work.karmada.io', kinds: ['ClusterResourceBinding', 'ResourceBinding'], rules: karmada },
  { group: 'tekton.dev', kinds: ['CustomRun', 'PipelineRun', 'Run', 'TaskRun'], rules: tekton },
  {
    group: 'spot.io',
    kinds: ['SpotDeployment'],
    rules: [
      on('InvalidSpec=True', 'Degraded'),
      on('Progressing=False/RolloutAborted|ProgressDeadlineExceeded', 'Degraded'),
      ...words(
        'status.phase',
        { Healthy: ['Healthy'], Degraded: ['Degraded'], Suspended: ['Paused'] },
        '{status.message}',
      ),
      otherwise('Progressing', '{status.message|Waiting for the rollout}'),
    ],
  },
  {
    group: 'core.spinkube.dev',
    kinds: ['SpinApp'],
    rules: [
      absent('status', 'Progressing', 'Waiting for status to be available'),
      on('Available=False', 'Degraded'),
      when(
        'status.?readyReplicas.orValue(0) < spec.?replicas.orValue(1)',
        'Progressing',
        'Waiting for replicas: {status.?readyReplicas.orValue(0)}/{spec.?replicas.orValue(1)} ready',
      ),
      on(
        'Available=True',
        'Healthy',
        'Application is healthy with {status.?readyReplicas.orValue(0)}/{spec.?replicas.orValue(1)} replicas ready',
      ),
      otherwise('Progressing', 'Waiting for status to be available'),
    ],
  },
]
