import { describe, expect, it } from 'vitest'
import { LEASE_TIMES, type Moment } from './candidate.ts'
import { SharedTerm } from './sharedterm.ts'

const START = 1_000_000
const at = (seconds: number): Moment => ({ steady: START + seconds * 1000, wall: 1e12 + seconds * 1000 })

/** What happens at which second; `renew` is said by the other thread, which shares the memory and nothing else. */
function story(events: readonly (readonly [seconds: number, what: 'beat' | 'renew'])[]) {
  const writes = new SharedTerm(LEASE_TIMES)
  const renews = new SharedTerm(LEASE_TIMES, writes.memory)
  for (const [seconds, what] of events)
    if (what === 'beat') writes.beat(at(seconds).steady)
    else if (renews.isAlive(at(seconds).steady)) renews.renewed(at(seconds))
  return writes
}

describe('the thread that writes', () => {
  it.each<[string, Parameters<typeof story>[0], number, boolean]>([
    ['may not before the Lease is ours', [[0, 'beat']], 0.5, false],
    [
      'may once it is',
      [
        [0, 'beat'],
        [0.1, 'renew'],
      ],
      0.5,
      true,
    ],
    [
      'may while it was busy for a second',
      [
        [0, 'beat'],
        [0.1, 'renew'],
      ],
      2,
      true,
    ],
    [
      'may until five seconds after its last beat',
      [
        [0, 'beat'],
        [2, 'renew'],
      ],
      4.9,
      true,
    ],
    [
      'may not after that',
      [
        [0, 'beat'],
        [4, 'renew'],
      ],
      5,
      false,
    ],
    [
      'may not at once after it has stood still',
      [
        [0, 'beat'],
        [4, 'renew'],
        [6, 'beat'],
      ],
      6,
      false,
    ],
    [
      'may once the Lease was renewed again',
      [
        [0, 'beat'],
        [4, 'renew'],
        [6, 'beat'],
        [6.1, 'renew'],
      ],
      6.2,
      true,
    ],
    [
      'gets nothing renewed while it stands still',
      [
        [0, 'beat'],
        [4, 'renew'],
        [5.5, 'renew'],
        [6, 'beat'],
      ],
      6.1,
      false,
    ],
    [
      'may not where nobody renews',
      [
        [0, 'beat'],
        [0.1, 'renew'],
        [4, 'beat'],
        [8, 'beat'],
        [10, 'beat'],
      ],
      10.2,
      false,
    ],
  ])('%s', (_, events, seconds, held) => {
    expect(story(events).isHeld(at(seconds))).toBe(held)
  })

  it('learns of a stall also from a write that comes before the next beat', () => {
    const term = story([
      [0, 'beat'],
      [4, 'renew'],
    ])
    expect(term.isHeld(at(6))).toBe(false)
    term.beat(at(6.1).steady)
    expect(term.isHeld(at(6.2))).toBe(false)
  })
})

it('says when the thread that renews came round, and when the hub answered it', () => {
  const term = new SharedTerm(LEASE_TIMES)
  const other = new SharedTerm(LEASE_TIMES, term.memory)
  expect(term.threadAges(5000)).toEqual({ beatMs: undefined, answeredMs: undefined })
  other.threadBeat(4000)
  other.answered(1000)
  expect(term.threadAges(5000)).toEqual({ beatMs: 1000, answeredMs: 4000 })
})
