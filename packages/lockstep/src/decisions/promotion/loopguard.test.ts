import { describe, expect, it } from 'vitest'
import { commitOfRevision, isCausedByPromotion } from './loopguard.ts'
import { ID } from './promotion.cases.ts'
import { messageOf } from './trailers.ts'

const hex = 'a'.repeat(40)

describe('the commit of a revision', () => {
  it.each([
    [`main@sha1:${hex}`, hex],
    [`sha1:${hex}`, hex],
    [`sha256:${'b'.repeat(64)}`, 'b'.repeat(64)],
    [`main/${hex}`, hex],
    [hex, hex],
    ['6.0.1', undefined],
    ['v1.0.0@sha1:abc', undefined],
  ])('%s', (revision, commit) => expect(commitOfRevision(revision)).toBe(commit))
})

describe('what came since', () => {
  const ours = { message: messageOf(ID), parents: ['p'] }
  const merge = { message: 'Merge pull request #7', parents: ['p', 'q'] }
  const theirs = { message: 'a change', parents: ['p'] }
  it.each<[string, object[], boolean]>([
    ['one of our own', [ours], true],
    ['one of our own, merged by somebody', [merge, ours], true],
    ['one of somebody else besides', [ours, theirs], false],
    ['merges of nothing', [merge], false],
    ['nothing: it went back', [], false],
    ['one of another pipeline', [{ ...ours, message: messageOf({ ...ID, identity: 'other' }) }], true],
  ])('%s', (what, commits, is) =>
    expect(isCausedByPromotion(ID.identity, commits as never)).toBe(is && !what.includes('another')),
  )
})
