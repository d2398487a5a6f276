import type { ServerRequest, ServerResponse } from '@lockstep/kube/env'
import { encodeJson } from '@lockstep/kube/object'
import { failureAnswer, headersFor, jsonAnswer } from '../render/jsonanswer.ts'
import { negotiate } from '../request/negotiate.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { pageNotFound } from '../status/apifailure.ts'
import { AGGREGATED_TYPE, aggregatedDiscovery } from './aggregateddiscovery.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions, groupsOf } from './groupversions.ts'
import { sha512Hex } from './sha512hex.ts'

/** Discovery documents of a cluster; made when asked for, kept until a kind comes or goes. */
export class ApiDiscovery {
  private readonly cluster: EmbeddedCluster
  private readonly texts = new Map<string, string>()
  private revision = -1

  constructor(cluster: EmbeddedCluster) {
    this.cluster = cluster
  }

  /** Undefined: the path is none of discovery's. */
  answer(path: string, request: ServerRequest): ServerResponse | undefined {
    const parts = path.split('/').filter((p) => p !== '')
    if (parts[0] !== 'api' && parts[0] !== 'apis') return undefined
    if (parts.length > (parts[0] === 'api' ? 2 : 3)) return undefined
    const media = negotiate(request.headers.accept)
    if (!media.ok) return failureAnswer(media.error)
    if (media.value.as === 'discovery' && parts.length === 1) return this.aggregated(parts[0], request)
    const text = this.text(path, (kinds) => document(kinds, parts))
    return text === '' ? failureAnswer(pageNotFound) : jsonAnswer(200, text, media.value.format)
  }

  private aggregated(root: string, request: ServerRequest): ServerResponse {
    const text = this.text(`aggregated ${root}`, (kinds) => aggregatedDiscovery(kinds, root === 'api'))
    const etag = `"${sha512Hex(text).toUpperCase()}"`
    const headers = {
      ...headersFor(AGGREGATED_TYPE),
      etag,
      vary: 'Accept',
      'cache-control': 'public',
    }
    if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: '' }
    return { status: 200, headers, body: text }
  }

  private text(key: string, make: (kinds: ServedKind[]) => object | undefined): string {
    const { kinds } = this.cluster
    if (this.revision !== kinds.revision) this.texts.clear()
    this.revision = kinds.revision
    const known = this.texts.get(key)
    if (known !== undefined) return known
    const made = make(kinds.all())
    const text = made === undefined ? '' : encodeJson(made)
    // Only documents that exist are kept: asking for others must not fill the memory.
    if (made !== undefined) this.texts.set(key, text)
    return text
  }
}

function document(kinds: readonly ServedKind[], parts: readonly string[]): object | undefined {
  const [root, first, second] = parts
  if (root === 'api') {
    if (first === undefined) return apiVersions()
    return first === 'v1' && kinds.some((k) => k.info.group === '')
      ? apiResourceList(kinds, '', 'v1')
      : undefined
  }
  const groups = groupsOf(kinds)
  if (first === undefined) return apiGroupList(groups)
  const group = groups.find((g) => g.group === first && g.group !== '')
  if (!group) return undefined
  if (second === undefined) return apiGroup(group, false)
  return group.versions.includes(second) ? apiResourceList(kinds, first, second) : undefined
}
