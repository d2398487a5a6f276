/** Data that lies beside this repository, for tests that run where it is there and say so where it is not. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where it would be, wherever the tests are started. */
export const sharedData = (path: string): string =>
  fileURLToPath(new URL(`../../shared/${path}`, import.meta.url))

/** Whether these tests can run; one line says which do not. */
export function canRun(tests: string, path: string): boolean {
  const isThere = existsSync(path)
  if (!isThere) process.stdout.write(`skipped: ${tests}, whose files are absent\n`)
  return isThere
}
