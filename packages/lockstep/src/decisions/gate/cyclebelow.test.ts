import { expect, it } from 'vitest'
import { type ModuleEdge, moduleEdges } from '../graph/moduleref.ts'
import { cycleBelow } from './cyclebelow.ts'
import type { Observation } from './observation.ts'

const ref = (name: string) => ({ kind: 'Module', namespace: 'platform', name })
const edge = (name: string, over: Partial<ModuleEdge> = {}): ModuleEdge => ({
  id: name,
  to: ref(name),
  release: 'Same',
  optional: false,
  ...over,
})

interface Row {
  readonly isPublished?: boolean
  readonly edges?: readonly ModuleEdge[]
  /** Clusters that it selects; absent: all. */
  readonly on?: readonly string[]
}

function world(rows: Readonly<Record<string, Row>>): Observation {
  return {
    module: ({ name }: { name: string }) => {
      const row = rows[name]
      if (!row) return undefined
      const { edges = [] } = row
      return { edges, published: row.isPublished ? { revision: name, attempt: 0, edges } : undefined }
    },
    selects: ({ name }: { name: string }, cluster: string) => rows[name]?.on?.includes(cluster) ?? true,
    home: () => undefined,
  } as unknown as Observation
}

/** Names of the cycle below a dependency on `x`. */
const found = (rows: Readonly<Record<string, Row>>) => cycleBelow(edge('x'), 'edge', world(rows))?.facts.cycle

const CYCLE: Readonly<Record<string, Row>> = {
  a: { edges: [edge('b')] },
  b: { edges: [edge('a')], isPublished: true },
}

it.each<[string, Readonly<Record<string, Row>>, readonly string[] | undefined]>([
  ['on the cycle itself', { x: { edges: [edge('b')] }, b: { edges: [edge('x')] } }, ['x', 'b', 'x']],
  ['above it', { ...CYCLE, x: { isPublished: true, edges: [edge('a')] } }, ['a', 'b', 'a']],
  [
    'through a published Module on it',
    { ...CYCLE, x: { isPublished: true, edges: [edge('b')] } },
    ['a', 'b', 'a'],
  ],
  [
    'on the cluster that a dependency names',
    {
      ...CYCLE,
      a: { ...CYCLE.a, on: ['mgmt'] },
      x: { isPublished: true, edges: [edge('a', { cluster: 'mgmt' })] },
    },
    ['a', 'b', 'a'],
  ],
  ['no cycle', { x: { isPublished: true, edges: [edge('a')] }, a: {} }, undefined],
  ['not published for another reason', { ...CYCLE, x: { edges: [edge('a')] } }, undefined],
  [
    'a dependency that does not select the cluster',
    { ...CYCLE, a: { ...CYCLE.a, on: ['mgmt'] }, x: { isPublished: true, edges: [edge('a')] } },
    undefined,
  ],
  [
    'all of it published: it waits for nothing that was refused',
    {
      x: { isPublished: true, edges: [edge('b')] },
      a: { ...CYCLE.a, isPublished: true },
      b: CYCLE.b!,
    },
    undefined,
  ],
  ['a dependency that does not exist', { x: { isPublished: true, edges: [edge('gone')] } }, undefined],
])('%s', (_, rows, expected) => {
  expect(found(rows)).toEqual(expected)
})

it('names the dependency, and the Modules of the cycle', () => {
  const seen = world({ x: { edges: [edge('b')] }, b: { edges: [edge('x')] } })
  expect(moduleEdges(seen.module(ref('x'))!.edges)).toHaveLength(1)
  expect(cycleBelow(edge('x'), 'edge', seen)).toMatchObject({
    reason: 'CycleDetected',
    facts: { edge: 'x' },
    on: [
      { kind: 'Module', name: 'x' },
      { kind: 'Module', name: 'b' },
    ],
  })
})
