import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../test/property.ts'
import { dependencyProblem, sortedByEdges } from './dependencyproblem.ts'
import type { SimulatedUnitKind } from './fluxkind.ts'
import { release, unit } from './playground.cases.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const units = (edges: readonly (readonly [number, number])[]) =>
  names.map((name, i) =>
    unit(name, { dependsOn: edges.filter(([from]) => from === i).map(([, to]) => ({ name: names[to] })) }),
  )

describe('the order in which units are run', () => {
  it('each after those that it needs, whatever the order of the list', () => {
    const edge = fc.tuple(fc.nat(4), fc.nat(4)).filter(([from, to]) => to < from)
    assertProperty(
      fc.property(fc.array(edge), fc.shuffledSubarray(names, { minLength: 5 }), (edges, order) => {
        const list = units(edges)
        const sorted = sortedByEdges(order.map((n) => list[names.indexOf(n)]!))!
        const at = (i: number): number => sorted.findIndex((o) => o.metadata.name === names[i])
        for (const [from, to] of edges) expect(at(to)).toBeLessThan(at(from))
      }),
    )
  })
  it('none, where they wait for each other', () => {
    expect(
      sortedByEdges(
        units([
          [0, 1],
          [1, 2],
          [2, 0],
        ]),
      ),
    ).toBeUndefined()
  })
})

it('an edge without an expression is open only for Ready=True of the newest generation', () => {
  const status = fc.constantFrom('True', 'False', 'Unknown', undefined)
  const generation = fc.integer({ min: 1, max: 3 })
  const observed = fc.constantFrom(-1, 1, 2, 3)
  const kinds = fc.constantFrom<SimulatedUnitKind>('Kustomization', 'HelmRelease')
  assertProperty(
    fc.property(kinds, status, generation, observed, (kind, ready, g, o) => {
      const make = kind === 'Kustomization' ? unit : release
      const conditions =
        ready === undefined
          ? []
          : [{ type: 'Ready', status: ready, lastTransitionTime: '', reason: '', message: '' }]
      const a = make('a')
      const dependency = {
        ...a,
        metadata: { ...a.metadata, generation: g },
        status: { observedGeneration: o, conditions, lastAppliedRevision: 'r' },
      }
      const self = make('b')
      const problem = dependencyProblem({
        kind,
        self,
        revision: 'r',
        edge: { name: 'a' },
        dependency,
        additive: false,
      })
      expect(problem === undefined).toBe(ready === 'True' && g === o)
    }),
  )
})
