/** One workload cluster as the manager sees it: which kinds it serves, and a cache for each kind that was ever read. */
import { at, isArray, type JsonObject, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { corePath } from './setspec.ts'
import { RequestFailed, type UpstreamClient } from './upstreamclient.ts'
import { UpstreamInformer } from './upstreaminformer.ts'

export interface RestMapping {
  readonly plural: string
  readonly namespaced: boolean
}

export class Remote {
  readonly client: UpstreamClient
  private readonly lagMs: () => number
  private readonly mappings = new Map<string, ReadonlyMap<string, RestMapping>>()
  private readonly informers = new Map<string, UpstreamInformer>()

  constructor(client: UpstreamClient, lagMs: () => number) {
    this.client = client
    this.lagMs = lagMs
  }

  /** `apiutil.NewDynamicRESTMapper`: asks for a group version until it knows the kind. @throws RequestFailed */
  async mapping(apiVersion: string, kind: string): Promise<RestMapping> {
    const known = this.mappings.get(apiVersion)?.get(kind)
    if (known) return known
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const answer = await this.client.aside('GET', path).catch((e: unknown) => {
      if (e instanceof RequestFailed && e.status === 404) return {}
      throw e
    })
    const listed = at(answer, 'resources')
    const kinds = new Map<string, RestMapping>()
    for (const r of isArray(listed) ? listed : []) {
      const plural = String(at(r, 'name'))
      if (!plural.includes('/'))
        kinds.set(String(at(r, 'kind')), { plural, namespaced: at(r, 'namespaced') === true })
    }
    this.mappings.set(apiVersion, kinds)
    const found = kinds.get(kind)
    if (!found) throw new RequestFailed(0, '', `no matches for kind "${kind}" in version "${apiVersion}"`)
    return found
  }

  /** As the cache has it; ConfigMaps and Secrets are always asked for (`DisableFor`). @throws RequestFailed */
  async read(apiVersion: string, kind: string, namespace: string, name: string): Promise<JsonObject> {
    const { plural, namespaced } = await this.mapping(apiVersion, kind)
    const { group } = parseApiVersion(apiVersion)
    if (group === '' && (kind === 'ConfigMap' || kind === 'Secret'))
      return this.client.get(`${corePath(plural, namespace)}/${name}`)
    const informer = this.informer(`${rootOf(apiVersion)}/${plural}`)
    await informer.synced
    const found = informer.get(namespaced ? namespace : '', name)
    if (!found) throw new RequestFailed(404, 'NotFound', `${kind}${group && `.${group}`} "${name}" not found`)
    return found as unknown as JsonObject
  }

  stop(): void {
    for (const informer of this.informers.values()) informer.stop()
  }

  private informer(path: string): UpstreamInformer {
    const found = this.informers.get(path) ?? new UpstreamInformer(this.client, { path, lagMs: this.lagMs })
    this.informers.set(path, found)
    return found
  }
}

const rootOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`

/** Where an object is written: of the collection, and of itself. */
export function placeOf(o: KubeObject, { plural, namespaced }: RestMapping): string {
  const within = namespaced ? `/namespaces/${o.metadata.namespace}` : ''
  return `${rootOf(o.apiVersion)}${within}/${plural}`
}
