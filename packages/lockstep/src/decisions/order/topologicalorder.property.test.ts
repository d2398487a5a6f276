import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { OrderEdge } from './ordergraph.ts'
import { TopologicalOrder } from './topologicalorder.ts'

const NODES = 7
type Pair = readonly [from: number, to: number]
const pair = fc.tuple(fc.nat(NODES - 1), fc.nat(NODES - 1))

/** Connects one pair after another; those that are accepted. */
function accepted(pairs: readonly Pair[]): Pair[] {
  const incoming: OrderEdge[][] = Array.from({ length: NODES }, () => [])
  const order = new TopologicalOrder(incoming, [...incoming.keys()])
  return pairs.filter(([from, to]) => {
    const isOpen = order.connect(from, to)
    if (isOpen) incoming[to]!.push({ from, to, ask: 'Applied', strength: 'Preferred', why: '' })
    return isOpen
  })
}

/** By looking everywhere: whether `to` leads to `from` already. */
function closes(edges: readonly Pair[], [from, to]: Pair): boolean {
  const seen = new Set([to])
  for (const n of seen) for (const [a, b] of edges) if (a === n) seen.add(b)
  return seen.has(from)
}

it('an order that is kept while edges come in', () => {
  decidesAlike(fc.array(pair, { maxLength: 24 }), accepted, {
    'refuses exactly the edges that would close a cycle': (pairs, kept) => {
      const expected: Pair[] = []
      for (const p of pairs) if (!closes(expected, p)) expected.push(p)
      expect(kept).toEqual(expected)
    },
  })
})
