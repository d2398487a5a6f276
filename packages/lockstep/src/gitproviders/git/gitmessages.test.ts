import { describe, expect, it } from 'vitest'
import { failureOfGitMessages, pushResultOf } from './gitmessages.ts'

const REF = 'refs/heads/lockstep/a'
const line = (flag: string, summary: string): string =>
  `To https://h/o/r\n${flag}\t1111:${REF}\t${summary}\nDone\n`

describe('what git says of a push', () => {
  it.each([
    ['*', '[new branch]', '', 'pushed'],
    [' ', '1111..2222', '', 'pushed'],
    ['+', '1111...2222 (forced update)', '', 'pushed'],
    ['-', '[deleted]', '', 'pushed'],
    ['=', '[up to date]', '', 'same'],
    ['!', '[rejected] (stale info)', '', 'Stale'],
    ['!', '[rejected] (fetch first)', '', 'Stale'],
    ['!', '[rejected] (non-fast-forward)', '', 'Stale'],
    [
      '!',
      '[remote rejected] (failed to update ref)',
      'remote: error: cannot lock ref: is at 1 but expected 2',
      'Stale',
    ],
    ['!', "[remote rejected] (cannot lock ref 'x': reference already exists)", '', 'Stale'],
    ['!', "[remote rejected] (cannot lock ref 'x': Unable to create 'x.lock': File exists)", '', 'Server'],
    ['!', '[remote rejected] (pre-receive hook declined)', '', 'Refused'],
    ['!', '[remote rejected] (protected branch hook declined)', '', 'Refused'],
    // A ruleset of GitHub: renovatebot/renovate #44819.
    ['!', '[remote rejected] (push declined due to repository rule violations)', '', 'Refused'],
    ['!', '[remote rejected] (deletion prohibited)', '', 'Refused'],
    ['!', '[remote rejected] (shallow update not allowed)', '', 'Stale'],
    ['!', '[remote rejected] (unpacker error)', '', 'Server'],
    // GitHub, when its storage is out of order: "remote: fatal error in commit_refs".
    ['!', '[remote rejected] (failure)', 'remote: fatal error in commit_refs', 'Server'],
    ['!', '[remote rejected] (Internal Server Error)', '', 'Server'],
    ['!', '[remote rejected] (something else)', '', 'Unexpected'],
  ])('%s %s: %s', (flag, summary, stderr, expected) => {
    const became = pushResultOf(line(flag, summary), stderr, REF)
    expect(typeof became === 'object' ? became.kind : became).toBe(expected)
  })

  it('nothing of another branch', () => {
    expect(pushResultOf(line('*', '[new branch]'), '', 'refs/heads/main')).toBeUndefined()
    expect(pushResultOf('', '', REF)).toBeUndefined()
  })
})

describe('what git says when it fails', () => {
  const said = (stderr: string, writes: boolean, offline = false) => {
    const url = { text: 'https://h/o/r', scheme: 'https', host: 'h', origin: 'https://h' } as const
    return failureOfGitMessages(
      { kind: 'Exit', code: 128, stderr },
      { request: 'git push', writes, offline, url, secrets: ['hush'] },
    )
  }

  it.each<readonly [string, string, string]>([
    ["fatal: unable to access 'https://h/o/r/': The requested URL returned error: 502", 'Server', 'maybe'],
    ['error: RPC failed; HTTP 504 curl 22 The requested URL returned error: 504', 'Server', 'maybe'],
    ["fatal: unable to access 'https://h/o/r/': The requested URL returned error: 429", 'RateLimited', 'no'],
    ["fatal: Authentication failed for 'https://h/o/r/'", 'CredentialsRejected', 'no'],
    [
      "fatal: unable to access 'https://h/o/r/': The requested URL returned error: 403",
      'CredentialsRejected',
      'no',
    ],
    [
      'remote: This repository was archived so it is read-only.\nfatal: … returned error: 403',
      'Refused',
      'no',
    ],
    [
      "remote: Repository not found.\nfatal: repository 'https://h/o/r/' not found",
      'RepositoryNotFound',
      'no',
    ],
    ['error: RPC failed; HTTP 404 curl 22 The requested URL returned error: 404', 'RepositoryNotFound', 'no'],
    ["fatal: '/o/r' does not appear to be a git repository", 'RepositoryNotFound', 'no'],
    ["remote: ticket repository x not found\nfatal: couldn't find remote ref x", 'NotFound', 'no'],
    ["fatal: unable to access 'https://h/o/archived/': Could not resolve host: h", 'Unreachable', 'no'],
    ['fatal: remote error: upload-pack: not our ref 1111', 'NotFound', 'no'],
    [
      "fatal: unable to access 'https://h/o/r/': Failed to connect to h port 443: Connection refused",
      'Unreachable',
      'no',
    ],
    ["fatal: unable to access 'https://h/o/r/': Could not resolve host: h", 'Unreachable', 'no'],
    ['fatal: the remote end hung up unexpectedly', 'Unreachable', 'maybe'],
    ["fatal: unable to access 'https://h/o/r/': Empty reply from server", 'Unreachable', 'maybe'],
    // Words of GnuTLS, OpenSSL, HTTP/2 and proxies, whatever their versions make of them.
    ...[
      "fatal: unable to access 'https://h/o/r/': gnutls_handshake() failed: The TLS connection was non-properly terminated.",
      "fatal: unable to access 'https://h/o/r/': OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443",
      "fatal: unable to access 'https://h/o/r/': GnuTLS recv error (-54): Error in the pull function.",
      "fatal: unable to access 'https://h/o/r/': HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)",
      "fatal: unable to access 'https://h/o/r/': Received HTTP code 503 from proxy after CONNECT",
      "fatal: unable to access 'https://h/o/r/': Could not resolve proxy: p",
      'fatal: what nobody has said before',
    ].map((stderr) => [stderr, 'Unreachable', 'maybe'] as const),
    ["fatal: unable to access 'https://h/o/r/': The requested URL returned error: 405", 'Unexpected', 'no'],
    ["fatal: unable to access 'https://h/o/r/': The requested URL returned error: 301", 'Unexpected', 'no'],
  ])('%s: %s, %s', (stderr, kind, wrote) => {
    expect(said(stderr, true)).toMatchObject({ kind, wrote, request: 'git push' })
    expect(said(stderr, false).wrote).toBe('no')
  })

  it('of this machine alone: another try would say it again', () =>
    expect(said('fatal: bad object 1111', false, true)).toMatchObject({ kind: 'Unexpected', wrote: 'no' }))

  it('never a secret, and not what the server sends, unless it refuses', () => {
    expect(said('fatal: bad token hush', true).message).not.toContain('hush')
    expect(said('remote: free beer\nfatal: bad object', true).message).not.toContain('beer')
    expect(said('remote: archived; ask hush', true).message).toBe('archived; ask ***')
  })
})
