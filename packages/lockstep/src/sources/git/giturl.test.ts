import { describe, expect, it } from 'vitest'
import { parseGitUrl } from './giturl.ts'

describe('URLs of repositories', () => {
  it.each([
    ['https://example.com/a/b.git', 'https://example.com', 'example.com'],
    ['https://example.com:8443/b', 'https://example.com:8443', 'example.com:8443'],
    ['ssh://git@example.com:2222/a/b', 'ssh://example.com:2222', 'example.com:2222'],
  ])('%s', (text, origin, host) => {
    expect(parseGitUrl(text, false)).toMatchObject({ ok: true, value: { text, origin, host } })
  })

  it.each([
    ['git@example.com:a/b.git', 'write ssh://git@example.com/a/b.git'],
    ['example.com:a/b', 'write ssh://git@example.com/a/b'],
    ['http://example.com/a', 'write https://'],
    ['git://example.com/a', 'git:// is not supported'],
    ['ext::sh -c id', 'is not a URL'],
    ['file:///srv/a', 'for local fleets only'],
    ['https://user:secret@example.com/a', 'put them into a Secret'],
    ['https://token@example.com/a', 'put them into a Secret'],
    ['ssh://git:secret@example.com/a', 'put them into a Secret'],
    ['https://example.com/a?ref=main', 'has a query'],
    ['https://example.com/', 'names no repository'],
    ['ssh://-oProxyCommand=id/a', 'is no'],
    ['--upload-pack=id', 'is not a URL'],
    ['', 'is not a URL'],
  ])('"%s" is refused, with what to write instead', (text, message) => {
    const parsed = parseGitUrl(text, false)
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(message) })
    expect(JSON.stringify(parsed)).not.toContain('secret@')
  })

  it.each(['http://127.0.0.1:8080/a/b', 'http://localhost/a', 'http://[::1]:1/a'])(
    '%s stays on this machine: where that is allowed',
    (text) => {
      expect(parseGitUrl(text, false, true)).toMatchObject({ ok: true, value: { scheme: 'http', text } })
      expect(parseGitUrl(text, false)).toMatchObject({ ok: false })
    },
  )

  it.each(['http://example.com/a', 'http://127.0.0.1.example.com/a', 'http://localhost.example.com/a'])(
    '%s goes over a network',
    (text) => {
      const error = 'http:// is not encrypted; write https://'
      expect(parseGitUrl(text, false, true)).toEqual({ ok: false, error })
    },
  )

  it('files are taken where that is allowed', () => {
    expect(parseGitUrl('file:///srv/a', true)).toMatchObject({ ok: true, value: { scheme: 'file' } })
  })
})
