import { at, isString, type KubeObject } from '@lockstep/kube/object'

/** `group/Kind` that a CustomResourceDefinition defines; undefined for everything else, and for one that names none. */
export function definedKind(o: KubeObject): string | undefined {
  if (o.kind !== 'CustomResourceDefinition') return undefined
  const group = at(o, 'spec', 'group')
  const kind = at(o, 'spec', 'names', 'kind')
  return isString(group) && isString(kind) ? `${group}/${kind}` : undefined
}
