import { describe, expect, it } from 'vitest'
import {
  afterTurn,
  leftOverIn,
  repairBudgetLedger,
  unconfirmed,
  withoutClusters,
  withStarts,
  withWaiter,
} from './budgetledger.ts'
import type { BudgetEntry, BudgetWaiter } from './disruption.ts'

const THEN = '2026-01-01T00:00:00.000Z'
const NOW = '2026-01-01T01:00:00.000Z'
const entry = (module: string, cluster: string, since = THEN): BudgetEntry => ({ module, cluster, since })
const names = (ledger: readonly BudgetEntry[]) => ledger.map((e) => `${e.module}@${e.cluster}`)

describe('places are taken', () => {
  const taking = (clusters: string[], confirmed: string[] = []) => ({
    module: 'web',
    clusters,
    confirmed: new Set(confirmed),
    since: NOW,
  })

  it('one for each cluster of a module, in an order of their own', () => {
    const ledger = withStarts([entry('web', 'b'), entry('db', 'a')], taking(['c', 'a'], ['b']))
    expect(names(ledger)).toEqual(['db@a', 'web@a', 'web@b', 'web@c'])
  })

  it('what the module has in its own ledger is there already: nothing is written', () => {
    const ledger = [entry('web', 'a')]
    expect(withStarts(ledger, taking(['a'], ['a']))).toBe(ledger)
  })

  it('what nobody has confirmed is taken anew, so that who gives it up loses the race', () => {
    expect(withStarts([entry('web', 'a')], taking(['a']))).toEqual([entry('web', 'a', NOW)])
  })
})

describe('places are given back', () => {
  const ledger = [entry('db', 'a'), entry('web', 'a'), entry('web', 'b')]

  it('those of one module', () => {
    expect(names(withoutClusters(ledger, 'web', new Set(['a', 'z'])))).toEqual(['db@a', 'web@b'])
  })

  it('none of them: the same ledger', () => {
    expect(withoutClusters(ledger, 'web', new Set(['z']))).toBe(ledger)
  })
})

describe('what was lost comes back, what is left over goes', () => {
  const budget = {
    ledger: [entry('web', 'a'), entry('web', 'far'), entry('db', 'b')],
    clusters: new Set(['a', 'b', 'c']),
  }
  const confirmed = new Map([
    ['web', new Set(['a', 'c', 'far'])],
    ['gone', new Set<string>()],
  ])

  it('nothing to do: the same ledger', () => {
    const ledger = [entry('web', 'a')]
    const same = { ledger, clusters: new Set(['a']) }
    expect(repairBudgetLedger(same, new Map([['web', new Set(['a'])]]), new Set(), NOW)).toBe(ledger)
  })

  it('adds what modules have in flight, drops what is not counted any more', () => {
    expect(names(repairBudgetLedger(budget, confirmed, new Set(), NOW))).toEqual(['db@b', 'web@a', 'web@c'])
  })

  it('a place that no module confirms stays until it is left over', () => {
    const open = unconfirmed(budget, confirmed)
    expect(names(open)).toEqual(['db@b'])
    expect(names(repairBudgetLedger(budget, confirmed, new Set(open), NOW))).toEqual(['web@a', 'web@c'])
  })

  it.each([
    ['taken and watched since', 20_000, 20_000, 40_000],
    ['a minute after it was taken', 60_000, 60_000, 0],
    ['by a process that has begun 15 s later', 59_000, 44_000, 1000],
    ['by a process that has just begun: as long as a request may be under way', 90_000, 0, 40_000],
    ['by a clock that is an hour ahead: not earlier', 3_600_000, 39_000, 1000],
    ['by a clock that is an hour behind: not later', -3_600_000, 60_000, 0],
  ])('%s', (_, age, watched, left) => {
    expect(leftOverIn(age, watched)).toBe(left)
  })
})

describe('who waits', () => {
  const waiter = (module: string): BudgetWaiter => ({ module, since: THEN })
  const look = (waiters: BudgetWaiter[], module: string, isWaiting: boolean, hasRoom = false) =>
    withWaiter(waiters, { module, isWaiting, hasRoom, since: NOW }).map((w) => w.module)

  it.each([
    ['comes last', ['db'], 'web', true, false, ['db', 'web']],
    ['keeps its rank', ['web', 'db'], 'web', true, false, ['web', 'db']],
    ['leaves', ['web', 'db'], 'web', false, false, ['db']],
    ['need not queue where there is room and nobody before it', [], 'web', true, true, []],
    ['queues behind others, also where there is room', ['db'], 'web', true, true, ['db', 'web']],
    ['was not there, and does not wait', ['db'], 'web', false, false, ['db']],
  ])('%s', (_, before, module, isWaiting, hasRoom, after) => {
    expect(look(before.map(waiter), module, isWaiting, hasRoom)).toEqual(after)
  })

  it.each([
    ['got a place: it has had its turn', ['a'], ['db']],
    ['starts where it costs nothing: it keeps its rank', ['b'], ['web', 'db']],
  ])('who %s', (_, clusters, left) => {
    const budget = { waiters: ['web', 'db'].map(waiter), disrupted: new Set(['b']) }
    expect(afterTurn(budget, 'web', clusters).map((w) => w.module)).toEqual(left)
  })

  it('no more than the status holds', () => {
    const full = Array.from({ length: 16 }, (_, i) => waiter(`m${i}`))
    expect(look(full, 'web', true)).toHaveLength(16)
  })
})
