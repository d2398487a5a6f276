/** Faults between the controllers and one of their servers, as a proxy or a lagging server has them. */
import type { Clock, Random } from '../../../packages/kube/src/env/env.ts'
import type { ServerRequest, ServerResponse } from '../../../packages/kube/src/env/net.ts'
import type { SimEnv } from '../../../packages/kube/src/env/sim/simenv.ts'

/** One request of the controllers that a fault hits. */
export interface Exchange {
  readonly request: ServerRequest
  /** The server's own answer; the server acts when it is asked for it. */
  readonly honest: () => Promise<ServerResponse>
  readonly random: Random
  readonly env: SimEnv
  /** Writes to all servers so far. */
  readonly commits: () => number
  /** Counts an effect that the controllers can notice. */
  readonly occurred: () => void
}

/** The answer to a watch, piece by piece. A piece holds whole lines. */
export interface WatchStream {
  readonly pieces: AsyncIterable<string>
  readonly random: Random
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Steady time at which the fault ends; undefined: there is none now. */
  readonly endsAt: () => number | undefined
  readonly occurred: () => void
}

interface Named {
  readonly name: string
  /** Limits of a window, in milliseconds of virtual time. */
  readonly leastMs: number
  readonly mostMs: number
  /** By so much later controllers may learn what others have changed. */
  readonly lateMs?: number
  /** API servers refuse content so, too: a rollout may halt for good. */
  readonly refusesContent?: boolean
}

/** Changes single answers. Of the requests that it can hit it hits a share. */
export interface AnswerFaultClass extends Named {
  readonly hits: (request: ServerRequest) => boolean
  readonly answer: (exchange: Exchange) => Promise<ServerResponse>
}

/** Changes the events of watches, also of those that were open before. */
export interface WatchFaultClass extends Named {
  readonly stream: (watch: WatchStream) => AsyncIterable<string>
}

export type FaultClass = AnswerFaultClass | WatchFaultClass

export const isWatch = ({ url }: Pick<ServerRequest, 'url'>): boolean => /[?&]watch=true\b/.test(url)

export const isWrite = ({ method }: Pick<ServerRequest, 'method'>): boolean => method !== 'GET'

/** Reads a collection: the last part of the path is a resource. */
export const isList = (request: ServerRequest): boolean =>
  !isWrite(request) &&
  !isWatch(request) &&
  /^\/(api\/v1|apis\/[^/?]+\/[^/?]+)(\/namespaces\/[^/?]+)?\/[a-z]+(\?|$)/.test(request.url)
