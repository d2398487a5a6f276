import { describe, expect, it } from 'vitest'
import {
  type BaseObservation,
  type BranchObservation,
  lookUpPullRequest,
  type PullRequestLookup,
  type PullRequestObservation,
} from './pullrequestlookup.ts'

const KEY = 'k'.repeat(64)
const base: BaseObservation = {
  head: 'b1',
  hasValue: false,
  hasTrailer: false,
  isRewritten: false,
  replacedBy: undefined,
}
const ours: BranchObservation = { head: 'c1', foreign: 0, hasOurs: true }
const pull = (
  number: number,
  state: PullRequestObservation['state'],
  o: Partial<PullRequestObservation> = {},
): PullRequestObservation => ({
  number,
  url: `https://example.com/${number}`,
  state,
  key: KEY,
  headCommit: 'c1',
  mergeCommit: undefined,
  isOlder: false,
  ...o,
})

const found = (
  pulls: PullRequestObservation[],
  o: {
    branch?: BranchObservation
    base?: Partial<BaseObservation>
    inherited?: string
    adopts?: number
    recorded?: number
  } = {},
): PullRequestLookup =>
  lookUpPullRequest({
    key: KEY,
    intent: { commit: 'c1', base: 'b1' },
    inherited: o.inherited === undefined ? undefined : { key: o.inherited, commit: 'c0' },
    adopts: o.adopts,
    recorded: o.recorded,
    pulls,
    branch: o.branch,
    base: { ...base, ...o.base },
  })

describe('what is found before anything is done', () => {
  it.each<[string, PullRequestLookup, object]>([
    ['nothing at all', found([]), { type: 'Nothing', isPushed: false }],
    ['X2: our branch, no pull request', found([], { branch: ours }), { type: 'Nothing', isPushed: true }],
    [
      'X3: a pull request at our head',
      found([pull(7, 'open')], { branch: ours }),
      { type: 'Open', repair: false },
    ],
    [
      'X4: merged, squashed by a person, branch deleted',
      found([pull(7, 'merged')], { base: { hasValue: true } }),
      { type: 'Merged' },
    ],
    [
      'X5: our trailer at the base',
      found([], { base: { hasValue: true, hasTrailer: true } }),
      { type: 'Present', ours: true },
    ],
    [
      'the value is there, and not from us',
      found([], { base: { hasValue: true } }),
      { type: 'Present', ours: false },
    ],
    ['X6: our trailer, the value gone', found([], { base: { hasTrailer: true } }), { type: 'Reverted' }],
    ['merged, then taken back', found([pull(7, 'merged')]), { type: 'Reverted' }],
    [
      'merged, then followed by a later epoch',
      found([pull(7, 'merged')], { base: { replacedBy: '6.0.2' } }),
      { type: 'Replaced', by: '6.0.2' },
    ],
    [
      'not done, and a later epoch is there',
      found([], { base: { replacedBy: '6.0.2' } }),
      { type: 'Replaced', by: '6.0.2' },
    ],
    [
      'merged before this promotion was there',
      found([pull(7, 'merged', { isOlder: true })]),
      { type: 'KeyReused' },
    ],
    [
      'X11: the base is rewritten',
      found([], { base: { isRewritten: true } }),
      { type: 'Nothing', isRewritten: true },
    ],
    ['X12: closed', found([pull(7, 'closed')]), { type: 'Rejected' }],
    [
      'X13: its body was edited',
      found([pull(7, 'open', { key: undefined })]),
      { type: 'Open', repair: true },
    ],
    [
      'a pull request of another promotion with this head',
      found([pull(7, 'open', { key: 'x'.repeat(64) })], { branch: ours }),
      { type: 'Nothing', isPushed: true },
    ],
    [
      'one that is gone on with',
      found([pull(7, 'open', { key: 'x'.repeat(64) })], { branch: ours, inherited: 'x'.repeat(64) }),
      { type: 'Open', repair: true },
    ],
    [
      'others have pushed on top, before there was a pull request',
      found([], { branch: { ...ours, foreign: 2 } }),
      { type: 'BranchModified', foreign: 2 },
    ],
    [
      'a branch of that name that is none of ours',
      found([], { branch: { head: 'z', foreign: 1, hasOurs: false } }),
      { type: 'BranchConflict' },
    ],
  ])('%s', (_, is, wanted) => expect(is).toMatchObject(wanted))

  it('of several, merged comes before open, open before closed, and lower numbers first', () => {
    const at = (pulls: PullRequestObservation[]) => {
      const is = found(pulls, { branch: ours, base: { hasValue: true } })
      return 'pull' in is ? [is.type, is.pull.number, 'duplicates' in is ? is.duplicates : []] : is.type
    }
    expect(at([pull(9, 'open'), pull(8, 'merged'), pull(7, 'closed')])).toEqual(['Merged', 8, [9]])
    expect(at([pull(9, 'open'), pull(8, 'open'), pull(7, 'closed')])).toEqual(['Open', 8, [9]])
    expect(at([pull(9, 'closed'), pull(7, 'closed')])).toEqual(['Rejected', 7, []])
  })

  it.each<
    [
      string,
      Partial<PullRequestObservation> & Pick<PullRequestObservation, 'state'>,
      PullRequestLookup['type'],
    ]
  >([
    ['open at the commit of the one before', { state: 'open', headCommit: 'c0' }, 'Open'],
    ['open at ours already, its body not changed yet', { state: 'open' }, 'Open'],
    ['merged before it was ours', { state: 'merged', headCommit: 'c0' }, 'Lost'],
    ['closed before it was ours', { state: 'closed', headCommit: 'c0' }, 'Lost'],
    ['with commits of others', { state: 'open', headCommit: 'x' }, 'Lost'],
    ['merged at our commit, its body not changed yet', { state: 'merged', isOlder: true }, 'Reverted'],
    ['closed at our commit', { state: 'closed' }, 'Rejected'],
  ])('what it goes on with of another promotion: %s', (_, { state, ...o }, type) => {
    const before = 'x'.repeat(64)
    expect(found([pull(7, state, { key: before, ...o })], { inherited: before }).type).toBe(type)
  })
})

describe('a pull request that another controller has opened, and that is gone on with', () => {
  const theirs = (state: PullRequestObservation['state'], o: Partial<PullRequestObservation> = {}) =>
    pull(7, state, { key: undefined, ...o })
  it.each<[string, PullRequestLookup, object]>([
    [
      'is open: nothing of it is changed',
      found([theirs('open')], { adopts: 7 }),
      { type: 'Open', repair: false },
    ],
    [
      'is merged',
      found([theirs('merged', { isOlder: true })], { adopts: 7, base: { hasValue: true } }),
      { type: 'Merged' },
    ],
    [
      'was merged and taken back: it was opened before this promotion, and is no earlier epoch',
      found([theirs('merged', { isOlder: true })], { adopts: 7 }),
      { type: 'Reverted' },
    ],
    ['was closed', found([theirs('closed')], { adopts: 7 }), { type: 'Rejected' }],
    [
      'is not the one before it of its branch',
      found([theirs('merged', { number: 6 })], { adopts: 7 }),
      { type: 'Lost' },
    ],
    ['is gone', found([], { adopts: 7, branch: ours }), { type: 'Lost' }],
  ])('%s', (_, is, expected) => {
    expect(is).toMatchObject(expected)
  })
})
