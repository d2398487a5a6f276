/** What a path asks for (apiserver pkg/endpoints/request/requestinfo.go). */
export interface Route {
  readonly group: string
  readonly version: string
  readonly plural: string
  /** Empty: cluster-scoped, or all namespaces. */
  readonly namespace: string
  /** Empty: the collection. */
  readonly name: string
  readonly subresource: string
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize'])

/** The resource that a path names; undefined for any other path. */
export function parseRoute(path: string): Route | undefined {
  const parts = path.split('/').slice(1)
  if (parts[parts.length - 1] === '') parts.pop()
  const decoded = decodeAll(parts)
  if (!decoded) return undefined
  const [root, ...rest] = decoded
  if (root === 'api' && rest.length >= 2) return inVersion('', rest[0]!, rest.slice(1))
  if (root === 'apis' && rest.length >= 3) return inVersion(rest[0]!, rest[1]!, rest.slice(2))
  return undefined
}

function decodeAll(parts: readonly string[]): string[] | undefined {
  try {
    const out = parts.map((p) => decodeURIComponent(p))
    return out.some((p) => p === '' || p.includes('/') || p.includes('\0')) ? undefined : out
  } catch {
    return undefined
  }
}

function inVersion(group: string, version: string, parts: readonly string[]): Route | undefined {
  const inNamespace =
    parts[0] === 'namespaces' &&
    parts.length > 2 &&
    !(parts.length === 3 && NAMESPACE_SUBRESOURCES.has(parts[2]!))
  const [plural = '', name = '', subresource = '', ...more] = inNamespace ? parts.slice(2) : parts
  if (more.length > 0 && subresource !== 'proxy') return undefined
  return { group, version, plural, namespace: inNamespace ? parts[1]! : '', name, subresource }
}
