/** Waits in place of Jobs that poll: what `sequencing: Native` makes of a sequenceJob, and of Jobs that people wrote like one. */
import { isString, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { BUNDLE_WAIT } from '../../order/bundlewait.ts'
import type { ValuesField } from '../values/field.ts'
import { type WaitLoopTarget, waitLoopOf, waitLoopOfJob } from './waitloop.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'argocd.argoproj.io/hook'
/** Of other phases a wait would hold nothing. */
const WAITING_PHASES = ['PreSync', 'Sync', 'PostSync']

/**
 * The wait of an entry of `subscriptions`. Undefined: its sequenceJob does something else and stays a Job. Without a wave it is
 * in wave 0, as an object without one.
 */
export function nativeWaitOfEntry(
  entry: ValuesField,
  name: JsonValue,
  script: string,
): JsonObject | undefined {
  const job = entry.get('sequenceJob')
  const own = job.get('command')
  const hook = job.get('hookType').or('Sync')
  if (!isWaitingAt(hook.text)) return undefined
  if (!own.isTruthy && !job.get('resourceType').isTruthy) {
    job.refuse(' requires resourceType or a command: the object to wait for is unknown')
    return undefined
  }
  const awaited = waitLoopOf(own.isTruthy ? own.data : ['/bin/bash', '-c', script])
  if (!awaited) {
    if (!own.isTruthy)
      job.warn(
        ': is more than a type, a name and a namespace, so that it stays a Job; write a command instead',
      )
    return undefined
  }
  if (awaited.resourceName === undefined)
    job.warn(
      `: has no resourceName, so that it waits only until ${awaited.resourceType} can be listed; name one`,
    )
  if (job.get('image').isTruthy) job.get('image').warn(': no Pod runs, so no image is needed; remove it')
  const wave = job.get('syncWave').or(entry.get('annotations').get(WAVE))
  const annotations = { [HOOK]: hook.text, ...(wave.isTruthy ? { [WAVE]: wave.text } : {}) }
  return wait({ name, annotations }, awaited, `sequenceJob of ${entry.get('name').text}`)
}

/** The wait of an entry of `extraObjects`, if it is a Job that does nothing else. */
export function nativeWaitOfObject(o: JsonObject, key: string): JsonObject | undefined {
  const awaited = waitLoopOfJob(o)
  const metadata = o.metadata as JsonObject
  if (!awaited || !isWaitingAt((metadata.annotations as JsonObject)[HOOK])) return undefined
  return wait(metadata, awaited, `Job of extraObjects.${key}`)
}

const isWaitingAt = (hook: JsonValue | undefined): boolean =>
  isString(hook) && hook.split(',').some((phase) => WAITING_PHASES.includes(phase.trim()))

const wait = (metadata: JsonObject, awaited: WaitLoopTarget, asked: string): JsonObject => ({
  ...BUNDLE_WAIT,
  metadata,
  spec: { ...awaited, asked },
})
