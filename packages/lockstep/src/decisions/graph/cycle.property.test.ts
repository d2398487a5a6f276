import fc from 'fast-check'
import { expect, it } from 'vitest'
import { graphs } from '../../../../../test/arbitrary/arbitraryplatform.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { cycleThrough } from './cycle.ts'

/** Everything that can be reached from `start` in one step or more. */
function reachable(graph: readonly (readonly number[])[], start: number): Set<number> {
  const seen = new Set<number>()
  const open = [start]
  for (let here = open.pop(); here !== undefined; here = open.pop())
    for (const to of graph[here]!)
      if (!seen.has(to)) {
        seen.add(to)
        open.push(to)
      }
  return seen
}

it('cycleThrough decides, whatever the graph', () => {
  const find = (graph: readonly (readonly number[])[], start: number) =>
    cycleThrough(String(start), (n) => graph[Number(n)]!.map(String))
  decidesAlike(fc.tuple(graphs, fc.nat(5)), ([graph, start]) => find(graph, start), {
    'it finds a way back exactly if there is one': ([graph, start], cycle) => {
      expect(cycle !== undefined).toBe(reachable(graph, start).has(start))
    },
    'along arrows that exist, with no node twice': ([graph, start], cycle) => {
      if (!cycle) return
      expect([cycle[0], cycle.at(-1)]).toEqual([String(start), String(start)])
      expect(new Set(cycle).size).toBe(cycle.length - 1)
      for (const [i, n] of cycle.slice(1).entries()) expect(graph[Number(cycle[i])]).toContain(Number(n))
    },
  })
})
