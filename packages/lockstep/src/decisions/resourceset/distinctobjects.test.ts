import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { ObjectMeta } from '../../../../kube/src/object/index.ts'
import { SET_STRATEGIES } from '../../api/kinds/clusterresourceset/spec.ts'
import { distinctObjects } from './distinctobjects.ts'
import type { SourceObject } from './sourceobjects.ts'

const sourced = (origin: string, metadata: ObjectMeta, apiVersion = 'apps/v1'): SourceObject => ({
  object: { apiVersion, kind: 'Deployment', metadata },
  key: 'k',
  document: 1,
  origin,
  source: { kind: 'Object', name: 'a', namespace: 'default', object: { apiVersion: 'v1', kind: 'Secret' } },
})
const x = { name: 'x', namespace: 'kube-system' }
const twice = [
  [sourced('one', x), sourced('two', { name: 'y', namespace: 'kube-system' })],
  [sourced('three', x)],
]

const kept = (sources: readonly (readonly SourceObject[])[]) => sources.map((s) => s.map((o) => o.origin))
const where = 'apps/Deployment kube-system/x is in one, and in three: '

describe('one object twice', () => {
  it('is the first in ApplyOnce, and a warning', () => {
    const { sources, warnings, problems } = distinctObjects('ApplyOnce', twice)
    expect(kept(sources)).toEqual([['one', 'two'], []])
    expect(warnings).toEqual([
      { reason: 'DuplicateObject', message: `${where}the first counts; leave one of them` },
    ])
    expect(problems).toEqual([])
  })

  it('is the last in Reconcile', () => {
    const { sources, warnings, problems } = distinctObjects('Reconcile', twice)
    expect(kept(sources)).toEqual([['two'], ['three']])
    expect(warnings[0]?.message).toBe(`${where}the last counts; leave one of them`)
    expect(problems).toEqual([])
  })

  it('is refused in Continuous', () => {
    const { warnings, problems } = distinctObjects('Continuous', twice)
    expect(warnings).toEqual([])
    expect(problems).toEqual([{ reason: 'DuplicateObject', message: `${where}leave one of them` }])
  })

  it('is one in two versions of its API, and none in another namespace', () => {
    const other = { ...x, namespace: 'other' }
    const sources = [[sourced('one', x), sourced('two', x, 'apps/v1beta1'), sourced('three', other)]]
    expect(kept(distinctObjects('ApplyOnce', sources).sources)).toEqual([['one', 'three']])
  })
})

it('a manifest with generateName only is for ApplyOnce', () => {
  const sources = [[sourced('one', { generateName: 'x-' }), sourced('two', { generateName: 'x-' })]]
  const once = distinctObjects('ApplyOnce', sources)
  expect([kept(once.sources), once.problems]).toEqual([[['one', 'two']], []])
  expect(distinctObjects('Continuous', sources).problems[0]).toMatchObject({
    reason: 'InvalidResource',
    message:
      'one: Deployment has generateName only: mode Continuous finds objects by name; set metadata.name',
  })
  expect(distinctObjects('Reconcile', sources).problems).toHaveLength(2)
})

it('a manifest with generateName only takes its own source with it in Reconcile, and no other one', () => {
  const sources = [[sourced('one', x)], [sourced('two', x), sourced('three', { generateName: 'x-' })]]
  const { sources: left, refused, warnings } = distinctObjects('Reconcile', sources)
  expect([kept(left), [...refused], warnings]).toEqual([[['one'], []], [1], []])
})

it('any sources', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const input = fc.record({
    mode: fc.constantFrom(...SET_STRATEGIES),
    names: fc.array(fc.array(name, { maxLength: 4 }), { maxLength: 3 }),
  })
  const sourcesOf = (names: readonly (readonly string[])[]) =>
    names.map((list, i) => list.map((n, j) => sourced(`${i}.${j}`, { name: n })))
  decidesAlike(input, ({ mode, names }) => distinctObjects(mode, sourcesOf(names)), {
    'each object is there once, in the order of the manifests': ({ names }, { sources }) => {
      const left = sources.flat().map((s) => s.object.metadata.name)
      expect(new Set(left)).toEqual(new Set(names.flat()))
      expect(left).toHaveLength(new Set(left).size)
      const origins = kept(sources).flat()
      expect(origins).toEqual([...origins].sort())
    },
    'whatever is there twice is told of': ({ names }, { warnings, problems }) => {
      const all = names.flat()
      const repeated = [...new Set(all)].filter((n) => all.indexOf(n) !== all.lastIndexOf(n))
      expect(warnings.length + problems.length).toBe(repeated.length)
    },
  })
})
