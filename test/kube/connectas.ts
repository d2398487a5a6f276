/** A connection whose requests are made as somebody else: by impersonation, as `kubectl --as`. */
import type { Connection } from '../../packages/kube/src/env/net.ts'

export const connectAs = (inner: Connection, user: string): Connection => ({
  request: (r) => inner.request({ ...r, headers: { ...r.headers, 'impersonate-user': user } }),
  close: () => inner.close(),
})
