/** What git says of a push or a fetch, as a kind of failure. git runs with LC_ALL=C. Pure. */

import { type GitFailure, type GitUrl, gitFault } from '../../sources/git/index.ts'
import { shortMessage } from '../api/errormessage.ts'
import type { RepoFailure } from '../gitrepository.ts'

type RepoFailureKind = RepoFailure['kind']

/** The first that applies; curl's words for HTTP, git's own for the rest (remote-curl.c, http.c, fetch-pack.c). */
const RULES: readonly (readonly [RegExp, RepoFailureKind])[] = [
  // Only the server says so: git itself has the word where it stands in a URL.
  [/^remote: .*archived/m, 'Refused'],
  [/returned error: 429/, 'RateLimited'],
  [
    /returned error: (401|403)|Authentication failed|could not read (Username|Password)/,
    'CredentialsRejected',
  ],
  [/returned error: (5\d\d|408|425)|requested URL returned error: 5\d\d|HTTP 5\d\d/, 'Server'],
  // Said by git of the whole repository; what the server says of other things is no end of a promotion.
  [
    /^(fatal|error): .*(returned error: 404|repository .* not found|does not appear to be a git repository)/im,
    'RepositoryNotFound',
  ],
  [
    /not our ref|unadvertised object|couldn't find remote ref|no such remote ref|remote ref does not exist/,
    'NotFound',
  ],
  [/returned error: (30[1278]|4\d\d)/, 'Unexpected'],
  [/Could not resolve host|Name or service not known|Temporary failure in name resolution/, 'Unreachable'],
  [
    /Connection refused|Couldn't connect|Failed to connect|SSL certificate problem|server certificate/,
    'Unreachable',
  ],
  [
    /timed out|too slow|reset|early EOF|hung up|unexpected disconnect|RPC failed|Empty reply|transfer closed/i,
    'Unreachable',
  ],
]

/** It never came as far as to send anything. */
const NOT_SENT =
  /Could not resolve host|Connection refused|Couldn't connect|Failed to connect|SSL certificate problem/

export interface GitMessagesContext {
  /** `git push` */
  readonly request: string
  readonly writes: boolean
  /** The command asks nobody: what it says is of this machine. */
  readonly offline?: boolean | undefined
  readonly url: GitUrl
  readonly secrets: readonly string[]
}

export function failureOfGitMessages(f: GitFailure, said: GitMessagesContext): RepoFailure {
  const { request } = said
  // The name of the repository stands in what is said around it.
  const message = shortMessage(
    gitFault(f, said.url).message.replace(`git ${said.url.text}: `, ''),
    said.secrets,
  )
  const maybe = said.writes ? 'maybe' : 'no'
  switch (f.kind) {
    case 'ToolMissing':
      return { kind: 'ToolMissing', wrote: 'no', request, message: 'git is not on PATH; install git ≥ 2.34' }
    case 'HostRefused':
      return { kind: 'HostRefused', wrote: 'no', request, message, refused: f.refused }
    case 'Unresolved':
      return { kind: 'Unreachable', wrote: 'no', request, message }
    case 'TimedOut':
    case 'Aborted':
    case 'Crashed':
      return { kind: 'Unreachable', wrote: maybe, request, message }
    case 'TooMuchMemory':
    case 'TooMuchOutput':
      return { kind: 'Unexpected', wrote: 'no', request, message }
    case 'Exit': {
      // TLS libraries, proxies and HTTP/2 have many words for a connection that broke: none of them ends a promotion.
      const other = said.offline ? 'Unexpected' : 'Unreachable'
      const kind = RULES.find(([when]) => when.test(f.stderr))?.[1] ?? other
      const isUnsure = (kind === 'Unreachable' && !NOT_SENT.test(f.stderr)) || kind === 'Server'
      const text = kind === 'Refused' ? remoteSays(f.stderr, said.secrets) || message : message
      return { kind, wrote: isUnsure ? maybe : 'no', request, message: text }
    }
  }
}

/** What became of one reference: the line `<flag>\t<from>:<to>\t<summary>` of `push --porcelain` (git-push(1)). */
export type PushResult = 'pushed' | 'same' | Pick<RepoFailure, 'kind' | 'message'>

export function pushResultOf(stdout: string, stderr: string, ref: string): PushResult | undefined {
  for (const line of stdout.split('\n')) {
    const [flag, refs, summary = ''] = line.split('\t')
    if (refs === undefined || refs.slice(refs.indexOf(':') + 1) !== ref) continue
    if (flag === '=') return 'same'
    return flag === '!' ? rejected(summary, stderr) : 'pushed'
  }
  return undefined
}

/**
 * `[rejected]` is said by git here, `[remote rejected]` by the server (builtin/receive-pack.c, refs/files-backend.c), which says
 * in lines of its own why it could not take a lock: another push holds it, which passes; or the branch is another one by now.
 */
function rejected(summary: string, stderr: string): Pick<RepoFailure, 'kind' | 'message'> {
  const kind = REJECTED.find(([when]) => when.test(summary))?.[1] ?? 'Unexpected'
  return {
    kind: kind === 'Server' && IS_ANOTHER.test(`${summary}\n${stderr}`) ? 'Stale' : kind,
    message: summary,
  }
}

const REJECTED: readonly (readonly [RegExp, RepoFailureKind])[] = [
  // What it was made on is in no branch of the server any more: somebody has rewritten them.
  [/shallow update not allowed/, 'Stale'],
  [/stale info|fetch first|non-fast-forward|needs force|incorrect old value/, 'Stale'],
  [/cannot lock ref|failed to (update|lock)|unable to create/i, 'Server'],
  // Nothing of the push: its disk, its database, what runs its hooks (`(failure)`: GitHub in outages).
  [/unpacker error|\(failure\)|internal (server )?error/i, 'Server'],
  [/declined|protected|denied|prohibited|deny/i, 'Refused'],
]

const IS_ANOTHER = /but expected|reference already exists|unable to resolve reference|reference is missing/

/** What a hook or a rule of the host says: the lines that begin with `remote:`. */
export function remoteSays(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split('\n').filter((l) => l.startsWith('remote: '))
  return shortMessage(lines.map((l) => l.slice('remote: '.length).trim()).join(' '), secrets)
}
