/** The way from the controllers to a case's cluster, with somebody on it who counts. */
import { type CountingProxy, countingProxy } from '../kube/countingproxy.ts'
import type { Corner } from './fleetsubject.ts'

/** From now on a cluster of the corner is spoken to through a proxy. */
export async function counted(c: Corner, name: 'c1' | 'c2' = 'c1'): Promise<CountingProxy> {
  const config = JSON.parse(c.subject[name].kubeconfig)
  const { cluster } = config.clusters[0]
  const data = cluster['certificate-authority-data']
  const proxy = await countingProxy(cluster.server, data && Buffer.from(data, 'base64').toString())
  const clusters = [
    { ...config.clusters[0], cluster: { server: proxy.url, 'certificate-authority-data': btoa(proxy.ca) } },
  ]
  await c.cluster(name, JSON.stringify({ ...config, clusters }))
  return proxy
}

/** Writes of objects of the case since an answer, by method and name: also those that changed nothing. */
export function writesOf(c: Corner, { answers }: CountingProxy, from = 0): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { method, path } of answers.slice(from)) {
    const url = new URL(path, 'https://c')
    const isOurs = url.pathname.includes(`/namespaces/${c.namespace}/`)
    if (method === 'GET' || !isOurs || url.searchParams.has('dryRun')) continue
    const key = `${method} ${url.pathname.slice(url.pathname.lastIndexOf('/') + 1)}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
