import type { ServerResponse } from '@lockstep/kube/env'
import { failureAnswer } from '../render/jsonanswer.ts'
import { answerUpdate } from '../request/answercreate.ts'
import type { Media } from '../request/negotiate.ts'
import type { RequestContext } from '../request/requestcontext.ts'
import { resourceOf } from '../resources/servedkind.ts'
import { methodNotSupported } from '../status/apifailure.ts'

/** PUT on `namespaces/x/finalize`: the only way to change `spec.finalizers`. */
export async function answerFinalize(ask: RequestContext, media: Media): Promise<ServerResponse> {
  if (ask.request.method !== 'PUT')
    return failureAnswer(methodNotSupported(resourceOf(ask.kind), ask.request.method.toLowerCase()))
  return answerUpdate(ask, media)
}
