/** The shortest cycle of a graph that has one, as people can read it. */
import { identityOf, refOf, refText } from '../../object/object.ts'
import type { OrderEdge, OrderNode } from './graph.ts'
import { beforeText, WAVE } from './waves.ts'

/** Steps of a cycle: edges from one object to the next, those over barriers in one step. */
type Step = readonly OrderEdge[]

/**
 * The shortest cycle, counted in objects, from its least identity; of equally short ones that of the least identity.
 * `needs` has one, and `sequence` is what comes before all of them.
 */
export function cycleText(
  nodes: readonly OrderNode[],
  needs: readonly (readonly OrderEdge[])[],
  sequence: readonly number[],
): string {
  const inside = insideCycles(needs, sequence)
  const outgoing: OrderEdge[][] = nodes.map(() => [])
  for (const list of needs)
    for (const e of list) if (inside.has(e.from) && inside.has(e.to)) outgoing[e.from]!.push(e)
  const starts = [...inside].filter((n) => nodes[n]!.type !== 'barrier')
  starts.sort((a, b) => (identity(nodes[a]!) < identity(nodes[b]!) ? -1 : 1))
  let best: Step[] | undefined
  for (const start of starts) {
    const found = shortestThrough(start, nodes, outgoing, best?.length ?? Number.POSITIVE_INFINITY)
    if (found) best = found
    if (best && best.length <= 1) break
  }
  const steps = best ?? []
  const first = nodes[steps[0]![0]!.from]!
  return `${steps.map((s) => stepText(s, nodes)).join('')}${nameOf(first)}`
}

/** Nodes that something of a cycle leads to, and that lead to something of a cycle. */
function insideCycles(
  needs: readonly (readonly OrderEdge[])[],
  sequence: readonly number[],
): ReadonlySet<number> {
  const done = new Set(sequence)
  const left = new Set(needs.map((_, n) => n).filter((n) => !done.has(n)))
  const open = needs.map(() => 0)
  for (const n of left) for (const e of needs[n]!) if (left.has(e.from)) open[e.from]!++
  const ends = [...left].filter((n) => open[n] === 0)
  for (let n = ends.pop(); n !== undefined; n = ends.pop()) {
    left.delete(n)
    for (const e of needs[n]!) {
      open[e.from]!--
      if (left.has(e.from) && open[e.from] === 0) ends.push(e.from)
    }
  }
  return left
}

/** Breadth first by objects: a barrier is no step. Undefined if there is none shorter than `limit`. */
function shortestThrough(
  start: number,
  nodes: readonly OrderNode[],
  outgoing: readonly (readonly OrderEdge[])[],
  limit: number,
): Step[] | undefined {
  const cameBy = new Map<number, OrderEdge>()
  let layer = [start]
  for (let depth = 1; layer.length > 0 && depth < limit; depth++) {
    const next: number[] = []
    // Barriers are looked through in the same layer.
    for (const n of layer) {
      for (const e of outgoing[n]!) {
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
): Step[] {
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

/** Over a barrier the last edge says why; over several waves their ends do. */
function stepText(step: Step, nodes: readonly OrderNode[]): string {
  const [first, last] = [step[0]!, step.at(-1)!]
  const [from, to] = [nodes[first.from]!, nodes[last.to]!]
  return `${nameOf(from)} -(${step.length === 1 ? `${first.why}, ${first.ask}` : whyOver(last, from, to)})-> `
}

function whyOver(last: OrderEdge, from: OrderNode, to: OrderNode): string {
  const isPlaced = (node: OrderNode) => node.type === 'object' || node.type === 'hook'
  return last.why.startsWith(WAVE) && isPlaced(from) && isPlaced(to) ? beforeText(from, to) : last.why
}
