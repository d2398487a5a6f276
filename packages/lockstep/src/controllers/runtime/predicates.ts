import { jsonEqual, type Stored } from '@lockstep/kube/object'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import { fleetRevision } from '../../decisions/rollout/index.ts'

/** All direct and indirect dependents of a unit read this: its admission, or whether that is verified. */
export function admissionChanged(before: unknown, after: unknown): boolean {
  const stateOf = (o: unknown): string => {
    const { spec, status } = (o ?? {}) as Partial<Inventory>
    const { admittedSerial, verifiedGateDigest, doneBeforeWave } = status ?? {}
    return [spec?.admitted?.serial, admittedSerial, verifiedGateDigest, doneBeforeWave].join(' ')
  }
  return stateOf(before) !== stateOf(after)
}

/** The object was created or deleted, or its spec changed; the status that a controller writes does not count. */
export function specChanged(before: unknown, after: unknown): boolean {
  const wishOf = (o: unknown): string => {
    const { uid, generation, deletionTimestamp } = ((o ?? {}) as Partial<Stored>).metadata ?? {}
    return [uid, generation, deletionTimestamp].join(' ')
  }
  return wishOf(before) !== wishOf(after)
}

/** Settings of a ClusterResourceSet are annotations, which no generation counts. */
export const annotationsChanged = (before: unknown, after: unknown): boolean =>
  !jsonEqual(annotationsOf(before), annotationsOf(after))

export const annotationsOf = (o: unknown) => ((o ?? {}) as Partial<Stored>).metadata?.annotations ?? {}

/** All dependents of a Module read this: its published revision. */
export function publishedRevisionChanged(before: unknown, after: unknown): boolean {
  const stateOf = (o: unknown): string => {
    const { spec, status } = (o ?? {}) as Partial<Module>
    return [spec?.attempt, fleetRevision(status)].join(' ')
  }
  return stateOf(before) !== stateOf(after)
}
