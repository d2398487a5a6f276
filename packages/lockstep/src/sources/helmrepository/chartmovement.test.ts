import { expect, it } from 'vitest'
import { chartMovement } from './chartmovement.ts'

it.each([
  ['a version that stays', '^1', '1.2.0@sha256:aa', '1.2.0@sha256:aa', undefined],
  ['a newer version', '^1', '1.2.0@sha256:aa', '1.10.0@sha256:bb', undefined],
  [
    'a version that is pushed anew',
    '1.2.0',
    '1.2.0@sha256:aa',
    '1.2.0@sha256:bb',
    'TagMoved: version 1.2.0 was sha256:aa, is sha256:bb',
  ],
  [
    'an older version',
    '^1.2',
    '1.2.10@sha256:aa',
    '1.2.9+b.1@sha256:bb',
    'ResolvedOlder: ^1.2 resolves to 1.2.9+b.1, older than the published 1.2.10, which stays; to roll back set spec.source.helm.version to 1.2.9+b.1',
  ],
  ['another build of the same version', '^1', '1.2.0+b.2@sha256:aa', '1.2.0+b.1@sha256:bb', undefined],
  ['what was published of Git', '^1', 'main@sha1:aa', '1.0.0@sha256:bb', undefined],
])('%s', (_, version, before, after, expected) => {
  const found = chartMovement({ version }, before, after)
  expect(found && `${found.reason}: ${found.message}`).toBe(expected)
})
