/** A host and a repository whose writes keep a pace: what comes too early is refused here, and nothing of it is sent. */
import { type Clock, err, type Result } from '@lockstep/kube/env'
import { timestamp } from '@lockstep/kube/object'
import type { CallOptions, GitProvider, PullEdit } from '../gitprovider.ts'
import type { GitRepository, RepoResult } from '../gitrepository.ts'
import type { CredentialTraffic } from './requestpace.ts'

/** Less time than that is too little to send something, in milliseconds. */
const LEAST_MS = 1000

interface TooEarly {
  readonly kind: 'RateLimited'
  readonly wrote: 'no'
  readonly request: string
  readonly message: string
  readonly retryAfterMs: number
}

interface PacedFailure {
  readonly kind: string
  readonly retryAfterMs?: number
}

export interface PacedOptions {
  readonly clock: Clock
  readonly traffic: CredentialTraffic
  readonly namespace: string
  /** What is asked with, for people: `Secret ns/name, key token`. */
  readonly credential: string
  /** Something is asked: whoever keeps it open hears of that. */
  readonly used: () => void
}

const tooEarly = (request: string, message: string, retryAfterMs: number): TooEarly => ({
  kind: 'RateLimited',
  wrote: 'no',
  request,
  message,
  retryAfterMs,
})

/** What any of its credential was told counts for all of them: nothing is sent before, and nobody has to be told again. */
async function unlessTold<T, E extends PacedFailure>(
  { clock, traffic: { silence }, credential }: PacedOptions,
  request: string,
  send: () => Promise<Result<T, E>>,
): Promise<Result<T, E | TooEarly>> {
  const { leftMs } = silence
  if (leftMs > 0) {
    const until = timestamp(clock.now() + leftMs)
    return err(
      tooEarly(request, `the Git host limits this credential: no request is sent until ${until}`, leftMs),
    )
  }
  const answer = await send()
  if (answer.ok) silence.ends()
  else if (answer.error.kind === 'RateLimited')
    return err({ ...answer.error, retryAfterMs: silence.begins(answer.error.retryAfterMs) })
  else if (answer.error.kind === 'CredentialsRejected') return err({ ...answer.error, credential })
  return answer
}

/** `writes`: so many requests that change something. */
async function inTurn<T, E extends PacedFailure>(
  p: PacedOptions,
  request: string,
  o: CallOptions,
  send: (o: CallOptions) => Promise<Result<T, E>>,
  writes = 1,
): Promise<Result<T, E | TooEarly>> {
  const { clock, traffic } = p
  const until = clock.steady() + o.timeoutMs
  p.used()
  return traffic.writes.alone(async () => {
    const timeoutMs = until - clock.steady()
    if (timeoutMs < LEAST_MS || o.signal?.aborted)
      return err(tooEarly(request, 'queued behind other requests of this credential', LEAST_MS))
    // What is not sent takes no place.
    const waitMs = traffic.silence.leftMs > 0 ? 0 : traffic.writes.take(p.namespace, writes)
    if (waitMs === 0) return unlessTold(p, request, () => send({ ...o, timeoutMs }))
    return err(
      tooEarly(request, 'this credential has written 60 times in a minute, or 400 in an hour', waitMs),
    )
  })
}

/** What only looks leaves the last of a limit to what is done. */
async function reading<T, E extends PacedFailure>(
  p: PacedOptions,
  host: GitProvider,
  request: string,
  send: () => Promise<Result<T, E>>,
): Promise<Result<T, E | TooEarly>> {
  const { clock, traffic } = p
  p.used()
  const { pause } = traffic.left
  if (pause) {
    const until = timestamp(clock.now() + pause.ms)
    const message = `this credential has ${pause.left} left at ${host.name}: until ${until} only changes are sent`
    return err(tooEarly(request, message, pause.ms))
  }
  const answer = await unlessTold(p, request, send)
  traffic.left.saw(host.budget())
  return answer
}

export const pacedProvider = (host: GitProvider, p: PacedOptions): GitProvider => ({
  name: host.name,
  where: host.where,
  pullsOf: (head, o) => reading(p, host, `look for pull requests of ${head}`, () => host.pullsOf(head, o)),
  openPulls: (o) => reading(p, host, 'look for pull requests', () => host.openPulls(o)),
  lastPulls: (o) => reading(p, host, 'look for pull requests', () => host.lastPulls(o)),
  pull: (number, o) => reading(p, host, `read pull request ${number}`, () => host.pull(number, o)),
  open: (pull, o) => inTurn(p, 'open a pull request', o, (x) => host.open(pull, x)),
  edit: (number, edit, o) =>
    inTurn(p, `edit pull request ${number}`, o, (x) => host.edit(number, edit, x), writesOf(edit)),
  merge: (number, to, o) => inTurn(p, `merge pull request ${number}`, o, (x) => host.merge(number, to, x)),
  budget: () => host.budget(),
  close: () => host.close(),
})

/** A comment is a request of its own. */
const writesOf = ({ comment, ...change }: PullEdit): number =>
  Math.max(1, (comment === undefined ? 0 : 1) + (Object.keys(change).length > 0 ? 1 : 0))

export function pacedRepository(repository: GitRepository, p: PacedOptions): GitRepository {
  const read = <T>(request: string, send: () => Promise<RepoResult<T>>): Promise<RepoResult<T>> => {
    p.used()
    return unlessTold(p, request, send)
  }
  return {
    branches: (names, o) => read('git ls-remote', () => repository.branches(names, o)),
    files: (at, wanted, o) => read('git fetch', () => repository.files(at, wanted, o)),
    history: (of, not, limit, o) => read('git fetch', () => repository.history(of, not, limit, o)),
    commit: (commit, o) => read('git commit', () => repository.commit(commit, o)),
    push: (branch, commit, expect, o) =>
      inTurn(p, `push ${branch}`, o, (x) => repository.push(branch, commit, expect, x)),
    remove: (branch, expect, o) =>
      inTurn(p, `remove ${branch}`, o, (x) => repository.remove(branch, expect, x)),
    close: () => repository.close(),
  }
}
