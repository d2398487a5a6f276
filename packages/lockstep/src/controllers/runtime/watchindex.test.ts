import { expect, it } from 'vitest'
import type { ClusterView } from '../../fleet/clusters/cluster.ts'
import { WatchIndex } from './watchindex.ts'

const view = (namespace: string, name: string, type: 'Hub' | 'Kubeconfig' = 'Kubeconfig') =>
  ({ namespace, name, access: { type } }) as unknown as ClusterView
const ref = (name: string, namespace = 'a') => ({ kind: 'Module', namespace, name }) as const
const names = (found: readonly { readonly ref: { readonly name: string } }[]) => found.map((u) => u.ref.name)

it('who looks at what, on which cluster', () => {
  const all = new WatchIndex()
  all.add({ ref: ref('x'), cluster: view('a', 'one') }, 's')
  all.add({ ref: ref('y'), cluster: view('a', 'one') }, 's')
  all.add({ ref: ref('z'), cluster: view('a', 'two') }, 's')
  expect(names(all.of(view('a', 'one'), 's'))).toEqual(['x', 'y'])
  expect(names(all.of(view('a', 'one'), 't'))).toEqual([])
  expect(names(all.of(view('b', 'one'), 's'))).toEqual([])
})

it('the hub is one place, whoever asks', () => {
  const all = new WatchIndex()
  all.add({ ref: ref('x', 'a'), cluster: view('a', 'hub', 'Hub') }, 's')
  all.add({ ref: ref('x', 'b'), cluster: view('b', 'hub', 'Hub') }, 's')
  expect(all.of(view('', 'hub', 'Hub'), 's')).toHaveLength(2)
})

it('what a unit turns away from is told, and nobody else with it', () => {
  const all = new WatchIndex()
  const one = view('a', 'one')
  for (const id of ['s', 't']) all.add({ ref: ref('x'), cluster: one }, id)
  all.add({ ref: ref('y'), cluster: one }, 't')
  expect(all.keep(ref('x'), 'one', new Set(['s']))).toEqual(['t'])
  expect(names(all.of(one, 't'))).toEqual(['y'])
  expect(all.keep(ref('x'), 'one', new Set())).toEqual(['s'])
  expect(all.keep(ref('x'), 'one', new Set())).toEqual([])
  expect(all.of(one, 's')).toEqual([])
})
