import { shortName } from './builtindefinitions.js'

/** Resources that a default server of ours does not serve. */
const LEFT_OUT = /^mutatingadmissionpolic/

/**
 * Resources in the order group, version, plural, from the discovery documents that Kubernetes records beside its OpenAPI
 * documents; the latter tell which definition a kind has.
 */
export function resourcesFrom(discovery, documents) {
  const types = typesByKind(documents)
  return discovery.flatMap((list) => listed(list, types)).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

const key = (r) => `${r.group}\n${r.version}\n${r.plural}`

function listed(list, types) {
  const [group, version] = list.groupVersion.includes('/')
    ? list.groupVersion.split('/')
    : ['', list.groupVersion]
  const own = list.resources.filter((r) => !r.name.includes('/') && !LEFT_OUT.test(r.name))
  return own.map((r) => {
    const subs = list.resources.filter((s) => s.name.startsWith(`${r.name}/`))
    return {
      group,
      version,
      plural: r.name,
      kind: r.kind,
      singular: r.singularName,
      namespaced: r.namespaced,
      type: types.get(`${group}/${version}/${r.kind}`),
      ...(r.shortNames ? { shortNames: r.shortNames } : {}),
      ...(r.categories ? { categories: r.categories } : {}),
      verbs: r.verbs,
      ...(r.storageVersionHash ? { storageVersionHash: r.storageVersionHash } : {}),
      ...(subs.length > 0 ? { subresources: subresources({ group, version, ...r }, subs, types) } : {}),
    }
  })
}

function subresources(r, subs, types) {
  return Object.fromEntries(
    subs.map((s) => {
      const [group, version] = [s.group ?? r.group, s.version ?? r.version]
      const isOther = s.kind !== r.kind || group !== r.group || version !== r.version
      const type = isOther ? types.get(`${group}/${version}/${s.kind}`) : undefined
      return [
        s.name.slice(r.name.length + 1),
        {
          verbs: s.verbs,
          ...(isOther ? { kind: s.kind } : {}),
          ...(group !== r.group || version !== r.version ? { group, version } : {}),
          ...(type ? { type } : {}),
        },
      ]
    }),
  )
}

function typesByKind(documents) {
  const out = new Map()
  for (const d of documents)
    for (const [name, schema] of Object.entries(d.components.schemas)) {
      const kinds = schema['x-kubernetes-group-version-kind'] ?? []
      // Options of requests list every group; a kind of its own has one.
      if (kinds.length === 1)
        out.set(`${kinds[0].group}/${kinds[0].version}/${kinds[0].kind}`, shortName(name))
    }
  return out
}
