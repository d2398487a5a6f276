import type { OrderEdge, OrderNode } from './ordergraph.ts'
import { Successors } from './successors.ts'

/** A topological order (Kahn), least index first among the free ones; nodes are in tie order already. */
export function sequenceNodes(
  nodes: readonly OrderNode[],
  needs: readonly (readonly OrderEdge[])[],
): { readonly sequence: number[]; readonly level: number[]; readonly done: boolean } {
  const missing = needs.map((list) => list.length)
  const outgoing = new Successors(nodes.length)
  for (const list of needs) for (const e of list) outgoing.add(e.from, e.to)
  const level = nodes.map(() => 0)
  const free = new MinHeap()
  missing.forEach((count, n) => {
    if (count === 0) free.push(n)
  })
  const sequence: number[] = []
  for (let n = free.pop(); n !== undefined; n = free.pop()) {
    sequence.push(n)
    const step = nodes[n]!.type === 'object' ? 1 : 0
    for (let i = outgoing.first(n); i >= 0; i = outgoing.next(i)) {
      const to = outgoing.at(i)
      level[to] = Math.max(level[to]!, level[n]! + step)
      missing[to]!--
      if (missing[to] === 0) free.push(to)
    }
  }
  return { sequence, level, done: sequence.length === nodes.length }
}

class MinHeap {
  private readonly items: number[] = []

  push(n: number): void {
    const items = this.items
    let i = items.push(n) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (items[parent]! <= items[i]!) break
      ;[items[parent], items[i]] = [items[i]!, items[parent]!]
      i = parent
    }
  }

  pop(): number | undefined {
    const items = this.items
    const top = items[0]
    const last = items.pop()
    if (top === undefined || last === undefined || items.length === 0) return top
    items[0] = last
    for (let i = 0; ; ) {
      let least = i
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < items.length && items[child]! < items[least]!) least = child
      if (least === i) return top
      ;[items[i], items[least]] = [items[least]!, items[i]!]
      i = least
    }
  }
}
