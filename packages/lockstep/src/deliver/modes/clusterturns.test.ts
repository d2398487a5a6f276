import { expect, it } from 'vitest'
import { type ClusterTurn, clusterTurns } from './clusterturns.ts'

const place = (cluster: string, over: Partial<ClusterTurn> = {}): ClusterTurn => ({
  cluster,
  isDone: false,
  isBegun: false,
  ...over,
})
const turns = (places: readonly ClusterTurn[], most: number | string): string[] =>
  [...clusterTurns(places, most)].sort()

it('as many as may be unavailable, by name', () => {
  const places = ['c', 'a', 'd', 'b'].map((c) => place(c))
  expect(turns(places, 2)).toEqual(['a', 'b'])
  expect(turns(places, '75%')).toEqual(['a', 'b', 'c'])
  expect(turns(places, '100%')).toEqual(['a', 'b', 'c', 'd'])
})

it('a percentage is of all clusters, and at least one', () => {
  const places = [place('a', { isDone: true }), place('b'), place('c'), place('d')]
  expect(turns(places, '50%')).toEqual(['b', 'c'])
  expect(turns(places, '10%')).toEqual(['b'])
})

it('who has begun goes on before another one begins: a change that fails stops there', () => {
  const places = [place('a'), place('b'), place('c', { isBegun: true })]
  expect(turns(places, 1)).toEqual(['c'])
  expect(turns([place('a'), place('b'), place('c', { isDone: true })], 1)).toEqual(['a'])
})
