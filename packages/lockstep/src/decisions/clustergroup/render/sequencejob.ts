/** The Job that keeps a wave open until something exists, as the chart writes it: `sequenceJob` of a subscription. */
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import { SEQUENCE_IMAGE } from '../values/defaults.ts'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'
import { nativeWaitOfEntry } from './nativewait.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'

/**
 * One for each entry, however many namespaces it has. As the chart does it, also for one that is disabled; natively not, and as
 * a wait where it does nothing but wait.
 */
export function sequenceJob(g: Group, entry: ValuesField, isDisabled: boolean): JsonObject[] {
  const job = entry.get('sequenceJob')
  if (!job.isTruthy || !job.isMap() || job.isDisabled) return []
  const isNative = g.sequencing.mode === 'Native'
  if (isDisabled && isNative) {
    job.warn(`: sequenceJob of disabled subscription ${entry.get('name').text} dropped`)
    return []
  }
  if (isDisabled)
    job.warn(
      ': the subscription is disabled and its Job is not: it waits for a subscription that is not installed',
      {
        todo: 'disable it, too',
        trap: 'G1',
      },
    )
  const name = entry.get('name').raw((text) => `${text}-sequencejob`)
  const wait = isNative ? nativeWaitOfEntry(entry, name, scriptOf(job)) : undefined
  if (wait) return [wait]
  const annotations = entry.get('annotations')
  if (!isNative && (annotations.value === null || annotations.value === undefined)) {
    job.refuse(' needs annotations (at least {}) on the subscription', { trap: 'G2' })
    return []
  }
  const wave = job.get('syncWave').or(annotations.get(WAVE))
  if (!isNative && !wave.isTruthy)
    job.warn(' has no wave, so that of its Job is null', {
      todo: `set syncWave, or the annotation ${WAVE}`,
      trap: 'G3',
    })
  return [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        annotations: {
          'argocd.argoproj.io/hook': job.get('hookType').or('Sync').raw(),
          ...(wave.isTruthy ? { [WAVE]: wave.quoted() } : isNative ? {} : { [WAVE]: null }),
        },
      },
      spec: {
        parallelism: 1,
        completions: 1,
        template: {
          spec: {
            restartPolicy: 'OnFailure',
            containers: [{ name, image: job.get('image').or(SEQUENCE_IMAGE).raw(), command: commandOf(job) }],
          },
        },
      },
    },
  ]
}

function commandOf(job: ValuesField): JsonValue {
  const own = job.get('command')
  return own.isTruthy ? own.data : ['/bin/bash', '-c', scriptOf(job)]
}

function scriptOf(job: ValuesField): string {
  const [type, name] = [job.get('resourceType').told, job.get('resourceName').told]
  const namespace = job.get('resourceNamespace')
  if (namespace.value === false)
    namespace.warn(': a text that is false in YAML 1.1 is not a namespace', { todo: 'quote it', trap: 'G7' })
  const [flag, place] = namespace.isTruthy ? [` -n ${namespace.told}`, ` in ${namespace.text}`] : ['', '']
  return [
    'while [ 1 ];',
    'do',
    `  oc get ${type} ${name}${flag} && break`,
    `  echo "${type} ${name}${place} not found, waiting..."`,
    '  sleep 5',
    'done',
    `echo "${type} ${name}${place} found, exiting..."`,
    'exit 0',
    '',
  ].join('\n')
}
