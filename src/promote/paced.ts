/** A host and a repository whose writes keep a pace: what comes too early is refused here, and nothing of it is sent. */
import type { Clock } from '../env/env.ts'
import { err, type Result } from '../env/result.ts'
import { timestamp } from '../object/object.ts'
import type { CallOptions, GitHost } from './githost.ts'
import type { Traffic } from './pace.ts'
import type { Repository } from './repository.ts'

/** Less time than that is too little to send something, in milliseconds. */
const LEAST_MS = 1000

interface TooEarly {
  readonly kind: 'RateLimited'
  readonly wrote: 'no'
  readonly request: string
  readonly message: string
  readonly retryAfterMs: number
}

export interface Paced {
  readonly clock: Clock
  readonly traffic: Traffic
  readonly namespace: string
  /** Something is asked: whoever keeps it open hears of that. */
  readonly used: () => void
}

async function inTurn<T, E>(
  { clock, traffic: { writes: pace }, namespace, used }: Paced,
  request: string,
  o: CallOptions,
  send: (o: CallOptions) => Promise<Result<T, E>>,
): Promise<Result<T, E | TooEarly>> {
  const tooEarly = (message: string, retryAfterMs: number): TooEarly => ({
    ...{ kind: 'RateLimited', wrote: 'no', request, message, retryAfterMs },
  })
  const until = clock.steady() + o.timeoutMs
  used()
  return pace.alone(async () => {
    const timeoutMs = until - clock.steady()
    if (timeoutMs < LEAST_MS || o.signal?.aborted)
      return err(tooEarly('others of this credential were before it', LEAST_MS))
    const waitMs = pace.take(namespace)
    if (waitMs > 0)
      return err(tooEarly('this credential has written 60 times in a minute, or 400 in an hour', waitMs))
    return send({ ...o, timeoutMs })
  })
}

/** What only looks leaves the last of a limit to what is done. */
async function reading<T, E>(
  { clock, traffic: { left }, used }: Paced,
  host: GitHost,
  request: string,
  send: () => Promise<Result<T, E>>,
): Promise<Result<T, E | TooEarly>> {
  used()
  const { pause } = left
  if (pause) {
    const until = timestamp(clock.now() + pause.ms)
    const message = `this credential has ${pause.left} left at ${host.name}: until ${until} nothing is sent but what changes something`
    return err({ ...{ kind: 'RateLimited', wrote: 'no', request, message }, retryAfterMs: pause.ms })
  }
  const answer = await send()
  left.saw(host.budget())
  return answer
}

export const pacedHost = (host: GitHost, p: Paced): GitHost => ({
  name: host.name,
  where: host.where,
  pullsOf: (head, o) => reading(p, host, `look for pull requests of ${head}`, () => host.pullsOf(head, o)),
  openPulls: (o) => reading(p, host, 'look for pull requests', () => host.openPulls(o)),
  pull: (number, o) => reading(p, host, `look at pull request ${number}`, () => host.pull(number, o)),
  open: (pull, o) => inTurn(p, 'open a pull request', o, (x) => host.open(pull, x)),
  edit: (number, edit, o) => inTurn(p, `edit pull request ${number}`, o, (x) => host.edit(number, edit, x)),
  merge: (number, to, o) => inTurn(p, `merge pull request ${number}`, o, (x) => host.merge(number, to, x)),
  budget: () => host.budget(),
  close: () => host.close(),
})

export function pacedRepository(repository: Repository, p: Paced): Repository {
  const now = (): Repository => {
    p.used()
    return repository
  }
  return {
    branches: (names, o) => now().branches(names, o),
    files: (at, wanted, o) => now().files(at, wanted, o),
    history: (of, not, limit, o) => now().history(of, not, limit, o),
    commit: (commit, o) => now().commit(commit, o),
    push: (branch, commit, expect, o) =>
      inTurn(p, `push ${branch}`, o, (x) => repository.push(branch, commit, expect, x)),
    remove: (branch, expect, o) =>
      inTurn(p, `remove ${branch}`, o, (x) => repository.remove(branch, expect, x)),
    close: () => repository.close(),
  }
}
