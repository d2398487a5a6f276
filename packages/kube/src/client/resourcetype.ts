/** A resource as people name it to kubectl and oc, found in what a server says that it serves. */
import type { ServedResource } from './client.ts'

/**
 * `name`, `name.group` or `name.version.group`, where the name is a plural, a singular, a short name or a kind, in any case.
 * Without a group the core group comes first, then the others in the order of discovery; of a group the version that the server
 * puts first (kubectl `RESTMapper`, `ShortcutExpander`). Undefined: it serves none.
 */
export function resolveResourceType(
  resources: readonly ServedResource[],
  type: string,
): ServedResource | undefined {
  const [name = '', ...rest] = type.toLowerCase().split('.')
  const called = resources.filter((r) => isCalled(r, name))
  if (rest.length === 0) return called.find((r) => r.group === '') ?? called[0]
  const [version, ...group] = rest
  // A version before the group is tried first, as kubectl does it.
  const versioned =
    group.length === 0 ? undefined : called.find((r) => r.version === version && r.group === group.join('.'))
  return versioned ?? called.find((r) => r.group === rest.join('.'))
}

const isCalled = ({ kind, plural, singular, shortNames }: ServedResource, name: string): boolean =>
  plural === name || singular === name || kind.toLowerCase() === name || shortNames?.includes(name) === true

/** `storageclasses.storage.k8s.io`; of the core group the plural alone. */
export const resourceName = ({ plural, group }: Pick<ServedResource, 'plural' | 'group'>): string =>
  group === '' ? plural : `${plural}.${group}`
