import { describe, expect, it } from 'vitest'
import { chartRepository, gitReferenceOf, gitUrl, isSameRepository } from './gitreference.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

describe('a revision of an Application', () => {
  it.each<[string, object]>([
    ['', { name: 'HEAD' }],
    ['HEAD', { name: 'HEAD' }],
    [COMMIT, { commit: COMMIT }],
    ['refs/pull/7/head', { name: 'refs/pull/7/head' }],
    ['^1.2', { semver: '^1.2' }],
    ['1.x', { semver: '1.x' }],
    ['>=1.0.0 <2.0.0', { semver: '>=1.0.0 <2.0.0' }],
    ['1.0.*', { semver: '1.0.*' }],
  ])('%j is %j', (revision, ref) => expect(gitReferenceOf(revision, undefined)).toEqual({ ref }))

  it('with three numbers is a tag, and any other one a branch; that it is not sure is said', () => {
    expect(gitReferenceOf('v1.2.3', undefined)).toEqual({
      ref: { tag: 'v1.2.3' },
      doubt: 'a tag; write refs/heads/v1.2.3 if it is a branch',
    })
    expect(gitReferenceOf('stable-v1', undefined)).toEqual({
      ref: { branch: 'stable-v1' },
      doubt: 'a branch; write refs/tags/stable-v1 if it is a tag',
    })
  })

  it('that the cluster group is read from is what it is there', () => {
    const like = (ref: object) => ({ url: 'https://git/p', ref })
    expect(gitReferenceOf('stable', like({ tag: 'stable' }))).toEqual({ ref: { tag: 'stable' } })
    expect(gitReferenceOf('v1.2.3', like({ branch: 'v1.2.3' }))).toEqual({ ref: { branch: 'v1.2.3' } })
  })
})

describe('a repository', () => {
  it.each([
    ['https://git/p.git', 'https://git/p.git'],
    ['git@github.com:o/r.git', 'ssh://git@github.com/o/r.git'],
    ['git@host:/o/r', 'ssh://git@host/o/r'],
    ['ssh://git@host:2222/o/r', 'ssh://git@host:2222/o/r'],
  ])('%s is %s', (repoURL, url) => expect(gitUrl(repoURL)).toBe(url))

  it('is the same with .git and without, and in both ways of writing it', () => {
    expect(isSameRepository('https://git/p', 'https://git/p.git')).toBe(true)
    expect(isSameRepository('git@git:p', 'ssh://git@git/p.git')).toBe(true)
    expect(isSameRepository('https://git/p', 'https://git/q')).toBe(false)
  })

  it('of charts is a registry where it has no scheme', () => {
    expect(chartRepository('quay.io/o')).toBe('oci://quay.io/o')
    expect(chartRepository('https://charts')).toBe('https://charts')
  })
})
