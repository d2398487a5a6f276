import type { ServerResponse } from '../../../packages/kube/src/env/net.ts'
import { failureAnswer } from '../render/answer.ts'
import type { Media } from '../request/accept.ts'
import type { Ask } from '../request/context.ts'
import { answerUpdate } from '../request/writes.ts'
import { resourceOf } from '../resources/kind.ts'
import { methodNotSupported } from '../status/failure.ts'

/** PUT on `namespaces/x/finalize`: the only way to change `spec.finalizers`. */
export async function answerFinalize(ask: Ask, media: Media): Promise<ServerResponse> {
  if (ask.request.method !== 'PUT')
    return failureAnswer(methodNotSupported(resourceOf(ask.kind), ask.request.method.toLowerCase()))
  return answerUpdate(ask, media)
}
