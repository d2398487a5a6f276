import type { KubeObject } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { forbidden } from '../status/apifailure.ts'

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** Namespaces without which no cluster works (apiserver `namespace/lifecycle`). */
export function protect(kind: ServedKind, o: KubeObject): ApiFailure | undefined {
  if (kind.custom || kind.info.group !== '' || kind.info.kind !== 'Namespace') return undefined
  const name = o.metadata.name ?? ''
  return IMMORTAL.has(name)
    ? forbidden(resourceOf(kind), name, 'this namespace may not be deleted')
    : undefined
}
