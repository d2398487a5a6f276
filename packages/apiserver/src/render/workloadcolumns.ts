import { at, type KubeObject, parseTimestampMs } from '@lockstep/kube/object'
import { cellText, containers, list, num, selectorText, since, str, whole } from './celltext.ts'
import type { PrintedColumn } from './printedcolumn.ts'

const POD = ['spec', 'template', 'spec', 'containers'] as const
const wideOf = (path: readonly string[], selector: readonly string[]): PrintedColumn[] => [
  cellText('Containers', (o) => containers(o, ...path).names, true),
  cellText('Images', (o) => containers(o, ...path).images, true),
  cellText('Selector', (o) => selectorText(at(o, ...selector)), true),
]
const WIDE = wideOf(POD, ['spec', 'selector'])
const replicas = (o: KubeObject): number => num(o, 'spec', 'replicas')

/** `Complete`, `Failed`, `Suspended`, `Terminating` or `Running`. */
function jobStatus(o: KubeObject): string {
  const has = (type: string): boolean =>
    list(o, 'status', 'conditions').some((c) => at(c, 'type') === type && at(c, 'status') === 'True')
  if (has('Complete')) return 'Complete'
  if (has('Failed')) return 'Failed'
  if (o.metadata.deletionTimestamp) return 'Terminating'
  if (has('Suspended')) return 'Suspended'
  if (has('FailureTarget')) return 'FailureTarget'
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running'
}

function jobDuration(o: KubeObject, now: number): string {
  const start = str(o, 'status', 'startTime')
  if (start === '') return ''
  const end = str(o, 'status', 'completionTime')
  return end === '' ? since(start, now) : since(start, parseTimestampMs(end) ?? now)
}

/** Columns of workloads (kubernetes pkg/printers/internalversion/printers.go). */
export const workloadColumns: Readonly<Record<string, readonly PrintedColumn[]>> = {
  'Deployment.apps': [
    cellText('Ready', (o) => `${num(o, 'status', 'readyReplicas')}/${replicas(o)}`),
    whole('Up-to-date', (o) => num(o, 'status', 'updatedReplicas')),
    whole('Available', (o) => num(o, 'status', 'availableReplicas')),
    ...WIDE,
  ],
  'ReplicaSet.apps': [
    whole('Desired', replicas),
    whole('Current', (o) => num(o, 'status', 'replicas')),
    whole('Ready', (o) => num(o, 'status', 'readyReplicas')),
    ...WIDE,
  ],
  'StatefulSet.apps': [
    cellText('Ready', (o) => `${num(o, 'status', 'readyReplicas')}/${replicas(o)}`),
    ...WIDE.slice(0, 2),
  ],
  'DaemonSet.apps': [
    whole('Desired', (o) => num(o, 'status', 'desiredNumberScheduled')),
    whole('Current', (o) => num(o, 'status', 'currentNumberScheduled')),
    whole('Ready', (o) => num(o, 'status', 'numberReady')),
    whole('Up-to-date', (o) => num(o, 'status', 'updatedNumberScheduled')),
    whole('Available', (o) => num(o, 'status', 'numberAvailable')),
    cellText('Node Selector', (o) => selectorText(at(o, 'spec', 'template', 'spec', 'nodeSelector'))),
    ...WIDE,
  ],
  'Job.batch': [
    cellText('Status', jobStatus),
    cellText(
      'Completions',
      (o) => `${num(o, 'status', 'succeeded')}/${str(o, 'spec', 'completions') || '1'}`,
    ),
    cellText('Duration', jobDuration),
    ...WIDE,
  ],
  'CronJob.batch': [
    cellText('Schedule', (o) => str(o, 'spec', 'schedule')),
    cellText('Timezone', (o) => str(o, 'spec', 'timeZone') || '<none>'),
    cellText('Suspend', (o) => (at(o, 'spec', 'suspend') === true ? 'True' : 'False')),
    whole('Active', (o) => list(o, 'status', 'active').length),
    cellText('Last Schedule', (o, now) =>
      str(o, 'status', 'lastScheduleTime') === ''
        ? '<none>'
        : since(str(o, 'status', 'lastScheduleTime'), now),
    ),
    ...wideOf(['spec', 'jobTemplate', ...POD], ['spec', 'jobTemplate', 'spec', 'selector']),
  ],
  'HorizontalPodAutoscaler.autoscaling': [
    cellText(
      'Reference',
      (o) => `${str(o, 'spec', 'scaleTargetRef', 'kind')}/${str(o, 'spec', 'scaleTargetRef', 'name')}`,
    ),
    cellText('MinPods', (o) => str(o, 'spec', 'minReplicas') || '<unset>'),
    whole('MaxPods', (o) => num(o, 'spec', 'maxReplicas')),
    whole('Replicas', (o) => num(o, 'status', 'currentReplicas')),
  ],
  'PodDisruptionBudget.policy': [
    cellText('Min Available', (o) => str(o, 'spec', 'minAvailable') || 'N/A'),
    cellText('Max Unavailable', (o) => str(o, 'spec', 'maxUnavailable') || 'N/A'),
    whole('Allowed Disruptions', (o) => num(o, 'status', 'disruptionsAllowed')),
  ],
}
