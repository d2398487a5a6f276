/** A checkpoint: objects on its cluster, whoever made them, have to be as its expressions want them. Pure. */

import { type ExpressionRule, selectionHealth } from '@lockstep/health/health'
import type { Health } from '@lockstep/health/state'
import { isSecret, type KubeObject } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { ObservedSelection } from '../../fleet/connection/index.ts'
import { soonestRequeue } from '../step/requeue.ts'

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
  const { kind = '', name } = rule.entry
  const subject = `${kind}/${name ?? '*'}`
  const say = (reason: NewBlocker['reason'], text: string): NewBlocker => ({
    reason,
    subject,
    message: `${kind}${name === undefined ? 's' : ` ${name}`}: ${text}`,
  })
  if (seen.type === 'NotServed') return { blocker: say('WaitingForObject', seen.detail), times }
  if (seen.type !== 'Read')
    return {
      blocker: say(
        'WaitingForObject',
        seen.type === 'Unread' ? `cannot be read: ${seen.detail}` : 'being read',
      ),
      times,
    }
  const health = selectionHealth(rule, seen.objects.map(withoutSecretData))
  if (health.state === 'Healthy') return settling(rule, times, s, say)
  return unhealthy(health, times, s, say)
}

type CheckpointBlockerOf = (reason: NewBlocker['reason'], text: string) => NewBlocker

function settling(
  { entry }: ExpressionRule,
  times: CheckpointTimes,
  s: CheckpointSettings,
  say: CheckpointBlockerOf,
): CheckpointLook {
  const first = s.wasVerified && times.unhealthySince === undefined ? Number.NEGATIVE_INFINITY : s.steady
  const healthySince = times.healthySince ?? first
  const left = healthySince + entry.settleSeconds * 1000 - s.steady
  if (left <= 0) return { times: { healthySince } }
  const text = `has to stay ready for ${Math.ceil(left / 1000)}s more`
  return { blocker: say('WaitingForObject', text), times: { healthySince }, wakeInMs: left }
}

function unhealthy(
  health: Health,
  before: CheckpointTimes,
  s: CheckpointSettings,
  say: CheckpointBlockerOf,
): CheckpointLook {
  const unhealthySince = before.unhealthySince ?? s.steady
  const isDegraded = health.state === 'Degraded'
  const degradedSince = isDegraded ? (before.degradedSince ?? s.steady) : undefined
  const times = { unhealthySince, ...(degradedSince === undefined ? {} : { degradedSince }) }
  const late = unhealthySince + s.timeoutSeconds * 1000 - s.steady
  const broken = degradedSince === undefined ? undefined : degradedSince + s.degradedSeconds * 1000 - s.steady
  if (broken !== undefined && broken <= 0)
    return { blocker: say('ObjectFailed', health.message), failed: true, times }
  if (late <= 0) {
    const text = `not ready for ${s.timeoutSeconds}s: ${health.message}`
    return { blocker: say('HealthTimeout', text), failed: true, times }
  }
  const wakeInMs = soonestRequeue([late, broken])!
  return { blocker: say('WaitingForObject', health.message), times, wakeInMs }
}

/** What an expression says of a Secret is shown: it does not see what is in it. */
export function withoutSecretData(o: KubeObject): KubeObject {
  if (!isSecret(o)) return o
  const { data: _data, stringData: _stringData, ...rest } = o
  return rest as KubeObject
}
