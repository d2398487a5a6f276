/** Conditions of a set in both kinds, and where its version keeps them (`util/conditions`). */
import {
  at,
  isArray,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
} from '@lockstep/kube/object'
import type { UpstreamBehavior } from './clusterapioptions.ts'

export interface UpstreamSetCondition {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** With a severity; reason, severity and message only where it is not True. */
export interface UpstreamLegacyCondition {
  readonly type: string
  readonly status: string
  readonly severity?: string
  readonly lastTransitionTime: string
  readonly reason?: string
  readonly message?: string
}

export interface UpstreamSetConditions {
  readonly newer: readonly UpstreamSetCondition[]
  readonly legacy: readonly UpstreamLegacyCondition[]
}

const PLACES = {
  v1beta1: { newer: ['v1beta2', 'conditions'], legacy: ['conditions'] },
  v1beta2: { newer: ['conditions'], legacy: ['deprecated', 'v1beta1', 'conditions'] },
} as const

export function conditionsOf(w: UpstreamBehavior, set: KubeObject): UpstreamSetConditions {
  const read = <T>(path: readonly string[]): readonly T[] => {
    const list = at(set, 'status', ...path)
    return isArray(list) ? (list as unknown as readonly T[]) : []
  }
  const { newer, legacy } = PLACES[w.apiVersion]
  return { newer: read<UpstreamSetCondition>(newer), legacy: read<UpstreamLegacyCondition>(legacy) }
}

/** A status with these lists, for a merge patch; a list that is not changed is left out. */
export function statusWith(
  w: UpstreamBehavior,
  before: UpstreamSetConditions,
  after: UpstreamSetConditions,
): JsonObject {
  const put = (path: readonly string[], list: unknown): JsonObject =>
    path.reduceRight<JsonValue>((value, name) => ({ [name]: value }), list as JsonValue) as JsonObject
  const { newer, legacy } = PLACES[w.apiVersion]
  return {
    ...(jsonEqual(before.newer, after.newer) ? {} : put(newer, after.newer)),
    ...(jsonEqual(before.legacy, after.legacy) ? {} : put(legacy, after.legacy)),
  }
}

/** Its time moves with its status; `Paused` comes last, the others by name. */
export function withNewer(
  list: readonly UpstreamSetCondition[],
  c: Omit<UpstreamSetCondition, 'lastTransitionTime'>,
  now: string,
): readonly UpstreamSetCondition[] {
  const old = list.find((o) => o.type === c.type)
  const { type, status, observedGeneration, reason, message } = c
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now
  const next = {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime,
    reason,
    message,
  }
  const place = (o: UpstreamSetCondition): string => (o.type === 'Paused' ? '~' : o.type)
  return [...list.filter((o) => o.type !== type), next].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

/** Its time moves with anything that it says. */
export function withLegacy(
  list: readonly UpstreamLegacyCondition[],
  c: Omit<UpstreamLegacyCondition, 'lastTransitionTime'>,
  now: string,
): readonly UpstreamLegacyCondition[] {
  const old = list.find((o) => o.type === c.type)
  const stays =
    old?.status === c.status &&
    old.severity === c.severity &&
    old.reason === c.reason &&
    old.message === c.message
  const next = { ...c, lastTransitionTime: stays ? old.lastTransitionTime : now }
  return [...list.filter((o) => o.type !== c.type), next].sort((a, b) => (a.type < b.type ? -1 : 1))
}

/** What became of a run, in both kinds at once (`ResourcesApplied`). */
export interface SetOutcome {
  readonly reason: string
  readonly message: string
  /** Absent: True. */
  readonly legacy?: {
    readonly reason: string
    readonly severity: 'Error' | 'Warning'
    readonly message: string
  }
}

export const APPLIED: SetOutcome = { reason: 'Applied', message: '' }
const HIDDEN = { reason: 'InternalError', message: 'Please check controller logs for errors' } as const

export const wrongType = (name: string, message: string): SetOutcome => ({
  reason: 'WrongSecretType',
  message: `Secret type of resource ${name} is not supported`,
  legacy: { reason: 'WrongSecretType', severity: 'Warning', message },
})
export const unreadable = (message: string): SetOutcome => ({
  ...HIDDEN,
  legacy: { reason: 'RetrievingResourceFailed', severity: 'Warning', message },
})
export const unconnected = (message: string): SetOutcome => ({
  ...HIDDEN,
  legacy: { reason: 'RemoteClusterClientFailed', severity: 'Error', message },
})
export const badSelector = (message: string): SetOutcome => ({
  ...HIDDEN,
  legacy: { reason: 'ClusterMatchFailed', severity: 'Warning', message },
})
export const notApplied = (message: string): SetOutcome => ({
  reason: 'NotApplied',
  message: 'Failed to apply ClusterResourceSet resources to Cluster',
  legacy: { reason: 'ApplyFailed', severity: 'Warning', message },
})
