import type { SubresourceInfo } from '../resources/resourceinfo.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { groupsOf, verbsOf } from './groupversions.ts'

export const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** All groups, or the core group, in one document (apidiscovery.k8s.io/v2). */
export function aggregatedDiscovery(kinds: readonly ServedKind[], core: boolean): object {
  const items = groupsOf(kinds)
    .filter((g) => (g.group === '') === core)
    .map((g) => ({
      metadata: g.group === '' ? {} : { name: g.group },
      versions: g.versions.map((version) => ({
        version,
        resources: kinds
          .filter((k) => k.info.group === g.group && k.info.version === version)
          .sort((a, b) => (a.info.plural < b.info.plural ? -1 : 1))
          .map(resourceEntry),
        freshness: 'Current',
      })),
    }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
}

/** Built-in kinds do not repeat the group and version they are found under. */
const kindRef = (k: ServedKind, s?: SubresourceInfo): object => {
  if (s?.kind !== undefined && s.group !== undefined)
    return { group: s.group, version: s.version ?? '', kind: s.kind }
  return k.custom
    ? { group: k.info.group, version: k.info.version, kind: k.info.kind }
    : { group: s?.group ?? '', version: s?.version ?? '', kind: s?.kind ?? k.info.kind }
}

function resourceEntry(k: ServedKind): object {
  const { info } = k
  const subresources = Object.entries(info.subresources ?? {}).map(([subresource, s]) => ({
    subresource,
    responseKind: kindRef(k, s),
    verbs: s.verbs,
  }))
  return {
    resource: info.plural,
    responseKind: kindRef(k),
    scope: info.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: verbsOf(k),
    shortNames: info.shortNames?.length ? info.shortNames : undefined,
    categories: info.categories?.length ? info.categories : undefined,
    subresources: subresources.length > 0 ? subresources : undefined,
  }
}
