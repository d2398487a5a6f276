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

type ValueOf<R> = R extends { readonly ok: true; readonly value: infer T } ? T : never
type ErrorOf<R> = R extends { readonly ok: false; readonly error: infer E } ? E : never

/** The values of all results by their names, or the first failure. */
export function allOk<R extends Readonly<Record<string, Result<unknown, unknown>>>>(
  results: R,
): Result<{ readonly [K in keyof R]: ValueOf<R[K]> }, ErrorOf<R[keyof R]>> {
  const values: Record<string, unknown> = {}
  for (const [name, result] of Object.entries(results)) {
    if (!result.ok) return err(result.error as ErrorOf<R[keyof R]>)
    values[name] = result.value
  }
  return ok(values as { readonly [K in keyof R]: ValueOf<R[K]> })
}

/** Makes the type checker prove that a switch is complete; reaching it at run time is a bug. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
