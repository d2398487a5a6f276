/** A checkpoint: objects on its cluster, whoever made them, have to be as its expressions want them. Pure. */

import { type ExpressionRule, selectionHealth } from '@lockstep/health/health'
import type { Health } from '@lockstep/health/state'
import { isSecret, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { ObservedSelection } from '../../fleet/connection/index.ts'
import { soonestRequeue } from '../step/requeue.ts'
import { objectWaitRef } from './objectwaitref.ts'

/** Since when an entry is as it is, in steady milliseconds. */
export interface CheckpointTimes {
  readonly healthySince?: number
  readonly unhealthySince?: number
  readonly degradedSince?: number
}

export interface CheckpointCheck {
  readonly rule: ExpressionRule
  readonly seen: ObservedSelection
  readonly times: CheckpointTimes
}

export interface CheckpointSettings {
  readonly cluster: string
  readonly timeoutSeconds: number
  readonly degradedSeconds: number
  /** It was verified at what is admitted before this process looked: settling is over. */
  readonly wasVerified: boolean
  readonly steady: number
}

export interface CheckpointResult {
  readonly health: 'Healthy' | 'Progressing' | 'Failed'
  readonly blockers: readonly NewBlocker[]
  /** Of each check, to be given back the next time. */
  readonly times: readonly CheckpointTimes[]
  /** When it would be decided differently without news. */
  readonly wakeInMs: number | undefined
}

/** Each entry selects at least `minCount` objects, all are ready, and were so for `settleSeconds`. */
export function checkpointResult(
  checks: readonly CheckpointCheck[],
  settings: CheckpointSettings,
): CheckpointResult {
  const looks = checks.map((c) => look(c, settings))
  const failed = looks.some((l) => l.failed)
  return {
    health: failed ? 'Failed' : looks.every((l) => !l.blocker) ? 'Healthy' : 'Progressing',
    blockers: looks.flatMap((l) => (l.blocker ? [l.blocker] : [])),
    times: looks.map((l) => l.times),
    wakeInMs: soonestRequeue(looks.map((l) => l.wakeInMs)),
  }
}

interface CheckpointLook {
  readonly blocker?: NewBlocker
  readonly failed?: boolean
  readonly times: CheckpointTimes
  readonly wakeInMs?: number
}

function look({ rule, seen, times }: CheckpointCheck, s: CheckpointSettings): CheckpointLook {
  const on = selectedRef(rule, s.cluster)
  if (seen.type === 'NotServed') {
    const resource = `${rule.entry.apiVersion} ${rule.entry.kind}`
    return { blocker: blocked('WaitingForObject', [on], { state: 'NotServed', resource }), times }
  }
  if (seen.type === 'Unread')
    return {
      blocker: blocked('WaitingForObject', [on], { state: 'Unreadable', detail: seen.detail }),
      times,
    }
  if (seen.type !== 'Read') return { blocker: blocked('WaitingForObject', [on], { state: 'Unread' }), times }
  const health = selectionHealth(rule, seen.objects.map(withoutSecretData))
  return health.state === 'Healthy' ? settling(rule, on, times, s) : unhealthy(health, on, times, s)
}

/** The name is `*` where the selection has none. */
const selectedRef = ({ entry }: ExpressionRule, cluster: string): WaitRefOf<'Object'> =>
  objectWaitRef(
    {
      ...parseApiVersion(entry.apiVersion),
      kind: entry.kind ?? '',
      name: entry.name ?? '*',
      ...(entry.namespace === undefined ? {} : { namespace: entry.namespace }),
    },
    cluster,
  )

function settling(
  { entry }: ExpressionRule,
  on: WaitRefOf<'Object'>,
  times: CheckpointTimes,
  s: CheckpointSettings,
): CheckpointLook {
  const first = s.wasVerified && times.unhealthySince === undefined ? Number.NEGATIVE_INFINITY : s.steady
  const healthySince = times.healthySince ?? first
  const left = healthySince + entry.settleSeconds * 1000 - s.steady
  if (left <= 0) return { times: { healthySince } }
  const seconds = Math.ceil(left / 1000)
  const blocker = blocked('WaitingForObject', [on], { state: 'Soaking', seconds })
  return { blocker, times: { healthySince }, wakeInMs: left }
}

function unhealthy(
  health: Health,
  on: WaitRefOf<'Object'>,
  before: CheckpointTimes,
  s: CheckpointSettings,
): CheckpointLook {
  const unhealthySince = before.unhealthySince ?? s.steady
  const isDegraded = health.state === 'Degraded'
  const degradedSince = isDegraded ? (before.degradedSince ?? s.steady) : undefined
  const times = { unhealthySince, ...(degradedSince === undefined ? {} : { degradedSince }) }
  const late = unhealthySince + s.timeoutSeconds * 1000 - s.steady
  const broken = degradedSince === undefined ? undefined : degradedSince + s.degradedSeconds * 1000 - s.steady
  const detail = health.message
  if (broken !== undefined && broken <= 0)
    return { blocker: blocked('ObjectFailed', [on], { detail }), failed: true, times }
  if (late <= 0) {
    const facts = { state: 'NotReady', seconds: s.timeoutSeconds, detail } as const
    return { blocker: blocked('HealthTimeout', [on], facts), failed: true, times }
  }
  const wakeInMs = soonestRequeue([late, broken])!
  return { blocker: blocked('WaitingForObject', [on], { state: 'NotReady', detail }), times, wakeInMs }
}

/** What an expression says of a Secret is shown: it does not see what is in it. */
export function withoutSecretData(o: KubeObject): KubeObject {
  if (!isSecret(o)) return o
  const { data: _data, stringData: _stringData, ...rest } = o
  return rest as KubeObject
}
