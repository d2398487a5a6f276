/** The object graph of one bundle: what is applied after what, and why. */
import type { KubeObject } from '../../object/object.ts'

/** What an edge asks of its source before its target may start. */
export type Ask = 'Applied' | 'Healthy' | 'Complete' | 'Served'

/** Required edges must hold; preferred ones are left out where they would close a cycle. */
export type Strength = 'Required' | 'Preferred'

export interface OrderEdge {
  readonly from: number
  readonly to: number
  readonly ask: Ask
  readonly strength: Strength
  /** For people: `argocd.argoproj.io/sync-wave`, `namespace`, `serviceAccountName`. */
  readonly why: string
}

export type OrderNode =
  | {
      readonly type: 'object'
      readonly id: string
      readonly object: KubeObject
      readonly kindRank: number
      readonly wave: number
    }
  /** Free of cost: keeps n × m edges at n + m. */
  | { readonly type: 'barrier'; readonly id: string }

export interface OrderGraph {
  readonly nodes: readonly OrderNode[]
  /** Edges into each node, by node. */
  readonly needs: readonly (readonly OrderEdge[])[]
  /** Nodes so that every edge goes from an earlier to a later one; ties by kind rank, namespace, name. */
  readonly sequence: readonly number[]
  /** Depth of each node: 0 for those that need nothing. Prune goes from the greatest to the least. */
  readonly level: readonly number[]
}

export interface OrderFailure {
  readonly reason: 'CycleDetected' | 'InvalidAnnotation'
  readonly message: string
}
