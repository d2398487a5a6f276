/** What goes wrong between a client and the host: by request, the n-th that matches. */

export type HostFault =
  /** Nothing is done, no answer comes. */
  | { readonly kind: 'drop' }
  /** It is done, no answer comes. */
  | { readonly kind: 'lose' }
  /** It is done; the connection is reset in the middle of the answer. */
  | { readonly kind: 'half' }
  /** It is done; the answer is whole for HTTP, and half of its JSON. */
  | { readonly kind: 'cut-json' }
  /** Who does not wait so long is not served: the request goes with its connection. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** It is done so much later, whether anybody still waits or not: it was kept on the way. */
  | { readonly kind: 'late'; readonly ms: number }
  /** `isDone`: it is done all the same, as a proxy answers that has lost patience. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly isDone?: boolean
      readonly retryAfterS?: number
    }
  /** `primary`: for so long nothing more is answered; `secondary`: too much at once. */
  | {
      readonly kind: 'limit'
      readonly which: 'primary' | 'secondary'
      readonly seconds: number
      /** Of GitHub's answer, which has both. */
      readonly status?: 403 | 429
    }
  /** The connection is reset in the middle of what is sent, once so many bytes of it have come; what is shorter passes. */
  | { readonly kind: 'cut-upload'; readonly bytes: number }
  /** What somebody does at this moment: before the request has its effect, or after, before the answer. */
  | { readonly kind: 'before' | 'after'; readonly act: () => Promise<unknown> }

export interface FaultMatch {
  readonly method?: string
  /** Of path and query. */
  readonly path?: RegExp
  /** Of those that match, from 1; absent: each. */
  readonly nth?: number
  /** So many from the n-th on; default 1. */
  readonly times?: number
}

export class HostFaults {
  private readonly all: { readonly where: FaultMatch; readonly fault: HostFault; seen: number }[] = []

  add(where: FaultMatch, fault: HostFault): void {
    this.all.push({ where, fault, seen: 0 })
  }

  clear(): void {
    this.all.length = 0
  }

  /** Those that meet this request, in the order in which they were added. */
  of(method: string, path: string): readonly HostFault[] {
    return this.all.flatMap((f) => {
      const { where } = f
      if (where.method !== undefined && where.method !== method) return []
      if (where.path && !where.path.test(path)) return []
      f.seen++
      if (where.nth === undefined) return [f.fault]
      return f.seen >= where.nth && f.seen < where.nth + (where.times ?? 1) ? [f.fault] : []
    })
  }
}
