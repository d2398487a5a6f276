import type { ServerResponse } from '@lockstep/kube/env'
import { at, isArray, isString, type KubeObject } from '@lockstep/kube/object'
import { failureAnswer, textAnswer } from '../render/jsonanswer.ts'
import { resourceOf } from '../resources/servedkind.ts'
import { badRequest, methodNotSupported, notFound } from '../status/apifailure.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import type { RequestContext } from './requestcontext.ts'

/**
 * `pods/log`: a simulated container has written what its image is, and in the end what its status says of its end
 * (kubernetes `pkg/registry/core/pod/strategy.go`, LogLocation).
 */
export function answerLog({ kind, route, query, request }: RequestContext): ServerResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return failureAnswer(methodNotSupported(resourceOf(kind), request.method.toLowerCase()))
  const stored = kind.table.live.get(storeKey(kind, route.namespace, route.name))
  if (!stored) return failureAnswer(notFound(resourceOf(kind), route.name))
  const pod = seen(kind, stored).object
  const container = containerOf(pod, query.get('container') ?? '')
  if ('refused' in container) return failureAnswer(badRequest(container.refused))
  const list = at(pod, 'status', 'containerStatuses')
  const status = isArray(list) ? list.find((c) => at(c, 'name') === container.name) : undefined
  const wait = at(status, 'state', 'waiting', 'reason')
  if (status === undefined || wait !== undefined) {
    const text = `container "${container.name}" in pod "${route.name}" is waiting to start: ${wait ?? 'ContainerCreating'}`
    return failureAnswer(badRequest(text))
  }
  const end = at(status, 'state', 'terminated', 'message')
  const all = `simulated container of image ${at(status, 'image')}\n${isString(end) ? `${end}\n` : ''}`
  return textAnswer(200, cut(all, numberOf(query, 'tailLines'), numberOf(query, 'limitBytes')))
}

function containerOf(
  pod: KubeObject,
  wanted: string,
): { readonly name: string } | { readonly refused: string } {
  const name = pod.metadata.name
  const names = (member: string): string[] => {
    const list = at(pod, 'spec', member)
    return isArray(list) ? list.map((c) => String(at(c, 'name'))) : []
  }
  const [main, init] = [names('containers'), names('initContainers')]
  if (wanted !== '')
    return [...main, ...init].includes(wanted)
      ? { name: wanted }
      : { refused: `container ${wanted} is not valid for pod ${name}` }
  if (main.length === 1) return { name: main[0]! }
  const choice = init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : ''
  return {
    refused: `a container name must be specified for pod ${name}, choose one of: [${main.join(' ')}]${choice}`,
  }
}

function numberOf(query: URLSearchParams, name: string): number {
  const value = query.get(name)
  return value !== null && /^\d+$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
}

/** The last lines, and of them the first bytes, as a kubelet gives them. */
function cut(text: string, lines: number, bytes: number): string {
  const all = text.split('\n')
  const ends = all.at(-1) === '' ? 1 : 0
  const last = lines === Number.POSITIVE_INFINITY ? all : all.slice(Math.max(0, all.length - ends - lines))
  const shown = last.join('\n')
  if (bytes === Number.POSITIVE_INFINITY) return shown
  return new TextDecoder().decode(new TextEncoder().encode(shown).slice(0, bytes))
}
