/** A fleet whose clusters deny deletions, as an admission webhook does. */
import type { Story } from './steps.ts'

export const DENIAL = 'admission webhook "keep.example.com" denied the request'

/** From now on the cluster denies each DELETE of a ConfigMap, until the returned function is called. */
export function denyDeletes(story: Story, cluster: string): () => void {
  const { api } = story.fleet.clusters.get(cluster)!
  let isDenying = true
  story.fleet.env.net.serve(`https://${cluster}.test`, (request) => {
    const isIt = request.method === 'DELETE' && request.url.includes('/configmaps/')
    if (!isDenying || !isIt) return api.handle(request)
    const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden' }
    const body = JSON.stringify({ ...status, message: DENIAL })
    return Promise.resolve({ status: 403, headers: { 'content-type': 'application/json' }, body })
  })
  return () => {
    isDenying = false
  }
}
