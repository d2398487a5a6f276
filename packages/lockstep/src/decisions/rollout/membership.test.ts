import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import {
  type MembershipInput,
  membershipOf,
  type Removals,
  removalsWith,
  TOGETHER_MS,
  type TooManyRemovals,
} from './membership.ts'
import type { ClusterState } from './types.ts'

const units = (n: number, over: object = {}, prefix = 'c') =>
  Array.from({ length: n }, (_, i) => ({
    cluster: `${prefix}${i}`,
    clusterState: 'Connected' as ClusterState,
    selected: true,
    present: true,
    leaving: false,
    ...over,
  }))
const stay = (n: number) => units(n)
const leave = (n: number, over: object = {}) => units(n, { selected: false, ...over }, 'x')

const NOW = 1_000_000_000_000
const members = (all: MembershipInput['units'], maxRemoval: string, o: Partial<MembershipInput> = {}) =>
  membershipOf({
    units: all,
    maxRemoval,
    removals: undefined,
    ledger: [],
    limit: 'Share',
    isAllowed: false,
    nowMs: NOW,
    ...o,
  })

it('clusters whose objects stay may all leave at once, and none while too many of the hub do', () => {
  expect(members([...stay(1), ...leave(9)], '50%').tooMany).toEqual({ removals: 9, total: 10, begun: 0 })
  expect(members([...stay(1), ...leave(9)], '50%', { limit: 'None' }).tooMany).toBe(undefined)
  expect(members([...stay(9), ...leave(1)], '50%', { limit: 'Hub' }).tooMany).toEqual({
    removals: 1,
    total: 10,
    begun: 0,
  })
})

describe('clusters that leave', () => {
  it.each<[number, number, string, TooManyRemovals | undefined]>([
    [400, 10, '50%', { removals: 400, total: 410, begun: 0 }],
    [205, 205, '50%', undefined],
    [206, 204, '50%', { removals: 206, total: 410, begun: 0 }],
    [5, 0, '50%', { removals: 5, total: 5, begun: 0 }],
    [4, 0, '50%', undefined],
    [5, 5, '50%', undefined],
    [10, 90, '5%', { removals: 10, total: 100, begun: 0 }],
    [10, 90, '10', undefined],
    [11, 90, '10', { removals: 11, total: 101, begun: 0 }],
    [410, 0, '100%', undefined],
    [5, 400, '0%', { removals: 5, total: 405, begun: 0 }],
  ])('%i, while %i stay, of at most %s: %j', (going, staying, most, tooMany) => {
    expect(members([...leave(going), ...stay(staying)], most).tooMany).toEqual(tooMany)
  })

  it('and those that come, by name', () => {
    const come = units(2, { present: false }, 'n')
    expect(members([...leave(2), ...stay(1), ...come], '50%')).toMatchObject({
      leave: ['x0', 'x1'],
      join: ['n0', 'n1'],
      tooMany: undefined,
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
    expect(members([...leave(10, over), ...stay(1)], '50%').leave).toHaveLength(n)
  })

  it('become a smaller part while they go, once they may', () => {
    for (let gone = 0; gone < 40; gone++)
      expect(members([...leave(40 - gone), ...stay(60)], '50%').tooMany).toBeUndefined()
  })
})

describe('clusters that leave one after the other', () => {
  const removals = (over: Partial<Removals> = {}): Removals => ({ sinceMs: NOW, of: 60, begun: 30, ...over })

  it.each<[string, Removals | undefined, number, TooManyRemovals | undefined]>([
    ['none before', undefined, 0, undefined],
    ['half of them', removals(), 0, { removals: 31, total: 60, begun: 30 }],
    ['fewer', removals({ begun: 29 }), 0, undefined],
    ['half of them, a while ago', removals(), TOGETHER_MS - 1, { removals: 31, total: 60, begun: 30 }],
    [
      'half of them, long ago, and one is held back since',
      removals(),
      TOGETHER_MS,
      { removals: 31, total: 60, begun: 30 },
    ],
    ['fewer, long ago', removals({ begun: 29 }), TOGETHER_MS, undefined],
    ['as many as somebody allowed', removals({ allowed: 31 }), TOGETHER_MS, undefined],
    [
      'and one that nobody meant',
      removals({ begun: 31, allowed: 31 }),
      0,
      { removals: 32, total: 60, begun: 31 },
    ],
  ])('one more after %s', (_, before, later, tooMany) => {
    const seen = members([...leave(1), ...stay(29)], '50%', { removals: before, nowMs: NOW + later })
    expect(seen.tooMany).toEqual(tooMany)
  })

  it('what is over counts no more: not what left long ago, nor what somebody allowed once it is done', () => {
    const later = { nowMs: NOW + TOGETHER_MS }
    expect(members(stay(30), '50%', { removals: removals(), ...later }).removals).toBeUndefined()
    const allowed = removals({ begun: 50, allowed: 55 })
    expect(members(stay(5), '50%', { removals: allowed, ...later }).removals).toBeUndefined()
    expect(members([...leave(5), ...stay(5)], '50%', { removals: allowed, ...later }).removals).toBe(allowed)
    const silent = leave(5, { clusterState: 'Unreachable' })
    expect(members([...silent, ...stay(5)], '50%', { removals: allowed, ...later }).removals).toBeUndefined()
  })

  it('an allowance is for what is to leave just then', () => {
    const allowed = members([...leave(10), ...stay(2)], '50%', { isAllowed: true })
    expect(allowed).toMatchObject({ tooMany: undefined, removals: { of: 12, begun: 0, allowed: 10 } })
    expect(members([...leave(3), ...stay(9)], '50%', { isAllowed: true }).removals).toBeUndefined()
  })

  it('each is counted once: with its start, and not again while its record is not written', () => {
    const all = [...leave(2), ...stay(58)]
    const start = [{ cluster: 'x0', kind: 'Remove' as const }]
    const first = removalsWith(members(all, '50%'), start, [], NOW)
    expect(first).toEqual({ sinceMs: NOW, of: 60, begun: 1 })
    const again = members(all, '50%', { removals: first, ledger: start, nowMs: NOW + 1 })
    expect(removalsWith(again, start, start, NOW + 1)).toEqual(first)
    const next = [{ cluster: 'x1', kind: 'Remove' as const }]
    expect(removalsWith(again, next, start, NOW + 1)).toEqual({ ...first, begun: 2 })
  })

  it('however they come, and however fast they go: no more than may leave together do within ten minutes', () => {
    assertProperty(
      fc.property(fc.array(fc.nat(600_000), { minLength: 10, maxLength: 60 }), fc.nat(10), (at, atOnce) => {
        const left = new Set<string>()
        let known: Removals | undefined
        for (const [i, t] of [...at].sort((a, b) => a - b).entries()) {
          const all = units(at.length).flatMap((u, n) =>
            left.has(u.cluster) ? [] : [{ ...u, selected: n > i }],
          )
          const seen = members(all, '50%', { removals: known, nowMs: NOW + t })
          const start = seen.tooMany === undefined ? seen.leave.slice(0, atOnce + 1) : []
          known = removalsWith(
            seen,
            start.map((cluster) => ({ cluster, kind: 'Remove' as const })),
            [],
            NOW + t,
          )
          for (const cluster of start) left.add(cluster)
        }
        expect(left.size).toBeLessThanOrEqual(Math.max(4, Math.floor(at.length / 2)))
      }),
    )
  })
})
