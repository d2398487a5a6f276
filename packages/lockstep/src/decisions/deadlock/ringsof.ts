/** Waits that end only by each other. Pure, on a graph of names. */
import { cycleThrough } from '../graph/index.ts'

/** Something that waits. A name without a node waits for nothing, and ends waits by itself. */
export interface WaitingNode {
  /** All of its waits must end, or one of them. */
  readonly until: 'All' | 'Any'
  readonly on: readonly string[]
}

export type WaitGraph = ReadonlyMap<string, WaitingNode>

/** Steps that one search for a ring takes at most. */
const MAX_STEPS = 1000

export interface Rings {
  /** Each begins and ends with the same name; each name of `starts` that is on a ring is on one of these. */
  readonly rings: readonly (readonly string[])[]
  /** Nodes and references that were read. */
  readonly steps: number
}

/**
 * Shortest rings through the names of `starts`. A wait with alternatives is on a ring only if none of them can end: a ring
 * that can be left is none.
 */
export function ringsOf(graph: WaitGraph, starts: readonly string[]): Rings {
  const count = { steps: 0 }
  const stuck = withoutEnds(graph, stuckNodes(graph, count), count)
  const known = new Set<string>()
  const rings: string[][] = []
  for (const start of starts) {
    if (!stuck.has(start) || known.has(start)) continue
    const last = count.steps + MAX_STEPS
    const ring = cycleThrough(start, (name) => {
      if (++count.steps > last) return []
      return graph.get(name)!.on.filter((to) => stuck.has(to))
    })
    if (!ring) continue
    rings.push(ring)
    for (const name of ring) known.add(name)
  }
  return { rings, steps: count.steps }
}

interface StepCount {
  steps: number
}

/** Nodes by the name that they wait for. */
function waitersOf(graph: WaitGraph, count: StepCount): Map<string, string[]> {
  const out = new Map<string, string[]>()
  for (const [name, { on }] of graph)
    for (const to of new Set(on)) {
      count.steps++
      const there = out.get(to)
      if (there) there.push(name)
      else out.set(to, [name])
    }
  return out
}

/** Nodes whose waits never end: those that are left when each node without waits has ended the waits for it. */
function stuckNodes(graph: WaitGraph, count: StepCount): Set<string> {
  const waiters = waitersOf(graph, count)
  const stuck = new Set(graph.keys())
  /** References of each node of `All` that have not ended. */
  const left = new Map([...graph].map(([name, { on }]) => [name, new Set(on).size]))
  const ended = [...waiters.keys()].filter((to) => !graph.has(to))
  const end = (name: string): void => {
    if (stuck.delete(name)) ended.push(name)
  }
  for (const [name, { on }] of graph) if (on.length === 0) end(name)
  for (let to = ended.pop(); to !== undefined; to = ended.pop())
    for (const name of waiters.get(to) ?? []) {
      count.steps++
      const rest = left.get(name)! - 1
      left.set(name, rest)
      if (graph.get(name)!.until === 'Any' || rest === 0) end(name)
    }
  return stuck
}

/** Without nodes that only lead to a ring, and are not between two of its nodes: no stuck node waits for them. */
function withoutEnds(graph: WaitGraph, stuck: Set<string>, count: StepCount): Set<string> {
  const waiting = new Map<string, number>()
  for (const name of stuck)
    for (const to of graph.get(name)!.on) {
      count.steps++
      if (stuck.has(to)) waiting.set(to, (waiting.get(to) ?? 0) + 1)
    }
  const open = [...stuck].filter((name) => !waiting.has(name))
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    stuck.delete(name)
    for (const to of graph.get(name)!.on) {
      count.steps++
      const rest = (waiting.get(to) ?? 0) - 1
      waiting.set(to, rest)
      if (rest === 0 && stuck.has(to)) open.push(to)
    }
  }
  return stuck
}
