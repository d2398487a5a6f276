import { describe, expect, it } from 'vitest'
import type { PromotionStatus } from '../../../api/kinds/promotion/status.ts'
import { HELD, newer, PULL, promotion } from '../promotion.cases.ts'
import type { PullRequestLookup, PullRequestObservation } from './pullrequestlookup.ts'
import { type PullRequestInput, pullRequestStep } from './pullrequeststep.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const pull: PullRequestObservation = {
  number: 7,
  url: 'https://github.com/o/r/pull/7',
  state: 'open',
  key: 'k',
  headCommit: 'c1',
  mergeCommit: undefined,
  isOlder: false,
}
const open: PullRequestLookup = { type: 'Open', pull, repair: false, duplicates: [] }
const nothing: PullRequestLookup = { type: 'Nothing', isPushed: false, isRewritten: false }
const recorded: PromotionStatus = { result: { pullRequest: { number: 7, url: pull.url, state: 'open' } } }

const after = (
  phase: 'Prepared' | 'Applying' | 'Open',
  found: PullRequestLookup,
  o: Partial<PullRequestInput> & { status?: PromotionStatus; settings?: object } = {},
) =>
  pullRequestStep({
    newer: undefined,
    found,
    baseHead: 'b1',
    mergeable: 'Unknown',
    held: undefined,
    mayTransfer: false,
    isForestalled: false,
    nowMs: NOW,
    ...o,
    promotion: promotion(phase, o.status, { ...PULL, ...o.settings }),
  })

describe('a pull request', () => {
  it('nothing is done before Applying is stored', () => {
    expect(after('Prepared', nothing)).toEqual({ type: 'Phase', to: 'Applying' })
    expect(after('Applying', nothing)).toEqual({ type: 'Effect', effect: { type: 'Push' } })
    expect(after('Applying', { ...nothing, isPushed: true })).toEqual({
      type: 'Effect',
      effect: { type: 'OpenPull' },
    })
  })

  it('one that is found is adopted, and its number is stored', () => {
    expect(after('Prepared', open)).toMatchObject({
      type: 'Phase',
      to: 'Open',
      result: { pullRequest: { number: 7, url: pull.url, state: 'open' } },
    })
    expect(after('Open', open, { status: recorded })).toMatchObject({
      type: 'Wait',
      untilMs: NOW + 60_000,
      blockers: [{ reason: 'AwaitingMerge', message: `pull request #7 is waiting for a merge: ${pull.url}` }],
    })
  })

  it('a base that has moved before anything was pushed is built on', () => {
    expect(after('Applying', nothing, { baseHead: 'b2' })).toEqual({ type: 'Rebuild', previous: undefined })
    expect(after('Applying', { ...nothing, isPushed: true }, { baseHead: 'b2' })).toMatchObject({
      type: 'Effect',
    })
  })

  it('merged, or there already: it converges', () => {
    const merged: PullRequestLookup = {
      type: 'Merged',
      pull: { ...pull, state: 'merged', mergeCommit: 'm1' },
      duplicates: [],
    }
    expect(after('Open', merged)).toMatchObject({
      type: 'Phase',
      to: 'Converging',
      result: { pullRequest: { state: 'merged' }, commit: 'm1' },
    })
    expect(after('Prepared', { type: 'Present', ours: false })).toMatchObject({
      to: 'Converging',
      result: { alreadyAtRevision: true },
    })
  })

  it('closed by somebody is the end, and by a newer revision another one', () => {
    const closed: PullRequestLookup = { type: 'Rejected', pull: { ...pull, state: 'closed' }, duplicates: [] }
    expect(after('Open', closed)).toMatchObject({ to: 'Rejected', reason: 'PullRequestClosed' })
    expect(after('Open', closed, { newer })).toMatchObject({ to: 'Superseded', reason: 'NewerRevision' })
  })

  it('a newer revision closes it, and looks again', () => {
    expect(after('Open', open, { newer, status: recorded })).toEqual({
      type: 'Effect',
      effect: { type: 'ClosePull', number: 7, comment: 'Superseded by 6.0.2' },
    })
    expect(after('Applying', nothing, { newer })).toMatchObject({ to: 'Superseded' })
    expect(after('Prepared', open, { newer })).toEqual({ type: 'Phase', to: 'Applying' })
  })

  it.each<[string, PullRequestLookup, object]>([
    ['taken back at the base', { type: 'Reverted' }, { to: 'Failed', reason: 'RevertedInGit' }],
    ['a branch of somebody else', { type: 'BranchConflict' }, { to: 'Failed', reason: 'BranchConflict' }],
    [
      'commits of others',
      { type: 'BranchModified', foreign: 2 },
      { type: 'Wait', blockers: [{ reason: 'BranchModified' }] },
    ],
    ['a key that was used', { type: 'KeyReused', pull }, { to: 'Aborted', reason: 'KeyReused' }],
  ])('%s', (_, found, wanted) => expect(after('Applying', found)).toMatchObject(wanted))

  it('commits of others on what is open are counted', () => {
    const theirs = { ...open, pull: { ...open.pull, headCommit: 'x' } }
    expect(after('Open', theirs, { status: recorded, foreign: 2 })).toMatchObject({
      blockers: [{ reason: 'BranchModified', facts: { because: 'ExternalCommits', number: 7, commits: 2 } }],
    })
    expect(after('Open', theirs, { status: recorded, foreign: 0 })).toMatchObject({
      blockers: [{ reason: 'BranchModified', facts: { because: 'Rewritten', number: 7 } }],
    })
  })

  it('one that was opened twice is closed, and a body without its key is repaired', () => {
    expect(after('Open', { ...open, duplicates: [9] }, { status: recorded })).toEqual({
      type: 'Effect',
      effect: { type: 'ClosePull', number: 9, comment: 'Duplicate of #7' },
    })
    expect(after('Open', { ...open, repair: true }, { status: recorded })).toEqual({
      type: 'Effect',
      effect: { type: 'RepairPull', number: 7 },
    })
  })
})

