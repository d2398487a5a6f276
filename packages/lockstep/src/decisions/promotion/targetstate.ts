/** One target of an environment: what is seen of it, by itself. What is wrong with it never ends anything else. */

import { healthOf, ruleCel } from '@lockstep/health/health'
import type { KubeObject } from '@lockstep/kube/object'
import type { BlockerReason } from '../../api/reasons/index.ts'
import {
  NO_CONDITION,
  type TargetRevisionSource,
  targetRevisionSource,
  unreadyObject,
} from './targetrevisions.ts'

export interface AppRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

export interface TargetRef {
  readonly namespace: string
  /** Undefined: the hub. */
  readonly cluster: string | undefined
}

export type TargetObservation =
  | { readonly type: 'Present'; readonly object: KubeObject }
  | { readonly type: 'Absent'; readonly detail: string }
  /** Nobody knows how it is: what was seen before does not count. */
  | { readonly type: 'Unreadable'; readonly detail: string }

export interface TargetState extends TargetRef {
  readonly state: 'Ready' | 'Unready' | 'Unreadable'
  /** Where it is known, also of one that is not ready. */
  readonly revision: string | undefined
  /** Of Modules. */
  readonly release: string | undefined
  /** Of one that is not ready. */
  readonly reason: BlockerReason | undefined
  /** For people: `cluster eu: Ready is False`. Empty: it is ready. */
  readonly message: string
}

export interface AppRule {
  readonly appRef: AppRef
  readonly revisionExpr: string | undefined
}

/** `prod/podinfo`, `prod/podinfo on cluster eu`. */
export const targetText = ({ namespace, cluster }: TargetRef, { name }: Pick<AppRef, 'name'>): string =>
  `${namespace}/${name}${cluster === undefined ? '' : ` on cluster ${cluster}`}`

/** Ready: there, not being deleted, seen by its controller at its generation, ready at that, with a revision. */
export function targetStateOf(
  { appRef, revisionExpr }: AppRule,
  target: TargetRef,
  seen: TargetObservation,
  nowMs: number,
): TargetState {
  const { namespace, cluster } = target
  const what = `${appRef.kind} ${targetText(target, appRef)}`
  const said = (
    state: 'Unready' | 'Unreadable',
    reason: BlockerReason,
    why: string,
    at: Partial<TargetState> = {},
  ): TargetState => ({
    namespace,
    cluster,
    state,
    revision: undefined,
    release: undefined,
    ...at,
    reason,
    message: `${what}: ${why}`,
  })
  if (seen.type === 'Unreadable') return said('Unreadable', 'TargetUnreachable', seen.detail)
  if (seen.type === 'Absent') return said('Unready', 'TargetNotReady', seen.detail)
  const rule = targetRevisionSource(appRef.apiVersion, appRef.kind)
  const status = (seen.object.status ?? {}) as Parameters<TargetRevisionSource['revision']>[0]
  const revision = revisionOf(appRef, rule, revisionExpr, seen.object)
  if ('problem' in revision) return said('Unready', 'RevisionUnknown', revision.problem)
  const at = { revision: revision.revision, release: rule?.release?.(status) }
  const unready = unreadyOf(seen.object, rule, nowMs)
  if (unready !== undefined) return said('Unready', 'TargetNotReady', unready, at)
  if (at.revision === undefined)
    return said('Unready', 'RevisionUnknown', 'it is ready, and has no revision yet')
  return { namespace, cluster, state: 'Ready', ...at, reason: undefined, message: '' }
}

/** A kind that we do not know, and that has no condition Ready, is ready when it is healthy. */
function unreadyOf(
  object: KubeObject,
  rule: TargetRevisionSource | undefined,
  nowMs: number,
): string | undefined {
  const unready = unreadyObject(object, rule)
  if (unready === undefined || rule || unready !== NO_CONDITION) return unready
  const { state, message } = healthOf(object, nowMs)
  return state === 'Healthy' ? undefined : message || state
}

/** An expression says it for every kind; without one the kind must be known. */
function revisionOf(
  { kind, apiVersion }: AppRef,
  rule: TargetRevisionSource | undefined,
  expression: string | undefined,
  object: KubeObject,
): { readonly revision: string | undefined } | { readonly problem: string } {
  if (expression !== undefined) {
    const value = ruleCel(expression, object)
    if (typeof value === 'object') return { problem: `spec.revisionExpr: ${value.failure}` }
    if (typeof value === 'string' && value !== '') return { revision: value }
    return { problem: `spec.revisionExpr: ${expression} must give a text that is not empty` }
  }
  if (!rule) return { problem: `set spec.revisionExpr for ${kind} of ${apiVersion}` }
  return { revision: rule.revision((object.status ?? {}) as Parameters<TargetRevisionSource['revision']>[0]) }
}
