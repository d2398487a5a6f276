import type { Log } from '../env.ts'

/** Says nothing: most commands speak for themselves. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
}
