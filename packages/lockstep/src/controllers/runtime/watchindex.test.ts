import { expect, it } from 'vitest'
import type { ClusterView } from '../../fleet/clusters/cluster.ts'
import { type Request, requestOf, unitKey } from './requestkeys.ts'
import { WatchIndex } from './watchindex.ts'

const view = (namespace: string, name: string, type: 'Hub' | 'Source' = 'Source') =>
  ({ namespace, name, access: { type } }) as unknown as ClusterView
const unit = (name: string, cluster: ClusterView) =>
  requestOf('unit', unitKey.of({ kind: 'Module', namespace: cluster.namespace, name }, cluster.name))
const names = (found: readonly Request[]) =>
  found.map(({ key }) => (key.type === 'Unit' ? key.ref.name : key.type))

const one = view('a', 'one')

it('who looks at what, on which cluster', () => {
  const all = new WatchIndex()
  all.add(unit('x', one), { view: one, id: 's' })
  all.add(unit('y', one), { view: one, id: 's' })
  all.add(unit('z', view('a', 'two')), { view: view('a', 'two'), id: 's' })
  expect(names(all.of({ view: one, id: 's' }))).toEqual(['x', 'y'])
  expect(names(all.of({ view: one, id: 't' }))).toEqual([])
  expect(names(all.of({ view: view('b', 'one'), id: 's' }))).toEqual([])
})

it('the hub is one place, whoever asks', () => {
  const all = new WatchIndex()
  for (const hub of [view('a', 'hub', 'Hub'), view('b', 'hub', 'Hub')])
    all.add(unit('x', hub), { view: hub, id: 's' })
  expect(all.of({ view: view('', 'hub', 'Hub'), id: 's' })).toHaveLength(2)
})

it('an input beside a module is at no cluster', () => {
  const all = new WatchIndex()
  all.add(unit('x', one), { view: undefined, id: 's' })
  expect(names(all.of({ view: undefined, id: 's' }))).toEqual(['x'])
  expect(all.of({ view: one, id: 's' })).toEqual([])
})

it('what a unit turns away from is told, and nobody else with it', () => {
  const all = new WatchIndex()
  const [s, t] = ['s', 't'].map((id) => all.add(unit('x', one), { view: one, id }))
  all.add(unit('y', one), { view: one, id: 't' })
  expect(all.keep(unit('x', one), new Set([s!]))).toEqual([{ view: one, id: 't' }])
  expect(names(all.of({ view: one, id: 't' }))).toEqual(['y'])
  expect(all.keep(unit('x', one), new Set([t!]))).toEqual([{ view: one, id: 's' }])
  expect(all.keep(unit('x', one), new Set())).toEqual([])
  expect(all.of({ view: one, id: 's' })).toEqual([])
})
