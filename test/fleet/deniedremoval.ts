/** A fleet whose clusters deny writes, as an admission webhook does. */
import type { Story } from './steps.ts'

export const DENIAL = 'admission webhook "keep.example.com" denied the request'

/** From now on the cluster denies each DELETE of a ConfigMap, until the returned function is called. */
export const denyDeletes = (story: Story, cluster: string): (() => void) =>
  denyWrites(story, cluster, 'DELETE', '/configmaps/')

/** The same of requests with this method to a URL with this part. */
export function denyWrites(story: Story, cluster: string, method: string, part: string): () => void {
  const { api } = story.fleet.clusters.get(cluster)!
  let isDenying = true
  story.fleet.env.net.serve(`https://${cluster}.test`, (request) => {
    const isIt = request.method === method && request.url.includes(part)
    if (!isDenying || !isIt) return api.handle(request)
    const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden' }
    const body = JSON.stringify({ ...status, message: DENIAL })
    return Promise.resolve({ status: 403, headers: { 'content-type': 'application/json' }, body })
  })
  return () => {
    isDenying = false
  }
}
