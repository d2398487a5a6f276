import { at, isArray, type JsonValue, type KubeObject, parseTimestampMs } from '@lockstep/kube/object'
import { condition, type Engine } from './engine.ts'
import { podOf } from './runpods.ts'

/** Jobs: Pods until enough have succeeded or too many have failed. */
export function runJobs(engine: Engine): void {
  engine.follow('pods')
  engine.control('jobs.batch', (job) => {
    if (job.metadata.deletionTimestamp !== undefined) return
    if (isOver(job)) {
      expire(job, engine)
      return
    }
    if (at(job, 'spec', 'suspend') === true) return
    const pods = engine.owned('pods', job)
    const of = (phase: string): number => pods.filter((p) => at(p, 'status', 'phase') === phase).length
    const [succeeded, failed] = [of('Succeeded'), of('Failed')]
    const want = Number(at(job, 'spec', 'completions') ?? 1)
    const limit = Number(at(job, 'spec', 'backoffLimit') ?? 6)
    const active = pods.length - succeeded - failed
    if (succeeded < want && failed <= limit && active === 0) {
      const name = `${job.metadata.name}-${pods.length.toString(36).padStart(5, 'b')}`
      const pod = podOf(job, 'batch/v1', at(job, 'spec', 'template'), name, job.metadata.name ?? '')
      const labels = { ...pod.metadata.labels, ...labelsOf(job) }
      engine.context.api.create({ ...pod, metadata: { ...pod.metadata, labels } })
    }
    engine.report(
      job,
      statusOf(
        engine,
        job,
        { succeeded, failed, active: Math.max(active, 0) },
        succeeded >= want,
        failed > limit,
      ),
    )
  })
}

/** As the Job controller marks its Pods (`k8s.io/api batch/v1`); the old names too. */
function labelsOf({ metadata: { name = '', uid = '' } }: KubeObject): Readonly<Record<string, string>> {
  const old = { 'controller-uid': uid, 'job-name': name }
  return { ...old, 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name }
}

/** The TTL controller: so many seconds after its end a Job is deleted (kube-controller-manager `ttlafterfinished`). */
function expire(job: KubeObject, engine: Engine): void {
  const seconds = at(job, 'spec', 'ttlSecondsAfterFinished')
  if (typeof seconds !== 'number') return
  const ended = verdictsOf(job).flatMap((c) => parseTimestampMs(String(at(c, 'lastTransitionTime'))) ?? [])
  const leftMs = Math.max(...ended) + seconds * 1000 - engine.context.env.clock.now()
  if (leftMs > 0) {
    engine.again('jobs.batch', job, [leftMs, leftMs])
    return
  }
  for (const pod of engine.owned('pods', job)) engine.context.api.remove('pods', pod)
  engine.context.api.remove('jobs.batch', job)
}

const isOver = (job: KubeObject): boolean => verdictsOf(job).length > 0

/** Conditions that say that it has ended. */
function verdictsOf(job: KubeObject): readonly JsonValue[] {
  const list = at(job, 'status', 'conditions')
  const isVerdict = (c: JsonValue): boolean =>
    (at(c, 'type') === 'Complete' || at(c, 'type') === 'Failed') && at(c, 'status') === 'True'
  return isArray(list) ? list.filter(isVerdict) : []
}

function statusOf(
  engine: Engine,
  job: KubeObject,
  counts: { succeeded: number; failed: number; active: number },
  isDone: boolean,
  isFailed: boolean,
) {
  const now = engine.now()
  const verdict = (type: string, reason: string, message: string) =>
    condition(job, type, 'True', reason, message, now)
  const conditions = isDone
    ? [
        verdict('SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods'),
        verdict('Complete', 'CompletionsReached', 'Reached expected number of succeeded pods'),
      ]
    : isFailed
      ? [
          verdict('FailureTarget', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
          verdict('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
        ]
      : undefined
  return {
    startTime: at(job, 'status', 'startTime') ?? now,
    ...(isDone || isFailed || counts.active === 0 ? {} : { active: counts.active }),
    ...(counts.succeeded > 0 ? { succeeded: counts.succeeded } : {}),
    ...(counts.failed > 0 ? { failed: counts.failed } : {}),
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...(isDone ? { completionTime: now } : {}),
    ...(conditions ? { conditions } : {}),
  }
}
