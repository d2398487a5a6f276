import type { ServerResponse } from '@lockstep/kube/env'
import { failureAnswer, headersFor, jsonAnswer } from '../render/jsonanswer.ts'
import { viewOf } from '../render/objectview.ts'
import type { IncludeObject } from '../render/rendertable.ts'
import { resourceOf } from '../resources/servedkind.ts'
import { notFound } from '../status/apifailure.ts'
import { watchLines } from '../watch/watchlines.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import { list } from './listanswer.ts'
import { parseListOptions } from './listoptions.ts'
import type { Media } from './negotiate.ts'
import type { RequestContext } from './requestcontext.ts'

export const includeOf = (q: URLSearchParams): IncludeObject =>
  (q.get('includeObject') || 'Metadata') as IncludeObject

/** GET on a named object. */
export function answerGet(ask: RequestContext, media: Media): ServerResponse {
  const { kind, route } = ask
  const stored = kind.table.live.get(storeKey(kind, route.namespace, route.name))
  if (!stored) return failureAnswer(notFound(resourceOf(kind), route.name))
  const view = viewOf(ask.cluster, kind, media, includeOf(ask.query))
  return jsonAnswer(200, view.one(seen(kind, stored)), media.format)
}

/** A version that is to come is waited for so long (apiserver pkg/storage/cacher). */
const FUTURE_MS = 3_000

/** GET on a collection: a list, or a watch. A watch on a named object is one on its name. */
export async function answerList(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const options = parseListOptions(kind, ask.query, route.name)
  if (!options.ok) return failureAnswer(options.error)
  const view = viewOf(cluster, kind, media, includeOf(ask.query))
  if (options.value.watch) {
    if ((ask.request.headers.upgrade ?? '').toLowerCase() === 'websocket')
      return failureAnswer({
        code: 400,
        reason: 'BadRequest',
        message: 'websocket watch is not served by the embedded API',
      })
    const body = watchLines(cluster, kind, route.namespace, options.value, view.watch, ask.request.signal)
    return { status: 200, headers: headersFor('application/json'), body }
  }
  await cluster.store.reached(options.value.version ?? 0, FUTURE_MS)
  const answer = list(cluster, kind, route.namespace, options.value)
  return answer.ok ? jsonAnswer(200, view.list(answer.value), media.format) : failureAnswer(answer.error)
}
