import { jsonEqual, type Stored } from '@lockstep/kube/object'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import { fleetRevision } from '../../decisions/rollout/index.ts'

/** What all look at that need a unit over any number of edges: what it is admitted to, or whether that is verified. */
export function admissionChanged(before: unknown, after: unknown): boolean {
  const stateOf = (o: unknown): string => {
    const { spec, status } = (o ?? {}) as Partial<Inventory>
    const { admittedSerial, verifiedGateDigest, doneBeforeWave } = status ?? {}
    return [spec?.admitted?.serial, admittedSerial, verifiedGateDigest, doneBeforeWave].join(' ')
  }
  return stateOf(before) !== stateOf(after)
}

/** Of what people ask for: it came, went or was changed; not what a controller says of it. */
export function specChanged(before: unknown, after: unknown): boolean {
  const wishOf = (o: unknown): string => {
    const { uid, generation, deletionTimestamp } = ((o ?? {}) as Partial<Stored>).metadata ?? {}
    return [uid, generation, deletionTimestamp].join(' ')
  }
  return wishOf(before) !== wishOf(after)
}

/** Of a ClusterResourceSet: its settings are annotations, which no generation counts. */
export const annotationsChanged = (before: unknown, after: unknown): boolean =>
  !jsonEqual(annotationsOf(before), annotationsOf(after))

export const annotationsOf = (o: unknown) => ((o ?? {}) as Partial<Stored>).metadata?.annotations ?? {}

/** What all look at that need a module: what it has published. */
export function publishedRevisionChanged(before: unknown, after: unknown): boolean {
  const stateOf = (o: unknown): string => {
    const { spec, status } = (o ?? {}) as Partial<Module>
    return [spec?.attempt, fleetRevision(status)].join(' ')
  }
  return stateOf(before) !== stateOf(after)
}
