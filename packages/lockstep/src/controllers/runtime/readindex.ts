/** Reads of the decisions of requests: a change queues every request that may decide otherwise now. */
import type { Request } from './requestkeys.ts'

const nameOf = ({ controller, cluster, id }: Request): string => `${controller} ${cluster} ${id}`

/** A decision as it was made, and how it is made again. */
export interface MadeDecision {
  /** Writes that follow, and blockers. */
  readonly outcome: string
  readonly isBlocked: boolean
  /** The outcome on the caches as they are now, at the time of the decision; sends no request. */
  again(): string
}

/** Reads of one reconcile. */
export interface RequestReads {
  /** Read now: a change from this moment on queues the request, also while it is reconciled. */
  note(read: string): void
  /** The decision of this reconcile. */
  decided(made: MadeDecision): void
  /** The reconcile is over: reads of earlier ones count no longer. */
  end(): void
}

/** The last decision about a request. */
export interface RequestDecision extends MadeDecision {
  readonly request: Request
}

export class ReadIndex {
  /** By read, then by request. */
  private readonly readers = new Map<string, Map<string, Request>>()
  /** By request. */
  private readonly reads = new Map<string, Set<string>>()
  /** By request; others are not kept, since their inputs take memory. */
  private readonly blocked = new Map<string, RequestDecision>()

  /** Requests whose last decision has read it. */
  readersOf(read: string): readonly Request[] {
    return [...(this.readers.get(read)?.values() ?? [])]
  }

  /** Blocked decisions: the last of each request. */
  get blockedDecisions(): readonly RequestDecision[] {
    return [...this.blocked.values()]
  }

  /** False: the request was reconciled again since. */
  isLatest(decision: RequestDecision): boolean {
    return this.blocked.get(nameOf(decision.request)) === decision
  }

  /** A reconcile begins: its reads count from now on. Until it is over, the request has no decision. */
  begin(request: Request): RequestReads {
    const name = nameOf(request)
    this.blocked.delete(name)
    const noted = new Set<string>()
    let latest: RequestDecision | undefined
    let isOver = false
    return {
      note: (read) => {
        // A decision that is made again afterwards changes nothing.
        if (isOver || noted.has(read)) return
        noted.add(read)
        this.add(name, request, read)
      },
      decided: (made) => {
        latest = { ...made, request }
      },
      end: () => {
        isOver = true
        this.keep(name, noted)
        if (latest?.isBlocked) this.blocked.set(name, latest)
      },
    }
  }

  private add(name: string, request: Request, read: string): void {
    const readers = this.readers.get(read) ?? new Map<string, Request>()
    this.readers.set(read, readers.set(name, request))
    const reads = this.reads.get(name) ?? new Set<string>()
    this.reads.set(name, reads.add(read))
  }

  private keep(name: string, noted: ReadonlySet<string>): void {
    const reads = this.reads.get(name)
    for (const read of reads ?? []) {
      if (noted.has(read)) continue
      const readers = this.readers.get(read)
      readers?.delete(name)
      if (readers?.size === 0) this.readers.delete(read)
      reads!.delete(read)
    }
    if (reads?.size === 0) this.reads.delete(name)
  }
}
