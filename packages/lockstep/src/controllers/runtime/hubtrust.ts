/** Whether the hub answers, and whether its answers are those of a Kubernetes API. */
import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { type Env, ProblemLog } from '@lockstep/kube/env'

/** An exception in a cache of the hub. */
export class HubCacheError extends Error {
  constructor(cause: unknown) {
    super('a cache of the hub failed', { cause })
  }
}

/** Caches of the hub whose last request failed, or whose last answer was refused. */
export class HubTrust {
  private readonly failing = new Set<string>()
  private readonly refused = new Set<string>()
  private readonly problems: ProblemLog
  private waiting: { readonly promise: Promise<void>; readonly done: () => void } | undefined

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.problems = new ProblemLog(env)
  }

  /** Resolves when no answer is refused; undefined: none is. */
  get restored(): Promise<void> | undefined {
    return this.waiting?.promise
  }

  /** Records the health of a cache; undefined: it works again. */
  note(name: string, error: RequestError | undefined): void {
    this.logHealth(name, error)
    // Lists repair what a malformed watch misses.
    if (error?.kind === 'Malformed' && error.verb !== 'watch') {
      this.refused.add(name)
      this.waiting ??= waiter()
    } else if (error === undefined) this.refused.delete(name)
    if (this.refused.size > 0) return
    this.waiting?.done()
    this.waiting = undefined
  }

  private logHealth(name: string, error: RequestError | undefined): void {
    if (error) {
      this.failing.add(name)
      const facts = { cause: error.kind, err: requestErrorText(error) }
      this.problems.begin('hub', 'HubUnreachable', 'the hub cannot be read', facts)
    } else {
      this.failing.delete(name)
      if (this.failing.size === 0) this.problems.end('hub', 'HubConnected', 'the hub can be read again')
    }
  }
}

function waiter() {
  let done = (): void => {}
  const promise = new Promise<void>((resolve) => {
    done = resolve
  })
  return { promise, done }
}
