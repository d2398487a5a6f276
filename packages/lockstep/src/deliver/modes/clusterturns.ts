/** On which clusters a ClusterResourceSet is worked on at once: `lockstep.dev/max-unavailable`. */
import { type Amount, amountOf } from '../../decisions/rollout/index.ts'

export interface ClusterTurn {
  readonly cluster: string
  /** Nothing is left to be done there. */
  readonly isDone: boolean
  /** Something of what is left has been tried there. */
  readonly isBegun: boolean
}

/** Those that have begun go on, then others follow by name; at least one. */
export function clusterTurns(places: readonly ClusterTurn[], most: Amount): ReadonlySet<string> {
  const max = Math.max(1, amountOf(most, places.length, true))
  const waiting = places.filter((p) => !p.isDone)
  const inOrder = [...waiting].sort(
    (a, b) => Number(b.isBegun) - Number(a.isBegun) || (a.cluster < b.cluster ? -1 : 1),
  )
  return new Set(inOrder.slice(0, max).map((p) => p.cluster))
}
