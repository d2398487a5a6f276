/** Where conditions stand in an object: each version has its own at the top, and those of the other one below. */

import { jsonEqual } from '@lockstep/kube/object'
import { type Condition, mergeConditions, type NewCondition } from '../../api/conditions.ts'
import type { ADDONS_VERSIONS, ResourceSetStatus, V1Beta1Condition } from '../../api/kinds/index.ts'
import { type NewV1Beta1Condition, RESOURCES_APPLIED } from './appliedcondition.ts'
import { CONVERGED } from './convergence.ts'
import { legacyOf, MANAGED, PAUSED, type SetConditionLists } from './setconditions.ts'

export type AddonsVersion = (typeof ADDONS_VERSIONS)[number]

export interface ConditionPlacement extends SetConditionLists {
  readonly version: AddonsVersion
  /** Of v1beta2: whether v1beta1 is served beside it, whose readers look for its conditions. */
  readonly isLegacyServed: boolean
  /** Of v1beta1: whether it keeps conditions of the newer kind; before Cluster API 1.9 it drops them. */
  readonly keepsNewer: boolean
  readonly generation: number
  readonly now: string
}

/** Of a `Paused` that we have taken back what it said. */
const ASKED_ANEW = 'AskedAnew'

/** What Cluster API does not know; `ResourcesApplied` is its own. */
const OURS: ReadonlySet<string> = new Set(['Ready', 'Reconciling', 'Stalled', MANAGED, CONVERGED])
/** All that we write, where it still holds. */
const WRITTEN: ReadonlySet<string> = new Set([...OURS, RESOURCES_APPLIED])

/** The new status; the very same object where nothing is otherwise, which is then not written. */
export function placeConditions(
  old: ResourceSetStatus | undefined,
  input: ConditionPlacement,
): ResourceSetStatus {
  const { version, conditions, legacy, generation, keepsNewer, now } = input
  const before = conditionsIn(version, old)
  const current = merged(before.current, conditions, now)
  const isLegacyWritten = version === 'v1beta1' || input.isLegacyServed
  const outdated = isLegacyWritten ? mergedLegacy(before.legacy, legacyFor(version, legacy), now) : undefined
  const rest = { ...old, observedGeneration: generation }
  const next = placed(version, rest, keepsNewer ? current : undefined, outdated)
  return old && jsonEqual(old, next) ? old : next
}

/**
 * Without what only we say; the very same object where there is nothing of it. `isAlone`: there is no Cluster API, so that
 * what it would say was said by us, and nobody keeps it true.
 */
export function withoutOurs(
  version: AddonsVersion,
  old: ResourceSetStatus,
  isAlone: boolean,
): ResourceSetStatus {
  const { current, legacy } = conditionsIn(version, old)
  const isLeft = ({ type, reason }: { readonly type: string; readonly reason?: string }) =>
    !(isAlone ? WRITTEN : OURS).has(type) && !(type === PAUSED && (isAlone || reason === ASKED_ANEW))
  if (current.every(isLeft) && (legacy ?? []).every(isLeft)) return old
  const hasNewer = version === 'v1beta2' || old.v1beta2 !== undefined
  return placed(version, old, hasNewer ? current.filter(isLeft) : undefined, legacy?.filter(isLeft))
}

/** Replaces the conditions of these types; all else stays. The same object if nothing changes. */
export function replaceConditions(
  version: AddonsVersion,
  old: ResourceSetStatus,
  next: readonly NewCondition[],
  now: string,
): ResourceSetStatus {
  const { current, legacy } = conditionsIn(version, old)
  const types = new Set(next.map((c) => c.type))
  const isKept = ({ type }: { readonly type: string }) => !types.has(type)
  const hasNewer = version === 'v1beta2' || old.v1beta2 !== undefined
  const newer = [...current.filter(isKept), ...mergeConditions(current, next, now)]
  const older =
    version === 'v1beta1'
      ? [...(legacy ?? []).filter(isKept), ...timedLegacy(legacy ?? [], next.map(legacyOf), now)]
      : legacy
  const status = placed(version, old, hasNewer ? newer : undefined, older)
  return jsonEqual(old, status) ? old : status
}

