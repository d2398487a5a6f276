import { at, isString, type KubeObject } from '@lockstep/kube/object'

/** `group/Kind` that a CustomResourceDefinition defines; undefined for everything else, and for one that names none. */
export function definedKind(o: KubeObject): string | undefined {
  if (o.kind !== 'CustomResourceDefinition') return undefined
  const group = at(o, 'spec', 'group')
  const kind = at(o, 'spec', 'names', 'kind')
  return isString(group) && isString(kind) ? `${group}/${kind}` : undefined
}

/** Whether a kind has namespaces, by `group/Kind` of the definitions among the objects: their kinds may not be served yet. */
export function definedScopes(objects: readonly KubeObject[]): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  for (const o of objects) {
    const defined = definedKind(o)
    if (defined !== undefined) found.set(defined, at(o, 'spec', 'scope') === 'Namespaced')
  }
  return found
}