describe('merging', () => {
  const auto = { pullRequest: { ...PULL.pullRequest, autoMerge: true } }
  const during = (o: Parameters<typeof after>[2]) =>
    after('Open', open, { status: recorded, settings: auto, ...o })

  it('is ours only where it is asked for, the host lets it, and nothing holds it', () => {
    expect(during({ mergeable: 'Yes' })).toEqual({ type: 'Effect', effect: { type: 'Merge', number: 7 } })
    expect(during({ mergeable: 'Unknown' })).toMatchObject({
      blockers: [{ reason: 'MergeBlocked' }],
      untilMs: NOW + 60_000,
    })
    expect(during({ mergeable: 'Yes', held: HELD })).toMatchObject({
      blockers: [{ message: `pull request #7 is not merged yet: WindowClosed: ${pull.url}` }, HELD.blocker],
    })
    expect(during({ mergeable: 'Yes', settings: {} })).toMatchObject({
      blockers: [{ reason: 'AwaitingMerge' }],
    })
  })

  it('never of a head that is not ours', () => {
    const modified: PullRequestLookup = { ...open, pull: { ...pull, headCommit: 'z9' } }
    expect(after('Open', modified, { status: recorded, settings: auto, mergeable: 'Yes' })).toMatchObject({
      type: 'Wait',
      blockers: [{ reason: 'BranchModified' }],
    })
  })

  it('what cannot be merged is built anew on the base of now, by lease from our own commit', () => {
    expect(during({ mergeable: 'Conflict', baseHead: 'b2' })).toEqual({ type: 'Rebuild', previous: 'c1' })
    expect(during({ mergeable: 'Conflict' })).toMatchObject({ type: 'Wait' })
    const intent = { base: 'b2', commit: 'c2', previous: 'c1', branch: 'x' }
    expect(after('Open', open, { status: { ...recorded, intent }, baseHead: 'b2' })).toEqual({
      type: 'Effect',
      effect: { type: 'MoveBranch', from: 'c1' },
    })
    const wait = { pullRequest: { ...PULL.pullRequest, onConflict: 'Wait' } }
    expect(during({ mergeable: 'Conflict', baseHead: 'b2', settings: wait })).toMatchObject({ type: 'Wait' })
  })

  it('onNewer Update: it is handed on once the newer one can take it, and never with commits of others', () => {
    const settings = { onNewer: 'Update' }
    const o = { status: recorded, settings, newer }
    expect(after('Open', open, o)).toMatchObject({ type: 'Wait' })
    expect(after('Open', open, { ...o, mayTransfer: true })).toMatchObject({
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      result: { pullRequest: { number: 7 }, transferredTo: newer.name },
      message: `pull request #7 continues with ${newer.revision}, Promotion ${newer.name}`,
    })
    const theirs: PullRequestLookup = { ...open, pull: { ...pull, headCommit: 'x' } }
    expect(after('Open', theirs, { ...o, mayTransfer: true })).toMatchObject({
      blockers: [{ reason: 'BranchModified' }],
    })
  })
})

describe('a pull request of another controller', () => {
  const adopts = (o: object = {}, status: PromotionStatus = recorded) => ({
    status: { ...status, intent: { commit: 'c1', base: 'b1', branch: 'promotion-a-b-c', adopts: 7 } },
    ...o,
  })
  const auto = { settings: { pullRequest: { ...PULL.pullRequest, autoMerge: true } } }

  it('that is open for the same is not joined by ours, unless ours is pushed already', () => {
    expect(after('Applying', nothing, { isForestalled: true })).toEqual({
      type: 'Rebuild',
      previous: undefined,
    })
    expect(after('Applying', { ...nothing, isPushed: true }, { isForestalled: true })).toMatchObject({
      type: 'Effect',
      effect: { type: 'OpenPull' },
    })
  })

  it('is merged by people, also where ours would be merged by us', () => {
    expect(after('Open', open, adopts({ mergeable: 'Yes', ...auto }))).toMatchObject({
      type: 'Wait',
      blockers: [{ reason: 'AwaitingMerge' }],
    })
  })

  it('that conflicts is not built anew: its branch is not ours', () => {
    expect(after('Open', open, adopts({ mergeable: 'Conflict', baseHead: 'b2' }))).toMatchObject({
      type: 'Wait',
      blockers: [{ reason: 'MergeBlocked', facts: { because: 'ExternalConflict' } }],
    })
  })

  it('is closed where something newer follows, and never goes on with that', () => {
    const o = { newer, mayTransfer: true, settings: { onNewer: 'Update' } }
    expect(after('Open', open, adopts(o))).toMatchObject({ effect: { type: 'ClosePull', number: 7 } })
  })
})
