/** Answers with status 200 that no API server gives. Each carries a mark that must not get into any object. */
import type { ServerRequest, ServerResponse } from '../../../packages/kube/src/env/net.ts'
import { changed, eachObject, HOSTILE, type HostileAnswer, type Target } from '../../edge/hostile.cases.ts'
import { pick } from '../scenario.ts'
import { type Exchange, isList, isWatch, isWrite } from './faultclass.ts'

/** Only wrong answers have it. */
export const MARK = 'of-a-wrong-answer'

/** A wrong namespace is none where the kind has no namespaces: such an answer is right, and its mark is, too. */
const CONTENTS: readonly HostileAnswer[] = HOSTILE.filter(
  ({ rule, name }) => ['content', 'head', 'event'].includes(rule) && name !== 'a foreign namespace',
)

/** A decision by such an object writes the mark. */
const marked = changed(
  eachObject((o) => {
    const metadata = (o.metadata ?? {}) as { readonly annotations?: object }
    const texts = Object.entries(o).filter(([name]) => ['spec', 'status', 'data'].includes(name))
    return {
      ...o,
      ...Object.fromEntries(texts.map(([name, value]) => [name, withMarks(value)])),
      metadata: { ...metadata, annotations: { ...metadata.annotations, [MARK]: 'true' } },
    }
  }),
)

function withMarks(value: unknown): unknown {
  if (typeof value === 'string') return MARK
  if (Array.isArray(value)) return value.map(withMarks)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withMarks(inner)]))
}

function targetOf(request: ServerRequest): Target {
  if (isWatch(request)) return 'watch'
  if (isWrite(request)) return 'write'
  if (isList(request)) return 'list'
  return /^\/apis?(\/|\?|$)/.test(request.url) && !/\/namespaces\//.test(request.url)
    ? 'discovery'
    : 'identity'
}

export async function wrongContent({
  request,
  honest,
  random,
  env,
  occurred,
}: Exchange): Promise<ServerResponse> {
  const target = targetOf(request)
  const { spoil } = pick(
    random,
    CONTENTS.filter(({ targets }) => targets.includes(target)),
  )
  const { url } = request
  const answer = await spoil(() => marked(honest, env, url), env, url)
  if (answer.status < 400) occurred()
  return answer
}
