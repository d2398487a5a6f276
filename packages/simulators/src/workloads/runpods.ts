import { at, isArray, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { WORKLOAD, type WorkloadFailure } from './behavior.ts'
import { condition, type Engine } from './engine.ts'
import { bindFor } from './volumes.ts'

/** Pods, as a kubelet would report them. */
export function runPods(engine: Engine): void {
  const startedAt = new Map<string, number>()
  engine.control('pods', (pod) => {
    const uid = pod.metadata.uid ?? ''
    if (pod.metadata.deletionTimestamp !== undefined) {
      startedAt.delete(uid)
      engine.context.api.remove('pods', pod)
      return
    }
    if (isOver(pod)) return
    bindFor(engine, pod)
    const { clock } = engine.context.env
    const due = startedAt.get(uid) ?? clock.steady() + (hasStarted(pod) ? 0 : drawStart(engine))
    startedAt.set(uid, due)
    const failure = engine.context.behavior.of(pod)
    if (failure !== undefined) return engine.report(pod, failing(pod, failure, engine))
    if (clock.steady() >= due)
      return engine.report(pod, endsByItself(pod) ? succeeded(pod, engine) : running(pod, engine))
    engine.report(pod, pending(pod, 'ContainerCreating', '', engine))
    engine.again('pods', pod, [Math.ceil(due - clock.steady()), Math.ceil(due - clock.steady())])
  })
}

/** A kubelet that restarts finds its containers running. */
const hasStarted = (pod: KubeObject): boolean => at(pod, 'status', 'phase') === 'Running'

function drawStart(engine: Engine): number {
  const [least, most] = engine.context.delays.start
  return least + engine.context.random.next() * (most - least)
}

const isOver = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes(String(at(pod, 'status', 'phase')))

/** What is not started again whenever it ends is there to end. */
const endsByItself = (pod: KubeObject): boolean => {
  const policy = at(pod, 'spec', 'restartPolicy')
  return policy === 'Never' || policy === 'OnFailure'
}

type PodStatus = { [key: string]: JsonValue | undefined }

function statusOf(
  pod: KubeObject,
  phase: string,
  ready: boolean,
  containers: (name: string, image: string) => PodStatus,
  engine: Engine,
): PodStatus {
  const now = engine.now()
  const reason = ready ? '' : 'ContainersNotReady'
  const list = at(pod, 'spec', 'containers')
  return {
    ...(at(pod, 'status', 'qosClass') === undefined ? {} : { qosClass: at(pod, 'status', 'qosClass') }),
    phase,
    startTime: at(pod, 'status', 'startTime') ?? now,
    conditions: [
      condition(pod, 'PodScheduled', 'True', '', '', now),
      condition(pod, 'Initialized', 'True', '', '', now),
      condition(pod, 'ContainersReady', ready ? 'True' : 'False', reason, '', now),
      condition(pod, 'Ready', ready ? 'True' : 'False', reason, '', now),
    ],
    containerStatuses: (isArray(list) ? list : []).map((c) => ({
      restartCount: 0,
      imageID: '',
      ...containers(String(at(c, 'name')), String(at(c, 'image') ?? '')),
    })) as JsonValue,
  }
}

const waiting = (name: string, image: string, reason: string, message: string): PodStatus => ({
  name,
  image,
  ready: false,
  started: false,
  state: { waiting: { reason, ...(message ? { message } : {}) } },
})

const pending = (pod: KubeObject, reason: string, message: string, engine: Engine): PodStatus =>
  statusOf(pod, 'Pending', false, (name, image) => waiting(name, image, reason, message), engine)

function running(pod: KubeObject, engine: Engine, ready = true): PodStatus {
  const startedAt = at(pod, 'status', 'startTime') ?? engine.now()
  const container = (name: string, image: string): PodStatus => ({
    name,
    image,
    ready,
    started: true,
    state: { running: { startedAt } },
  })
  return statusOf(pod, 'Running', ready, container, engine)
}

function ended(pod: KubeObject, exitCode: number, engine: Engine, message?: string): PodStatus {
  const reason = exitCode === 0 ? 'Completed' : 'Error'
  const startedAt = at(pod, 'status', 'startTime') ?? engine.now()
  const text = message === undefined ? {} : { message }
  const state = { terminated: { exitCode, reason, ...text, startedAt, finishedAt: engine.now() } }
  return statusOf(
    pod,
    exitCode === 0 ? 'Succeeded' : 'Failed',
    false,
    (name, image) => ({ name, image, ready: false, started: false, state }),
    engine,
  )
}

const succeeded = (pod: KubeObject, engine: Engine): PodStatus => ended(pod, 0, engine)

function failing(pod: KubeObject, { outcome, output }: WorkloadFailure, engine: Engine): PodStatus {
  switch (outcome) {
    case 'ImagePull':
      return statusOf(
        pod,
        'Pending',
        false,
        (name, image) =>
          waiting(name, image, 'ImagePullBackOff', `Back-off pulling image "${image}": 403 Forbidden`),
        engine,
      )
    case 'CrashLoop': {
      const container = (name: string, image: string): PodStatus =>
        waiting(name, image, 'CrashLoopBackOff', 'back-off restarting failed container')
      return statusOf(pod, 'Running', false, container, engine)
    }
    case 'NeverReady':
      return running(pod, engine, false)
    case 'Fail':
      return ended(pod, 1, engine, output)
  }
}

/** The Pod of a template; its name is the owner's and a suffix. */
export function podOf(
  owner: KubeObject,
  apiVersion: string,
  template: JsonValue | undefined,
  name: string,
  workload: string,
): KubeObject {
  const metadata = (at(template, 'metadata') ?? {}) as {
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(owner.metadata.namespace ? { namespace: owner.metadata.namespace } : {}),
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations, [WORKLOAD]: workload },
      ownerReferences: [ownerOf(owner, apiVersion)],
    },
    spec: at(template, 'spec'),
  }
}

export const ownerOf = (owner: KubeObject, apiVersion: string) => ({
  apiVersion,
  kind: owner.kind,
  name: owner.metadata.name ?? '',
  uid: owner.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})

export const isReadyPod = (pod: KubeObject): boolean => {
  const list = at(pod, 'status', 'conditions')
  return (
    pod.metadata.deletionTimestamp === undefined &&
    isArray(list) &&
    list.some((c) => at(c, 'type') === 'Ready' && at(c, 'status') === 'True')
  )
}
