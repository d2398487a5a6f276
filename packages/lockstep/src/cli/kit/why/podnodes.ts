/** From an object that is not healthy to its Pod: pure. */

import { expressionRules, type Health, healthOf, ruleFor, waitingReason } from '@lockstep/health/health'
import { isUnbound } from '@lockstep/health/state'
import { at, type KubeObject } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../../api/kinds/index.ts'
import type { WhyNode } from './whytree.ts'

/** What a cluster says of an object and of the Pods behind it. */
export interface ObjectWithPods {
  readonly object?: KubeObject
  readonly pods: readonly KubeObject[]
  /** By which its health is told: of the revision that is admitted there. */
  readonly health?: ModuleSpec['health']
  /** It could not be read. */
  readonly problem?: string
}

interface ObjectCondition {
  readonly reason: string
  readonly text: string
}

type NodePlace = Pick<WhyNode, 'module' | 'cluster'>

const MOST_PODS = 3

/** The Pods that are not healthy, worst first. */
export function podNodes(live: ObjectWithPods, nowMs: number, place: NodePlace): WhyNode[] {
  const sick = live.pods
    .map((pod) => ({ pod, health: healthOf(pod, nowMs, undefined, live.health?.profile) }))
    .filter(({ pod, health }) => health.state !== 'Healthy' && pod.metadata.deletionTimestamp === undefined)
    .map(({ pod, health }) => podNode(pod, health, place))
  // One Pod of many that say the same is enough.
  const seen = new Set<string>()
  const distinct = sick.filter((n) => !seen.has(n.reason) && seen.add(n.reason))
  return distinct.sort((a, b) => weight(a) - weight(b)).slice(0, MOST_PODS)
}

const weight = (n: WhyNode): number =>
  n.reason === 'Progressing' || n.reason === 'ContainerCreating' ? 1 : 0

function podNode(pod: KubeObject, health: Health, place: NodePlace): WhyNode {
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
    ...place,
    isRoot: true,
    children: [],
  }
}

function imageText(pod: KubeObject): string {
  const image = at(pod, 'spec', 'containers', 0, 'image')
  return typeof image === 'string' ? image : ''
}

/** What the object itself says now; it may have moved on since its blocker was written. */
export function objectStateText(
  live: ObjectWithPods | undefined,
  nowMs: number,
  fallback: ObjectCondition,
): ObjectCondition & { readonly rule?: string } {
  if (live?.problem !== undefined)
    return { reason: fallback.reason, text: `${fallback.text} (${live.problem})` }
  if (!live?.object) return fallback
  const rule = ruleFor(expressionRules(live.health?.expressions), live.object)
  const health = healthOf(live.object, nowMs, rule, live.health?.profile)
  if (health.state === 'Healthy') return fallback
  return {
    reason: health.state,
    // What is to be said of a claim hangs on its class, which was asked for its blocker.
    text: isUnbound(live.object) ? fallback.text : health.message,
    ...(health.rule === undefined ? {} : { rule: health.rule }),
  }
}
