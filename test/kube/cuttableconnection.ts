import type { Connection } from '../../packages/kube/src/env/net.ts'

/** A connection whose streams can be cut, and whose requests are seen. */
export function cuttableConnection(inner: Connection) {
  const requests: string[] = []
  const streams = new Set<AbortController>()
  const connection: Connection = {
    request(r) {
      requests.push(r.path)
      const cut = new AbortController()
      r.signal?.addEventListener('abort', () => cut.abort(), { once: true })
      if (r.path.includes('watch=true')) streams.add(cut)
      return inner.request({ ...r, signal: cut.signal })
    },
    close: () => inner.close(),
  }
  const cut = (): void => {
    for (const s of streams) s.abort()
    streams.clear()
  }
  return { connection, requests, cut }
}
