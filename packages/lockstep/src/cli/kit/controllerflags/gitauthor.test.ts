import { describe, expect, it } from 'vitest'
import { gitAuthorOf } from './gitauthor.ts'

describe('--git-author', () => {
  it.each([
    ['Ada <ada@example.com>', 'Ada <ada@example.com>'],
    [' Zoë van der Berg, Release <z+ops@example.com> ', 'Zoë van der Berg, Release <z+ops@example.com>'],
    [undefined, 'Lockstep <lockstep@invalid>'],
  ])('%j', (gitAuthor, value) => {
    expect(gitAuthorOf(gitAuthor === undefined ? {} : { gitAuthor })).toEqual({ ok: true, value })
  })

  it.each([
    'Ada',
    'ada@example.com',
    '<ada@example.com>',
    'Ada<ada@example.com>',
    'Ada <>',
    'Ada <a b>',
    'Ada <ada@example.com> Lovelace',
    'A <a> <ada@example.com>',
    'Ada\nLovelace <ada@example.com>',
    '',
  ])('%j is none', (gitAuthor) => {
    expect(gitAuthorOf({ gitAuthor })).toMatchObject({
      ok: false,
      error: { code: 'E_USAGE', message: `--git-author ${gitAuthor}: must be Name <address>` },
    })
  })
})
