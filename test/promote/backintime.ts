/** A network in which the first list of releases, with which a cache is filled, is older than what is there. */
import type { Net, NetRequest } from '../../src/env/net.ts'
import { ok } from '../../src/env/result.ts'

/** Of those in a namespace: at `was` instead of `is`. */
export function backInTime<N extends Net>(
  net: N,
  namespace: string,
  { is, was }: { readonly is: string; readonly was: string },
): N {
  let lists = 0
  const isFirst = (path: string) =>
    path.includes(`/namespaces/${namespace}/helmreleases?`) && !path.includes('watch=true') && lists++ === 0
  return {
    ...net,
    connect(target) {
      const inner = net.connect(target)
      const request = async (r: NetRequest) => {
        const answer = await inner.request(r)
        if (!answer.ok || !isFirst(r.path)) return answer
        const { value } = answer
        const text = async () => {
          const body = await value.text()
          return body.ok ? ok(body.value.replaceAll(`"${is}"`, `"${was}"`)) : body
        }
        return ok({ ...value, text })
      }
      return { request, close: () => inner.close() }
    },
  }
}
