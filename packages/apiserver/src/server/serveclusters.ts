import type { Handler } from '@lockstep/kube/env'
import { failureAnswer } from '../render/jsonanswer.ts'
import type { ApiServer } from './apiserver.ts'

const PREFIX = /^\/clusters\/([^/?]+)(\/[^?]*)?(\?.*)?$/

/**
 * Many clusters behind one listener: `/clusters/NAME/…`. Nothing is shared between them; a cluster can be added to
 * the map at any time.
 */
export function serveClusters(clusters: ReadonlyMap<string, ApiServer>): Handler {
  return async (request) => {
    const m = PREFIX.exec(request.url)
    if (!m)
      return failureAnswer({ code: 404, reason: 'NotFound', message: 'no cluster: ask for /clusters/NAME/…' })
    const server = clusters.get(decoded(m[1]!))
    if (!server)
      return failureAnswer({
        code: 404,
        reason: 'NotFound',
        message: `cluster ${JSON.stringify(decoded(m[1]!))} not found`,
      })
    return server.handle({
      ...request,
      body: (limit) => request.body(limit),
      url: `${m[2] ?? '/'}${m[3] ?? ''}`,
    })
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
