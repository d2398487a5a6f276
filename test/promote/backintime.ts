/** Networks in which the first list of a kind, with which a cache is filled, is older than what is there. */
import { type Net, type NetRequest, StreamBroken } from '../../packages/kube/src/env/net.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'

/** Of those in a namespace: at `was` instead of `is`. */
export function backInTime<N extends Net>(
  net: N,
  namespace: string,
  { is, was }: { readonly is: string; readonly was: string },
): N {
  const isOf = (path: string) => path.includes(`/namespaces/${namespace}/helmreleases?`)
  return firstList(net, isOf, (body) => body.replaceAll(`"${is}"`, `"${was}"`))
}

/** Of a resource of ours: without what has changed since `version`. */
export function behind<N extends Net>(net: N, resource: string, version: string): N {
  const isOf = (path: string) => path.split('?')[0]!.endsWith(`/${resource}`)
  return firstList(net, isOf, (body) => {
    const list: { items: KubeObject[]; metadata: object } = JSON.parse(body)
    const items = list.items.filter((o) => Number(o.metadata.resourceVersion) <= Number(version))
    return JSON.stringify({ ...list, items, metadata: { ...list.metadata, resourceVersion: version } })
  })
}

function firstList<N extends Net>(
  net: N,
  isOf: (path: string) => boolean,
  older: (body: string) => string,
): N {
  let lists = 0
  const isFirst = ({ method, path }: NetRequest) =>
    method === 'GET' && isOf(path) && !path.includes('watch=true') && lists++ === 0
  return {
    ...net,
    connect(target, by) {
      const inner = net.connect(target, by)
      const request = async (r: NetRequest) => {
        const answer = await inner.request(r)
        if (!answer.ok || !isFirst(r)) return answer
        const { value } = answer
        async function* boundedPieces() {
          const body = await value.text()
          if (!body.ok) throw new StreamBroken(body.error)
          yield new TextEncoder().encode(older(body.value))
        }
        return ok({ ...value, boundedPieces })
      }
      return { request, close: () => inner.close() }
    },
  }
}
