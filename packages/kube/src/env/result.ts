/**
 * Expected failures are values; a thrown exception is a bug.
 */
export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

/** A failure without a closed union of its own: what went wrong, for people. */
export interface Failure {
  readonly message: string
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })
export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error })

/** Makes the type checker prove that a switch is complete; reaching it at run time is a bug. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
