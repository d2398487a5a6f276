/** One target of an environment: what is seen of it, by itself. What is wrong with it never ends anything else. */

import { healthOf, ruleCel } from '@lockstep/health/health'
import type { KubeObject } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { FactsOf, WaitRefOf } from '../../api/reasons/index.ts'
import { type AppRef, type TargetRef, targetObjectRef } from './promotionref.ts'
import {
  type TargetLack,
  type TargetRevisionSource,
  targetRevisionSource,
  unreadyObject,
} from './targetrevisions.ts'

export type TargetObservation =
  | { readonly type: 'Present'; readonly object: KubeObject }
  | { readonly type: 'Absent'; readonly detail?: string | undefined }
  /** Its state is unknown: earlier observations do not count. */
  | {
      readonly type: 'Unreadable'
      readonly why: UnreadableTarget
      /** Of the fleet that has its cluster. */
      readonly namespace: string
      /** The last observed revision. */
      readonly lastRevision?: string | undefined
    }

/** Why a target cannot be read; `detail`: an error. */
export type UnreadableTarget = Pick<FactsOf<'TargetUnreachable'>, 'because' | 'detail'>

export interface TargetState extends TargetRef {
  readonly ref: WaitRefOf<'Object'>
  readonly state: 'Ready' | 'Unready' | 'Unreadable'
  /** Where it is known, also of one that is not ready. */
  readonly revision: string | undefined
  /** Of Modules. */
  readonly release: string | undefined
  /** Undefined: it is ready. */
  readonly blocker: NewBlocker | undefined
}

export interface AppRule {
  readonly appRef: AppRef
  readonly revisionExpr: string | undefined
}

/** `prod/podinfo`, `prod/podinfo on eu`. */
export const targetText = ({ namespace, cluster }: TargetRef, { name }: Pick<AppRef, 'name'>): string =>
  `${namespace}/${name}${cluster === undefined ? '' : ` on ${cluster}`}`

/** Ready: there, not terminating, observed by its controller at its generation, ready at that, with a revision. */
export function targetStateOf(
  { appRef, revisionExpr }: AppRule,
  target: TargetRef,
  seen: TargetObservation,
  nowMs: number,
): TargetState {
  const { namespace, cluster } = target
  const ref = targetObjectRef(appRef, target)
  const unready = (
    blocker: NewBlocker,
    { revision, release }: Partial<TargetState> = {},
    state: TargetState['state'] = 'Unready',
  ): TargetState => ({ namespace, cluster, ref, state, revision, release, blocker })
  const unknown = (facts: FactsOf<'RevisionUnknown'>): TargetState =>
    unready(blocked('RevisionUnknown', [ref], facts))
  if (seen.type === 'Unreadable')
    return unready(unreachable(ref, seen), { revision: seen.lastRevision }, 'Unreadable')
  if (seen.type === 'Absent')
    return unready(blocked('TargetNotReady', [ref], { because: 'Absent', detail: seen.detail }))
  const rule = targetRevisionSource(appRef.apiVersion, appRef.kind)
  const status = (seen.object.status ?? {}) as Parameters<TargetRevisionSource['revision']>[0]
  const revision = revisionOf(rule, revisionExpr, seen.object)
  if ('because' in revision) return unknown(revision)
  const at = { revision: revision.revision, release: rule?.release?.(status) }
  const lack = unreadyOf(seen.object, rule, nowMs)
  if (lack !== undefined) return unready(blocked('TargetNotReady', [ref], lack), at)
  if (at.revision === undefined) return unknown({ because: 'NotReported' })
  return { namespace, cluster, ref, state: 'Ready', ...at, blocker: undefined }
}

function unreachable(
  ref: WaitRefOf<'Object'>,
  { why: { because, detail }, namespace, lastRevision }: Extract<TargetObservation, { type: 'Unreadable' }>,
): NewBlocker {
  const cluster: WaitRefOf<'Cluster'>[] =
    ref.cluster === undefined ? [] : [{ kind: 'Cluster', name: ref.cluster, namespace }]
  return blocked('TargetUnreachable', [ref, ...cluster], { because, detail, lastRevision })
}

/** An object of an unknown kind without a condition Ready is ready when it is healthy. */
function unreadyOf(
  object: KubeObject,
  rule: TargetRevisionSource | undefined,
  nowMs: number,
): TargetLack | undefined {
  const lack = unreadyObject(object, rule)
  if (lack === undefined || rule || lack.because !== 'NoCondition') return lack
  const { state, message } = healthOf(object, nowMs)
  return state === 'Healthy' ? undefined : { because: 'NotReady', detail: message || state }
}

/** An expression gives the revision of every kind; without one the kind must be known. */
function revisionOf(
  rule: TargetRevisionSource | undefined,
  expression: string | undefined,
  object: KubeObject,
): { readonly revision: string | undefined } | FactsOf<'RevisionUnknown'> {
  if (expression !== undefined) {
    const value = ruleCel(expression, object)
    if (typeof value === 'object') return { because: 'ExpressionFailed', error: value.failure }
    return typeof value === 'string' && value !== ''
      ? { revision: value }
      : { because: 'ExpressionNotText', expression }
  }
  if (!rule) return { because: 'ExpressionMissing' }
  return { revision: rule.revision((object.status ?? {}) as Parameters<TargetRevisionSource['revision']>[0]) }
}
