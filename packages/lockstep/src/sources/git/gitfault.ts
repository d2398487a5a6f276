/** What git says, as a reason and a message of our own: a server's text is never repeated as it came. */
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { GitFailure } from './gitrunner.ts'
import type { GitUrl } from './giturl.ts'

interface FaultRule {
  readonly when: RegExp
  readonly reason: SourceFailure['reason']
  readonly text: (m: RegExpExecArray, url: GitUrl) => string
  readonly transient?: boolean
}

/** What to type to see the keys of a host. */
const keyscan = (host: string): string => {
  const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return port === undefined ? `ssh-keyscan ${name}` : `ssh-keyscan -p ${port} ${name}`
}

/** The first that applies. git runs with LC_ALL=C. */
const rules: readonly FaultRule[] = [
  {
    when: /fingerprint for the \S+ key sent by the remote host is\s+(SHA256:[A-Za-z0-9+/=]+)/,
    reason: 'HostKeyUnknown',
    text: (m) => `the host key is ${m[1]}, and known_hosts has another one; find out whether it was replaced`,
  },
  {
    when: /Host key verification failed|No (\S+) host key is known|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    reason: 'HostKeyUnknown',
    text: (_, url) =>
      `the host key of ${url.host} is not in known_hosts; compare it with ${keyscan(url.host)} and add it to the Secret`,
  },
  {
    when: /Permission denied \(|invalid format|error in libcrypto/,
    reason: 'SourceAuthFailed',
    text: () => 'the server refused the key in the Secret (identity)',
  },
  {
    when: /returned error: (401|403)|Authentication failed|could not read (Username|Password)/,
    reason: 'SourceAuthFailed',
    text: (m) =>
      m[1] === '403'
        ? 'answered 403: these credentials may not read it'
        : 'answered 401: give credentials in secretRef, or check them',
  },
  {
    when: /returned error: (30[1278])/,
    reason: 'RedirectRefused',
    text: (m) => `answered ${m[1]}, a redirect, which is not followed; write the URL that it leads to`,
  },
  {
    when: /returned error: 404|repository .* not found|does not appear to be a git repository/i,
    reason: 'SourceUnreachable',
    text: () => 'the repository does not exist, or these credentials cannot read it',
  },
  {
    when: /returned error: (429|5\d\d)/,
    reason: 'SourceUnreachable',
    text: (m) => `answered ${m[1]}`,
    transient: true,
  },
  {
    when: /dumb http transport/,
    reason: 'SourceUnreachable',
    text: () => 'is served as plain files; a Git server (git http-backend) is needed',
  },
  {
    when: /SSL certificate problem: ([^\n]*)|(server certificate verification failed)/,
    reason: 'SourceUnreachable',
    text: (m) => `its certificate is not trusted (${m[1] ?? m[2]}); put the CA into the Secret as ca.crt`,
  },
  {
    when: /Could not resolve host(name)?|Name or service not known|Temporary failure in name resolution/,
    reason: 'SourceUnreachable',
    text: (_, url) => `${url.host} is not known to DNS`,
    transient: true,
  },
  {
    when: /Connection refused|Couldn't connect|Failed to connect/,
    reason: 'SourceUnreachable',
    text: (_, url) => `${url.host} refuses connections`,
    transient: true,
  },
  {
    when: /not a tree object|Not a valid object name \S+\^\{commit\}/,
    reason: 'RefNotFound',
    text: () => 'the reference is not a commit, but a file or a directory',
  },
  {
    when: /timed out|Operation too slow|Connection reset|early EOF|hung up unexpectedly|unexpected disconnect|RPC failed/,
    reason: 'SourceUnreachable',
    text: () => 'the connection broke off',
    transient: true,
  },
  {
    when: /fsck error|fatal: fsck|hasDotdot|hasDotgit|badTree|zeroPaddedFilemode|fullPathname/i,
    reason: 'ArchiveRefused',
    text: () => 'holds objects that git fsck refuses (names like .. or .git, or damaged trees)',
  },
]

/** `git https://…: …` */
export function gitFault(failure: GitFailure, url: GitUrl): SourceFailure {
  const say = (reason: SourceFailure['reason'], text: string, transient: boolean): SourceFailure =>
    fault(reason, `git ${url.text}: ${text}`, transient)
  switch (failure.kind) {
    case 'ToolMissing':
      return fault('ToolMissing', 'git is not on PATH; source.git needs it: install git ≥ 2.34')
    case 'TimedOut':
      return say('SourceUnreachable', `no answer within ${failure.ms / 1000} s`, true)
    case 'TooMuchOutput':
      return say('SourceTooLarge', `more than ${failure.limit / 1048576} MiB`, false)
    case 'Aborted':
      return say('SourceUnreachable', 'stopped', true)
    case 'Crashed':
      return say('SourceUnreachable', `git ended: ${failure.detail}`, true)
    case 'Exit':
      return exitFault(failure.stderr, failure.code, url)
  }
}

function exitFault(stderr: string, code: number, url: GitUrl): SourceFailure {
  for (const rule of rules) {
    const m = rule.when.exec(stderr)
    if (m) return fault(rule.reason, `git ${url.text}: ${rule.text(m, url)}`, rule.transient ?? false)
  }
  // Our side's own words only: what a server sends begins with "remote:".
  const own = stderr.split('\n').find((l) => /^(fatal|error): /.test(l)) ?? `git ended with ${code}`
  return fault('SourceUnreachable', `git ${url.text}: ${own.slice(0, 200)}`, true)
}

/** The server serves only what a reference names (protocol v0, or configured so). */
export const isUnadvertised = (f: GitFailure): boolean =>
  f.kind === 'Exit' &&
  /unadvertised object|not our ref|did not send all necessary objects|couldn't find remote ref/.test(f.stderr)
