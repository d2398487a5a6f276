/** Who may do something outside, and for how long: nothing is sent that could arrive when somebody else leads. */

export interface ActionLease {
  /** Of this process, for people. */
  readonly holder: string
  /** Absent: there is no other one. */
  readonly term?:
    | { readonly generation: number; readonly isHeld: boolean; readonly leftMs: number }
    | undefined
  /** Counts effects outside, so that a process that stops waits for it. */
  readonly writes?: { track<T>(write: () => Promise<T>): Promise<T> } | undefined
}

/** For one request, in milliseconds. */
const REQUEST_MS = 10_000
/** What is sent within that has arrived before another one leads. */
const MARGIN_MS = 2000

/** So much of a Lease has to be left for something to be done outside. One that is never so long does nothing of it. */
export const MIN_LEASE_MS = REQUEST_MS + MARGIN_MS

export interface ActionGrant {
  readonly holder: string
  readonly transitions: number
  readonly timeoutMs: number
}

/** Undefined: not now; the Lease has to be renewed first. */
export function grantAction({ holder, term }: ActionLease): ActionGrant | undefined {
  if (!term) return { holder, transitions: 0, timeoutMs: REQUEST_MS }
  if (!term.isHeld || term.leftMs < MIN_LEASE_MS) return undefined
  return { holder, transitions: term.generation, timeoutMs: Math.min(REQUEST_MS, term.leftMs - MARGIN_MS) }
}

/** Does something outside, counted. Undefined: the Lease was lost or the process stops, and it was not begun. */
export async function performCounted<T>(
  { term, writes }: ActionLease,
  perform: () => Promise<T>,
): Promise<T | undefined> {
  if (term && !term.isHeld) return undefined
  return writes ? writes.track(perform) : perform()
}
