import type { Connection } from './net.ts'

/** Its requests wait so long for an answer, in milliseconds. */
export const withTimeout = (connection: Connection, timeoutMs: number): Connection => ({
  request: (r) => connection.request({ ...r, timeoutMs }),
  close: (when) => connection.close(when),
})
