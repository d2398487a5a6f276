/** Exceptions for people. Pure. */

const MOST = 90

/** Exceptions of the language itself quote code, never data. */
const SAFE: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'ReferenceError'])

/** `TypeError: x is not a function`; of other exceptions only the name, since their messages may quote values of Secrets. */
export function bugText(error: unknown): string {
  if (!(error instanceof Error)) return 'exception without a name'
  const text = SAFE.has(error.name) ? `${error.name}: ${error.message}` : error.name
  return text.replace(/\s+/g, ' ').slice(0, MOST)
}
