/**
 * Waits of a bundle: manifests of kind Wait, read and never applied. What comes after their wave begins when an object exists,
 * whoever makes it: what a Job with `oc get` in a loop is for, without a pod. Or when an application of the group is ready, which
 * is a Module of its own.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, identityOf, isString, type KubeObject, refOf, refText } from '@lockstep/kube/object'
import type { ObjectOrdering } from './annotations.ts'
import {
  type OrderFailure,
  type OrderPosition,
  orderFailure,
  type SyncPhase,
  type WaitNode,
} from './ordergraph.ts'
import { isMainPhase, SYNC_PHASES } from './orderposition.ts'

export const BUNDLE_WAIT = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Wait' } as const

const WAIT_GROUP = 'lockstep.dev'
/** Of a cluster group: no object of this kind is anywhere. */
const APPLICATION = 'Application'

export const isBundleWait = (o: KubeObject): boolean =>
  o.kind === BUNDLE_WAIT.kind && o.apiVersion === BUNDLE_WAIT.apiVersion

/** What is wrong with the spec of one: a path and a text for people; undefined: nothing. */
export function waitProblem(o: KubeObject): string | undefined {
  const texts = ['resourceType', 'resourceName', 'resourceNamespace', 'asked', 'application']
  const wrong = texts.find((name) => !['string', 'undefined'].includes(typeof at(o, 'spec', name)))
  if (wrong !== undefined) return `spec.${wrong}: is not a text; put it into quotes`
  if (textOf(o, 'application') !== undefined) {
    const more = texts.find((name) => name.startsWith('resource') && textOf(o, name) !== undefined)
    return more === undefined
      ? undefined
      : `spec.${more}: stands beside spec.application; take one of them out`
  }
  return textOf(o, 'resourceType') === undefined
    ? 'spec.resourceType: is missing; write what oc get takes, such as sc or storageclasses.storage.k8s.io'
    : undefined
}

const textOf = (o: KubeObject, name: string): string | undefined => {
  const value = at(o, 'spec', name)
  return isString(value) && value !== '' ? value : undefined
}

/**
 * The node of a wait. Of several phases the first counts, since what was met stays so; after a failure or when a unit leaves
 * nothing waits. Undefined: it is switched off, as a hook with `Skip` is.
 */
export function waitNode(o: KubeObject, said: ObjectOrdering): Result<WaitNode | undefined, OrderFailure> {
  if (said.options.mode === 'Ignore') return ok(undefined)
  const phases: readonly SyncPhase[] = said.hook
    ? said.hook.runs.map((r) => r.phase).filter(isMainPhase)
    : ['Sync']
  const phase = SYNC_PHASES.find((p) => phases.includes(p))
  if (phase === undefined) {
    const value = said.hook?.runs.map((r) => r.phase).join(', ') ?? ''
    const hook = { object: refText(refOf(o)), key: 'its hook', value }
    return err(orderFailure('InvalidAnnotation', { ...hook, allowed: SYNC_PHASES.join(', ') }))
  }
  const place: OrderPosition = { step: said.step, phase, wave: said.wave }
  const application = textOf(o, 'application')
  if (application !== undefined) {
    const target = { group: WAIT_GROUP, kind: APPLICATION, name: application }
    const why = textOf(o, 'asked') ?? `application ${application}`
    const id = identityOf(refOf(o))
    return ok({ type: 'wait', id, target, ask: 'Healthy', why, application, place })
  }
  const type = textOf(o, 'resourceType') ?? ''
  const namespace = textOf(o, 'resourceNamespace')
  const target = {
    group: '',
    kind: type,
    ...(namespace ? { namespace } : {}),
    name: textOf(o, 'resourceName') ?? '',
  }
  const why = textOf(o, 'asked') ?? refText(refOf(o))
  return ok({ type: 'wait', id: identityOf(refOf(o)), target, ask: 'Exists', why, called: type, place })
}
