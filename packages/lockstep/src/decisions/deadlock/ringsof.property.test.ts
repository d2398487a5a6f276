import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty, expectSeen } from '../../../../../test/property.ts'
import { ringsOf, type WaitGraph, type WaitingNode } from './ringsof.ts'

/** Waits by the index of a node; the last names have no node: they wait for nothing. */
type Drawn = readonly { readonly until: WaitingNode['until']; readonly on: readonly number[] }[]

const NODES = 12
const drawn: fc.Arbitrary<Drawn> = fc.array(
  fc.record({
    until: fc.constantFrom('All' as const, 'Any' as const),
    on: fc.array(fc.nat(NODES + 2), { maxLength: 3 }),
  }),
  { minLength: NODES, maxLength: NODES },
)

const graphOf = (nodes: Drawn): WaitGraph =>
  new Map(nodes.map(({ until, on }, i) => [String(i), { until, on: on.map(String) }]))

/** Nodes that wait after every possible end, one after the other. */
function foreverWaiting(graph: WaitGraph): Set<string> {
  const waiting = new Set(graph.keys())
  for (let isNews = true; isNews; ) {
    isNews = false
    for (const name of [...waiting]) {
      const { until, on } = graph.get(name)!
      const isOver = (to: string): boolean => !waiting.has(to)
      const isFree = on.length === 0 || (until === 'Any' ? on.some(isOver) : on.every(isOver))
      if (isFree) isNews = waiting.delete(name)
    }
  }
  return waiting
}

it('random waits without a cycle have no ring', () => {
  const inOrder = drawn.map((nodes) =>
    nodes.map((n, i) => ({ ...n, on: n.on.map((to) => (to > i ? to : i + 1 + (to % 3))) })),
  )
  assertProperty(
    fc.property(inOrder, (nodes) => {
      const graph = graphOf(nodes)
      expect(ringsOf(graph, [...graph.keys()]).rings).toEqual([])
    }),
  )
})

it('a ring is one of waits that never end, and each such wait leads to one', () => {
  let found = 0
  assertProperty(
    fc.property(drawn, (nodes) => {
      const graph = graphOf(nodes)
      const waiting = foreverWaiting(graph)
      const { rings } = ringsOf(graph, [...graph.keys()])
      if (rings.length > 0) found++
      expect(rings.length > 0).toBe(waiting.size > 0)
      for (const ring of rings) {
        expect(ring[0]).toBe(ring.at(-1))
        for (const [i, to] of ring.slice(1).entries()) {
          expect(waiting.has(to)).toBe(true)
          expect(graph.get(ring[i]!)!.on).toContain(to)
        }
      }
    }),
  )
  expectSeen(found, 0.1)
})

it('500 clusters × 60 Modules in chains: each node and reference is read a few times', () => {
  const graph = new Map<string, WaitingNode>()
  for (let cluster = 0; cluster < 500; cluster++)
    for (let module = 1; module < 60; module++)
      graph.set(`${module}@${cluster}`, { until: 'All', on: [`${module - 1}@${cluster}`] })
  const { rings, steps } = ringsOf(graph, [...graph.keys()])
  expect(rings).toEqual([])
  expect(steps).toBeLessThanOrEqual(3 * graph.size)
})

it('500 rings of 60 Modules: each is found once', () => {
  const graph = new Map<string, WaitingNode>()
  for (let cluster = 0; cluster < 500; cluster++)
    for (let module = 0; module < 60; module++)
      graph.set(`${module}@${cluster}`, { until: 'All', on: [`${(module + 59) % 60}@${cluster}`] })
  const { rings, steps } = ringsOf(graph, [...graph.keys()])
  expect(rings).toHaveLength(500)
  expect(rings.every((r) => r.length === 61)).toBe(true)
  expect(steps).toBeLessThanOrEqual(5 * graph.size)
})

it('a walk ends after 1,000 steps', () => {
  const graph = new Map<string, WaitingNode>()
  for (let i = 0; i < 3000; i++) graph.set(String(i), { until: 'All', on: [String((i + 1) % 3000)] })
  const { rings, steps } = ringsOf(graph, ['0'])
  expect(rings).toEqual([])
  expect(steps).toBeLessThanOrEqual(2 * graph.size + 1001)
})