/** Of v1beta2 only what Cluster API mirrors; at the top of v1beta1 also what kstatus looks for there. */
const legacyFor = (version: AddonsVersion, legacy: readonly NewV1Beta1Condition[]) =>
  version === 'v1beta1' ? legacy : legacy.filter((c) => c.type === RESOURCES_APPLIED)

interface PlacedCondition {
  readonly current: readonly Condition[]
  readonly legacy: readonly V1Beta1Condition[] | undefined
}

function conditionsIn(version: AddonsVersion, status: ResourceSetStatus | undefined): PlacedCondition {
  return version === 'v1beta2'
    ? {
        current: (status?.conditions ?? []) as readonly Condition[],
        legacy: status?.deprecated?.v1beta1?.conditions,
      }
    : {
        current: status?.v1beta2?.conditions ?? [],
        legacy: status?.conditions as readonly V1Beta1Condition[] | undefined,
      }
}

function placed(
  version: AddonsVersion,
  rest: ResourceSetStatus,
  current: readonly Condition[] | undefined,
  legacy: readonly V1Beta1Condition[] | undefined,
): ResourceSetStatus {
  if (version === 'v1beta1')
    return {
      ...rest,
      ...(legacy ? { conditions: legacy } : {}),
      ...(current ? { v1beta2: { conditions: current } } : {}),
    }
  const deprecated = legacy ? { deprecated: { v1beta1: { conditions: legacy } } } : {}
  return { ...rest, conditions: current ?? [], ...deprecated }
}

/** Those of others stay, where they are. */
function merged(old: readonly Condition[], next: readonly NewCondition[], now: string): Condition[] {
  const types = new Set(next.map((c) => c.type))
  return [
    ...old.filter((c) => !types.has(c.type) && !WRITTEN.has(c.type)),
    ...mergeConditions(old, next, now),
  ]
}

function mergedLegacy(
  old: readonly V1Beta1Condition[] = [],
  next: readonly NewV1Beta1Condition[],
  now: string,
): V1Beta1Condition[] {
  return [...old.filter((c) => !WRITTEN.has(c.type)), ...timedLegacy(old, next, now)]
}

const timedLegacy = (
  old: readonly V1Beta1Condition[],
  next: readonly NewV1Beta1Condition[],
  now: string,
): V1Beta1Condition[] =>
  next.map((c) => {
    const before = old.find((o) => o.type === c.type)
    return { ...c, lastTransitionTime: before?.status === c.status ? before.lastTransitionTime : now }
  })

/** A condition of Cluster API's newer kind: v1beta1 has it below, or, before Cluster API 1.9, only as one of the older kind. */
export function conditionIn(
  version: AddonsVersion,
  status: ResourceSetStatus | undefined,
  type: string,
): Condition | undefined {
  const { current, legacy = [] } = conditionsIn(version, status)
  const isOlder = version === 'v1beta1' && status?.v1beta2 === undefined
  const found = (isOlder ? legacy : current).find((c) => c.type === type)
  // One of the older kind says nothing more where all is well.
  return found && { ...found, reason: found.reason ?? '', message: found.message ?? '' }
}

/**
 * `Paused` as if nobody had said it, where it says True; written after a pause that was not there a moment ago. What was
 * acknowledged before says nothing of this pause, and Cluster API does not write what it finds said; found unsaid, it says
 * so again, in a reconcile that has seen both (ADR 0055).
 */
export function resetPaused(
  version: AddonsVersion,
  old: ResourceSetStatus | undefined,
  now: string,
): ResourceSetStatus | undefined {
  if (!old || conditionIn(version, old, PAUSED)?.status !== 'True') return old
  const { current, legacy } = conditionsIn(version, old)
  const asked = { status: 'Unknown', reason: ASKED_ANEW, message: '', lastTransitionTime: now } as const
  const conditions = current.map((c) => (c.type === PAUSED ? { ...c, ...asked } : c))
  return placed(version, old, conditions, legacy)
}
