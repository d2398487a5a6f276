import type { Kind } from '../object/kind.ts'
import type { Key } from '../object/objectref.ts'

/** `/api/v1/namespaces/x/configmaps/y`, as every Kubernetes API server routes it. */
export function objectPath(kind: Kind, key: Partial<Key>, subresource?: string): string {
  const base = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const namespace = kind.namespaced && key.namespace ? `/namespaces/${encodeURIComponent(key.namespace)}` : ''
  const name = key.name ? `/${encodeURIComponent(key.name)}` : ''
  return `${base}${namespace}/${kind.plural}${name}${subresource ? `/${subresource}` : ''}`
}

/** Query text from what is set; `?` included, empty if nothing is. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const parts = Object.entries(values)
    .filter(([, v]) => v !== undefined && v !== false)
    .map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}
