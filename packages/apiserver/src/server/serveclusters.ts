import type { Handler } from '@lockstep/kube/env'
import { type AccessOptions, isKnownToken } from '../auth/authenticate.ts'
import { unauthorized } from '../auth/forbiddenaccess.ts'
import { failureAnswer } from '../render/jsonanswer.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import type { ApiServer } from './apiserver.ts'

const PREFIX = /^\/clusters\/([^/?]+)(\/[^?]*)?(\?.*)?$/

/**
 * Many clusters behind one listener: `/clusters/NAME/…`. Nothing is shared between them; a cluster can be added to
 * the map at any time. `access`: who may come in; unless said otherwise, as each server has it.
 */
export function serveClusters(clusters: ReadonlyMap<string, ApiServer>, access?: AccessOptions): Handler {
  return async (request) => {
    const m = PREFIX.exec(request.url)
    const server = m ? clusters.get(decoded(m[1]!)) : undefined
    if (!m || !server) {
      const isStranger = access?.anonymous === 'refused' && !isKnownToken(access, request)
      return failureAnswer(isStranger ? unauthorized : noCluster(m?.[1]))
    }
    return (access ? server.handleFor(access) : server.handle)({
      ...request,
      body: (limit) => request.body(limit),
      url: `${m[2] ?? '/'}${m[3] ?? ''}`,
    })
  }
}

const noCluster = (name: string | undefined): ApiFailure => ({
  code: 404,
  reason: 'NotFound',
  message:
    name === undefined
      ? 'no cluster: ask for /clusters/NAME/…'
      : `cluster ${JSON.stringify(decoded(name))} not found`,
})

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
