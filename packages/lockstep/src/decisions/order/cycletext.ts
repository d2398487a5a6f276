/** The shortest cycle of a graph that has one, as people can read it. */
import { identityOf, refOf, refText } from '@lockstep/kube/object'
import { type OrderEdge, type OrderFailure, type OrderNode, orderFailure } from './ordergraph.ts'
import { beforeText, isBeforeText } from './waves.ts'

/** Steps of a cycle: edges from one object to the next, those over barriers in one step. */
type CycleStep = readonly OrderEdge[]

/** `cycle`: the steps of `cycleText`. */
export const cycleFailure = (cycle: readonly string[]): OrderFailure & { readonly reason: 'CycleDetected' } =>
  orderFailure('CycleDetected', { of: 'Objects', cycle })

/**
 * The shortest cycle, counted in objects, from its least identity; of equally short ones that of the least identity.
 * `needs` has one, and `sequence` is what comes before all of them.
 */
export function cycleText(
  nodes: readonly OrderNode[],
  needs: readonly (readonly OrderEdge[])[],
  sequence: readonly number[],
): readonly string[] {
  const left = new CyclicPart(needs, sequence)
  const starts = [...left.nodes].filter((n) => nodes[n]!.type !== 'barrier')
  starts.sort((a, b) => (identity(nodes[a]!) < identity(nodes[b]!) ? -1 : 1))
  let best: CycleStep[] | undefined
  for (const start of starts) {
    if (!left.nodes.has(start)) continue
    best = shortestThrough(start, nodes, left, best?.length ?? Number.POSITIVE_INFINITY) ?? best
    if (best && best.length <= 1) break
    // Its cycles are known: those that are left do without it.
    left.remove(start)
  }
  const steps = best ?? []
  const first = nodes[steps[0]![0]!.from]!
  return [...steps.map((s) => stepText(s, nodes)), nameOf(first)]
}

/** Nodes that something of a cycle leads to, and that lead to something of a cycle. */
class CyclicPart {
  readonly nodes: Set<number>
  private readonly needs: readonly (readonly OrderEdge[])[]
  private readonly followers: readonly (readonly OrderEdge[])[]
  private readonly incoming: number[]
  private readonly outgoing: number[]

  constructor(needs: readonly (readonly OrderEdge[])[], sequence: readonly number[]) {
    const done = new Set(sequence)
    this.nodes = new Set(needs.map((_, n) => n).filter((n) => !done.has(n)))
    this.needs = needs
    const followers: OrderEdge[][] = needs.map(() => [])
    for (const n of this.nodes)
      for (const e of needs[n]!) if (this.nodes.has(e.from)) followers[e.from]!.push(e)
    this.followers = followers
    this.outgoing = followers.map((list) => list.length)
    this.incoming = needs.map((list) => list.filter((e) => this.nodes.has(e.from)).length)
    const ends = [...this.nodes].filter((n) => this.outgoing[n] === 0)
    for (const n of ends) this.remove(n)
  }

  after(n: number): readonly OrderEdge[] {
    return this.followers[n]!.filter((e) => this.nodes.has(e.to))
  }

  /** Without a node, and without all that was on cycles only because of it. */
  remove(node: number): void {
    const open = [node]
    for (let n = open.pop(); n !== undefined; n = open.pop()) {
      if (!this.nodes.delete(n)) continue
      for (const e of this.needs[n]!) if (--this.outgoing[e.from]! === 0) open.push(e.from)
      for (const e of this.followers[n]!) if (--this.incoming[e.to]! === 0) open.push(e.to)
    }
  }
}

/** Breadth first by objects: a barrier is no step. Undefined if there is none shorter than `limit`. */
function shortestThrough(
  start: number,
  nodes: readonly OrderNode[],
  left: CyclicPart,
  limit: number,
): CycleStep[] | undefined {
  const cameBy = new Map<number, OrderEdge>()
  let layer = [start]
  for (let depth = 1; layer.length > 0 && depth < limit; depth++) {
    const next: number[] = []
    // Barriers are looked through in the same layer.
    for (const n of layer) {
      for (const e of left.after(n)) {
        if (e.to === start) return stepsTo(e, start, nodes, cameBy)
        if (cameBy.has(e.to)) continue
        cameBy.set(e.to, e)
        if (nodes[e.to]!.type === 'barrier') layer.push(e.to)
        else next.push(e.to)
      }
    }
    layer = next
  }
  return undefined
}

function stepsTo(
  last: OrderEdge,
  start: number,
  nodes: readonly OrderNode[],
  cameBy: ReadonlyMap<number, OrderEdge>,
): CycleStep[] {
  const path = [last]
  while (path[0]!.from !== start) path.unshift(cameBy.get(path[0]!.from)!)
  const steps: OrderEdge[][] = []
  for (const e of path) {
    if (nodes[e.from]!.type === 'barrier') steps.at(-1)!.push(e)
    else steps.push([e])
  }
  return steps
}

const identity = (node: OrderNode): string =>
  node.type === 'hook' ? identityOf(refOf(node.object)) : node.id

const nameOf = (node: OrderNode): string =>
  node.type === 'object' || node.type === 'hook' ? refText(refOf(node.object)) : node.id

/** Over a barrier the last edge says why; over several places their ends do. */
function stepText(step: CycleStep, nodes: readonly OrderNode[]): string {
  const [first, last] = [step[0]!, step.at(-1)!]
  const [from, to] = [nodes[first.from]!, nodes[last.to]!]
  return `${nameOf(from)} -(${step.length === 1 ? `${first.why}, ${first.ask}` : whyOver(last, from, to)})-> `
}

function whyOver(last: OrderEdge, from: OrderNode, to: OrderNode): string {
  const isPlaced = (node: OrderNode) => node.type === 'object' || node.type === 'hook'
  return isBeforeText(last.why) && isPlaced(from) && isPlaced(to) ? beforeText(from, to) : last.why
}
