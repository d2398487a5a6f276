import { err, ok } from '../env/result.ts'
import { at, isArray, isString, type JsonValue } from '../object/json.ts'
import type { ClientCall, KubeResult, ServedResource } from './client.ts'
import { decodeJson } from './decode.ts'
import type { ClientWire } from './wire.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Aggregated discovery (KEP-3352, stable since 1.30): two requests for everything that is served. */
export async function discoverResources(
  wire: ClientWire,
  call: ClientCall,
): Promise<KubeResult<readonly ServedResource[]>> {
  const found: ServedResource[] = []
  for (const path of ['/api', '/apis']) {
    const s = {
      verb: 'discover',
      kind: { group: '', kind: 'APIGroupDiscoveryList' },
      key: { name: path },
      method: 'GET',
      path,
      accept: AGGREGATED,
      call,
    } as const
    const answer = await wire.json(s, decodeJson)
    if (!answer.ok) return answer
    const [kind, groups] = [at(answer.value, 'kind'), at(answer.value, 'items') ?? []]
    if (kind === 'APIVersions' || kind === 'APIGroupList') {
      return err({
        cluster: wire.cluster,
        verb: 'discover',
        ref: wire.refOf(s),
        wrote: 'no',
        kind: 'Server',
        status: 200,
        message: 'no aggregated discovery: Kubernetes 1.30 or newer is needed',
      })
    }
    if (kind !== 'APIGroupDiscoveryList' || !isArray(groups))
      return err(wire.malformed(s, { problem: 'no discovery of APIs', isTooLong: false }))
    for (const group of groups) found.push(...resourcesOf(group))
  }
  return ok(found)
}

function resourcesOf(group: JsonValue): ServedResource[] {
  const name = str(at(group, 'metadata', 'name'))
  const versions = at(group, 'versions')
  if (!isArray(versions)) return []
  return versions.flatMap((v, index) => {
    const resources = at(v, 'resources')
    if (!isArray(resources)) return []
    return resources.map((r) => {
      const [verbs, shortNames] = [at(r, 'verbs'), at(r, 'shortNames')]
      return {
        group: str(at(r, 'responseKind', 'group')) || name,
        version: str(at(r, 'responseKind', 'version')) || str(at(v, 'version')),
        kind: str(at(r, 'responseKind', 'kind')),
        plural: str(at(r, 'resource')),
        singular: str(at(r, 'singularResource')),
        shortNames: isArray(shortNames) ? shortNames.filter(isString) : [],
        namespaced: at(r, 'scope') === 'Namespaced',
        verbs: isArray(verbs) ? verbs.filter(isString) : [],
        hasStatus: hasStatus(at(r, 'subresources')),
        preferred: index === 0,
      }
    })
  })
}

const hasStatus = (subresources: JsonValue | undefined): boolean =>
  isArray(subresources) && subresources.some((s) => at(s, 'subresource') === 'status')

const str = (v: unknown): string => (isString(v) ? v : '')
