import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import {
  activeHolds,
  type HoldView,
  holdEndsIn,
  moduleHeldBy,
  resolveUnitHolds,
  writesHeldBy,
} from './unitholds.ts'

const hold = (name: string, over: Partial<HoldView> = {}): HoldView => ({
  name,
  clusters: undefined,
  action: 'Suspend',
  untilMs: undefined,
  ...over,
})
const pin = (name: string, revision: string, isKnown = true): HoldView =>
  hold(name, { action: 'Pin', clusters: ['c1'], pin: { revision, isKnown } })

describe('a Hold on the whole module', () => {
  it('of several the one that stops more', () => {
    expect(moduleHeldBy([hold('a', { action: 'Pause' }), hold('b')])).toBe('b')
    expect(moduleHeldBy([hold('a', { action: 'Pause' })])).toBe('a')
    expect(moduleHeldBy([hold('a', { clusters: ['c1'] }), pin('p', 'v1:1')])).toBeUndefined()
  })

  it('stops writes on each cluster, unless it stops starts only', () => {
    expect(writesHeldBy([hold('a')], 'c1')).toBe('a')
    expect(writesHeldBy([hold('a', { action: 'Pause' }), pin('p', 'v1:1')], 'c1')).toBeUndefined()
    expect(writesHeldBy([hold('a', { clusters: ['c2'] })], 'c1')).toBeUndefined()
  })
})

describe('a Hold on one cluster', () => {
  it.each([
    [
      'a pause comes before a pin',
      [pin('a', 'v1:1'), hold('b', { action: 'Pause', clusters: ['c1'] })],
      { action: 'Pause', by: 'b' },
    ],
    [
      'a suspend comes before a pause',
      [hold('a', { action: 'Pause', clusters: ['c1'] }), hold('b', { clusters: ['c1'] })],
      { action: 'Suspend', by: 'b' },
    ],
    ['a pin', [pin('a', 'v1:1')], { action: 'Pin', by: 'a', revision: 'v1:1' }],
    [
      'two at the same revision are one',
      [pin('a', 'v1:1'), pin('b', 'v1:1')],
      { action: 'Pin', by: 'a', revision: 'v1:1' },
    ],
    [
      'two at different ones are none',
      [pin('a', 'v1:1'), pin('b', 'v1:2')],
      { action: 'Conflict', by: 'a', and: 'b' },
    ],
    ['one at what nobody knows', [pin('a', '0123', false)], { action: 'Unknown', by: 'a', wanted: '0123' }],
    ['one on all is none on this one', [hold('a')], undefined],
    ['one on another', [hold('a', { clusters: ['c2'] })], undefined],
  ] as const)('%s', (_, holds, expected) => {
    expect(resolveUnitHolds(holds, 'c1')).toEqual(expected)
  })
})

describe('until', () => {
  it('what is past means nothing; the next end is told', () => {
    const holds = [hold('b', { untilMs: 1000 }), hold('a', { untilMs: 3000 }), hold('c')]
    expect(activeHolds(holds, 1000).map((h) => h.name)).toEqual(['a', 'c'])
    expect(holdEndsIn(activeHolds(holds, 1000), 1000)).toBe(2000)
    expect(holdEndsIn([hold('c')], 0)).toBeUndefined()
  })
})

it('the order of Holds means nothing (I30)', () => {
  const some = fc.record({
    clusters: fc.constantFrom(undefined, ['c1'], ['c2'], ['c1', 'c2']),
    stop: fc.constantFrom('Suspend' as const, 'Pause' as const),
    untilMs: fc.constantFrom(undefined, 1, 5),
    pin: fc.constantFrom(
      undefined,
      { revision: 'v1:1', isKnown: true },
      { revision: 'v1:2', isKnown: false },
    ),
  })
  const view = some.map(({ stop, ...h }) => ({ ...h, action: h.pin ? ('Pin' as const) : stop }))
  const holds = fc.array(view, { maxLength: 5 }).map((all) => all.map((h, i) => ({ ...h, name: `h${i}` })))
  const asked = (all: readonly HoldView[]) => {
    const now = activeHolds(all, 2)
    return [moduleHeldBy(now), resolveUnitHolds(now, 'c1'), writesHeldBy(now, 'c1'), holdEndsIn(now, 2)]
  }
  decidesAlike(fc.tuple(holds, fc.nat()), ([all]) => asked(all), {
    'asked in another order': ([all, n], out) => sameAnswer(out, asked(shuffled(all, n))),
  })
})
