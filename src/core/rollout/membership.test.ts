import { describe, expect, it } from 'vitest'
import { membershipOf } from './membership.ts'
import type { ClusterState } from './types.ts'

const units = (n: number, over: object = {}, prefix = 'c') =>
  Array.from({ length: n }, (_, i) => ({
    ...{ cluster: `${prefix}${i}`, clusterState: 'Connected' as ClusterState },
    ...{ selected: true, present: true, leaving: false },
    ...over,
  }))
const stay = (n: number) => units(n)
const leave = (n: number, over: object = {}) => units(n, { selected: false, ...over }, 'x')

describe('clusters that leave', () => {
  it.each<[number, number, string, string | undefined]>([
    [400, 10, '50%', '400 of 410 clusters would leave'],
    [205, 205, '50%', undefined],
    [206, 204, '50%', '206 of 410 clusters would leave'],
    [5, 0, '50%', '5 of 5 clusters would leave'],
    [4, 0, '50%', undefined],
    [5, 5, '50%', undefined],
    [10, 90, '5%', '10 of 100 clusters would leave'],
    [10, 90, '10', undefined],
    [11, 90, '10', '11 of 101 clusters would leave'],
    [410, 0, '100%', undefined],
    [5, 400, '0%', '5 of 405 clusters would leave'],
  ])('%i, while %i stay, of at most %s: %s', (going, staying, most, text) => {
    expect(membershipOf([...leave(going), ...stay(staying)], most).tooMany).toBe(text)
  })

  it('and those that come, by name', () => {
    const come = units(2, { present: false }, 'n')
    expect(membershipOf([...leave(2), ...stay(1), ...come], '50%')).toEqual({
      ...{ leave: ['x0', 'x1'], join: ['n0', 'n1'], tooMany: undefined },
    })
  })

  it.each<[string, object, number]>([
    ['gone', { clusterState: 'Absent' }, 0],
    ['being deleted', { clusterState: 'Deleting' }, 0],
    ['leaving already', { leaving: true }, 0],
    ['not delivered to', { present: false }, 0],
    ['silent', { clusterState: 'Unreachable' }, 10],
    ['paused', { clusterState: 'Paused' }, 10],
  ])('are not what is %s, unless it would leave later', (_, over, n) => {
    expect(membershipOf([...leave(10, over), ...stay(1)], '50%').leave).toHaveLength(n)
  })

  it('become a smaller part while they go, once they may', () => {
    for (let gone = 0; gone < 40; gone++)
      expect(membershipOf([...leave(40 - gone), ...stay(60)], '50%').tooMany).toBeUndefined()
  })
})
