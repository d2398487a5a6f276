import { describe, expect, it } from 'vitest'
import type { PullRequestObservation } from './pullrequestlookup.ts'
import { type SweepInput, sweep } from './sweep.ts'

const pull = (number: number, o: Partial<PullRequestObservation> = {}): PullRequestObservation => ({
  number,
  url: `https://example.com/${number}`,
  state: 'open',
  key: 'k',
  headCommit: 'c1',
  mergeCommit: undefined,
  isOlder: false,
  ...o,
})

const after = (o: Partial<SweepInput>) =>
  sweep({
    phase: 'Superseded',
    key: 'k',
    number: 7,
    pulls: [],
    branch: 'c1',
    commit: 'c1',
    inherits: undefined,
    previous: undefined,
    isShared: false,
    follower: undefined,
    deleteBranch: true,
    isAdopted: false,
    told: false,
    transfer: 'None',
    ...o,
  })

describe('what is left behind', () => {
  it('is closed where it was opened twice, and its branch goes', () => {
    expect(after({ pulls: [pull(8)] })).toMatchObject({ type: 'ClosePull', number: 8 })
    expect(after({})).toEqual({ type: 'RemoveBranch', expect: 'c1' })
    expect(after({ branch: 'x' })).toBeUndefined()
  })

  it('and goes on with another promotion is that one’s', () => {
    expect(after({ transfer: 'Taken', pulls: [pull(7)] })).toBeUndefined()
    expect(after({ transfer: 'Taken' })).toBeUndefined()
  })

  it('and was to go on with one that does not take it is closed, unless others have pushed to it', () => {
    expect(after({ transfer: 'Left', pulls: [pull(7)] })).toMatchObject({ type: 'ClosePull', number: 7 })
    expect(after({ transfer: 'Left', pulls: [pull(7, { headCommit: 'x' })] })).toBeUndefined()
    expect(after({ transfer: 'Left' })).toEqual({ type: 'RemoveBranch', expect: 'c1' })
  })

  it('and was about to be made anew, and is not yet, is ours all the same', () => {
    const before = pull(7, { headCommit: 'c0' })
    const anew = { previous: 'c0', branch: 'c0', pulls: [before] }
    expect(after({ ...anew, transfer: 'Left' })).toMatchObject({ type: 'ClosePull', number: 7 })
    expect(after({ ...anew, phase: 'Succeeded' })).toMatchObject({ type: 'ClosePull', number: 7 })
    expect(after({ ...anew, phase: 'Failed', follower: '2.0.0' })).toMatchObject({
      type: 'ClosePull',
      number: 7,
    })
    expect(after({ ...anew, pulls: [] })).toEqual({ type: 'RemoveBranch', expect: 'c0' })
    // It was that of another promotion, whose branch this is.
    expect(after({ ...anew, pulls: [], inherits: 'other' })).toBeUndefined()
  })

  it('of others keeps its branch until it is merged', () => {
    expect(after({ isAdopted: true, pulls: [pull(7, { state: 'closed' })] })).toBeUndefined()
    expect(after({ isAdopted: true, pulls: [pull(7, { state: 'merged' })] })).toMatchObject({
      type: 'RemoveBranch',
    })
  })
})
