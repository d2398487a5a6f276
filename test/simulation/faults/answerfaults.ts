import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { ServerRequest, ServerResponse } from '../../../packages/kube/src/env/net.ts'
import { sleep } from '../../../packages/kube/src/env/sleep.ts'
import { pick } from '../scenario.ts'
import { type AnswerFaultClass, type Exchange, isList, isWrite } from './faultclass.ts'
import { wrongContent } from './wrongcontent.ts'

const SHORT = { leastMs: 1000, mostMs: 60_000 }

/** As an API server refuses (apimachinery `api/errors`). */
function refusal(
  code: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): ServerResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `simulated: ${reason}`,
    reason,
    code,
  }
  return {
    status: code,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(status),
  }
}

/** As a proxy in front of the server refuses. */
const page = (status: number): ServerResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><body>${status}</body></html>`,
})

/** A server's answer, or that of a proxy before it. */
const either = (random: Random, code: number, reason: string): ServerResponse =>
  random.next() < 0.5 ? refusal(code, reason) : page(code)

const REASONS = {
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
} as const

function failure(random: Random): ServerResponse {
  const code = pick(random, [500, 502, 503, 504] as const)
  return either(random, code, REASONS[code])
}

/** The server never has the request. */
const instead =
  (answer: (random: Random) => ServerResponse) =>
  async ({ random, occurred }: Exchange): Promise<ServerResponse> => {
    occurred()
    return answer(random)
  }

const all = (): boolean => true

/** Less than a request may take: the answer still counts. */
const MOST_LATE_MS = 25_000

export const ANSWER_FAULTS: readonly AnswerFaultClass[] = [
  { name: '401', ...SHORT, hits: all, answer: instead(() => refusal(401, 'Unauthorized')) },
  {
    // As an admission plugin or a quota refuses content.
    name: '403',
    ...SHORT,
    refusesContent: true,
    hits: all,
    answer: instead(() => refusal(403, 'Forbidden')),
  },
  {
    name: '413',
    ...SHORT,
    refusesContent: true,
    hits: isWrite,
    answer: instead((random) => either(random, 413, 'RequestEntityTooLarge')),
  },
  {
    name: '429',
    ...SHORT,
    hits: all,
    answer: instead((random) => {
      const seconds = pick(random, ['1', '5', '30', undefined])
      return refusal(429, 'TooManyRequests', seconds === undefined ? {} : { 'retry-after': seconds })
    }),
  },
  { name: '5xx before the commit', ...SHORT, hits: all, answer: instead(failure) },
  {
    name: '5xx after the commit',
    ...SHORT,
    hits: isWrite,
    async answer({ honest, random, occurred }) {
      const answer = await honest()
      if (answer.status >= 400) return answer
      occurred()
      return random.next() < 0.5 ? failure(random) : { ...answer, cut: pick(random, ['unsent', 'half']) }
    },
  },
  { name: '200 with wrong content', ...SHORT, hits: all, answer: wrongContent },
  {
    /**
     * Lists of controllers ask for no resourceVersion. Kubernetes answers them with a state that is as new as the request
     * (`docs/reference/using-api/api-concepts`, "Get and List": Most Recent), from etcd or from a watch cache that has
     * caught up. So the answer is never older than its request, and it is stale when it arrives late: after answers to
     * writes, and after events, that are newer.
     */
    name: 'stale LIST',
    ...SHORT,
    lateMs: MOST_LATE_MS,
    hits: isList,
    async answer({ request, honest, random, env, commits, occurred }) {
      const answer = await honest()
      const before = commits()
      await sleep(env.clock, random.next() * MOST_LATE_MS, request.signal)
      if (commits() > before) occurred()
      return answer
    },
  },
]

/** A list that asks for a cached state may be answered with an older one, and no fault here does that. */
export const asksForCachedState = (request: ServerRequest): boolean =>
  isList(request) && /[?&]resourceVersion=/.test(request.url)
