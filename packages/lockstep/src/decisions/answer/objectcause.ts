/** From an object that is not healthy to its Pods, as its cluster shows them. Pure. */

import { expressionRules, type Health, healthOf, ruleFor, waitingReason } from '@lockstep/health/health'
import { isUnbound } from '@lockstep/health/state'
import { at, isObject, type KubeObject } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { nameOf, type WaitRef } from '../../api/reasons/index.ts'
import type { AnswerBlocker, Cause, CauseAddress } from './cause.ts'

/** An object as its cluster shows it, and the Pods behind it. */
export interface ObjectWithPods {
  readonly object?: KubeObject
  readonly pods: readonly KubeObject[]
  /** Health settings of the admitted revision. */
  readonly health?: ModuleSpec['health'] | undefined
  /** Why it could not be read. */
  readonly problem?: string
}

const MAX_PODS = 3

/** The cause of a blocker that is about an object: the object's state now, and its Pods. */
export function objectCause(
  ref: WaitRef,
  live: ObjectWithPods,
  blocker: AnswerBlocker & { readonly advice?: string | undefined },
  nowMs: number,
  address: CauseAddress,
): Cause {
  const { text, rule } = objectStateText(live, nowMs, blocker.message)
  const children = podCauses(live, nowMs, address)
  return {
    label: nameOf(ref),
    reason: blocker.reason,
    text,
    since: blocker.since,
    rule,
    advice: blocker.advice,
    module: address.module,
    cluster: address.cluster,
    isRoot: children.length === 0,
    children,
  }
}

/** The Pods that are not healthy, worst first. */
function podCauses(live: ObjectWithPods, nowMs: number, place: CauseAddress): Cause[] {
  const sick = live.pods
    .map((pod) => ({ pod, health: healthOf(pod, nowMs, undefined, live.health?.profile) }))
    .filter(({ pod, health }) => health.state !== 'Healthy' && pod.metadata.deletionTimestamp === undefined)
    .map(({ pod, health }) => podCause(pod, health, place))
  // One Pod of many with the same reason is enough.
  const seen = new Set<string>()
  const distinct = sick.filter((n) => !seen.has(n.reason) && seen.add(n.reason))
  return distinct.sort((a, b) => weight(a) - weight(b)).slice(0, MAX_PODS)
}

const weight = (n: Cause): number => (n.reason === 'Progressing' || n.reason === 'ContainerCreating' ? 1 : 0)

function podCause(pod: KubeObject, health: Health, place: CauseAddress): Cause {
  const waiting = waitingReason(pod)
  const [reason, ...rest] = (waiting ?? '').split(': ')
  const said = waiting === undefined ? health.message : rest.join(': ')
  const since = at(pod, 'status', 'startTime')
  return {
    label: `Pod ${pod.metadata.name}`,
    reason: reason || health.state,
    text: said === '' ? imageText(pod) : said,
    ...(health.rule === undefined ? {} : { rule: health.rule }),
    ...(typeof since === 'string' ? { since } : {}),
    ...adviceFor(pod, reason, place),
    ...place,
    isRoot: true,
    children: [],
  }
}

/** Reasons of the kubelet, which are no reasons of Lockstep. */
function adviceFor(pod: KubeObject, reason: string | undefined, { module, cluster }: CauseAddress) {
  const publish = `publish another revision of ${module}`
  switch (reason) {
    case 'ImagePullBackOff':
    case 'ErrImagePull':
      return { advice: `make the image available (name, registry, pull secret), or ${publish}` }
    case 'CrashLoopBackOff': {
      const { namespace, name } = pod.metadata
      return { advice: `read its log on ${cluster}: kubectl logs -n ${namespace} ${name}, or ${publish}` }
    }
    default: {
      const { namespace, name } = pod.metadata
      return { advice: `read its events on ${cluster}: kubectl describe pod ${name} -n ${namespace}` }
    }
  }
}

function imageText(pod: KubeObject): string {
  const image = at(pod, 'spec', 'containers', 0, 'image')
  return typeof image === 'string' ? image : ''
}

/** The state of the object now: it may have changed since its blocker was written. */
function objectStateText(
  live: ObjectWithPods,
  nowMs: number,
  stored: string,
): { readonly text: string; readonly rule?: string } {
  if (live.problem !== undefined) return { text: `${stored} (${live.problem})` }
  if (!live.object) return { text: stored }
  const rule = ruleFor(expressionRules(live.health?.expressions), live.object)
  const health = healthOf(live.object, nowMs, rule, live.health?.profile)
  if (health.state === 'Healthy') return { text: stored }
  return {
    // The text about a claim depends on its class, which was read for the blocker.
    text: isUnbound(live.object) ? stored : health.message,
    ...(health.rule === undefined ? {} : { rule: health.rule }),
  }
}

/** `a=b,c=d` of a workload's selector. */
export function podSelector(o: KubeObject): string | undefined {
  const labels = at(o, 'spec', 'selector', 'matchLabels')
  if (!isObject(labels)) return undefined
  return Object.entries(labels)
    .map(([k, v]) => `${k}=${String(v)}`)
    .join(',')
}
