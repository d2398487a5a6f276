import { describe, expect, it } from 'vitest'
import type { PromotionStatus } from '../../../api/kinds/promotion/status.ts'
import { PULL, promotion } from '../promotion.cases.ts'
import { mayBeOpen, nextClosingEffect } from './closepullrequests.ts'
import { closingUntilMs } from './listdelay.ts'
import type { PullRequestObservation } from './pullrequestlookup.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const INTENT = { intent: { commit: 'c1', base: 'b1', branch: 'lockstep/podinfo/prod/7-12345678' } }
const pull = (o: Partial<PullRequestObservation> = {}): PullRequestObservation => ({
  number: 7,
  url: 'https://example.com/7',
  state: 'open',
  key: undefined,
  headCommit: 'c1',
  mergeCommit: undefined,
  isOlder: false,
  ...o,
})
type Phase = Parameters<typeof promotion>[0]

describe('of a promotion that is deleted something may be open', () => {
  it.each<[string, Phase, PromotionStatus, boolean]>([
    ['while it runs, also before anything is made ready', 'Pending', {}, true],
    ['while it is open', 'Open', INTENT, true],
    ['where it has failed half-way', 'Failed', INTENT, true],
    ['not where it has failed before anything was made ready', 'Failed', { intent: {} }, false],
    ['not where it has succeeded', 'Succeeded', INTENT, false],
    [
      'for a while after that, as long as it is swept',
      'Succeeded',
      { ...INTENT, sweepUntil: '2026-11-23T12:05:00Z' },
      true,
    ],
    ['and not after that', 'Rejected', { ...INTENT, sweepUntil: '2026-11-23T11:59:00Z' }, false],
  ])('%s', (_, phase, status, is) => {
    expect(mayBeOpen(promotion(phase, status, PULL), NOW)).toBe(is)
  })
})

describe('what is closed', () => {
  const next = (
    pulls: PullRequestObservation[],
    branch?: string,
    intent: object = {},
    settings: object = {},
  ) =>
    nextClosingEffect({
      promotion: promotion('Aborted', { intent: { ...INTENT.intent, ...intent } }, { ...PULL, ...settings }),
      pulls,
      branch,
      isShared: false,
      isTaken: false,
      nowMs: NOW,
    })

  it('is each that is open and ours, then its branch', () => {
    expect(next([pull({ state: 'closed' }), pull({ number: 8 })], 'c1')).toMatchObject({
      type: 'ClosePull',
      number: 8,
      comment: expect.stringContaining('was deleted'),
    })
    expect(next([pull({ state: 'closed' })], 'c1')).toEqual({ type: 'RemoveBranch', expect: 'c1' })
    expect(next([pull({ state: 'closed' })])).toBeUndefined()
  })

  it('is not that of another promotion, unless ours was about to go on with it', () => {
    expect(next([pull({ key: 'x' })])).toBeUndefined()
    expect(next([pull({ key: 'x' })], undefined, { inherits: 'x' })).toMatchObject({ number: 7 })
  })

  it('is nothing of others: neither their pull request nor a branch with commits of theirs', () => {
    expect(next([pull()], 'c1', { adopts: 7 })).toBeUndefined()
    expect(next([pull({ state: 'closed' })], 'c9')).toBeUndefined()
  })

  it('is no branch where branches stay', () => {
    const pullRequest = { ...PULL.pullRequest, deleteBranch: false }
    expect(next([], 'c1', {}, { pullRequest })).toBeUndefined()
  })

  it('is no branch while something may have been opened on it that no list has', () => {
    const at = (since: string, endedIn: Phase = 'Applying') =>
      nextClosingEffect({
        promotion: promotion('Aborted', { ...INTENT, since, endedIn }, PULL),
        pulls: [],
        branch: 'c1',
        isShared: false,
        isTaken: false,
        nowMs: NOW,
      })
    expect(at('2026-11-23T11:58:51Z')).toBeUndefined()
    expect(at('2026-11-23T11:58:50Z')).toEqual({ type: 'RemoveBranch', expect: 'c1' })
    expect(at('2026-11-23T12:00:00Z', 'Open')).toEqual({ type: 'RemoveBranch', expect: 'c1' })
  })

  it('is looked for once more where it was just being opened', () => {
    const since = '2026-11-23T12:00:00Z'
    expect(closingUntilMs(promotion('Aborted', { since, endedIn: 'Applying' }))).toBe(NOW + 70_000)
    expect(closingUntilMs(promotion('Aborted', { since, endedIn: 'Open' }))).toBeUndefined()
  })
})
