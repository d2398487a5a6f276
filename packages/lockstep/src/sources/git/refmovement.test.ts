import { expect, it } from 'vitest'
import type { GitRef } from './gitref.ts'
import { refMovementOf, unvouched } from './refmovement.ts'

const cases: readonly [string, GitRef, string, string, string | undefined][] = [
  ['a tag that stays', { tag: 'v1' }, 'v1@sha1:aa', 'v1@sha1:aa', undefined],
  ['a tag that moves', { tag: 'v1' }, 'v1@sha1:aa', 'v1@sha1:bb', 'TagMoved: v1 was aa, is bb'],
  ['a tag with an @ that moves', { tag: 'v@1' }, 'v@1@sha1:aa', 'v@1@sha1:bb', 'TagMoved: v@1 was aa, is bb'],
  ['a branch that moves, as branches do', { branch: 'v1' }, 'v1@sha1:aa', 'v1@sha1:bb', undefined],
  ['a newer version', { semver: '^1' }, '1.2.0@sha1:aa', '1.10.0@sha1:bb', undefined],
  ['the same version at another commit', { semver: '^1' }, '1.2.0@sha1:aa', '1.2.0@sha1:bb', undefined],
  [
    'an older version',
    { semver: '^1.2' },
    'v1.2.10@sha1:aa',
    'v1.2.9@sha1:bb',
    'ResolvedOlder: ^1.2 resolves to v1.2.9, older than the published v1.2.10, which stays; to roll back set spec.source.git.ref.tag to v1.2.9',
  ],
  [
    'an older version behind a prefix',
    { semver: '>=1', tagPrefix: 'web/' },
    'web/2.0.0@sha1:aa',
    'web/1.0.0@sha1:bb',
    'ResolvedOlder: >=1 resolves to web/1.0.0, older than the published web/2.0.0, which stays; to roll back set spec.source.git.ref.tag to web/1.0.0',
  ],
  ['what was published by another reference', { semver: '^1' }, 'main@sha1:aa', '1.0.0@sha1:bb', undefined],
  ['a lone commit before', { semver: '^1' }, 'sha1:aa', '1.0.0@sha1:bb', undefined],
]

it.each(cases)('%s', (_, ref, before, after, expected) => {
  const found = refMovementOf(ref, before, after)
  expect(found && `${found.reason}: ${found.message}`).toBe(expected)
})

it.each<[GitRef, boolean]>([
  [{ commit: 'aa' }, true],
  [{ branch: 'main', commit: 'aa' }, false],
  [{ tag: 'v1', commit: 'aa' }, false],
  [{ name: 'refs/pull/7/head' }, false],
])('of %o alone nothing vouches for the commit: %s', (ref, isAlone) => {
  expect(unvouched(ref)?.reason).toBe(isAlone ? 'CommitNotOnRef' : undefined)
})
