/** Output of git as reasons and facts: the text of a server is never repeated. */
import type { FactsOf } from '../../api/reasons/index.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { GitFailure } from './gitrunner.ts'
import type { GitUrl } from './giturl.ts'

interface FaultRule {
  readonly when: RegExp
  readonly fault: (place: string, m: RegExpExecArray, url: GitUrl) => SourceFailure
}

/** What to type to see the keys of a host. */
const keyscan = (host: string): string => {
  const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return port === undefined ? `ssh-keyscan ${name}` : `ssh-keyscan -p ${port} ${name}`
}

const unreachable =
  (because: FactsOf<'SourceUnreachable'>['because'], transient = false) =>
  (place: string, _m: RegExpExecArray, { host }: GitUrl): SourceFailure =>
    fault('SourceUnreachable', { place, because, host }, transient)

/** The first rule that applies. git runs with LC_ALL=C. */
const rules: readonly FaultRule[] = [
  {
    when: /fingerprint for the \S+ key sent by the remote host is\s+(SHA256:[A-Za-z0-9+/=]+)/,
    fault: (place, m, { host }) =>
      fault('HostKeyUnknown', { place, host, fingerprint: m[1]!, command: keyscan(host) }),
  },
  {
    when: /Host key verification failed|No (\S+) host key is known|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    fault: (place, _m, { host }) => fault('HostKeyUnknown', { place, host, command: keyscan(host) }),
  },
  {
    when: /Permission denied \(|invalid format|error in libcrypto/,
    fault: (place) => fault('SourceAuthFailed', { place, because: 'KeyRefused' }),
  },
  {
    when: /returned error: (401|403)|Authentication failed|could not read (Username|Password)/,
    fault: (place, m) =>
      m[1] === '403'
        ? fault('SourceAuthFailed', { place, because: 'Rejected', status: 403 })
        : fault('SourceAuthFailed', { place, because: 'NoCredentials', status: 401 }),
  },
  {
    when: /returned error: (30[1278])/,
    fault: (place, m) => fault('RedirectRefused', { place, because: 'Status', status: Number(m[1]) }),
  },
  {
    when: /returned error: 404|repository .* not found|does not appear to be a git repository/i,
    fault: unreachable('NoRepository'),
  },
  {
    when: /returned error: (429|5\d\d)/,
    fault: (place, m) => fault('SourceUnreachable', { place, because: 'Status', status: Number(m[1]) }, true),
  },
  {
    when: /died of signal 25|File too large|file size limit exceeded/i,
    fault: (place) => fault('SourceTooLarge', { place, limit: '128 MiB a file' }),
  },
  { when: /dumb http transport/, fault: unreachable('PlainFiles') },
  {
    when: /SSL certificate problem: ([^\n]*)|(server certificate verification failed)/,
    fault: (place, m) =>
      fault('SourceUnreachable', { place, because: 'Certificate', error: m[1] ?? m[2] ?? '' }),
  },
  {
    when: /Could not resolve host(name)?|Name or service not known|Temporary failure in name resolution/,
    fault: unreachable('UnknownHost', true),
  },
  {
    when: /Connection refused|Couldn't connect|Failed to connect/,
    fault: unreachable('ConnectionRefused', true),
  },
  {
    when: /not a tree object|Not a valid object name \S+\^\{commit\}/,
    fault: (place) => fault('RefNotFound', { place, because: 'NotACommit' }),
  },
  {
    when: /timed out|Operation too slow|Connection reset|early EOF|hung up unexpectedly|unexpected disconnect|RPC failed/,
    fault: unreachable('ConnectionClosed', true),
  },
  {
    when: /fsck error|fatal: fsck|hasDotdot|hasDotgit|badTree|zeroPaddedFilemode|fullPathname/i,
    fault: (place) => fault('ArchiveRefused', { place, because: 'Fsck' }),
  },
]

/** `git https://git.example.com/web.git`: the place of a failure. */
export const gitPlace = (url: GitUrl): string => `git ${url.text}`

/** What git reports, as facts: the text of a server is never repeated. */
export function gitFault(failure: GitFailure, url: GitUrl): SourceFailure {
  const place = gitPlace(url)
  switch (failure.kind) {
    case 'ToolMissing':
      return fault('ToolMissing', { tool: 'git', field: 'spec.source.git' })
    case 'HostRefused':
      return fault('HostRefused', failure.refused, true)
    case 'Unresolved':
      return fault('SourceUnreachable', { place, because: 'UnknownHost', host: url.host }, true)
    case 'TimedOut':
      return fault('SourceUnreachable', { place, because: 'Timeout', seconds: failure.ms / 1000 }, true)
    case 'TooMuchOutput':
      return fault('SourceTooLarge', { place, limit: `${failure.limit / 1048576} MiB` })
    case 'TooMuchMemory':
      return fault('SourceTooLarge', { place, limit: `${failure.limit / 1048576} MiB of memory` })
    case 'Aborted':
      return fault('SourceUnreachable', { place, because: 'Stopped' }, true)
    case 'Crashed':
      return fault('SourceUnreachable', { place, because: 'Error', error: `git: ${failure.detail}` }, true)
    case 'Exit':
      return exitFault(failure.stderr, failure.code, url)
  }
}

function exitFault(stderr: string, code: number, url: GitUrl): SourceFailure {
  const place = gitPlace(url)
  for (const rule of rules) {
    const m = rule.when.exec(stderr)
    if (m) return rule.fault(place, m, url)
  }
  // Lines of git itself only: a server's begin with "remote:".
  const own = stderr.split('\n').find((l) => /^(fatal|error): /.test(l)) ?? `git: exit code ${code}`
  return fault('SourceUnreachable', { place, because: 'Error', error: own.slice(0, 160) }, true)
}

/** The server serves only what a reference names (protocol v0, or configured so). */
export const isUnadvertised = (f: GitFailure): boolean =>
  f.kind === 'Exit' &&
  /unadvertised object|not our ref|did not send all necessary objects|couldn't find remote ref/.test(f.stderr)
