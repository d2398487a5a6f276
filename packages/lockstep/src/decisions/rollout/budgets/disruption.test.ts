import { describe, expect, it } from 'vitest'
import {
  allowedOf,
  type BudgetFacts,
  disruptionBudgetView,
  hasRoom,
  specProblem,
  useText,
} from './disruption.ts'

const EU = { clusterSelector: { matchLabels: { region: 'eu' } }, maxUnavailable: 2 }

const cluster = (name: string, region = 'eu', isUnreachable = false) => ({
  name,
  labels: { region },
  isUnreachable,
})

const view = (over: Partial<BudgetFacts> = {}) =>
  disruptionBudgetView({
    name: 'eu',
    spec: EU,
    ledger: [],
    waiters: [],
    unwell: new Set(),
    freeMs: 0,
    clusters: [cluster('a'), cluster('b'), cluster('c'), cluster('far', 'us')],
    ...over,
  })

const entry = (name: string, module = 'Module/web') => ({
  module,
  cluster: name,
  since: '2026-01-01T00:00:00Z',
})

describe('how many clusters may be disrupted', () => {
  it.each([
    ['a number', { maxUnavailable: 3 }, 10, 3],
    ['more than there are', { maxUnavailable: 30 }, 10, 10],
    ['a percentage rounds down', { maxUnavailable: '25%' }, 10, 2],
    ['to at least one', { maxUnavailable: '1%' }, 10, 1],
    ['of none: none', { maxUnavailable: '50%' }, 0, 0],
    ['so many stay', { minAvailable: 8 }, 10, 2],
    ['more are to stay than there are', { minAvailable: 12 }, 10, 0],
    ['a percentage of those that stay rounds up', { minAvailable: '75%' }, 10, 2],
    ['nobody has to stay', { minAvailable: 0 }, 10, 10],
    ['a number as text', { minAvailable: '8' }, 10, 2],
  ])('%s', (_, spec, total, allowed) => {
    expect(allowedOf(spec, total)).toBe(allowed)
  })
})

describe('what a budget counts', () => {
  it.each([
    ['nothing is wrong', {}, []],
    ['two modules on one cluster', { ledger: [entry('a'), entry('a', 'Module/db')] }, ['a']],
    ['what is unwell, whoever counted it', { unwell: new Set(['b', 'far']) }, ['b']],
    ['what cannot be reached', { clusters: [cluster('a', 'eu', true), cluster('b')] }, ['a']],
    ['a place on a cluster that is not selected any more', { ledger: [entry('far')] }, []],
    ['a place on a cluster that is gone', { ledger: [entry('gone')] }, []],
    ['each cluster once', { ledger: [entry('a')], unwell: new Set(['a']) }, ['a']],
  ])('%s', (_, over, disrupted) => {
    expect([...view(over).disrupted]).toEqual(disrupted)
  })

  it('has room below its limit, and says who is in it', () => {
    const full = view({ unwell: new Set(['b', 'a']) })
    expect([hasRoom(view()), hasRoom(full), useText(view()), useText(full)]).toEqual([
      true,
      false,
      '0/2',
      '2/2 (a, b)',
    ])
    const seven = new Set(['g', 'f', 'e', 'd', 'c', 'b', 'a'])
    expect(useText({ disrupted: seven, max: 7 })).toBe('7/7 (a, b, c, d, e, and 2 more)')
  })
})

describe('what cannot be read lets nothing start', () => {
  const none = { clusterSelector: {} }
  it.each([
    ['neither field', none, 'spec: give exactly one of maxUnavailable and minAvailable', 3],
    [
      'both fields',
      { ...EU, minAvailable: 1 },
      'spec: give exactly one of maxUnavailable and minAvailable',
      3,
    ],
    [
      'an amount',
      { ...EU, maxUnavailable: '10 %' },
      'spec.maxUnavailable: 10 % is neither a number nor a percentage such as 10%',
      3,
    ],
    [
      'no selector: everywhere',
      { maxUnavailable: 1 },
      'spec.clusterSelector: is missing; {} selects all clusters',
      4,
    ],
    [
      'an operator: everywhere',
      {
        maxUnavailable: 1,
        clusterSelector: { matchExpressions: [{ key: 'region', operator: 'Like' as 'In' }] },
      },
      'spec.clusterSelector: region: unknown operator Like',
      4,
    ],
  ])('%s', (_, spec, problem, counted) => {
    expect(specProblem(spec)).toBe(problem)
    const closed = view({ spec })
    expect([closed.problem, closed.max, hasRoom(closed)]).toEqual([problem, 0, false])
    if (counted === 4) expect(closed.clusters.size).toBe(4)
  })
})
