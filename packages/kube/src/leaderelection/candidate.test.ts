import { describe, expect, it } from 'vitest'
import type { Lease } from '../kinds/types.ts'
import type { Stored } from '../object/kind.ts'
import {
  afterFailure,
  afterRead,
  afterWrite,
  isHeld,
  LEASE_TIMES,
  type LeaseCandidate,
  type LeaseSpec,
  type Moment,
  type Move,
  newCandidate,
  nextMove,
  releasedSpec,
} from './candidate.ts'

const WALL = Date.UTC(2026, 0, 31, 12)
const at = (seconds: number): Moment => ({ steady: seconds * 1000, wall: WALL + seconds * 1000 })
const lease = (spec: LeaseSpec | undefined): Stored<Lease> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    namespace: 'n',
    name: 'l',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  ...(spec ? { spec } : {}),
})
const others = { holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: 'x', leaseTransitions: 4 }
const mine = { ...others, holderIdentity: 'a', acquireTime: '2026-01-31T11:00:00.000000Z' }

const start = newCandidate('a', LEASE_TIMES)
const saw = (spec: LeaseSpec | undefined, seconds: number, c: LeaseCandidate = start): LeaseCandidate =>
  afterRead(c, lease(spec), at(seconds))
/** Leads since the given second. */
const leader = (seconds: number): LeaseCandidate => afterWrite(start, lease(mine), at(seconds))

const waits = (seconds: number): Move => ({ type: 'wait', ms: seconds * 1000 })

describe('a candidate', () => {
  it.each<[string, LeaseCandidate, number, Partial<Move>]>([
    ['looks first', start, 0, { type: 'read' }],
    ['makes the Lease that is not there', afterRead(start, undefined, at(0)), 0, { type: 'create' }],
    ['takes one that has no holder', saw({ holderIdentity: '' }, 0), 0, { type: 'replace' }],
    ['takes one without anything in it', saw(undefined, 0), 0, { type: 'replace' }],
    ['takes its own, whose write was not answered', saw(mine, 0), 0, { type: 'replace' }],
    ['waits for another, and looks again', saw(others, 0), 0, waits(2)],
    ['looks again', saw(others, 0), 2, { type: 'read' }],
    ['waits as long as the holder asks for', saw(others, 14, saw(others, 0)), 14, waits(1)],
    [
      'counts from when it saw the renewal',
      saw({ ...others, renewTime: 'y' }, 14, saw(others, 0)),
      14,
      waits(2),
    ],
    ['takes what was not renewed for so long', saw(others, 15, saw(others, 0)), 15, { type: 'replace' }],
    [
      'takes what it saw before it stood still: if that is not so any more, the server says so',
      saw(others, 0),
      15,
      { type: 'replace' },
    ],
    [
      'goes by itself where the holder says nothing',
      saw({ holderIdentity: 'b' }, 15, saw({ holderIdentity: 'b' }, 0)),
      15,
      { type: 'replace' },
    ],
    ['asks again after a failure, not at once', afterFailure(saw(others, 0), at(0)), 0, waits(2)],
    [
      'waits no longer for having asked in vain',
      saw(others, 15, afterFailure(saw(others, 0), at(9))),
      15,
      { type: 'replace' },
    ],
  ])('%s', (_, c, seconds, move) => {
    expect(nextMove(c, at(seconds), true)).toMatchObject(move)
  })

  it('stands still: it takes nothing', () => {
    expect(nextMove(saw({ holderIdentity: '' }, 0), at(0), false)).toEqual(waits(2))
  })
})

describe('a leader', () => {
  it.each<[string, LeaseCandidate, number, boolean, Partial<Move>]>([
    ['rests', leader(0), 1, true, waits(1)],
    ['renews', leader(0), 2, true, { type: 'replace' }],
    ['does not renew while it stands still', leader(0), 2, false, waits(2)],
    ['gives up where it cannot renew', leader(0), 10, true, { type: 'lost', why: 'NotRenewed' }],
    ['gives up where it stands still', leader(0), 10, false, { type: 'lost', why: 'NotRenewed' }],
    ['tries again after a failure', afterFailure(leader(0), at(3)), 4, true, waits(1)],
    ['reads before it tries again', afterFailure(leader(0), at(3)), 5, true, { type: 'read' }],
    [
      'goes on with what is its own',
      saw(mine, 5, afterFailure(leader(0), at(3))),
      5,
      true,
      { type: 'replace' },
    ],
    [
      'gives up what another has',
      saw(others, 5, afterFailure(leader(0), at(3))),
      5,
      true,
      { type: 'lost', why: 'Taken' },
    ],
    [
      'gives up what was deleted',
      afterRead(afterFailure(leader(0), at(3)), undefined, at(5)),
      5,
      true,
      { type: 'lost', why: 'Taken' },
    ],
    ['waits no longer than it leads', leader(0), 9.5, false, waits(0.5)],
  ])('%s', (_, c, seconds, isAlive, move) => {
    expect(nextMove(c, at(seconds), isAlive)).toMatchObject(move)
  })

  it.each<[string, number, number, boolean]>([
    ['while it is renewed', 9.9, 9.9, true],
    ['not when it was not renewed in time', 10, 10, false],
    ['not after the machine has slept, and its steady clock with it', 1, 600, false],
    ['though its wall clock was set back', 1, -3600, true],
  ])('writes %s', (_, steady, wall, held) => {
    const now = { steady: steady * 1000, wall: WALL + wall * 1000 }
    expect(isHeld(leader(0).tenure!, LEASE_TIMES, now)).toBe(held)
  })
})

describe('what is written', () => {
  const specOf = (c: LeaseCandidate, seconds: number): LeaseSpec | undefined => {
    const move = nextMove(c, at(seconds), true)
    return 'spec' in move ? move.spec : undefined
  }
  const NOW = '2026-01-31T12:00:15.000000Z'
  const taken = { holderIdentity: 'a', leaseDurationSeconds: 15, acquireTime: NOW, renewTime: NOW }

  it('of a new Lease', () => {
    expect(specOf(afterRead(start, undefined, at(15)), 15)).toEqual({ ...taken, leaseTransitions: 0 })
  })
  it('of another leader: the transition is counted', () => {
    expect(specOf(saw(others, 15, saw(others, 0)), 15)).toEqual({ ...taken, leaseTransitions: 5 })
  })
  it('of a renewal: since when, stays', () => {
    expect(specOf(leader(13), 15)).toEqual({ ...taken, acquireTime: mine.acquireTime, leaseTransitions: 4 })
  })
  it('of a release: nobody holds it, the count stays', () => {
    expect(releasedSpec(mine, at(15))).toMatchObject({
      holderIdentity: '',
      leaseTransitions: 4,
      renewTime: NOW,
    })
  })
})
