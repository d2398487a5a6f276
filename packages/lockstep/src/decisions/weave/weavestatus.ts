/**
 * The status of a Pipeline of weaveworks, in the words of its own controller (`controllers/leveltriggered/controller.go`,
 * `api/v1alpha1/conditions.go`), out of that of ours.
 */

import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Stored,
  timestamp,
} from '@lockstep/kube/object'
import { type Condition, mergeConditions, type NewCondition } from '../../api/conditions.ts'
import type { EnvironmentStatus, PipelineStatus, Promotion } from '../../api/kinds/index.ts'

export interface WeaveStatusInput {
  /** The object as it is. */
  readonly object: JsonObject
  /** Ours; undefined: it is not there yet, or was not looked at. */
  readonly status: PipelineStatus | undefined
  /** By environment: the revision that waits for an Approval. */
  readonly waiting: ReadonlyMap<string, string>
  /** By environment, where its definition has `promotion` (pipeline-controller #214). */
  readonly promotions: ReadonlyMap<string, JsonObject>
  /** Why it cannot be served; empty: it is. */
  readonly problems: readonly string[]
  readonly nowMs: number
}

const READY = 'Ready'
const PENDING = 'PromotionPending'
/** `MaxConditionMessageLength`. */
const LONGEST_MESSAGE = 20_000

/** Undefined: there is nothing to be said yet. */
export function weaveStatus(input: WeaveStatusInput): JsonObject | undefined {
  const { object, status, problems, nowMs } = input
  if (!status && problems.length === 0) return undefined
  const generation = Number(at(object, 'metadata', 'generation') ?? 0)
  const before = at(object, 'status', 'conditions')
  const old = (isArray(before) ? before : []) as unknown as Condition[]
  const said = [...conditionsOf(status?.environments ?? [], problems)].map((c) => ({
    ...c,
    observedGeneration: generation,
    message: c.message.slice(0, LONGEST_MESSAGE),
  }))
  const others = old.filter((c) => c.type !== READY && c.type !== PENDING)
  return {
    ...(isObject(object.status) ? object.status : {}),
    observedGeneration: generation,
    conditions: [...others, ...mergeConditions(old, said, timestamp(nowMs))] as unknown as JsonValue,
    ...(problems.length > 0 ? {} : { environments: environmentsOf(input) }),
  }
}

function* conditionsOf(
  environments: readonly EnvironmentStatus[],
  problems: readonly string[],
): Iterable<NewCondition> {
  const said = (type: string, is: boolean, reason: string, message: string): NewCondition => ({
    type,
    status: is ? 'True' : 'False',
    reason,
    message,
  })
  if (problems.length > 0) {
    yield said(READY, false, 'InvalidSpec', problems.join('; '))
    return
  }
  const isRead = environments.every((e) => (e.targets ?? []).every((t) => errorOf(t) === undefined))
  yield isRead
    ? said(READY, true, 'ReconciliationSucceeded', 'All clusters checked')
    : said(READY, false, 'TargetNotReadable', 'One or more targets was not reachable or not present')
  const pending = pendingText(environments[0])
  if (pending !== undefined) yield said(PENDING, true, 'EnvironmentNotReady', pending)
}

/** What the first environment lacks for anything to be promoted from it. */
function pendingText(first: EnvironmentStatus | undefined): string | undefined {
  const targets = first?.targets ?? []
  const revisions = new Set(targets.map((t) => t.revision))
  if (revisions.size !== 1 || revisions.has(undefined))
    return 'Waiting for all targets to have the same revision'
  return targets.every((t) => t.ready) ? undefined : 'Waiting for all targets to be ready'
}

type WeaveTargetStatus = NonNullable<EnvironmentStatus['targets']>[number]

/** There, a target that is there and not ready is no error. */
const errorOf = ({ ready, reason, revision, message }: WeaveTargetStatus): string | undefined =>
  !ready && (reason === 'TargetUnreachable' || revision === undefined) ? (message ?? reason ?? '') : undefined

function environmentsOf({ object, status, waiting, promotions }: WeaveStatusInput): JsonObject {
  const appRef = (at(object, 'spec', 'appRef') ?? {}) as JsonObject
  const specs = at(object, 'spec', 'environments')
  const entries = (status?.environments ?? []).map(({ name, targets = [] }, i) => {
    const revision = waiting.get(name)
    const promotion = promotions.get(name)
    return [
      name,
      {
        ...(revision === undefined ? {} : { waitingApproval: { revision } }),
        ...(promotion === undefined ? {} : { promotion }),
        targets: targets.map((t, k) => {
          const clusterRef = at(isArray(specs) ? specs[i] : undefined, 'targets', k, 'clusterRef')
          const error = errorOf(t)
          return {
            clusterAppRef: { ...appRef, ...(isObject(clusterRef) ? { clusterRef } : {}) },
            ready: t.ready,
            ...(t.revision === undefined ? {} : { revision: t.revision }),
            ...(error === undefined ? {} : { error }),
          }
        }),
      },
    ] as const
  })
  return Object.fromEntries(entries) as unknown as JsonObject
}

/** Undefined: nothing was tried yet. */
export function weavePromotion({ metadata, spec, status }: Stored<Promotion>): JsonObject | undefined {
  const { phase = 'Pending', result } = status ?? {}
  if (phase === 'Pending' || phase === 'Prepared') return undefined
  const { pullRequest } = result ?? {}
  return {
    revision: spec.revision,
    ...(metadata.creationTimestamp === undefined ? {} : { lastAttemptedTime: metadata.creationTimestamp }),
    // There: that it was asked for. What comes of it is the state of the pull request.
    succeeded: result !== undefined,
    ...(pullRequest ? { pullRequest: { url: pullRequest.url, state: PULL_STATES[pullRequest.state] } } : {}),
  }
}

const PULL_STATES = { open: 'open', merged: 'merged', closed: 'abandoned' } as const
