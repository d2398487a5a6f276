import type { OrderEdge } from './ordergraph.ts'
import { Successors } from './successors.ts'

/**
 * A topological order that is kept while edges come in (Pearce and Kelly, "A dynamic topological sort algorithm for
 * directed acyclic graphs", 2006). An edge that goes forwards costs nothing; another one costs what lies between its
 * ends. Implied edges nearly all go forwards, since nodes begin in the order of kinds.
 */
export class TopologicalOrder {
  private readonly incoming: readonly (readonly OrderEdge[])[]
  private readonly outgoing: Successors
  private readonly place: number[]

  /** `incoming` is shared: whoever connects two nodes adds the edge there, and nodes too. */
  constructor(incoming: readonly (readonly OrderEdge[])[], sequence: readonly number[]) {
    this.incoming = incoming
    this.outgoing = new Successors(incoming.length)
    for (const edges of incoming) for (const e of edges) this.outgoing.add(e.from, e.to)
    this.place = incoming.map(() => 0)
    sequence.forEach((n, i) => {
      this.place[n] = i
    })
  }

  /** A new node, behind all others. */
  add(): void {
    this.outgoing.addNode()
    this.place.push(this.place.length)
  }

  /** Makes room for an edge; false where it would close a cycle, and then nothing has changed. */
  connect(from: number, to: number): boolean {
    if (from === to) return false
    const [lower, upper] = [this.place[to]!, this.place[from]!]
    if (lower < upper) {
      const behind = this.behind(to, upper)
      if (behind.has(from)) return false
      const ahead = this.ahead(from, lower)
      this.reorder([...ahead], [...behind])
    }
    this.outgoing.add(from, to)
    return true
  }

  /** What comes of a node, up to a place. */
  private behind(start: number, upper: number): Set<number> {
    const seen = new Set([start])
    for (const n of seen) {
      for (let i = this.outgoing.first(n); i >= 0; i = this.outgoing.next(i)) {
        const to = this.outgoing.at(i)
        if (this.place[to]! <= upper) seen.add(to)
      }
    }
    return seen
  }

  /** What leads to a node, down to a place. */
  private ahead(start: number, lower: number): Set<number> {
    const seen = new Set([start])
    for (const n of seen)
      for (const { from } of this.incoming[n]!) if (this.place[from]! >= lower) seen.add(from)
    return seen
  }

  /** What leads to the edge goes before what comes of it, both in the order they have, on the places they have together. */
  private reorder(ahead: number[], behind: number[]): void {
    const byPlace = (a: number, b: number): number => this.place[a]! - this.place[b]!
    const nodes = [...ahead.sort(byPlace), ...behind.sort(byPlace)]
    const places = nodes.map((n) => this.place[n]!).sort((a, b) => a - b)
    nodes.forEach((n, i) => {
      this.place[n] = places[i]!
    })
  }
}
