/** What `lockstep why` answers with. */

export interface WhyNode {
  /** `needs certs at 2026.11`, `Deployment certs/webhook`, `Pod webhook-7d9c`. */
  readonly label: string
  readonly reason: string
  readonly text: string
  readonly since?: string
  /** Nothing further is known to cause it. */
  readonly isRoot?: boolean
  /** Module and cluster that it is about. */
  readonly module: string
  readonly cluster: string
  readonly children: readonly WhyNode[]
}

export type WhyState = 'ready' | 'waits' | 'failed'

export interface WhyTree {
  readonly namespace: string
  readonly module: string
  readonly cluster: string
  readonly state: WhyState
  /** What is admitted there: release, or the beginning of a revision; empty: nothing. */
  readonly has: string
  readonly wants: string
  readonly since?: string
  readonly causes: readonly WhyNode[]
  /** Other clusters on which this module is not ready. */
  readonly clustersBehind: number
  /** Modules that wait, directly or not, for the one with the root cause. */
  readonly modulesBehind: readonly string[]
}

/** The root cause: the end of the first chain. */
export function rootOf(nodes: readonly WhyNode[]): WhyNode | undefined {
  let here = nodes[0]
  while (here?.children[0]) here = here.children[0]
  return here
}

/** An object on a cluster that has to be read before the chain can go on. */
export interface Wanted {
  readonly cluster: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export const wantedKey = (w: Omit<Wanted, 'version'>): string =>
  `${w.cluster} ${w.group}/${w.kind} ${w.namespace ?? ''}/${w.name}`
