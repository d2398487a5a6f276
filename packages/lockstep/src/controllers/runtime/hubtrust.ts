/** Whether answers of the hub are those of a Kubernetes API. */
import type { RequestError } from '@lockstep/kube/client'

/** An exception in a cache of the hub. */
export class HubCacheError extends Error {
  constructor(cause: unknown) {
    super('a cache of the hub failed', { cause })
  }
}

/** Caches of the hub whose last answer was refused. */
export class HubTrust {
  private readonly refused = new Set<string>()
  private waiting: { readonly promise: Promise<void>; readonly done: () => void } | undefined

  /** Resolves when no answer is refused; undefined: none is. */
  get restored(): Promise<void> | undefined {
    return this.waiting?.promise
  }

  /** Records the health of a cache; undefined: it works again. */
  note(name: string, error: RequestError | undefined): void {
    // Lists repair what a malformed watch misses.
    if (error?.kind === 'Malformed' && error.verb !== 'watch') {
      this.refused.add(name)
      this.waiting ??= waiter()
    } else if (error === undefined) this.refused.delete(name)
    if (this.refused.size > 0) return
    this.waiting?.done()
    this.waiting = undefined
  }
}

function waiter() {
  let done = (): void => {}
  const promise = new Promise<void>((resolve) => {
    done = resolve
  })
  return { promise, done }
}
