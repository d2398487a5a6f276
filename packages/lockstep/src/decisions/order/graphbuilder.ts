import type { KubeObject } from '@lockstep/kube/object'
import type { BarrierNode, EdgeStrength, OrderEdge, OrderNode, RequiredState } from './ordergraph.ts'
import { TopologicalOrder } from './topologicalorder.ts'

/** An edge to be laid. */
export interface NewEdge {
  readonly ask: RequiredState
  readonly strength: EdgeStrength
  readonly why: string
  readonly expression?: string
}

/** Nodes and edges while a graph is built. */
export class GraphBuilder {
  readonly nodes: OrderNode[] = []
  readonly needs: OrderEdge[][] = []
  /** Nodes of each object: more than one for a hook of several phases, the earliest first. */
  private readonly nodesOf = new Map<KubeObject, number[]>()
  private order: TopologicalOrder | undefined

  /** All required edges are laid, and `sequence` is an order of them: preferred ones may come. */
  openPreferred(sequence: readonly number[]): void {
    this.order = new TopologicalOrder(this.needs, sequence)
  }

  add(node: OrderNode): number {
    const n = this.nodes.push(node) - 1
    this.needs.push([])
    this.order?.add()
    if ((node.type === 'object' && node.options.mode !== 'Ignore') || node.type === 'hook') {
      const there = this.nodesOf.get(node.object)
      if (there) there.push(n)
      else this.nodesOf.set(node.object, [n])
    }
    return n
  }

  barrier = (id: string, endOf?: BarrierNode['endOf']): number =>
    this.add({ type: 'barrier', id, ...(endOf ? { endOf } : {}) })

  /** Nodes that edges may touch: none of an object that is ignored, or that is a hook of other times. */
  of(o: KubeObject): readonly number[] {
    return this.nodesOf.get(o) ?? []
  }

  endOf = (n: number): RequiredState => endOf(this.nodes[n]!)

  /**
   * Lays an edge. A preferred one is left out where it would close a cycle; then false. What nobody waits for is asked
   * only that it is applied, or that it exists.
   */
  edge(from: number, to: number, { ask, strength, why, expression }: NewEdge): boolean {
    if (strength === 'Preferred' && !this.order?.connect(from, to)) return false
    const asked = this.askedOf(from, ask)
    const isAsking = asked === 'Expr' && expression !== undefined
    this.needs[to]!.push(
      isAsking
        ? { from, to, ask: asked, strength, why, expression }
        : { from, to, ask: asked, strength, why },
    )
    return true
  }

  /** All of `from` before all of `to`, over a barrier where that is cheaper. */
  between(from: readonly number[], to: readonly number[], edge: NewEdge, id: string): void {
    if (from.length * to.length <= from.length + to.length + 1) {
      for (const t of to) for (const f of from) if (f !== t) this.edge(f, t, edge)
      return
    }
    const middle = this.barrier(id)
    for (const f of from) this.edge(f, middle, edge)
    for (const t of to) this.edge(middle, t, { ...edge, ask: 'Applied' })
  }

  private askedOf(from: number, ask: RequiredState): RequiredState {
    const node = this.nodes[from]!
    if (node.type !== 'object' || !node.options.disableWait || ask === 'Served') return ask
    return node.options.mode === 'Observe' ? 'Exists' : 'Applied'
  }
}

/** What its health or end is called: Jobs, Pods and hooks have to end, not only to run. */
export function endOf(node: OrderNode): RequiredState {
  if (node.type === 'hook') return 'Complete'
  if (node.type === 'wait') return node.ask
  if (node.type !== 'object') return 'Applied'
  const { apiVersion, kind } = node.object
  const ends = (kind === 'Job' && apiVersion.startsWith('batch/')) || (kind === 'Pod' && apiVersion === 'v1')
  return ends ? 'Complete' : 'Healthy'
}
