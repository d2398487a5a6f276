import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { BindingFailure } from './resolvebindings.ts'

/** The object or cluster that a binding reads; a change of it ends the wait. `cluster` undefined: of all clusters. */
export function bindingRefs(
  { from }: Pick<BindingFailure, 'from'>,
  namespace: string,
  cluster: string | undefined,
): (WaitRefOf<'Object'> | WaitRefOf<'Cluster'>)[] {
  if (!from) return []
  if (from.type === 'Cluster')
    return cluster === undefined ? [] : [{ kind: 'Cluster', name: cluster, namespace }]
  const { apiVersion, kind, name, where } = from
  const object = { kind: 'Object', name, object: { apiVersion, kind } } as const
  const own = where === 'Hub' ? (from.namespace ?? namespace) : from.namespace
  return [
    {
      ...object,
      ...(own === undefined ? {} : { namespace: own }),
      ...(where === 'Cluster' && cluster !== undefined ? { cluster } : {}),
    },
  ]
}
